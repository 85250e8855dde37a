"""A detector of an installed package, made on the workers: the toy package comes to them as a zip file."""

import sys
from functools import partial
from zipfile import ZipFile

import pytest
from spark_deid.plan.corpus import ANNOTATED, Corpus
from spark_deid.plan.stages import DetectInstalled, Suppress

from spark_deid.core import tables
from spark_deid.detection.installed import detector_names, make_detector, spans_found

TOY = """
from spark_deid.core.span import Span


class Bumblebees:
    def detect(self, text):
        return [Span(i, i + 1, "BEE", 0.5) for i, letter in enumerate(text) if letter == "b"]
"""
TEXTS = {"d1": "a bob", "d2": "nothing", "d3": "😀 b"}


@pytest.fixture(scope="module")
def package(spark, tmp_path_factory):
    """Install a package on driver and workers."""
    archive = tmp_path_factory.mktemp("installed") / "toy_bumblebees.zip"
    with ZipFile(archive, "w") as packed:
        packed.writestr("toy_bumblebees.py", TOY)
        packed.writestr("toy_bumblebees-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
        entry = "[spark_deid.detectors]\nbumblebees = toy_bumblebees:Bumblebees\n"
        packed.writestr("toy_bumblebees-1.0.dist-info/entry_points.txt", entry)
    before = list(sys.path)
    spark.sparkContext.addPyFile(str(archive))
    make_detector.cache_clear()
    yield "bumblebees"
    sys.path[:] = before
    make_detector.cache_clear()


@pytest.mark.parametrize("partitions", [1, 7])
def test_workers_find_what_the_detector_finds_and_the_plan_edits_it(spark, package, partitions):
    assert package in detector_names()
    rows = [(doc_id, None, text, {}, []) for doc_id, text in TEXTS.items()]
    given = spark.createDataFrame(rows, tables.ddl(ANNOTATED)).repartition(partitions)
    empty = Corpus.empty(spark)
    corpus = DetectInstalled(package)(empty.read(given, given, empty.rejects))
    corpus = Suppress((package,), lambda name, rows: rows)(corpus)
    expected = {(doc_id, span) for doc_id, text in TEXTS.items() for span in partial(spans_found, name=package)(text)}
    assert {(row[0], tuple(row)[1:]) for row in corpus.spans.collect()} == {(d, tuple(s)) for d, s in expected}
    edits = {(row.doc_id, row.start, row.end, row.replacement) for row in corpus.edits.collect()}
    assert edits == {(doc_id, span.start, span.end, "[BEE]") for doc_id, span in expected}

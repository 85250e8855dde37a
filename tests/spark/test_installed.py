"""A detector and a technique of an installed package, on the workers: the toy package comes to them as a zip file."""

import sys
from collections.abc import Iterator
from functools import partial
from zipfile import ZipFile

import pytest
from pyspark.sql import SparkSession

from spark_deid.detection.registry import installed_names, make_detector, spans_found
from tests.spark.decided import Row, annotated_of, carried_out, counted_against, plan_of

TOY = """
from spark_deid.core.edit import Edit
from spark_deid.core.kinds import TechniqueKind
from spark_deid.core.span import Span


class Bumblebees:
    def detect(self, text):
        return [Span(i, i + 1, "BEE", 0.5) for i, letter in enumerate(text) if letter == "b"]


def buzz(document, spans):
    return [Edit(span.start, span.end, "buzz", "z" * span.end) for span in spans if span.start > 2]


KIND = TechniqueKind(describe=lambda settings: "a sound", prepare=lambda settings, corpus, run: buzz)
"""
ENTRY_POINTS = """
[spark_deid.detectors]
bumblebees = toy_bumblebees:Bumblebees
[spark_deid.techniques]
buzz = toy_bumblebees:KIND
"""
TEXTS = {"d1": "a bob", "d2": "nothing", "d3": "😀 b"}


@pytest.fixture(scope="module")
def package(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Install a package on driver and workers."""
    archive = tmp_path_factory.mktemp("installed") / "toy_bumblebees.zip"
    with ZipFile(archive, "w") as packed:
        packed.writestr("toy_bumblebees.py", TOY)
        packed.writestr("toy_bumblebees-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: toy\nVersion: 1.0\n")
        packed.writestr("toy_bumblebees-1.0.dist-info/entry_points.txt", ENTRY_POINTS)
    before = list(sys.path)
    spark.sparkContext.addPyFile(str(archive))
    make_detector.cache_clear()
    yield "bumblebees"
    sys.path[:] = before
    make_detector.cache_clear()


@pytest.mark.parametrize("partitions", [1, 7])
def test_workers_find_what_the_detector_finds_and_the_plan_edits_it(
    spark: SparkSession, package: str, partitions: int
) -> None:
    assert package in installed_names()
    rows: list[Row] = [(doc_id, None, text, {}, []) for doc_id, text in TEXTS.items()]
    given = annotated_of(spark, rows).repartition(partitions)
    corpus = carried_out(plan_of({"detectors": [package]}), given)
    expected = {(doc_id, span) for doc_id, text in TEXTS.items() for span in partial(spans_found, name=package)(text)}
    assert {(row[0], tuple(row)[1:]) for row in corpus.spans.collect()} == {(d, tuple(s)) for d, s in expected}
    edits = {(row.doc_id, row.start, row.end, row.replacement) for row in corpus.edits.collect()}
    # The article before a placeholder is written in a form that does not show how the hidden word begins.
    assert edits == {("d1", 0, 1, "a(n)"), *((doc_id, span.start, span.end, "[BEE]") for doc_id, span in expected)}


@pytest.mark.parametrize("partitions", [1, 7])
def test_workers_apply_the_technique_and_suppress_what_it_leaves(
    spark: SparkSession, package: str, partitions: int
) -> None:
    rows: list[Row] = [(doc_id, None, text, {}, []) for doc_id, text in TEXTS.items()]
    settings = plan_of({"detectors": [package], "rules": {"BEE": "buzz"}})
    corpus = carried_out(settings, annotated_of(spark, rows).repartition(partitions))
    published = {row.doc_id: row.published for row in corpus.decisions.collect()}
    assert published == {"d1": "a(n) [BEE]ozzzzz", "d2": "nothing", "d3": "😀 [BEE]"}
    counts = counted_against(corpus, exempt=settings.exempt)
    assert counts.edits == {"buzz": {"BEE": 1}, "suppress": {"BEE": 3}}
    assert counts.handed_back == {"buzz": {"left-out": 2}}

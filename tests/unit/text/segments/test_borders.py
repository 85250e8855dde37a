"""The spans of a record do not depend on other records, although detectors read all of them as one text."""

import json
import random
from typing import Any

import pytest

from spark_deid.core.kinds import DetectorKind
from spark_deid.core.span import Finder, Span
from spark_deid.greedy.detector import KIND as MODEL
from spark_deid.pipeline.one_document import document_context
from spark_deid.plan.load import check_methods
from spark_deid.text.patterns.detector import PatternDetector
from spark_deid.text.patterns.detector_kind import KIND as PATTERNS
from spark_deid.text.segments import find_in_records

WORDS = (
    *(
        "MRN",
        "SSN:",
        "card ending",
        "born",
        "tel",
        "aged",
        "Dr.",
        "Rose",
        "patient",
        "of",
        "5551234567",
        "123-45",
        "6789",
        "44",
    ),
    *(
        "2001",
        "March",
        "3",
        "Elm",
        "Street",
        "14",
        "Ilona",
        "Varga",
        "was",
        "seen",
        "(",
        "+1",
        "ann@example.org",
        "10/6",
        "A-77",
    ),
)


def finder(kind: DetectorKind[Any], section: dict[str, str]) -> Finder:
    assert kind.make is not None
    return kind.make(kind.settings(**section), document_context(check_methods({"patterns": {}}, "a plan")))


def phrase(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randrange(1, 7)))


@pytest.mark.parametrize("seed", range(5))
def test_patterns_are_equal_with_and_without_borders(seed: int) -> None:
    chance = random.Random(seed)
    joined, separate = finder(PATTERNS, {"kinds": "all"}), PatternDetector()
    for _ in range(60):
        text = json.dumps([[phrase(chance)] for _ in range(6)])
        assert list(joined(text)) == find_in_records(text, find=separate.detect)


def test_a_model_reads_each_record_separately() -> None:
    find = finder(MODEL, {"model": "english"})
    chance = random.Random(7)
    last = {"note": "seen by Rose Varga and Otto"}
    seen = set()
    for _ in range(40):
        text = json.dumps([{"k": phrase(chance)}, last])
        start = text.rindex("seen by")
        seen.add(tuple(moved(span, start) for span in find(text) if span.start >= start))
    assert len(seen) == 1


def moved(span: Span, start: int) -> tuple[int, int, str, float | None]:
    return span.start - start, span.end - start, span.label, span.score

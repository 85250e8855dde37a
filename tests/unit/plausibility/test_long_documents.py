"""Long documents: the work grows with their length, counted in lines run and characters and places copied."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, SupportsIndex

import pytest

import spark_deid.plausibility
from spark_deid.core.edit import Edit, LabelledEdit
from spark_deid.core.span import Span
from spark_deid.ontology.ontology import wordnet
from spark_deid.plausibility.recount.document import recount_document
from spark_deid.plausibility.text.settings import GeneralizeRules
from spark_deid.rewriting.neutral_form import articles_of
from tests.unit.plausibility.generalized import decided, rule

FOLDER = str(Path(spark_deid.plausibility.__file__).parent)
FEW, MANY = 40, 400
MOST = 1.3
"""How much more than by their length's ratio the work of a long document may grow."""
WORDNET = "She has a cat and an ox and some pain. The animal has no aspirin, but persons do; a cat is {}.\n\n"
DATES = "On 3/14/2015, May 2014 and 7 June 2013; {} in March 2012.\n\n"


class Lines:
    """Count the lines that the package runs."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> "Lines | None":
        if event == "call":
            return self if frame.f_code.co_filename.startswith(FOLDER) else None
        self.number += event == "line"
        return self

    def __enter__(self) -> "Lines":
        self._before = sys.gettrace()
        sys.settrace(self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)


class Copied(str):
    """A text that counts the characters that are cut out of it."""

    number = 0

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        part = super().__getitem__(key)
        Copied.number += len(part)
        return part


class Gone(list[tuple[int, int]]):
    """Places that count how many were gone through."""

    number = 0

    def __iter__(self) -> Iterator[tuple[int, int]]:
        Gone.number += len(self)
        return super().__iter__()


def document(sentence: str, number: int, terms: Iterable[str]) -> tuple[str, list[Span]]:
    """Repeat a sentence with a word of each own, and mark some of its terms in each."""
    ontology = wordnet()
    parts, spans, position = [], list[Span](), 0
    for each in range(number):
        word = ontology.word(each * 97 + 20_000)
        parts.append(sentence.format(word))
        for term in terms:
            found = position + parts[-1].index(term.format(word))
            spans.append(Span(found, found + len(term.format(word)), "TERM", source="x"))
        position += len(parts[-1])
    return "".join(parts), spans


def work(text: str, spans: Sequence[Span], rules: GeneralizeRules) -> tuple[int, int]:
    """Return the lines run and the characters cut out of a text to decide it and to count it again."""
    Copied.number = 0
    with Lines() as lines:
        edits = decided(Copied(text), spans, rules).edits
        places = {(span.start, span.end) for span in spans}
        counted = recount_document(Copied(text), places, [LabelledEdit(*edit) for edit in edits], rules)
    assert not counted.faults
    assert counted.terms
    return lines.number, Copied.number


@pytest.mark.parametrize(
    ("sentence", "terms", "settings"),
    [
        (WORDNET, ("cat", "ox", "{}"), {"segment": "document"}),
        (WORDNET, ("cat", "{}"), {"segment": "paragraph"}),
        (DATES, ("3/14/2015", "7 June 2013"), {"ontology": "dates"}),
    ],
    ids=["document", "paragraph", "dates"],
)
def test_work_grows_with_the_length_of_a_document(
    sentence: str, terms: tuple[str, ...], settings: dict[str, Any]
) -> None:
    rules = rule(t=2, **settings)
    work(*document(sentence, MANY, terms), rules)  # fills what is kept of words
    few, many = (work(*document(sentence, number, terms), rules) for number in (FEW, MANY))
    assert all(more <= MOST * MANY / FEW * less for less, more in zip(few, many, strict=True)), (few, many)


def test_articles_are_looked_for_without_going_through_all_places() -> None:
    text = "a cat " * MANY
    edits = {start: Edit(start, start + 3, "generalize", "animal") for start in range(2, len(text), 6)}
    taken = Gone((edit.start, edit.end) for edit in edits.values())
    Gone.number = 0
    articles, _ = articles_of(text, edits, dict.fromkeys(edits, "TERM"), taken, "generalize")
    assert len(articles) == MANY
    assert Gone.number <= MANY


def test_articles_are_counted_without_copying_what_follows() -> None:
    text = "a cat " * MANY
    edits = [LabelledEdit(start, start + 1, "generalize", "an", "TERM") for start in range(0, len(text), 6)]
    edits += [LabelledEdit(edit.start + 2, edit.start + 5, "generalize", "animal", "TERM") for edit in edits]
    Copied.number = 0
    marked = {(edit.start, edit.end) for edit in edits if edit.end - edit.start > 1}
    counted = recount_document(Copied(text), marked, [LabelledEdit(*edit) for edit in edits], rule(t=2))
    assert not counted.faults
    assert counted.terms == MANY
    assert Copied.number <= 20 * len(text)

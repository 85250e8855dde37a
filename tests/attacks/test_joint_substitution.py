"""A reader with the program puts other originals instead of terms, several at once, and searches for another text."""

import random
from itertools import product

import pytest

from tests.unit.plausibility.generalized import rule
from tests.unit.plausibility.substitutions import CutReader, SlottedText, TermSlot

ONE = SlottedText(("The patient has ", "."), (TermSlot(),))
TWO = SlottedText(("Seen for ", "; also ", "."), (TermSlot(), TermSlot(marked=False)))
BEFORE = ("He had ", "Then came ", "no sign of ", "Family history of ", "because of ", "treated for ")
AFTER = (" since May", ", at last", " (old)", "", " in 2010")


@pytest.fixture(scope="module")
def reader() -> CutReader:
    return CutReader(rule(t=10, search="cut", below=["disease"], segment="sentence"))


def drawn_text(draw: random.Random, terms: int) -> SlottedText:
    """Draw sentences and lines with places for terms in any number and case."""
    pieces, slots, rest = [], [], ""
    for _ in range(terms):
        is_loud = draw.random() < 0.15
        opens = draw.random() < 0.2
        slot = TermSlot(opens, is_loud, draw.random() < 0.2, not opens and draw.random() < 0.3, draw.random() < 0.4)
        slots.append(slot._replace(article=slot.article and not slot.several))
        piece = "" if opens else draw.choice(BEFORE)
        pieces.append(rest + (f"\n{piece.upper()}" if is_loud else piece))
        after = draw.choice(AFTER)
        rest = after.upper() + "\n" if is_loud else after + draw.choice((". ", ".\n", ".\n\n", "; ", ", "))
        if opens:
            pieces[-1] = pieces[-1].rstrip("; ,") + ("" if not pieces[-1] or pieces[-1][-1] in ".\n" else ". ")
    if all(not slot.marked for slot in slots):
        slots[0] = slots[0]._replace(marked=True)
    return SlottedText((*pieces, rest + "End."), tuple(slots))


def test_a_disease_could_be_any_of_its_block(reader: CutReader) -> None:
    seen: dict[int, set[str]] = {}
    for concept in reader.originals:
        for word in reader.words(concept)[:1]:
            seen.setdefault(reader.parts.parts[0][concept].node, set()).add(reader.published(ONE, [word]))
    assert all(len(texts) == 1 for texts in seen.values())
    assert min(len(reader.members[0][node]) for node in seen) >= 10


@pytest.mark.thorough
def test_each_word_of_a_disease_could_be_any_of_its_block(reader: CutReader) -> None:
    for text in (
        ONE,
        *(SlottedText(("Has ", "."), (slot,)) for slot in (TermSlot(capital=True), TermSlot(several=True))),
    ):
        for members in reader.members[0].values():
            seen = {reader.published(text, [word]) for concept in members for word in reader.words(concept)}
            assert len(seen) == 1


@pytest.mark.thorough
def test_two_diseases_could_be_any_two_of_their_parts(reader: CutReader) -> None:
    for one, other in product(reader.members[0].items(), repeat=2):
        level = 0 if one[0] == other[0] else 1
        seen: dict[tuple[int, int], str] = {}
        for first, second in product(one[1], other[1]):
            parts = reader.parts.parts[level]
            key = parts[first].node, parts[second].node
            text = reader.published(TWO, [reader.words(first)[0], reader.words(second)[0]])
            assert seen.setdefault(key, text) == text


def joint(reader: CutReader, draw: random.Random, terms: int) -> None:
    """Draw a text and other originals for all its terms at once, and see that the tool writes the same."""
    text = drawn_text(draw, terms)
    chosen = [draw.choice(reader.originals) for _ in range(terms)]
    words = [draw.choice(reader.words(concept)) for concept in chosen]
    seen = reader.published(text, words)
    touched = reader.touched(text, words, chosen)
    others = {c: draw.choice(reader.alike(c, touched[c])) if c in touched else c for c in set(chosen)}
    assert reader.is_explained(text, others, chosen, seen), (text, chosen, others)
    assert not reader.counted(text, words).faults, (text, words)


@pytest.mark.parametrize("terms", [3, 8, 20])
def test_several_diseases_could_be_any_others_of_their_parts(reader: CutReader, terms: int) -> None:
    draw = random.Random(terms)
    for _ in range(10):
        joint(reader, draw, terms)


@pytest.mark.thorough
def test_ten_thousand_joint_substitutions(reader: CutReader) -> None:
    draw = random.Random(1)
    for _ in range(10_000):
        joint(reader, draw, draw.randint(3, 20))


def test_single_diseases_are_all_suppressed_where_blocks_would_be_too_large() -> None:
    reader = CutReader(rule(t=1024, search="cut", below=["disease"]))
    assert not reader.originals
    assert reader.published(ONE, [("measles", "measles")]) == "The patient has [TERM]."

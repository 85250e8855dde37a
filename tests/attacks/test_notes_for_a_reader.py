"""A reader with the program and the ontology reads notes with words that look like diagnoses, and lines in capitals."""

import random

import pytest

from tests.unit.plausibility.generalized import rule
from tests.unit.plausibility.substitutions import CutReader, SlottedText, TermSlot

T = 10
PLANTED = (
    "Ms. Smith was seen by Dr. Poe.",
    "It was cold outside, and he aids his wife.",
    "Let us talk.",
    "She did not rust.",
    "He has a cold.",
    "The disease has spread.",
    "A tumor was found, no cancer.",
    "pt w/ aids and ms.",
    "HX: AIDS, MS.",
    "Blight and rot are of no concern to us.",
    "They will scald the milk.",
    "No flu, no measles.",
    "He is diabetic.",
    "The shingles were painful.",
)
LINES = (("DX: ", "."), ("HX OF ", ", STABLE"), ("R/O ", ""))
PHRASES = (
    ("He has ", "."),
    ("Known for ", ", stable."),
    ("No ", " this year."),
    ("Treated for ", " in May."),
    ("", "."),
)


@pytest.fixture(scope="module")
def reader() -> CutReader:
    return CutReader(rule(t=T, search="cut", below=["disease"], segment="sentence"))


def note(draw: random.Random) -> SlottedText:
    """Draw a note: sentences and lines with places for diagnoses, and planted sentences between them."""
    pieces, slots, rest = [], [], ""
    for number in range(draw.randint(1, 6)):
        for planted in draw.sample(PLANTED, draw.randint(0, 2)):
            rest += f"{planted}{draw.choice((' ', chr(10)))}"
        is_loud = draw.random() < 0.25
        before, after = draw.choice(LINES if is_loud else PHRASES)
        opens = not before
        pieces.append(f"{rest}\n{before}" if is_loud else rest + before)
        slots.append(TermSlot(opens, is_loud, draw.random() < 0.15, False, not number or draw.random() < 0.3))
        rest = after + ("\n" if is_loud else " ")
    return SlottedText((*pieces, f"{rest}{draw.choice(PLANTED)}"), tuple(slots))


def looked_through(reader: CutReader, draw: random.Random) -> int:
    """Search for other originals of each diagnosis of a note, and return how many originals are distinguished."""
    text = note(draw)
    chosen = [draw.choice(reader.originals) for _ in text.slots]
    words = [draw.choice(reader.words(concept)) for concept in chosen]
    seen, counted, touched = (
        reader.published(text, words),
        reader.counted(text, words),
        reader.touched(text, words, chosen),
    )
    assert not counted.faults, (text.filled(words), seen)
    assert counted.margin >= 0
    for concept, blocks in touched.items():
        alike = reader.alike(concept, blocks)
        assert len(alike) ** blocks >= T
        for other in draw.sample(alike, min(3, len(alike))):
            others = {each: each for each in chosen} | {concept: other}
            assert reader.is_explained(text, others, chosen, seen), (text.filled(words), reader.words(other), seen)
    together = {c: draw.choice(reader.alike(c, touched[c])) if c in touched else c for c in chosen}
    assert reader.is_explained(text, together, chosen, seen), (text.filled(words), together, seen)
    return len(touched)


def test_notes_leave_at_least_t_originals(reader: CutReader) -> None:
    draw = random.Random(3)
    assert sum(looked_through(reader, draw) for _ in range(25)) > 40


@pytest.mark.thorough
def test_two_thousand_notes_leave_at_least_t_originals(reader: CutReader) -> None:
    draw = random.Random(4)
    assert sum(looked_through(reader, draw) for _ in range(2000)) > 4000

"""Words counted by their odds of being of a name: those that edits touch, and the others."""

import re
from typing import Any

import numpy as np

from spark_deid.core.columns import Int64s
from spark_deid.core.missed_names import MissedEstimator, WeighedWords
from spark_deid.rewriting.counts import GROUPS, OddsCounter, add_counts, are_touched

TEXTS = {f"doc-{number}": "ann met bob and carol at noon " * (number % 4) for number in range(50)}


def weigh(text: str) -> WeighedWords:
    """Put each word into the cell of its length."""
    found = [match.span() for match in re.finditer(r"\w+", text)]
    starts, ends = (np.array([span[side] for span in found], np.int32) for side in (0, 1))
    return WeighedWords(starts, ends, (ends - starts).astype(np.int64))


def count_forms(text: str) -> Int64s:
    """Count spaces and letters."""
    return np.array([text.count(" "), sum(map(str.isalpha, text))], np.int64)


def never(*_: object) -> Any:
    raise AssertionError


ESTIMATOR = MissedEstimator(weigh, 6, estimate=never, choose=never, count_forms=count_forms, forms=2, outside=never)


def counter(share: float = 1.0, texts: dict[str, str] = TEXTS) -> OddsCounter:
    made = OddsCounter(ESTIMATOR, share)
    names = [*texts]
    for place in made.chosen(names):
        made.add(names[place], texts[names[place]], [(0, 5)])
    return made


def test_touched_words_are_those_that_a_piece_overlaps() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        borders = np.sort(rng.choice(40, 12, replace=False)).astype(np.int32)
        starts, ends = borders[::2], borders[1::2]
        pieces = [(int(start), int(start + rng.integers(1, 6))) for start in np.sort(rng.integers(0, 40, 3))]
        obvious = [
            any(start < last and first < end for first, last in pieces) for start, end in zip(starts, ends, strict=True)
        ]
        assert are_touched(starts, ends, pieces).tolist() == obvious


def test_words_are_counted_by_cell_and_by_whether_an_edit_touches_them() -> None:
    counts = counter().counts
    words = [match for text in TEXTS.values() for match in re.finditer(r"\w+", text)]
    touched = [match for match in words if match.start() < 5]
    for found, expected in ((counts.edited, touched), (counts.untouched, [m for m in words if m.start() >= 5])):
        assert found.sum(0).tolist() == [sum(len(m.group()) == length for m in expected) for length in range(6)]
    assert (counts.documents, counts.all_documents) == (50, 50)
    assert counts.forms.tolist() == sum(map(count_forms, TEXTS.values()), np.zeros(2)).tolist()
    assert counts.untouched.shape == (GROUPS, 6)


def test_a_sample_is_chosen_by_ids_and_counts_do_not_depend_on_parts() -> None:
    whole = counter(0.5).counts
    parts = [counter(0.5, dict([*TEXTS.items()][first : first + 7])).counts for first in range(0, 50, 7)]
    added = add_counts(parts, 6, 2)
    assert 10 < whole.documents < 40
    assert added[2:4] == whole[2:4]
    assert (added.forms == whole.forms).all()
    assert (added.untouched == whole.untouched).all()
    assert (added.edited == whole.edited).all()

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from spark_deid.repeats.kernels.greedy import cover_greedily, ended_by_cap
from spark_deid.repeats.kernels.marks import EXCLUDED_CHARACTER, HIDDEN_CHARACTER, MAX_LENGTH
from spark_deid.repeats.kernels.optimal import cover_optimally
from spark_deid.repeats.rare import cover_rare
from spark_deid.repeats.settings import CoveringMethod
from tests.unit.repeats.obvious import maximal_repeats


def random_lengths(random: np.random.Generator, size: int) -> np.ndarray:
    """Draw lengths whose ends never move back, with characters that are not text between."""
    lengths = np.zeros(size, np.uint16)
    marked = random.random(size) < random.choice([0, 0, 0.1])
    reached = 0
    for i in range(size):
        end = next((j for j in range(i, size) if marked[j]), size)
        reached = min(end, max(reached, i + int(random.integers(0, 5)) * int(random.random() < 0.6)))
        reached = max(reached, i)
        lengths[i] = random.choice([EXCLUDED_CHARACTER, HIDDEN_CHARACTER]) if marked[i] else reached - i
    return lengths


def cover_all(lengths: np.ndarray, covering: CoveringMethod, min_length: int) -> np.ndarray:
    """Cover lengths of a text of one byte per character that no cap ended."""
    data = np.full(len(lengths), ord("a"), np.uint8)
    return cover_rare(data, lengths, covering=covering, min_length=min_length, cap=255)


def fewest_hidden(lengths: np.ndarray, min_length: int) -> int:
    """Try every run from every character."""
    marks = lengths > MAX_LENGTH

    @cache
    def hidden_from(i: int, may_begin: bool) -> int:
        if i == len(lengths):
            return 0
        if marks[i]:
            return hidden_from(i + 1, True)
        best = 1 + hidden_from(i + 1, True)
        if may_begin:
            for end in range(i + min_length, i + int(lengths[i]) + 1):
                best = min(best, hidden_from(end, False))
        return best

    return hidden_from(0, True)


def literal_greedy(lengths: np.ndarray, min_length: int) -> np.ndarray:
    """Carry Algorithm 2 out as printed, with its borders fixed."""
    starts, ends = maximal_repeats(lengths, min_length)
    flags = np.zeros(len(lengths) + 2, bool)
    for start, end in sorted(zip(starts.tolist(), ends.tolist(), strict=True), key=lambda r: (r[0] - r[1], r[0])):
        if not flags[start : end + 2].any():
            flags[start + 1 : end + 1] = True
    return ~flags[1:-1] & (lengths <= MAX_LENGTH) | (lengths == HIDDEN_CHARACTER)


def kept_runs(hidden: np.ndarray, lengths: np.ndarray) -> list[tuple[int, int]]:
    kept = np.concatenate([[False], ~hidden & (lengths <= MAX_LENGTH), [False]])
    borders = np.flatnonzero(kept[1:] != kept[:-1])
    return list(zip(borders[::2].tolist(), borders[1::2].tolist(), strict=True))


@pytest.mark.parametrize("min_length", [1, 2, 3, 5])
def test_coverings_are_lawful_and_the_optimal_one_hides_fewest(min_length: int) -> None:
    random = np.random.default_rng(min_length)
    for _ in range(400):
        lengths = random_lengths(random, int(random.integers(0, 22)))
        optimal = cover_optimally(lengths, min_length)
        greedy = cover_greedily(lengths, np.zeros(len(lengths), np.bool_), min_length)
        assert (optimal & (lengths <= MAX_LENGTH)).sum() == fewest_hidden(lengths, min_length), lengths
        assert greedy.tolist() == literal_greedy(lengths, min_length).tolist(), lengths
        for hidden in (optimal, greedy):
            assert all(min_length <= end - start <= lengths[start] for start, end in kept_runs(hidden, lengths)), (
                lengths
            )


def test_marks_keep_their_meaning() -> None:
    lengths = np.array([0, EXCLUDED_CHARACTER, HIDDEN_CHARACTER, 2, 1], np.uint16)
    for covering in CoveringMethod:
        assert cover_all(lengths, covering, 1).tolist() == [True, False, True, False, False]


def test_abracadabra() -> None:
    lengths = np.array([4, 3, 2, 1, 0, 1, 0, 4, 3, 2, 1], np.uint16)
    for covering in CoveringMethod:
        assert np.flatnonzero(cover_all(lengths, covering, 1)).tolist() == [4, 6]
        assert np.flatnonzero(cover_all(lengths, covering, 2)).tolist() == [4, 5, 6]


def test_the_longest_run_is_not_always_the_best() -> None:
    lengths = np.array([4, 3, 4, 3, 2, 1], np.uint16)
    assert np.flatnonzero(cover_optimally(lengths, 3)).tolist() == [0, 1]
    lengths = np.array([4, 3, 3, 3, 3, 2, 1], np.uint16)
    assert np.flatnonzero(cover_optimally(lengths, 3)).tolist() == [3]


def test_maximal_repeats_do_not_contain_one_another() -> None:
    random = np.random.default_rng(0)
    for _ in range(100):
        starts, ends = maximal_repeats(random_lengths(random, 20), 1)
        repeats = list(zip(starts.tolist(), ends.tolist(), strict=True))
        assert not any(a <= c and d <= b for (a, b), (c, d) in combinations(repeats, 2))


def test_a_repeat_is_ended_by_the_cap_if_one_character_more_exceeds_it() -> None:
    data = np.frombuffer("aéa日".encode() + b"\xff", np.uint8)
    lengths = np.array([2, 1, 1, 0, EXCLUDED_CHARACTER], np.uint16)
    assert ended_by_cap(data, lengths, 3).tolist() == [True, False, True, False, False]
    assert ended_by_cap(data, lengths, 4).tolist() == [False] * 5
    assert ended_by_cap(data, np.array([4, 3, 2, 1, EXCLUDED_CHARACTER], np.uint16), 1).tolist() == [False] * 5

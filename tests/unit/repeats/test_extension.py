import numpy as np
import pytest

from spark_deid.repeats.extension import character_lengths, extension_lengths, suffix_array
from spark_deid.repeats.kernels.marks import MAX_LENGTH
from spark_deid.repeats.kernels.prefixes import fill_shared
from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.text import TextLayout, exclude_characters, lay_out
from tests.unit.repeats import obvious
from tests.unit.repeats.obvious import maximal_repeats


def repeats_of(texts: list[str], k: int) -> list[tuple[int, int]]:
    """Return the maximal repeats by occurrence as the paper writes them: in one string, ends included."""
    text = lay_out(texts)
    lengths = character_lengths(text, extension_lengths(text, k=k, unit=CountingUnit.OCCURRENCE, cap=255))
    starts, ends = maximal_repeats(lengths, 1)
    shift = np.searchsorted(text.characters[1:-1], starts, side="right")
    return list(zip((starts - shift).tolist(), (ends - 1 - shift).tolist(), strict=True))


def lengths_by_document(text: TextLayout, lengths: np.ndarray) -> list[list[int]]:
    flat = np.where(lengths > MAX_LENGTH, -1, lengths.astype(np.int64))
    return [flat[a : b - 1].tolist() for a, b in zip(text.characters, text.characters[1:], strict=False)]


@pytest.mark.parametrize(
    ("text", "k", "expected"),
    [
        ("abracadabra", 2, [(0, 3), (5, 5), (7, 10)]),
        ("banana", 2, [(1, 3), (3, 5)]),
        ("banana", 3, [(1, 1), (3, 3), (5, 5)]),
        ("bananan", 3, [(1, 2), (3, 4), (5, 6)]),
        ("bananan", 4, []),
        ("aaa", 3, [(0, 0), (1, 1), (2, 2)]),
        ("abaababa", 2, [(0, 2), (3, 5), (5, 7)]),
        ("aaaabaabbababbbbaaa", 2, [(x, x + 2) for x in range(17)]),
        ("abracadabra xrac", 2, [(0, 3), (2, 4), (5, 5), (7, 10), (13, 15)]),
        ("", 2, []),
    ],
)
def test_repeats_of_the_paper(text: str, k: int, expected: list[tuple[int, int]]) -> None:
    assert repeats_of([text], k) == expected


@pytest.mark.parametrize(
    ("text", "borders", "expected"),
    [
        ("abracadabra", (3,), [(0, 2), (3, 3), (5, 5), (7, 9), (10, 10)]),
        ("abracadabra\ncadabra", (7, 9, 11), [(0, 3), (4, 6), (7, 8), (9, 10), (12, 14), (15, 18)]),
    ],
)
def test_no_repeat_crosses_the_end_of_a_document(
    text: str, borders: tuple[int, ...], expected: list[tuple[int, int]]
) -> None:
    documents = [text[a:b] for a, b in zip((0, *borders), (*borders, len(text)), strict=True)]
    assert repeats_of(documents, 2) == expected


def test_suffix_array_and_shared_prefixes_of_the_paper() -> None:
    suffixes = suffix_array(np.frombuffer(b"abracadabra", np.uint8))
    assert suffixes.tolist() == [10, 7, 0, 3, 5, 8, 1, 4, 6, 9, 2]
    shared = np.zeros(len(suffixes), np.uint16)
    fill_shared(lay_out(["abracadabra"]).data, suffixes, 255, 0, len(suffixes), shared)
    assert shared.tolist() == [0, 1, 4, 1, 1, 0, 3, 0, 0, 0, 2]


def test_repeats_are_those_of_plain_search() -> None:
    random = np.random.default_rng(4)
    for _ in range(500):
        text = "".join(random.choice(list("abc")[: random.integers(1, 4)], random.integers(0, 15)))
        k = int(random.integers(2, 5))
        assert repeats_of([text], k) == plain_repeats(text, k), (text, k)


def plain_repeats(text: str, k: int) -> list[tuple[int, int]]:
    """Return every place of a substring with k occurrences that is inside no longer one (for k = 2, Ilie and Smyth)."""
    frequent = {
        (i, j)
        for i in range(len(text))
        for j in range(i, len(text))
        if sum(text.startswith(text[i : j + 1], at) for at in range(len(text))) >= k
    }
    inside = {(i, j) for i, j in frequent if (i - 1, j) in frequent or (i, j + 1) in frequent}
    return sorted(frequent - inside)


@pytest.mark.parametrize("unit", list(CountingUnit))
@pytest.mark.parametrize("seed", range(3))
def test_lengths_are_those_of_plain_counting(unit: CountingUnit, seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(1000):
        texts, excluded, owners = obvious.random_corpus(random)
        if unit is CountingUnit.DOCUMENT:
            owners = list(range(len(texts)))
        k, cap = int(random.integers(2, 6)), int(random.choice([3, 8, 16, 255]))
        text = lay_out(texts, owners)
        exclude_characters(text, enumerate(excluded))
        lengths = character_lengths(text, extension_lengths(text, k=k, unit=unit, cap=cap))
        expected = obvious.extension_lengths(texts, excluded, owners, unit, k, cap)
        assert lengths_by_document(text, lengths) == expected, (texts, excluded, owners, k, cap)


def test_a_corpus_without_text_has_no_lengths() -> None:
    for texts in ([], [""], ["", ""]):
        text = lay_out(texts)
        assert not extension_lengths(text, k=2, unit=CountingUnit.DOCUMENT, cap=255).any()


@pytest.mark.parametrize("unit", list(CountingUnit))
def test_threads_change_no_length(unit: CountingUnit) -> None:
    text = lay_out(["abracadabra", "cadabra abra", "", "bra"], [0, 1, 0, 1])
    alone = extension_lengths(text, k=2, unit=unit, cap=255)
    for threads in (2, 3, 50):
        assert (extension_lengths(text, k=2, unit=unit, cap=255, threads=threads) == alone).all()

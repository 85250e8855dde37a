from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spark_deid.repeats.extension import MAX_THREADED_CAP, character_lengths, extension_lengths
from spark_deid.repeats.kernels.loading import equal_bytes, is_whole, load_in_order, text_bytes
from spark_deid.repeats.kernels.ranges import words_at
from spark_deid.repeats.kernels.sorting import sort_by_word
from spark_deid.repeats.parallel import at_once, cut_pieces, cut_ranges, deal_suffixes
from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.text import TextLayout, exclude_characters, lay_out
from tests.unit.repeats import obvious

ALPHABETS = ("a", "ab", "aé", "日本", "a😀", "ab\0", "a★", "abc \ud800")


@st.composite
def corpora(draw: st.DrawFn) -> TextLayout:
    """Draw documents of few characters, some copied, that belong to few people, with something excluded in some."""
    pieces = st.text(draw(st.sampled_from(ALPHABETS)), max_size=12)
    texts = draw(st.lists(pieces | pieces.map(lambda piece: piece * 9), max_size=8))
    texts += texts[: draw(st.integers(0, 3))]
    owners = draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts)))
    text = lay_out(texts, owners)
    if texts and texts[0]:
        exclude_characters(text, [(0, [(len(texts[0]) // 2, len(texts[0]) // 2 + 1)])])
    return text


@settings(max_examples=200, deadline=None)
@given(
    text=corpora(),
    k=st.integers(2, 6),
    unit=st.sampled_from(CountingUnit),
    cap=st.sampled_from((1, 2, 3, 8, 17, 255)),
    threads=st.integers(2, 4),
    size=st.sampled_from((1, 2, 5, 1000)),
)
def test_ranges_give_the_lengths_of_the_suffix_array(
    text: TextLayout, k: int, unit: CountingUnit, cap: int, threads: int, size: int
) -> None:
    alone = extension_lengths(text, k=k, unit=unit, cap=cap)
    several = extension_lengths(text, k=k, unit=unit, cap=cap, threads=threads, size=size)
    assert character_lengths(text, several).tolist() == character_lengths(text, alone).tolist()


@pytest.mark.parametrize("unit", list(CountingUnit))
def test_ranges_give_the_lengths_of_plain_counting(unit: CountingUnit) -> None:
    random = np.random.default_rng(8)
    for _ in range(200):
        texts, excluded, owners = obvious.random_corpus(random)
        if unit is CountingUnit.DOCUMENT:
            owners = list(range(len(texts)))
        k, cap, size = int(random.integers(2, 6)), int(random.choice([3, 8, 16, 255])), int(random.choice([1, 4, 99]))
        text = lay_out(texts, owners)
        exclude_characters(text, enumerate(excluded))
        found = character_lengths(text, extension_lengths(text, k=k, unit=unit, cap=cap, threads=3, size=size))
        expected = obvious.extension_lengths(texts, excluded, owners, unit, k, cap)
        lengths = [length if length < 0xFFFE else -1 for length in found.tolist()]
        assert [lengths[a : b - 1] for a, b in zip(text.characters, text.characters[1:], strict=False)] == expected


@pytest.mark.parametrize("cap", [255, 700, MAX_THREADED_CAP, MAX_THREADED_CAP + 1])
def test_text_that_repeats_far_is_followed_to_the_cap(cap: int) -> None:
    random = np.random.default_rng(3)
    passage = "".join(random.choice(list("abcd "), 3000))
    text = lay_out([passage, "x" + passage, "a" * 4000, "b" * 600 + passage[:1500], "a" * 1200])
    for unit in CountingUnit:
        alone = extension_lengths(text, k=2, unit=unit, cap=cap)
        assert (extension_lengths(text, k=2, unit=unit, cap=cap, threads=2, size=300) == alone).all()


def test_a_text_of_one_letter_is_counted_in_one_range() -> None:
    text = lay_out(["a" * 500_000] * 2)
    lengths = extension_lengths(text, k=2, unit=CountingUnit.DOCUMENT, cap=255, threads=2)
    expected = np.minimum(np.arange(500_000, -1, -1), 255)
    assert (lengths.reshape(2, -1) == expected).all()


def test_ranges_are_few_where_the_first_bytes_are_the_same() -> None:
    english, dull = "the quick brown fox jumps over the lazy dog. " * 300_000, "a" * 13_500_000
    for passage, expected in ((english, 2), (dull, 0), (dull[:1_000_000], 2)):
        text = lay_out([passage])
        assert at_once(cut_ranges(text, size=1 << 18, cap=255), text, 2) == expected


def test_ranges_are_few_where_there_are_many_units() -> None:
    text = lay_out(["abcdefghijklmnop"] * 1_000_000)
    ranges = cut_ranges(text, size=1 << 18, cap=255)
    assert at_once(ranges, text, 8) == 3
    assert at_once(ranges, replace(text, units=np.full(1_000_000, 9_999_999, np.int32)), 8) == 1


@settings(max_examples=100, deadline=None)
@given(text=corpora(), threads=st.integers(1, 4), size=st.sampled_from((1, 3, 20)))
def test_ranges_hold_every_suffix_once_and_in_order(text: TextLayout, threads: int, size: int) -> None:
    ranges = cut_ranges(text, size=size, cap=255)
    dealt = deal_suffixes(text, ranges, k=2, unit=CountingUnit.SUBJECT, threads=threads)
    places = (dealt.items & np.uint64(0xFFFFFFFF)).astype(np.int64)
    begins = [i for i in range(text.size) if (text.data[i] & 0xC0) != 0x80 and text.data[i] < 0xFD]
    assert sorted(places.tolist()) == begins
    before = b""
    for a, b, depth in zip(dealt.bounds, dealt.bounds[1:], ranges.depths, strict=False):
        suffixes = sorted(bytes(text.data[i : i + 8]) for i in places[a:b])
        assert len({suffix[:depth] for suffix in suffixes}) <= 1
        assert all(suffix.split(b"\xff")[0] for suffix in suffixes)
        if suffixes:
            assert before <= suffixes[0]
            before = suffixes[-1]


@settings(max_examples=100, deadline=None)
@given(text=corpora(), number=st.integers(1, 5))
def test_pieces_are_the_whole_text_in_the_order_of_units(text: TextLayout, number: int) -> None:
    parts = cut_pieces(text, number)
    units = [unit for part in parts for unit in part.units.tolist()]
    places = [i for part in parts for a, b in zip(part.begins, part.ends, strict=True) for i in range(a, b)]
    assert units == sorted(units)
    assert sorted(places) == list(range(text.size))
    assert len(parts) == number


@pytest.mark.parametrize("size", [0, 1, 2, 24, 25, 100, 512, 513, 3000])
def test_words_are_sorted_and_equal_ones_keep_their_order(size: int) -> None:
    random = np.random.default_rng(size)
    for high in (3, 1 << 20, (1 << 64) - 1):
        words = random.integers(0, high, size, np.uint64, endpoint=True)
        items = np.arange(size, dtype=np.uint64)
        order = np.argsort(words, kind="stable")
        expected = words[order].tolist(), order.tolist()
        sort_by_word(words, items, 0, size, np.empty_like(words), np.empty_like(items))
        assert (words.tolist(), items.tolist()) == expected


def test_words_sort_as_their_text_and_end_at_a_mark() -> None:
    data = lay_out(["abcdefghij", "abc"]).data
    whole, ended = load_in_order(data, np.int64(0)), load_in_order(data, np.int64(11))
    assert words_at(data, np.array([0, 10, 11])).tolist() == [
        int.from_bytes(b"abcdefgh", "big"),
        int.from_bytes(b"abc" + b"\xff" * 5, "big"),
    ]
    assert (is_whole(whole), is_whole(ended)) == (True, False)
    assert text_bytes(ended) == equal_bytes(whole, ended) == 3

"""Published texts to sentences with their spans, by columns."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import regex

from spark_deid.core.columns import JoinedTexts, field_in, join_texts, offsets_in
from spark_deid.core.numerics.arrays import Int64s, UInt8s, UInt32s, UInt64s
from spark_deid.core.words import characters_of
from spark_deid.private_training.kernels import (
    BEGINNING,
    CAPITAL,
    ENDING,
    SPACE,
    STRIPPED,
    WORD,
    bytes_before,
    draw_places,
    find_sentences,
)
from spark_deid.private_training.pseudonyms.sentence_runs import PLACED, SENTENCES
from spark_deid.private_training.word_tokens import joined_spans
from spark_deid.text.gathering import gather_strings
from spark_deid.text.visible import codes_of

# Cut texts into sentences, never inside a span, so that they can be put in another order.


Interval = tuple[int, int]
MOST = 2_000
"""Characters of a sentence; a longer one is cut at white space outside of spans, so that no document stays whole."""
_ENGLISH_TITLES = ("Dr", "Mr", "Mrs", "Ms", "Prof", "St", "Sr", "Jr", "Rev")
_TITLES = (*_ENGLISH_TITLES, "No", "vs", "Fig", "Dra", "Sra", "Srta", "approx", "etc")
_FLAGS = {
    SPACE: regex.compile(r"\s+"),
    STRIPPED: re.compile(r"\s+"),
    CAPITAL: regex.compile(r"\p{Lu}+"),
    BEGINNING: regex.compile(r"[\p{Lu}\p{Nd}]+"),
    WORD: regex.compile(r"\w+"),
    ENDING: re.compile(r"[.:;!?\"')\]»”]+"),
}


class TextSentences(NamedTuple):
    """Sentences of texts: where each begins and ends, and how many there are before each text, and in all."""

    places: Int64s
    before: Int64s


def sentences_of(text: str, spans: Sequence[Interval]) -> Iterator[Interval]:
    """Yield where sentences begin and end, in order, without the white space around them.

    ``spans`` are disjoint and sorted; none is cut.

    >>> text = "Seen by Dr. Lee. Fever.\\n\\n- Cough"
    >>> [text[start:end] for start, end in sentences_of(text, [(8, 15)])]
    ['Seen by Dr. Lee.', 'Fever.', '- Cough']
    """
    codes = codes_of(text)
    marked = np.array(spans, np.int64).reshape(-1, 2)
    found = cut_sentences(codes, np.array([[0, len(codes)]]), marked, np.array([0, len(spans)]))
    yield from ((start, end) for start, end in found.places.tolist())


def cut_sentences(codes: UInt32s, borders: Int64s, spans: Int64s, lists: Int64s) -> TextSentences:
    """Cut many texts; a row of ``borders`` tells where one begins and ends among the code points.

    A row of ``spans`` tells the same of a span; text i has those numbered ``lists[i]`` to ``lists[i + 1]``, in order
    and disjoint.
    """
    flags = character_flags()
    found = np.empty((np.count_nonzero(flags[codes] & SPACE) + len(borders), 2), np.int64)
    starts, ends = (np.ascontiguousarray(column) for column in spans.T)
    before = find_sentences(codes, flags, _titles(), borders, starts, ends, lists, MOST, found)
    return TextSentences(found[: before[-1]], before)


@lru_cache(maxsize=1)
def character_flags() -> UInt8s:
    """Return what compiled code asks of every code point, once a process."""
    flags = sum(characters_of(pattern) * np.uint8(flag) for flag, pattern in _FLAGS.items())
    return np.asarray(flags, np.uint8)


@lru_cache(maxsize=1)
def _titles() -> UInt32s:
    """Return the titles from behind, a row each."""
    titles = np.zeros((len(_TITLES), max(map(len, _TITLES))), np.uint32)
    for row, title in zip(titles, _TITLES, strict=True):
        row[: len(title)] = codes_of(title[::-1])
    return titles


_KEYS = 4
_ASCII_SPACE = bytes(code for code in range(128) if chr(code).isspace())
_WIDE_SPACE = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")


class SentenceColumns(NamedTuple):
    """Sentences of some documents (columns of SENTENCES), and how much of texts and spans was lost on the way.

    ``pseudonyms`` are what spans hold, with NUL between each two; a row each of ``sentences`` and ``documents`` tells
    the number of a span's sentence, and of its document.
    """

    rows: pa.RecordBatch
    pseudonyms: str
    sentences: Int64s
    documents: Int64s
    lost: int


class PublishedSpans(NamedTuple):
    """Spans of published texts, in order: numbers of their documents, where they begin and end, and labels."""

    documents: Int64s
    starts: Int64s
    ends: Int64s
    labels: pa.Array


def cut_documents(ids: Sequence[str], published: Sequence[str], edits: pa.ListArray, key: bytes) -> SentenceColumns:
    """Cut documents into sentences, in the order of the documents; their places are drawn by a key.

    ``edits`` are lists of structs of labelled edits, whose replacements stand in the published texts.
    """
    texts = join_texts(published)
    codes = codes_of(texts.text)
    visible = np.concatenate([[0], np.cumsum(character_flags()[codes] & STRIPPED == 0, dtype=np.int32)])
    spans = _published_spans(texts, visible, edits)
    borders = np.stack([texts.begins, texts.begins + texts.sizes], axis=1)
    lists = np.searchsorted(spans.documents, np.arange(len(ids) + 1))
    found = cut_sentences(codes, borders, np.stack([spans.starts, spans.ends], axis=1), lists)
    starts, ends = (np.ascontiguousarray(column) for column in found.places.T)
    owners = np.searchsorted(ends, spans.ends)
    written = _sentence_texts(texts.text, codes, found.places)
    lost = _lost_spans(spans, starts, ends, owners, found.before)
    lost += _lost_characters(visible, texts, starts, ends, found.before)
    lost += abs(_visible(texts.text) - _visible("".join(written.to_pylist())))
    if lost:  # nothing is made of it
        owners = np.minimum(owners, max(len(starts) - 1, 0))
    sizes = np.bincount(owners, minlength=len(starts)) if len(starts) else np.zeros(0, np.int64)
    offsets = pa.array(np.cumsum(np.concatenate([[0], sizes])).astype(np.int32))
    shifts = starts[owners] if len(starts) else np.zeros(len(owners), np.int64)
    columns = [*((each - shifts).astype(np.int32) for each in (spans.starts, spans.ends)), spans.labels]
    structs = pa.StructArray.from_arrays([pa.array(each) for each in columns], fields=[*PLACED])
    places = _places(ids, found.before, key)
    rows = pa.RecordBatch.from_arrays(
        [places, written, pa.ListArray.from_arrays(offsets, structs).cast(SENTENCES.field("spans").type)],
        schema=SENTENCES,
    )
    pseudonyms = [texts.text[start:end] for start, end in zip(spans.starts.tolist(), spans.ends.tolist(), strict=True)]
    return SentenceColumns(rows, joined_spans(pseudonyms), owners, spans.documents, lost)


def _published_spans(texts: JoinedTexts, visible: Int64s, edits: pa.ListArray) -> PublishedSpans:
    """Return where replacements stand, without white space at their ends, which sentences have none of.

    ``visible`` are the numbers of visible characters before each character, and in all.
    """
    documents = pc.list_parent_indices(edits).to_numpy().astype(np.int64)
    starts, ends = offsets_in(edits, "start"), offsets_in(edits, "end")
    order = np.lexsort((ends, starts, documents))
    starts, ends, documents = starts[order], ends[order], documents[order]
    sizes = pc.utf8_length(field_in(edits, "replacement")).to_numpy().astype(np.int64)[order]
    grown = np.cumsum(sizes - (ends - starts))
    first = np.searchsorted(documents, np.arange(len(texts.sizes)))
    shift = np.concatenate([[0], grown])
    begins = texts.begins[documents] + starts + shift[:-1] - shift[first[documents]]
    stops = begins + sizes
    # The first and the last visible character of each; one that has none stays as it is.
    places = np.flatnonzero(np.diff(visible))
    has_any = visible[stops] > visible[begins]
    begins[has_any] = places[visible[begins[has_any]]]
    stops[has_any] = places[visible[stops[has_any]] - 1] + 1
    labels = field_in(edits, "label").take(pa.array(order))
    return PublishedSpans(documents, begins, stops, labels)


def _sentence_texts(text: str, codes: UInt32s, places: Int64s) -> pa.StringArray:
    """Return what stands between places of a text, of which the code points are given."""
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    return gather_strings(data, places if len(data) == len(codes) else bytes_before(codes)[places])


def _places(ids: Sequence[str], before: Int64s, key: bytes) -> pa.FixedSizeBinaryArray:
    """Return the place of each sentence in the order that a key draws."""
    digests = (_digest(doc_id, key) for doc_id in ids)
    keys: UInt64s = np.frombuffer(b"".join(digests), "<u8").astype(np.uint64).reshape(-1, _KEYS)
    places = np.zeros((before[-1], 2), np.uint64)
    draw_places(before, keys, places)
    field = SENTENCES.field("place").type
    return pa.FixedSizeBinaryArray.from_buffers(field, len(places), [None, pa.py_buffer(places.astype(">u8"))])


def _digest(doc_id: str, key: bytes) -> bytes:
    return blake2b(doc_id.encode("utf-8", "surrogatepass"), key=key, digest_size=8 * _KEYS).digest()


def _lost_spans(spans: PublishedSpans, starts: Int64s, ends: Int64s, owners: Int64s, before: Int64s) -> int:
    """Count spans that lie in no sentence of their document."""
    if not len(starts):
        return len(owners)
    places = np.minimum(owners, len(starts) - 1)
    documents = np.searchsorted(before, places, "right") - 1
    is_inside = (spans.starts >= starts[places]) & (spans.ends <= ends[places]) & (documents == spans.documents)
    return int(np.count_nonzero(~is_inside))


def _lost_characters(visible: Int64s, texts: JoinedTexts, starts: Int64s, ends: Int64s, before: Int64s) -> int:
    """Count visible characters of documents that lie in none of their sentences, or in several."""
    own = np.concatenate([[0], np.cumsum(visible[ends] - visible[starts])])
    expected = visible[texts.begins + texts.sizes] - visible[texts.begins]
    return int(np.abs(expected - (own[before[1:]] - own[before[:-1]])).sum())


def _visible(text: str) -> int:
    """Count the bytes of a text that are of no white space; by other means than those that cut it."""
    wide = 0 if text.isascii() else sum(len(space.encode()) for space in _WIDE_SPACE.findall(text))
    return len(text.encode("utf-8", "surrogatepass").translate(None, _ASCII_SPACE)) - wide

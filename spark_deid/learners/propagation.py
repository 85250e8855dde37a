"""Find more by what is known: kinds of tokens that always carry one label, and texts found elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spark_deid.core.arrow import rows_of
from spark_deid.core.numerics.arrays import Float64s, Int32s, UInt8s, UInt32s
from spark_deid.core.numerics.compilation import compiled
from spark_deid.core.span import Span
from spark_deid.text.bio import Offsets
from spark_deid.text.gazetteer import is_surely_name
from spark_deid.text.kernels.hashing import hash_public, salt
from spark_deid.text.kernels.merging import KINDS
from spark_deid.text.tokenizer import ViewTokens
from spark_deid.text.view import TextView
from spark_deid.text.visible import visible

U = np.uint64
SEED = salt("same token")
PURITY = 0.95
LEAST_SEEN = 10
SHORT = 7
"""Tokens up to which numpy as well, adds a row in order."""


def learn_kinds(kinds: UInt8s, tags: Int32s, labels: Sequence[str]) -> dict[str, str]:
    """Return the kinds of merged tokens of which at least 95%, and ten in number, carry one label, with that label."""
    learned: dict[str, str] = {}
    for kind in np.unique(kinds[kinds > 0]).tolist():
        own = (tags[kinds == kind] + 1) // 2
        counts = np.bincount(own, minlength=len(labels) + 1)
        best = int(counts.argmax())
        if best and len(own) >= LEAST_SEEN and counts[best] >= PURITY * len(own):
            learned[KINDS[kind]] = labels[best - 1]
    return learned


def add_kinds(tags: Int32s, kinds: UInt8s, learned: Mapping[str, str], labels: Sequence[str]) -> None:
    """Tag, in place, the untagged tokens whose kind carries a label."""
    free = np.flatnonzero((kinds > 0) & (tags == 0)) if learned else ()
    if len(free):
        for kind, label in learned.items():
            tags[free[kinds[free] == KINDS.index(kind)]] = 1 + 2 * labels.index(label)


def mean_scores(spans: tuple[Span, ...], tokens: ViewTokens, chances: Float64s) -> tuple[Span, ...]:
    """Give each span the mean of its tokens' probabilities."""
    if not spans:
        return ()
    starts, ends, labels, _, sources, ids = zip(*spans, strict=True)
    bounds = np.array((starts, ends), np.int32)
    means, longest = _means(bounds, tokens.starts, chances)
    if longest > SHORT:
        # numpy adds long rows in parts, which loses less to rounding.
        firsts, stops = np.searchsorted(tokens.starts, bounds)
        for long in np.flatnonzero(stops - firsts > SHORT).tolist():
            means[long] = chances[firsts[long] : stops[long]].mean()
    return tuple(rows_of(Span, starts, ends, labels, means.tolist(), sources, ids))


@compiled
def _means(bounds: Int32s, starts: Offsets, chances: Float64s) -> tuple[Float64s, int]:
    """Return the mean of the chances of each span's tokens, added in order, and how many the longest one has."""
    means = np.empty(bounds.shape[1])
    longest = 0
    for s in range(len(means)):
        # Tokens are ordered, so two searches find the tokens of a span.
        first, end = np.searchsorted(starts, bounds[0, s]), np.searchsorted(starts, bounds[1, s])
        total = 0.0
        for t in range(first, end):
            total += chances[t]
        means[s] = total / (end - first)
        longest = max(longest, end - first)
    return means, longest


class RepeatedText(NamedTuple):
    """A text to search for, and the label it was found with."""

    text: str
    label: str


def copy_spans(view: TextView, tokens: ViewTokens, spans: Sequence[Span], least: int) -> tuple[Span, ...]:
    """Add the other places where the text of a span is between words, outside spans and removed pieces.

    Only texts of ``least`` characters and more that were found with one label are copied, longer ones first. Such a
    place begins at a token. A text that is one common word (``text.common_words``) is copied only to places after a
    title. Texts are compared without their invisible characters.
    """
    looks = visible(view.text)
    if looks.is_whole:
        hits = _copies(view.text, tokens, spans, view.removed, least)
    else:
        cut = replace(tokens, starts=looks.begins(tokens.starts), ends=looks.stops(tokens.ends))
        inside, removed = ([looks.inside(span) for span in given] for given in (spans, view.removed))
        hits = [looks.original(hit) for hit in _copies(looks.text, cut, inside, removed, least)]
    return tuple(sorted((*spans, *hits))) if hits else tuple(spans)


def _copies(text: str, tokens: ViewTokens, spans: Sequence[Span], removed: Sequence[Span], least: int) -> list[Span]:
    long = [span for span in spans if span.end - span.start >= least]
    firsts = np.searchsorted(tokens.starts, np.array([span.start for span in long], np.int32)).astype(np.int32)
    wanted = _wanted(text, tokens, long, firsts)
    if not wanted:
        return []
    places = _same_tokens(tokens.codes, tokens.arrays.starts, tokens.arrays.ends, firsts)
    begun = {span.start for span in spans}
    hits: list[Span] = []
    for start, end in zip(tokens.starts[places].tolist(), tokens.ends[places].tolist(), strict=True):
        for each in wanted.get(text[start:end], ()) if start not in begun else ():
            if (
                text.startswith(each.text, start)
                and _is_apart(text, start, start + len(each.text))
                and is_surely_name(each.text, text, start)
            ):
                hits.append(Span(start, start + len(each.text), each.label))
    return _free(hits, len(text), (*removed, *spans)) if hits else []


def _free(hits: Sequence[Span], length: int, others: Sequence[Span]) -> list[Span]:
    """Return the hits that touch no other span and no longer hit."""
    taken = np.zeros(length, np.bool_)
    for span in others:
        taken[span.start : span.end] = True
    found: list[Span] = []
    for hit in sorted(hits, key=lambda hit: (hit.start - hit.end, hit.start)):
        if not taken[hit.start : hit.end].any():
            taken[hit.start : hit.end] = True
            found.append(hit)
    return found


@compiled
def _same_tokens(codes: UInt32s, starts: Offsets, ends: Offsets, wanted: Int32s) -> Int32s:
    """Return the tokens whose hash is that of a wanted one, so that few of them need a closer look."""
    size = 4
    # At most half of the slots are used. A power of two makes the hash's low bits the slot.
    while size < 2 * len(wanted):
        size *= 2
    mask = U(size - 1)
    keys = np.zeros(size, np.uint64)
    for w in wanted:
        key = hash_public(codes, starts[w], ends[w], SEED)
        slot = key & mask
        while keys[slot] != U(0) and keys[slot] != key:
            slot = (slot + U(1)) & mask
        keys[slot] = key
    found = np.empty(len(starts), np.int32)
    count = 0
    for t in range(len(starts)):
        key = hash_public(codes, starts[t], ends[t], SEED)
        slot = key & mask
        while keys[slot] != U(0):
            # Equal hashes are only candidates: the caller compares the text of each place.
            if keys[slot] == key:
                found[count] = t
                count += 1
                break
            slot = (slot + U(1)) & mask
    return found[:count]


def _wanted(text: str, tokens: ViewTokens, spans: Sequence[Span], firsts: Int32s) -> dict[str, list[RepeatedText]]:
    """Return what to search for by the text of its first token."""
    labels: dict[str, set[str]] = {}
    begins: dict[str, str] = {}
    borders = zip(tokens.starts[firsts].tolist(), tokens.ends[firsts].tolist(), strict=True)
    for span, (start, end) in zip(spans, borders, strict=True):
        surface = text[span.start : span.end]
        labels.setdefault(surface, set()).add(span.label)
        begins[surface] = text[start:end]
    wanted: dict[str, list[RepeatedText]] = {}
    for surface, found in labels.items():
        if len(found) == 1:
            wanted.setdefault(begins[surface], []).append(RepeatedText(surface, *found))
    return wanted


def _is_apart(text: str, start: int, end: int) -> bool:
    """Return whether no word continues beyond these borders."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (before.isalnum() or before == "_" or after.isalnum() or after == "_")

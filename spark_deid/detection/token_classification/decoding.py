"""From the scores of tokens to spans: words that are entities with enough probability, joined to entities."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import regex

from spark_deid.core.numerics.arrays import Float32s, Float64s
from spark_deid.core.overlaps import is_gap
from spark_deid.core.span import Span
from spark_deid.detection.token_classification.export import EntityTag, TokenClassifierExport

_LEAST = 1e-300
_UNSPACED = "".join(rf"\p{{{script}}}" for script in ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"))
"""Scripts without spaces: their tokens represent themselves, since a run of letters may be a whole clause."""
_PIECE = rf"(?:(?![{_UNSPACED}])[\p{{L}}\p{{N}}_]\p{{M}}*)+"
_JOINED = rf"['’\-‐‑&]|@(?=(?>{_PIECE})(?!\.\w))|(?<=(?<![\p{{L}}\p{{N}}])\p{{L}})\."
_WORD = regex.compile(rf"{_PIECE}(?:(?:{_JOINED}){_PIECE})*")
"""Marks without spaces join pieces: ``Jean-Luc``, ``AT&T``, ``J.Smith``, ``Khan@ENRON``; not those of addresses."""

_LETTERED = regex.compile(r"[\p{L}\p{N}_](?:.*[\p{L}\p{N}_])?\p{M}*", regex.DOTALL)
_POSSESSIVE: Mapping[str, regex.Pattern[str]] = MappingProxyType({"en": regex.compile(r"(?<=\w)['’]s$")})
_CLOSED: Mapping[str, frozenset[str]] = MappingProxyType(
    {"en": frozenset(["a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"])}
)
"""Words in lowercase that are not entity separately, by language."""


class TokenWord(NamedTuple):
    """A word of a text, or a mark separately, and the numbers of its tokens."""

    start: int
    end: int
    tokens: list[int]


class _Decided(NamedTuple):
    start: int
    end: int
    label: str
    begins: bool
    probability: float


def entity_odds(logits: Float32s, export: TokenClassifierExport) -> tuple[Float64s, Float64s]:
    """Return of tokens x classes the log-odds that each token is in an entity, and the probabilities of its classes."""
    weights = np.exp(logits.astype(np.float64) - logits.max(axis=1, keepdims=True))
    outside = np.asarray([not tag.entity for tag in export.tags])
    inside, others = (np.maximum(weights[:, which].sum(axis=1), _LEAST) for which in (~outside, outside))
    return np.log(inside) - np.log(others), weights / weights.sum(axis=1, keepdims=True)


def probability_of(odds: Float64s, temperature: float, bias: float) -> Float64s:
    """Return calibrated probabilities of log-odds: these less the bias, over the temperature."""
    return np.asarray(1 / (1 + np.exp(-np.clip((odds - bias) / temperature, -500, 500))))


def labelled_export(export: TokenClassifierExport, labels: Mapping[str, str | None]) -> TokenClassifierExport:
    """Return an export whose entities without a label are none."""
    tags = (tag if labels.get(tag.entity) is not None else EntityTag("", False) for tag in export.tags)
    return export._replace(tags=tuple(tags))


def spans_of(
    text: str,
    offsets: Sequence[tuple[int, int]],
    logits: Float32s,
    export: TokenClassifierExport,
    labels: Mapping[str, str | None],
    threshold: float,
) -> Iterator[Span]:
    """Yield the entities of a text whose tokens have these offsets and logits (tokens x classes).

    A word is marked whole where one of its tokens is in an entity with at least the probability ``threshold``; what it
    is follows all of them. Entities without a label in ``labels`` are ignored.
    """
    if not len(logits):
        return
    known = labelled_export(export, labels)
    odds, classes = entity_odds(logits, known)
    inside = probability_of(odds, known.temperature, known.bias)
    open_span: _Decided | None = None
    scores: list[float] = []
    for word in words_of(text, offsets):
        decided = _decide(word, inside, classes, known, labels, threshold)
        goes_on = (
            open_span is not None
            and decided is not None
            and decided.label == open_span.label
            and not decided.begins
            and is_gap(text[open_span.end : decided.start])
        )
        if goes_on and open_span is not None and decided is not None:
            open_span = open_span._replace(end=decided.end)
            scores.append(decided.probability)
            continue
        if open_span is not None:
            yield from _spans(text, open_span, scores, export.language)
        open_span, scores = decided, [] if decided is None else [decided.probability]
    if open_span is not None:
        yield from _spans(text, open_span, scores, export.language)


def _spans(text: str, decided: _Decided, scores: Sequence[float], language: str) -> Iterator[Span]:
    start, end = entity_bounds(text, decided.start, decided.end, language)
    if start < end:
        yield Span(start, end, decided.label, round(sum(scores) / len(scores), 6), "onnx")


def entity_bounds(text: str, start: int, end: int, language: str) -> tuple[int, int]:
    """Omit of an entity the marks at its ends, and what ends a possessive; nothing remains of words like "of".

    >>> [entity_bounds(text, 0, len(text), "en") for text in (", Ann's", "of", "Bonn 😀")]
    [(2, 5), (0, 0), (0, 4)]
    """
    inside = _LETTERED.search(text, start, end)
    if inside is None:
        return start, start
    low, high = inside.span()
    if language in _POSSESSIVE and (ending := _POSSESSIVE[language].search(text, low, high)):
        high = ending.start()
    is_closed = all(word in _CLOSED.get(language, ()) for word in text[low:high].split())
    return (start, start) if is_closed else (low, high)


def _decide(
    word: TokenWord,
    inside: Float64s,
    classes: Float64s,
    export: TokenClassifierExport,
    labels: Mapping[str, str | None],
    threshold: float,
) -> _Decided | None:
    probability = float(inside[word.tokens].max())
    if probability < threshold:
        return None
    totals: dict[str, float] = {}
    for tag, share in zip(export.tags, classes[word.tokens].sum(axis=0), strict=True):
        if tag.entity:
            totals[tag.entity] = totals.get(tag.entity, 0.0) + float(share)
    entity = max(totals, key=lambda each: totals[each])
    first = classes[word.tokens[0]]
    own = [n for n, tag in enumerate(export.tags) if tag.entity == entity]
    begins = export.tags[max(own, key=lambda n: first[n])].begins
    return _Decided(word.start, word.end, str(labels[entity]), begins, probability)


def words_of(text: str, offsets: Sequence[tuple[int, int]]) -> Iterator[TokenWord]:
    """Yield the words of a text with their tokens, and tokens that are in none separately; in order."""
    words = [match.span() for match in _WORD.finditer(text)]
    reached = 0
    current: TokenWord | None = None
    for number, (start, end) in enumerate(offsets):
        start, end = _trimmed(text, start, end)
        if start >= end:
            continue
        while reached < len(words) and words[reached][1] <= start:
            reached += 1
        low, high = start, end
        place = reached
        while place < len(words) and words[place][0] < end:
            low, high = min(low, words[place][0]), max(high, words[place][1])
            place += 1
        if current is not None and low < current.end:
            current.tokens.append(number)
            current = current._replace(end=max(high, current.end))
            continue
        if current is not None:
            yield current
        current = TokenWord(low, high, [number])
    if current is not None:
        yield current


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Omit spaces, which some tokenizers count to the word behind them."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end

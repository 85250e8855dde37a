"""Terms and identifier words of one document."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from spark_deid.core.overlaps import is_gap
from spark_deid.core.span import Span
from spark_deid.core.words import word_borders
from spark_deid.detection.context.settings import SOURCE, SUFFIX
from spark_deid.text.visible import visible

Place = tuple[int, int]


class DocumentWords(NamedTuple):
    """A document's words in lower case with their places; ``inside`` tells which touch an identifier."""

    words: tuple[str, ...]
    places: tuple[Place, ...]
    inside: tuple[bool, ...]


def words_of(text: str, spans: Iterable[Span]) -> DocumentWords:
    """Cut a text into words, without characters that nobody sees, and mark those that a span touches."""
    looks = visible(text)
    starts, ends = (borders.tolist() for borders in word_borders(looks.text))
    words = tuple(looks.text[a:b].lower() for a, b in zip(starts, ends, strict=True))
    if not looks.is_whole:
        starts, ends = [int(looks.starts[a]) for a in starts], [int(looks.ends[b - 1]) for b in ends]
    inside = [False] * len(words)
    for span in spans:
        first = bisect_right(ends, span.start)
        while first < len(words) and starts[first] < span.end:
            inside[first] = True
            first += 1
    return DocumentWords(words, tuple(zip(starts, ends, strict=True)), tuple(inside))


def identifier_words(text: str, spans: Iterable[Span], label: str) -> set[str]:
    """Return the words of the identifiers of a category, each once."""
    found = words_of(text, [span for span in spans if span.label == label])
    return {word for word, inside in zip(found.words, found.inside, strict=True) if inside}


def terms_of(text: str, spans: Iterable[Span], max_words: int) -> Iterator[tuple[str, Place]]:
    """Yield the terms of a text with their places: runs of up to ``longest`` words that no span touches.

    Words of a run stand apart by one or two spaces, and one of them has a letter.

    >>> [term for term, _ in terms_of("The nobel laureate Ann", [Span(19, 22, "NAME")], 2)]
    ['the', 'the nobel', 'nobel', 'nobel laureate', 'laureate']
    """
    found = words_of(text, spans)
    for first in range(len(found.words)):
        run: list[str] = []
        for place in range(first, min(first + max_words, len(found.words))):
            if found.inside[place] or (run and not _is_gap(text, found.places[place - 1], found.places[place])):
                break
            run.append(found.words[place])
            if any(character.isalpha() for word in run for character in word):
                yield " ".join(run), (found.places[first][0], found.places[place][1])


def _is_gap(text: str, one: Place, other: Place) -> bool:
    return is_gap(visible(text[one[1] : other[0]]).text)


def context_spans(text: str, spans: Sequence[Span], terms: Mapping[str, str]) -> tuple[Span, ...]:
    """Return the places of terms outside identifiers as spans; ``terms`` has the category of each.

    Of terms that overlap the longest stays.
    """
    longest = max((1 + term.count(" ") for term in terms), default=0)
    hits = [(place, terms[term]) for term, place in terms_of(text, spans, longest) if term in terms]
    taken: list[Span] = []
    end = 0
    for (start, stop), label in sorted(hits, key=lambda hit: (hit[0][0], -hit[0][1])):
        if start >= end:
            taken.append(Span(start, stop, f"{label}{SUFFIX}", source=SOURCE))
            end = stop
    return tuple(taken)

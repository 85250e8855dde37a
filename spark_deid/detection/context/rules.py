"""Association rules: a term in a document makes an identifier word of a category likely there.

Support, confidence and lift of pairs by document, after Chow, Golle and Staddon's use of co-occurrence for inference
control, which GreedySanitize names for contextual identifiers (Li and others, section 3).
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from spark_deid.core.document import Document
from spark_deid.core.overlaps import is_gap
from spark_deid.core.span import Span
from spark_deid.core.words import word_borders
from spark_deid.text.visible import visible

# Terms that give identifiers away, and the decisions about them.


Route = Literal["label", "remove"]
"""Terms are labelled before training, so that rounds learn to find them, or removed after all other detectors."""
SOURCE = "context"
SUFFIX = "-CONTEXT"


@dataclass(frozen=True)
class CorrelationSettings:
    """When a term is correlated with identifiers of a category, the label ``label``.

    A term is a run of at most ``max_words`` words outside identifiers. Term and identifier word share at least
    ``min_support`` documents; that is at least ``min_confidence`` of the term's documents, and at least ``min_lift``
    times what chance would have them share.
    """

    label: str
    route: Route = "remove"
    min_support: int = 3
    min_confidence: float = 0.5
    min_lift: float = 5.0
    max_words: int = 1


def categories_of(correlations: tuple[CorrelationSettings, ...], route: Route) -> tuple[CorrelationSettings, ...]:
    """Return the categories whose terms take this route."""
    return tuple(each for each in correlations if each.route == route)


class ContextRule(NamedTuple):
    """A term that gives an identifier word away: the documents with both, with each, and all."""

    label: str
    term: str
    value: str
    support: int
    term_documents: int
    value_documents: int
    documents: int

    @property
    def confidence(self) -> float:
        """Return the fraction of the term's documents that hold the identifier word."""
        return self.support / self.term_documents

    @property
    def lift(self) -> float:
        """Return how many times more often both are together than chance would have them."""
        return self.support * self.documents / (self.term_documents * self.value_documents)


def is_correlated(rule: ContextRule, wanted: CorrelationSettings) -> bool:
    """Return whether a rule holds as a category wants it."""
    return (
        rule.support >= wanted.min_support
        and rule.support >= wanted.min_confidence * rule.term_documents
        and rule.support * rule.documents >= wanted.min_lift * rule.term_documents * rule.value_documents
        and 1 + rule.term.count(" ") <= wanted.max_words
    )


def find_rules(documents: Sequence[Document], correlations: Sequence[CorrelationSettings]) -> tuple[ContextRule, ...]:
    """Return the rules of labelled documents, sorted; counts are by document."""
    max_words = max((wanted.max_words for wanted in correlations), default=0)
    terms = [{term for term, _ in terms_of(each.text, each.spans, max_words)} for each in documents]
    documents_with = Counter(term for found in terms for term in found)
    rules: list[ContextRule] = []
    for wanted in correlations:
        values = [identifier_words(each.text, each.spans, wanted.label) for each in documents]
        holding = Counter(value for found in values for value in found)
        known, named = (
            {word for word, count in counts.items() if wanted.min_support <= count <= len(documents) / wanted.min_lift}
            for counts in (documents_with, holding)
        )
        both = Counter(
            (term, value)
            for some, others in zip(terms, values, strict=True)
            for term in some & known
            for value in others & named
        )
        for (term, value), support in both.items():
            rule = ContextRule(wanted.label, term, value, support, documents_with[term], holding[value], len(documents))
            if is_correlated(rule, wanted):
                rules.append(rule)
    return tuple(sorted(rules))


def terms_by_label(rules: Iterable[ContextRule]) -> dict[str, str]:
    """Return the terms of rules with their category; of several the first by name."""
    return {rule.term: rule.label for rule in sorted(rules, reverse=True)}


def label_terms(documents: Iterable[Document], terms: Mapping[str, str]) -> tuple[Document, ...]:
    """Return documents with the places of terms as separate annotations, to be learned like any other."""
    return tuple(
        document._replace(spans=(*document.spans, *context_spans(document.text, document.spans, terms)))
        for document in documents
    )


# Terms and identifier words of one document.


Place = tuple[int, int]


class DocumentWords(NamedTuple):
    """A document's words in lower case with their places; ``inside`` states which touch an identifier."""

    words: tuple[str, ...]
    places: tuple[Place, ...]
    inside: tuple[bool, ...]


def words_of(text: str, spans: Iterable[Span]) -> DocumentWords:
    """Cut a text into words, without characters that no one sees, and mark those that a span touches."""
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

    One or two spaces are between words of a run, and one of the words has a letter.

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

    Of terms that overlap the longest remains.
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

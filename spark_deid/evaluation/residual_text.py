"""The entities and words of gold that edits leave, by gold's labels, and the other words that they hide."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple

from spark_deid.core.edit import LabelledEdit
from spark_deid.core.span import Span, is_allowed
from spark_deid.core.words import WORD
from spark_deid.evaluation.counts import CountCell, MatchCounts, WordOffsets, mentions

ENTITIES, WORDS, OTHERS = "residual_entities", "residual_words", "other_words"
ALL, WHOLE, PART, BY_RULE, BY_ALLOW, HIDDEN = "all", "whole", "part", "by_rule", "by_allow", "hidden"
_FEW = 2
"""Figures of an age or of a day: surrogates can leave one or two digits equal."""


class JudgedRules(NamedTuple):
    """The rules of a plan: its edited detectors, labels whose rule keeps them, and words that identify no one.

    ``generic`` words, such as "hospital", can remain in a replacement. A technique of ``moving`` ones replaces a
    value as a whole: the year of a moved date can remain.
    """

    detectors: frozenset[str]
    kept_labels: frozenset[str] = frozenset()
    generic: frozenset[str] = frozenset()
    moving: frozenset[str] = frozenset()


class JudgedText(NamedTuple):
    """A document's text, its gold spans, the spans found in it, and its edits."""

    text: str
    gold: Sequence[Span]
    found: Sequence[Span]
    edits: Sequence[LabelledEdit]


class TextPiece(NamedTuple):
    """A piece of a text: ``missed`` and ``vain`` are mistakes, ``hidden`` is right, and any other kind is empty."""

    text: str
    kind: str = ""
    label: str = ""


class JudgedDocument(NamedTuple):
    """A document's id, how many words of gold it shows, how many others it hides, and its text in pieces."""

    doc_id: str
    missed: int
    vain: int
    pieces: tuple[TextPiece, ...]


def count_residuals(documents: Iterable[JudgedText], rules: JudgedRules) -> MatchCounts:
    """Count what edits leave of many documents.

    ``residual_entities`` and ``residual_words`` have by label ``all``, those left ``whole`` and in ``part``, and those
    of both that the plan keeps ``by_rule`` or ``by_allow``; the words of all labels have the label "". ``other_words``
    are words outside of gold: ``all`` and ``hidden``. An entity without a word is not counted.

    >>> counts = count_residuals([JudgedText("I am Ann.", [Span(5, 8, "NAME")], [], [])], JudgedRules(frozenset()))
    >>> counts["residual_words", "NAME", "whole"], counts["other_words", "", "all"]
    (1, 2)
    """
    total: Counter[tuple[str, str, str]] = Counter()
    for document in documents:
        _count(document, rules, total)
    return MatchCounts(MappingProxyType({CountCell(*cell): number for cell, number in total.items() if number}))


def count_mistakes(document: JudgedText, rules: JudgedRules) -> tuple[int, int]:
    """Count the words of gold that are not hidden, and the other words that are."""
    judged = _Judged(document, rules)
    return len(judged.marked - judged.hidden), len(judged.hidden - judged.marked)


def judged_pieces(document: JudgedText, rules: JudgedRules) -> tuple[TextPiece, ...]:
    """Cut a text at its words of gold and those that are hidden."""
    judged = _Judged(document, rules)
    labels: dict[int, set[str]] = {}
    for label, words in judged.mentions:
        for word in words:
            labels.setdefault(word, set()).add(label)
    return tuple(_pieces(document.text, judged, labels))


def _pieces(text: str, judged: "_Judged", labels: dict[int, set[str]]) -> Iterator[TextPiece]:
    position, before = 0, TextPiece("")
    for number, (start, end) in enumerate(judged.borders):
        kind = _kind_of(number, judged)
        label = ", ".join(sorted(labels.get(number, ())))
        gap = text[position:start]
        if (before.kind, before.label) == (kind, label):
            before = TextPiece(before.text + gap + text[start:end], kind, label)
        else:
            between = before.text + gap if not before.kind else before.text
            yield TextPiece(between, before.kind, before.label)
            if before.kind:
                yield TextPiece(gap)
            before = TextPiece(text[start:end], kind, label)
        position = end
    yield before
    yield TextPiece(text[position:])


def _kind_of(word: int, judged: "_Judged") -> str:
    if word in judged.marked:
        return "hidden" if word in judged.hidden else "missed"
    return "vain" if word in judged.hidden else ""


class _Judged:
    """The words of a document: where they are, which gold marks, which are hidden, and which a plan keeps."""

    def __init__(self, document: JudgedText, rules: JudgedRules) -> None:
        text, gold, found, edits = document
        words = WordOffsets(text)
        self.borders = [match.span() for match in WORD.finditer(text)]
        self.mentions = [
            (pieces[0].label, frozenset(word for piece in pieces for word in words.touched(piece.start, piece.end)))
            for pieces in mentions(gold)
        ]
        self.marked = frozenset(chain.from_iterable(own for _, own in self.mentions))
        covered = _covered(text, edits, rules)
        sums = [sum(covered[start:end]) for start, end in self.borders]
        self.hidden = frozenset(n for n, (start, end) in enumerate(self.borders) if sums[n] == end - start)
        self.parted = frozenset(n for n, number in enumerate(sums) if number) - self.hidden
        edited = [span for span in found if span.source.split("/")[0] in rules.detectors]
        self.by_rule = words.touched_by((s.start, s.end) for s in edited if s.label in rules.kept_labels) - self.hidden
        self.by_allow = words.touched_by((s.start, s.end) for s in edited if is_allowed(s.source)) - self.hidden


def _count(document: JudgedText, rules: JudgedRules, total: "Counter[tuple[str, str, str]]") -> None:
    judged = _Judged(document, rules)
    of_labels: dict[str, set[int]] = {}
    for label, words in judged.mentions:
        if not words:
            continue
        of_labels.setdefault(label, set()).update(words)
        total[ENTITIES, label, ALL] += 1
        total[ENTITIES, label, WHOLE] += not words & (judged.hidden | judged.parted)
        total[ENTITIES, label, PART] += bool(words & (judged.hidden | judged.parted)) and not words <= judged.hidden
        total[ENTITIES, label, BY_RULE] += bool(words & judged.by_rule)
        total[ENTITIES, label, BY_ALLOW] += bool(words & judged.by_allow)
    for label, own in (*of_labels.items(), ("", judged.marked)):
        total[WORDS, label, ALL] += len(own)
        total[WORDS, label, WHOLE] += len(own - judged.hidden - judged.parted)
        total[WORDS, label, PART] += len(own & judged.parted)
        total[WORDS, label, BY_RULE] += len(own & judged.by_rule)
        total[WORDS, label, BY_ALLOW] += len(own & judged.by_allow)
    total[OTHERS, "", ALL] += len(judged.borders) - len(judged.marked)
    total[OTHERS, "", HIDDEN] += len(judged.hidden - judged.marked)


def _covered(text: str, edits: Iterable[LabelledEdit], rules: JudgedRules) -> bytearray:
    """Flag the characters that edits hide: not those of a word that has the same place in the replacement."""
    flags = bytearray(len(text))
    for start, end, technique, replacement, _ in edits:
        original = text[start:end]
        if original == replacement:
            continue
        flags[start:end] = b"\1" * (end - start)
        if technique in rules.moving:
            continue
        for first, stop in _staying(original, replacement, rules.generic):
            flags[start + first : start + stop] = bytes(stop - first)
    return flags


def _staying(original: str, replacement: str, generic: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield the words that a replacement has in the same place, counted from its first or from its last word.

    Single characters, two digits as of an age, and generic words can be equal by rule.
    """
    before = list(WORD.finditer(original))
    after = [match[0].casefold() for match in WORD.finditer(replacement)]
    pairs = chain(zip(before, after, strict=False), zip(reversed(before), reversed(after), strict=False))
    for match, other in pairs:
        word = match[0].casefold()
        is_few = len(word) == 1 or (word.isdigit() and len(word) <= _FEW)
        if word == other and not is_few and word not in generic:
            yield match.span()

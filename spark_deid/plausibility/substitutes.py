"""Knowledge about a text that remains for a reader with the program: the reader tries other originals in the tool.

|D| counts the leaves below what is written. With the paper's searches some of these would have become another node, so
that who tries them knows that they did not be there.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.kinds import SuppressedSpan
from spark_deid.core.span import Span
from spark_deid.plausibility.recount.partition import plural_by_rule
from spark_deid.plausibility.recount.telling import WordConcepts, word_concepts_of
from spark_deid.plausibility.text.reading import read_document
from spark_deid.plausibility.text.settings import GENERALIZE, GeneralizeRules
from spark_deid.plausibility.text.writing import is_several
from spark_deid.text.visible import visible
from spark_deid.values.wording import article_before, article_of, as_within, in_case_of

_MOST_TERMS, _MOST_WORDS = 4, 4
"""Terms of a document whose originals are tried, and how many for each."""


class SubstituteCounts(NamedTuple):
    """How many other originals of single terms were tried, and how many gave the same text."""

    tried: int = 0
    alike: int = 0


class ReleasedTerm(NamedTuple):
    """A term of a text, the concept that it is read as, and the words that |D| counts for what is written."""

    place: Span
    concept: int
    words: WordConcepts
    node: int


def try_substitutes(
    text: str, pieces: Sequence[Span], rules: GeneralizeRules, random: np.random.Generator
) -> dict[str, SubstituteCounts]:
    """Try other originals for some terms of a document, one at a time, and count by label those that give its text.

    ``pieces`` are the disjoint spans that rules edit. Terms that occur several times are skipped. So are terms
    that follow a partition, whose originals all give the same text.
    """
    if not visible(text).is_whole:
        return {}
    answers, released = _released(text, pieces, rules)
    terms = list(_terms(text, pieces, answers, rules))
    found: dict[str, SubstituteCounts] = {}
    for at in sorted(random.permutation(len(terms))[:_MOST_TERMS].tolist()):
        term = terms[at]
        label = term.place.label
        leaves = [leaf for leaf in term.words.table.leaves(term.node).tolist() if leaf != term.concept]
        for leaf in sorted(random.choice(leaves, min(_MOST_WORDS, len(leaves)), replace=False).tolist()):
            is_equal = _gives(text, pieces, term, leaf, rules, released)
            tried, equal = found.get(label, SubstituteCounts())
            found[label] = SubstituteCounts(tried + 1, equal + is_equal)
    return found


def _released(text: str, pieces: Sequence[Span], rules: GeneralizeRules) -> tuple[Mapping[tuple[int, int], str], str]:
    """Return the replacements of terms by their places, and the text with them and with placeholders for the rest."""
    document = Document("", text, spans=tuple(pieces))
    reading = read_document(document, pieces, rules=rules)
    labels = {span.start: span.label for span in (*pieces, *reading.further)}
    edits, replaced = [], {}
    for row in reading.apply(document, ()) or ():
        if isinstance(row, SuppressedSpan):
            edits.append(Edit(row.start, row.end, "suppress", f"[{labels[row.start]}]"))
        else:
            edits.append(row)
            replaced[row.start, row.end] = row.replacement
    return replaced, apply_edits(text, sorted(edits))


def _terms(
    text: str, pieces: Sequence[Span], answers: Mapping[tuple[int, int], str], rules: GeneralizeRules
) -> Iterator[ReleasedTerm]:
    often = Counter(text[start:end].lower() for start, end in answers)
    for piece in pieces:
        reading, written = rules.reading_of(piece.label), answers.get((piece.start, piece.end))
        if reading is None or written is None or reading in rules.cut_by_reading:
            continue
        words = word_concepts_of(reading)
        lemma, named = words.read(as_within(text, piece.start, piece.end)), words.read(written)
        if lemma is None or named is None or often[text[piece.start : piece.end].lower()] > 1:
            continue
        concept = words.concept(lemma, None)
        nodes = [node for node in words.bearers(named) if node in words.ancestors(concept)]
        if nodes:
            yield ReleasedTerm(piece, concept, words, min(nodes, key=words.table.volume))


def _gives(
    text: str, pieces: Sequence[Span], term: ReleasedTerm, leaf: int, rules: GeneralizeRules, released: str
) -> bool:
    """Tell whether some word of another concept, in the term's number and case and with its article, gives the text."""
    start, end = term.place.start, term.place.end
    words = term.words
    own = words.read(as_within(text, start, end))
    several = own is not None and is_several(text, start, end, inflected=words.is_inflected(text[start:end]))
    for word in words.spelled(leaf):
        if (lemma := words.read(word)) is None or words.concept(lemma, None) != leaf:
            continue
        name = plural_by_rule(word) if several else word
        shown = in_case_of(text, start, end, words.table.word(own or 0), name)
        changes = [Edit(start, end, GENERALIZE, shown)]
        if (article := article_before(text, start)) is not None:
            before = text[article[0] : article[1]]
            fitting = article_of(shown)
            fitting = fitting.upper() if before.isupper() and len(before) > 1 else fitting
            changes.append(Edit(*article, GENERALIZE, before[0] + fitting[1:] if before[0] in "Aa" else fitting))
        moved, tried = _with(text, pieces, sorted(changes))
        if _released(tried, moved, rules)[1] == released:
            return True
    return False


def _with(text: str, pieces: Sequence[Span], changes: Sequence[Edit]) -> tuple[list[Span], str]:
    """Return the pieces where they are in a text with changes, and that text."""

    def place(offset: int) -> int:
        return offset + sum(len(each.replacement) - each.end + each.start for each in changes if each.end <= offset)

    moved = [span._replace(start=place(span.start), end=place(span.end)) for span in pieces]
    return moved, apply_edits(text, changes)

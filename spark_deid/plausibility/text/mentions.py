"""The terms of a document: those that detectors marked, and what would tell of them elsewhere."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from spark_deid.core.numerics.arrays import Int32s, UInt16s
from spark_deid.core.span import Span, detector_of
from spark_deid.ontology.ontology import WHOLE
from spark_deid.plausibility.text.senses import WordSenses
from spark_deid.plausibility.text.settings import ONTOLOGY
from spark_deid.plausibility.text.uses import FUNCTION_WORDS, TELLING_OTHERS, WordUse, use_among_hidden, use_of
from spark_deid.rewriting.rendering import HIDDEN
from spark_deid.values.wording import as_within


class TermMention(NamedTuple):
    """A term at its place: its concept, whether it is an inflected form, and whether a detector marked it.

    One that is ``undecided`` may be no noun.
    """

    start: int
    end: int
    label: str
    lemma: int
    inflected: bool
    concept: int
    marked: bool
    undecided: bool = False


class TermMatch(NamedTuple):
    """A word of an ontology in a text, and the concept that it has there."""

    start: int
    end: int
    lemma: int
    inflected: bool
    own: int
    undecided: bool = False


def marked_mentions(
    text: str, places: Sequence[Span], senses: WordSenses, context: UInt16s | None
) -> list[TermMention]:
    """Look up what detectors marked; what the ontology lacks is left out.

    Of what was marked as a word of an ontology alone, it counts how it is meant.
    """
    found = []
    for place in places:
        lemma, is_form = senses.term(as_within(text, place.start, place.end))
        if lemma >= 0:
            is_listed = detector_of(place.source) == ONTOLOGY
            undecided = is_listed and use_of(text, place.start, place.end, senses.word(lemma)) is not WordUse.NOUN
            own = senses.concept(lemma, context)
            found.append(TermMention(*place[:3], lemma, is_form, own, True, undecided))
    return found


def further_mentions(
    text: str,
    marked: Sequence[TermMention],
    taken: Iterable[tuple[int, int]],
    senses: WordSenses,
    context: UInt16s | None,
) -> list[TermMention]:
    """Find the text that tells of marked terms and that nobody marked: synonyms, inflections and narrower terms.

    A word tells of a concept where it is one of its senses, or the sense that the word has lies below. What is found
    so tells of its own concept in turn. ``taken`` are places where nothing is looked for.
    """
    if not marked:
        return []
    places = set(taken)
    hidden = mask_taken(text, places)
    labels = {mention.concept: mention.label for mention in reversed(marked)}
    written = {text[mention.start : mention.end] for mention in marked}
    record: dict[tuple[int, int], TermMatch] = {}
    new = frozenset(labels)
    while new:
        record |= {match[:2]: match for match in find_telling(hidden, new, senses, context, written, seen=text)}
        new = frozenset(m.own for m in record.values() if m.own not in labels and senses.lies(m.own, labels))
        for concept in sorted(new):
            labels[concept] = labels[min(above for above in senses.ancestors(concept) if above in labels)]
        if new:
            continue
        gone = {m[:2] for m in _longest(record.values())} - places
        if any(text[start:end].lower() in TELLING_OTHERS for start, end in gone):
            places |= gone  # nobody will see any longer that a word beside these is no noun
            hidden, new = mask_taken(text, places), frozenset(labels)
    return [_further(match, senses, labels) for match in _longest(record.values())]


def broader_mentions(
    text: str,
    chosen: Mapping[int, int],
    labels: Mapping[int, str],
    taken: Iterable[tuple[int, int]],
    senses: WordSenses,
    context: UInt16s | None,
) -> list[TermMention]:
    """Find the words that nobody marked and that say more of a concept than the node chosen for it.

    They mean what stands above the concept, and neither the node nor what stands above that. ``chosen`` has the node of
    each concept.
    """
    above = {
        broader: labels[concept]
        for concept, node in sorted(chosen.items(), reverse=True)
        for broader in senses.ancestors(concept) - senses.ancestors(node) - {node}
    }
    if not above:
        return []
    found, hidden = [], mask_taken(text, taken)
    for start, end, lemma, form in senses.rows(hidden, senses.exactly(frozenset(above))).tolist():
        own = senses.concept(lemma, context)
        if own in above and (use := _use_of(text, hidden, start, end, lemma, senses, ())) is not WordUse.OTHER:
            found.append(TermMatch(start, end, lemma, bool(form), own, use is WordUse.UNDECIDED))
    return [
        TermMention(*match[:2], above[match.own], match.lemma, match.inflected, match.own, False, match.undecided)
        for match in _longest(found)
    ]


def find_telling(
    text: str,
    known: frozenset[int],
    senses: WordSenses,
    context: UInt16s | None,
    written: Collection[str],
    places: Int32s = WHOLE,
    *,
    seen: str = "",
) -> list[TermMatch]:
    """Find the words of a text that tell of known concepts, but those that are meant otherwise.

    Function words tell where they are ``written``. With ``places``, rows of start and end, disjoint and in order, those
    that overlap one, and maybe others. ``seen`` is the text in which words stand beside others, where it is another.
    """
    concept, shown_by = senses.concept, senses.told_by
    found = []
    for start, end, lemma, form in senses.rows(text, senses.wanted(known), places).tolist():
        if known.isdisjoint(shown_by(lemma, own := concept(lemma, context))):
            continue
        use = _use_of(seen or text, text, start, end, lemma, senses, written)
        if use is not WordUse.OTHER:
            found.append(TermMatch(start, end, lemma, bool(form), own, use is WordUse.UNDECIDED))
    return found


def _further(match: TermMatch, senses: WordSenses, labels: Mapping[int, str]) -> TermMention:
    """Give a match its own concept, if that is known, else the first of its senses that is."""
    concept = match.own if match.own in labels else next(c for c in senses.bearers(match.lemma) if c in labels)
    place, label = (match.start, match.end), labels[concept]
    return TermMention(*place, label, match.lemma, match.inflected, concept, False, match.undecided)


def mask_taken(text: str, taken: Iterable[tuple[int, int]]) -> str:
    """Return a text in which no word lies in what is taken, or goes over it; every other character keeps its place."""
    parts: list[str] = []
    position = 0
    for start, end in sorted(taken):
        parts += (text[position:start], HIDDEN * (end - max(start, position)))
        position = max(position, end)
    return "".join((*parts, text[position:]))


def _use_of(
    text: str, hidden: str, start: int, end: int, lemma: int, senses: WordSenses, written: Collection[str]
) -> WordUse:
    """Tell how a word is meant; a function word that is written as a marked term is hardly one."""
    if senses.ontology.spelling is not None:
        return WordUse.NOUN
    use = use_among_hidden(text, hidden, start, end, senses.word(lemma))
    if use is WordUse.OTHER and text[start:end] in written and text[start:end].lower() in FUNCTION_WORDS:
        return WordUse.UNDECIDED
    return use


def _longest(matches: Iterable[TermMatch]) -> list[TermMatch]:
    """Return disjoint matches from left to right, the longest of those that begin alike."""
    kept: list[TermMatch] = []
    for match in sorted(matches, key=lambda match: (match.start, -match.end)):
        if not kept or match.start >= kept[-1].end:
            kept.append(match)
    return kept

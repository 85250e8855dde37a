"""Count again what a partition promises of a document: each term as its block has it, and no term of it beside."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from spark_deid.core.edit import LabelledEdit
from spark_deid.plausibility.recount.contexts import is_no_noun
from spark_deid.plausibility.recount.faults import FOREIGN, KEPT, PART, SHORT, PlausibilityCounts
from spark_deid.plausibility.recount.joints import joints_of
from spark_deid.plausibility.recount.partition import RebuiltPartition, partition_of, plural_by_rule
from spark_deid.plausibility.text.segments import segment_at, starts_of
from spark_deid.plausibility.text.settings import GeneralizeRules, OntologyReading
from spark_deid.values.wording import as_within


class WrittenTerm(NamedTuple):
    """A term and what was written for it: its segment, the node that its block for t has, and its part."""

    start: int
    end: int
    segment: int
    concept: int
    block: int
    written: str


def recount_cut(
    text: str,
    marked: Collection[tuple[int, int]],
    published: str,
    edits: Sequence[LabelledEdit],
    rules: GeneralizeRules,
    reading: OntologyReading,
) -> PlausibilityCounts:
    """Count the faults of one partition's terms.

    ``published`` is the text with what other rules write, and nothing where terms were edited.
    """
    parts = partition_of(rules.demand_of(reading))
    settings = rules.cut_by_reading[reading]
    faults = Counter[str]()
    starts = starts_of(text, settings.segment)
    terms = []
    for edit in edits:
        is_marked = (edit.start, edit.end) in marked
        lemma = parts.words.read(as_within(text, edit.start, edit.end) if is_marked else text[edit.start : edit.end])
        block = None if lemma is None else parts.parts[0].get(parts.words.concept(lemma, None))
        if lemma is None or block is None:
            faults[FOREIGN] += 1
            continue
        concept, segment = parts.words.concept(lemma, None), segment_at(starts, edit.start)
        terms.append(WrittenTerm(edit.start, edit.end, segment, concept, block.node, edit.replacement))
    faults[PART] += sum(1 for term in terms if joints_of(parts).goes_on(text, term.start, term.end, term.block))
    margins = _margins(terms, parts, settings.t, faults)
    faults[SHORT] += sum(margin < 0 for margin in margins)
    words = parts.words
    faults[KEPT] += sum(1 for token in words.all_occurrences(published) if not is_no_noun(published, token))
    return PlausibilityCounts(+faults, len(terms), len(margins), min(margins, default=math.inf))


def _margins(terms: Sequence[WrittenTerm], parts: RebuiltPartition, t: int, faults: Counter[str]) -> list[float]:
    """Return by how many bits each segment exceeds t; count terms that are not written as their block has it."""
    touched: dict[int, set[int]] = defaultdict(set)
    for term in terms:
        touched[term.segment].add(term.block)
    least: dict[int, int] = {}
    for term in terms:
        least[term.block] = min(least.get(term.block, len(terms)), len(touched[term.segment]))
    smallest: dict[tuple[int, int], int] = {}
    for term in terms:
        size = _size(term, least[term.block], parts)
        faults[PART] += size is None
        place = term.segment, term.block
        smallest[place] = min(smallest.get(place, t), size or 1)
    found = []
    for segment, blocks in sorted(touched.items()):
        number = math.prod(smallest[segment, block] for block in blocks)
        bits = math.log2(number) - math.log2(t)
        found.append(max(bits, 0.0) if number >= t else min(bits, -1e-9))
    return found


def _size(term: WrittenTerm, blocks: int, parts: RebuiltPartition) -> int | None:
    """Return how many originals what is written may stand for; None where it is not what the term's block has.

    A name that has no plural may ask for a coarser part.
    """
    return size_of(term.concept, term.written, blocks, parts)


def size_of(concept: int, written: str, blocks: int, parts: RebuiltPartition) -> int | None:
    """Return how many originals of a concept's part are written so, in segments that touch so many blocks or fewer."""
    written = written.lower()
    for level in range(min(blocks, len(parts.sizes)), 0, -1):
        part = parts.parts[level - 1][concept]
        name = parts.words.name(part.node).lower()
        if written in (name, plural_by_rule(name), *parts.words.irregular_plurals(name)):
            return part.size
    return None

"""Generalize the terms of a document by a fixed partition: whatever stands beside a term, it is written alike."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from spark_deid.core.edit import Edit
from spark_deid.core.kinds import SuppressedSpan
from spark_deid.core.span import Span
from spark_deid.ontology.kernels.words import keep_longest
from spark_deid.plausibility.text.blocks import BlockForm, CutReading
from spark_deid.plausibility.text.mentions import TermMention, marked_mentions, mask_taken
from spark_deid.plausibility.text.segments import changes_segments, segment_at, starts_of
from spark_deid.plausibility.text.senses import WordSenses
from spark_deid.plausibility.text.settings import GENERALIZE, Segment
from spark_deid.plausibility.text.settling import CROSSING, INFEASIBLE
from spark_deid.plausibility.text.uses import WordUse, use_among_hidden
from spark_deid.plausibility.text.writing import (
    FEW_COUNTED,
    NO_PLURAL,
    OUTSIDE,
    UNDECIDED,
    is_several,
    shows_one,
    written_name,
)

_SPACES = " \t\r\n-_"


@dataclass
class CutTerms:
    """The terms of a document in a rule's subtrees, and what becomes of them; ``places`` are all that were marked."""

    cut: CutReading
    segment: Segment
    places: Sequence[Span]
    mentions: Sequence[TermMention]
    reasons: dict[int, str]
    forms: dict[int, BlockForm] = field(default_factory=dict)

    @property
    def further(self) -> list[TermMention]:
        """Return the terms that nobody marked."""
        return [mention for mention in self.mentions if not mention.marked]

    @property
    def alive(self) -> list[TermMention]:
        """Return the terms that are generalized."""
        return [mention for mention in self.mentions if mention.start not in self.reasons]

    def least_blocks(self, text: str) -> dict[int, int]:
        """Return of each block the least number of blocks that segments touch in which it stands."""
        starts = starts_of(text, self.segment)
        touched: dict[int, set[int]] = defaultdict(set)
        for mention in self.alive:
            touched[segment_at(starts, mention.start)].add(self.cut.block_of[mention.concept])
        least: dict[int, int] = {}
        for blocks in touched.values():
            for block in blocks:
                least[block] = min(least.get(block, len(blocks)), len(blocks))
        return least

    def edits(self, text: str) -> dict[int, Edit]:
        """Return the edits of terms by start."""
        least, forms = self.least_blocks(text), self._forms_by_block()
        found = {}
        for mention in self.alive:
            block = self.cut.block_of[mention.concept]
            part = self.cut.part(mention.concept, least[block], forms[block])
            is_several = self.forms[mention.start].several
            name = self.cut.senses.plural(part.node) if is_several else self.cut.senses.ontology.name_of(part.node)
            new = written_name(text, mention, name or "", self.cut.senses)
            found[mention.start] = Edit(mention.start, mention.end, GENERALIZE, new)
        return found

    def _forms_by_block(self) -> dict[int, BlockForm]:
        """Return the forms of each block's terms together: one original may have all of them."""
        found: dict[int, BlockForm] = {}
        for mention in self.alive:
            block, form = self.cut.block_of[mention.concept], self.forms[mention.start]
            before = found.get(block, BlockForm())
            found[block] = BlockForm(before.counted or form.counted, before.several or form.several)
        return found

    def suppress_uncounted(self, text: str) -> None:
        """Suppress counted mentions of blocks with too few counted originals, until all blocks have enough.

        A suppressed mention may leave a segment with fewer blocks, for which the parts must be larger.
        """
        while True:
            least = self.least_blocks(text)
            counted = [mention for mention in self.alive if self.forms[mention.start].counted]
            blocks = {mention.start: self.cut.block_of[mention.concept] for mention in counted}
            lost = [start for start, block in blocks.items() if not self.cut.has_counted(block, least[block])]
            if not lost:
                return
            self.reasons |= dict.fromkeys(lost, FEW_COUNTED)

    def suppress_all(self, lost: Collection[int]) -> None:
        """Suppress all terms where one of them is lost: of the others, segments might touch fewer blocks."""
        alive = self.alive
        if any(mention.start in lost for mention in alive):
            self.reasons |= {mention.start: CROSSING for mention in alive}

    def suppressed(self) -> list[SuppressedSpan]:
        """Return what is not generalized, and why."""
        read = {mention.start for mention in self.mentions}
        rows = [SuppressedSpan(*place[:2], OUTSIDE) for place in self.places if place.start not in read]
        return rows + [
            SuppressedSpan(m.start, m.end, self.reasons[m.start]) for m in self.mentions if m.start in self.reasons
        ]


def find_cut(
    text: str, places: Sequence[Span], taken: Sequence[tuple[int, int]], cut: CutReading, label: str, segment: Segment
) -> CutTerms:
    """Find every term of a rule's subtrees, marked or not; ``taken`` are places where nothing is looked for."""
    senses = cut.senses
    marked = marked_mentions(text, places, senses, None)
    mentions, reasons = list(marked), {each.start: UNDECIDED for each in marked if each.undecided}
    hidden = mask_taken(text, taken)
    for start, end, lemma, form in _rows(hidden, senses):
        use = use_among_hidden(text, hidden, start, end, senses.word(lemma))
        if use is WordUse.OTHER:
            continue
        if use is WordUse.UNDECIDED:
            reasons[start] = UNDECIDED
        mentions.append(TermMention(start, end, label, lemma, bool(form), senses.usual[lemma], False))
    mentions.sort()
    found = CutTerms(cut, segment, places, mentions, reasons)
    shown = mask_taken(text, [*taken, *((mention.start, mention.end) for mention in mentions)])
    for mention in found.alive:
        several = is_several(text, mention.start, mention.end, inflected=mention.inflected)
        is_one = cut.has_articles and shows_one(shown, mention.start)
        found.forms[mention.start] = BlockForm(several or is_one, several)
    _suppress(text, found)
    found.suppress_uncounted(text)
    return found


def _rows(hidden: str, senses: WordSenses) -> list[tuple[int, int, int, int]]:
    """Return the longest terms of a text from left to right, below the roots alone."""
    rows = senses.rows(hidden)
    rows = rows[senses.is_read[rows[:, 2]]]
    return [(start, end, lemma, form) for start, end, lemma, form in keep_longest(rows).tolist()]


def _suppress(text: str, found: CutTerms) -> None:
    """Suppress what no original of a block would be generalized in place of, or what is no original."""
    cut = found.cut
    before: TermMention | None = None
    for mention in found.mentions:
        if mention.start in found.reasons:
            before = None
            continue
        block = cut.block_of.get(mention.concept)
        if block is None:
            found.reasons[mention.start] = INFEASIBLE
        elif changes_segments(text[mention.start : mention.end]):
            found.reasons[mention.start] = CROSSING
        elif not cut.is_writable(block, several=found.forms[mention.start].several):
            found.reasons[mention.start] = NO_PLURAL
        elif cut.goes_on(text, mention.start, mention.end, block):
            found.reasons[mention.start] = CROSSING
        if before is not None and block is not None and _make_one(text, before, mention, cut):
            found.reasons |= {each.start: found.reasons.get(each.start, CROSSING) for each in (before, mention)}
        before = mention if block is not None else None


def _make_one(text: str, before: TermMention, mention: TermMention, cut: CutReading) -> bool:
    """Tell whether two terms, for some originals of their blocks, may make a longer one."""
    is_near = not text[before.end : mention.start].strip(_SPACES)
    return is_near and cut.joints.meet(cut.block_of[before.concept], cut.block_of[mention.concept])

"""Settle what becomes of the terms of a document in one ontology: generalized, or suppressed and why."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain
from operator import attrgetter
from typing import NamedTuple, TypedDict

import numpy as np

from spark_deid.core.numerics.arrays import UInt16s
from spark_deid.ontology.policies import Method, Objective
from spark_deid.plausibility.search import GeneralizationResult, search, search_entropies
from spark_deid.plausibility.text.mentions import TermMention
from spark_deid.plausibility.text.segments import segment_at, starts_of
from spark_deid.plausibility.text.senses import GeneralizationChain, GeneralizationStep, WordSenses
from spark_deid.plausibility.text.settings import GeneralizeRules, GeneralizeSettings
from spark_deid.plausibility.text.writing import NO_PLURAL, UNDECIDED, write_term

HIGHEST, INFEASIBLE, CROSSING, TOO_LONG = "no-hypernym", "infeasible", "reads-as-term", "person-too-long"
Segments = Mapping[tuple[str, int], Sequence[TermMention]]
"""The terms of each segment, by the label whose rule counts them and the segment's number."""


@dataclass
class TermLevels:
    """The terms of a document, and the steps chosen for them; what is suppressed loses its step and has a reason.

    ``written`` is what represents a term that begins at a place, in its number and case.
    """

    mentions: Sequence[TermMention]
    groups: Mapping[int, GeneralizationChain]
    rules: GeneralizeRules
    senses: WordSenses
    context: UInt16s | None
    steps: dict[int, GeneralizationStep] = field(default_factory=dict)
    written: dict[int, str] = field(default_factory=dict)
    reasons: dict[int, str] = field(default_factory=dict)
    gave_way: int = 0
    broad: frozenset[int] = frozenset()

    @property
    def alive(self) -> list[TermMention]:
        """Return the terms that are generalized."""
        return [mention for mention in self.mentions if mention.start not in self.reasons]

    def settle(self, text: str) -> None:
        """Choose the steps by the rules' searches, and suppress what can't have one."""
        self._starts = {
            segment: starts_of(text, segment) for segment in {each.segment for each in self.rules.by_label.values()}
        }
        self.reasons |= {m.start: UNDECIDED for m in self.mentions if m.undecided}
        self.reasons |= {m.start: HIGHEST for m in self.alive if not self.groups[m.concept].steps}
        segments = self._segments()
        order = list(dict.fromkeys(self.groups[m.concept].concepts for m in self.alive))
        number = {concepts: place for place, concepts in enumerate(order)}
        demands = [
            SegmentDemand(
                self.rules.by_label[key],
                tuple(dict.fromkeys(number[self.groups[mention.concept].concepts] for mention in mentions)),
            )
            for (key, _), mentions in segments.items()
        ]
        ladders = [self.groups[min(concepts)].steps for concepts in order]
        chosen = choose_levels(demands, ladders)
        self.gave_way = chosen.gave_way
        for place, concepts in enumerate(order):
            self.steps |= dict.fromkeys(concepts, ladders[place][chosen.levels[place]])
        lists = list(segments.values())
        self.suppress((mention.start for place in chosen.unmet for mention in lists[place]), INFEASIBLE)
        alive = self.alive
        names = ((m.start, write_term(text, m, self.steps[m.concept], self.senses)) for m in alive)
        self.written = {start: name for start, name in names if name is not None}
        self.suppress([m.start for m in alive if m.start not in self.written], NO_PLURAL)

    def suppress(self, starts: Iterable[int], reason: str) -> None:
        """Suppress terms, and then those that nothing else reveals, and segments that fall short of t without them."""
        self.reasons |= {start: self.reasons.get(start, reason) for start in starts}
        while lost := {*self._unreached(), *(self._short() if self.reasons else ())}:  # as chosen, nothing is short
            self.reasons |= dict.fromkeys(lost, INFEASIBLE)

    def _segments(self) -> Segments:
        segments: dict[tuple[str, int], list[TermMention]] = defaultdict(list)
        for mention in self.alive:
            key = self.rules.key_of(mention.label) or ""
            starts = self._starts[self.rules.by_label[key].segment]
            segments[key, segment_at(starts, mention.start)].append(mention)
        return segments

    def _short(self) -> list[int]:
        """Return the terms of segments whose |D| is less than t."""
        short = []
        for (key, _), mentions in self._segments().items():
            groups = {self.groups[mention.concept].concepts for mention in mentions}
            if falls_short(self.rules.by_label[key], [self.steps[min(concepts)] for concepts in groups]):
                short += [mention.start for mention in mentions]
        return short

    def _unreached(self) -> list[int]:
        """Return the unmarked terms that reveal no term which is marked and generalized, or of another one by now."""
        alive = self.alive
        known = {mention.concept for mention in alive if mention.marked}
        further = [mention for mention in alive if not mention.marked and mention.concept not in self.broad]
        own = {m.start: self.senses.concept(m.lemma, self.context) for m in further}
        while new := {c for c in own.values() if c not in known and not known.isdisjoint(self.senses.ancestors(c))}:
            known |= new
        broad = [mention for mention in alive if not mention.marked and mention.concept in self.broad]
        above = frozenset().union(*map(self.senses.ancestors, known)) if broad else frozenset[int]()
        lost = [m.start for m in broad if m.concept not in above]
        return lost + [m.start for m in further if self._known_concept(m, own[m.start], known) != m.concept]

    def _known_concept(self, mention: TermMention, own: int, known: set[int]) -> int | None:
        if own in known:
            return own
        return next((c for c in self.senses.bearers(mention.lemma) if c in known), None)


# Choose a level for every group of a document, so that each of its segments is t-plausible.


Ladders = Sequence[Sequence[GeneralizationStep]]
"""Of each group the generalizations, the lowest first; volumes need not rise."""
_volume_of = attrgetter("volume")
_ROUNDING = 2e-9
"""Bits by which a search exceeds t, so that sums in another order do not fall short of it."""


class SegmentDemand(NamedTuple):
    """What a segment asks of the groups that have terms in it, each named once."""

    settings: GeneralizeSettings
    groups: tuple[int, ...]


class LevelChoice(NamedTuple):
    """A level for every group, which demands can't be met, and which a greedy search met instead of an exact one."""

    levels: tuple[int, ...]
    unmet: frozenset[int]
    gave_way: int = 0


def choose_levels(demands: Sequence[SegmentDemand], ladders: Ladders) -> LevelChoice:
    """Return the levels at which every demand that can be met is met.

    Each demand is searched separately; a group then has the highest level that one of them needs. Where a smaller
    volume is higher on a path, a demand may fall short of t by that, and is searched again from there on.
    """
    levels, unmet, gave_way = [0] * len(ladders), set[int](), 0
    waiting: list[int] = list(range(len(demands)))
    while waiting:
        base = tuple(levels)
        for number in waiting:
            found = _search(demands[number], ladders, base)
            gave_way += found.method != demands[number].settings.search
            if not found.is_feasible:
                unmet.add(number)
                continue
            for group, level in zip(demands[number].groups, found.levels, strict=True):
                levels[group] = max(levels[group], base[group] + level)
        waiting = [
            number
            for number, demand in enumerate(demands)
            if number not in unmet
            and falls_short(demand.settings, [ladders[group][levels[group]] for group in demand.groups])
        ]
    return LevelChoice(tuple(levels), frozenset(unmet), gave_way)


def falls_short(settings: GeneralizeSettings, steps: Sequence[GeneralizationStep]) -> bool:
    """Tell whether a segment with these generalizations could be fewer than t texts, or has less entropy than these."""
    if settings.frequencies:
        return sum(step.bits for step in steps) < math.log2(settings.t)
    return math.prod(step.volume for step in steps) < settings.t


def _search(demand: SegmentDemand, ladders: Ladders, base: Sequence[int]) -> GeneralizationResult:
    paths = [ladders[group][base[group] :] for group in demand.groups]
    starts = np.array(list(accumulate(map(len, paths), initial=0)), np.int64)
    settings = demand.settings
    method: Method = "exact" if settings.search == "cut" else settings.search
    options: _Options = {
        "alpha": settings.alpha,
        "objective": settings.objective,
        "method": method,
        "delta": settings.delta,
    }
    steps = chain.from_iterable(paths)
    if settings.frequencies:
        bits = np.array([step.bits for step in steps], np.float64)
        return search_entropies(bits, starts, math.log2(settings.t) + _ROUNDING, **options)
    return search(np.array(list(map(_volume_of, steps)), np.int64), starts, settings.t, **options)


class _Options(TypedDict):
    alpha: float
    objective: Objective
    method: Method
    delta: int

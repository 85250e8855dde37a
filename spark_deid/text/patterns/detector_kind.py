"""What patterns know: addresses, numbers and dates, and patterns of the user's own."""

import sys
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar, Literal

from pydantic import Field

from spark_deid.core.kinds import DetectorKind, DetectorScope, DetectorSections, MethodContext, PlanSection
from spark_deid.core.span import Finder, Span
from spark_deid.text.patterns import ALL_KINDS, KINDS, LimitedPattern, PatternDetector
from spark_deid.text.segments import BORDER, find_fields, find_in_records

_FIELD = "patterns/field"
"""The source of identifiers that a field declares: by its name, or by its type in HL7."""
_BORDER = f"\n{BORDER * 40}\n"
"""A border between records that no pattern and no context of a pattern reaches across. Custom patterns may."""
_CODE = "CODE"


class PlanPattern(LimitedPattern):
    """A pattern of a plan, compiled and searched within the bounds that those of models have."""

    origin: ClassVar[str] = "of the plan"


class CustomPatternSettings(PlanSection):
    """A pattern of the user's own; where ``context`` names words, one must stand within ``window`` characters."""

    label: str = Field(pattern=r"^[A-Za-z][\w-]*$")
    pattern: str = Field(min_length=1)
    context: tuple[str, ...] = ()
    window: int = Field(default=60, ge=1)


class PatternsSettings(PlanSection):
    """Which pattern detectors run: ``kinds: all`` means all but ``titled``, ``age_over_89`` and ``partial_date``.

    Characters that nobody sees are passed over, and what looks like ASCII's digits, marks and spaces counts as these.
    So are marks of e-mail addresses that are words in brackets (``ann [at] example (dot) com``), Roman months
    (``3-IV-1970``), and, in the shapes of telephone, card and social security numbers, letters that stand for digits
    (``6l7-555-O143``). ``address`` finds streets with house numbers and boxes of post offices, ``national`` numbers of
    Western Europe and Brazil by their check digits, ``handle`` names of accounts, and ``partial_date`` weekdays,
    holidays, seasons and years by themselves. Not found are months with days, ages, extensions and numbers of three
    digits that no word or sign beside them tells ("11/21 x-ray", "room 4412").

    Expressions of ``custom`` are compiled and searched as those of models are, in limited time and memory.
    """

    kinds: tuple[str, ...] | Literal["all"] = "all"
    custom: tuple[CustomPatternSettings, ...] = ()

    def detector(self) -> PatternDetector:
        """Return the pattern detector of these settings; raises UsageError for unknown kinds or bad expressions."""
        custom = tuple(PlanPattern(**each.model_dump()) for each in self.custom)
        return PatternDetector(custom=custom) if self.kinds == "all" else PatternDetector(self.kinds, custom)


def pattern_detector(plan: DetectorSections | None) -> PatternDetector:
    """Return the pattern detector that a plan asks for; one without patterns finds nothing."""
    settings: PatternsSettings | None = plan.given("patterns") if plan else None
    return settings.detector() if settings else PatternDetector(kinds=())


def pattern_spans(text: str, *, detector: PatternDetector) -> tuple[Span, ...]:
    """Return what a pattern detector finds in a text: a function that travels to workers."""
    return detector.detect(text)


def pattern_spans_of_records(text: str, *, detector: PatternDetector, fields: frozenset[str]) -> list[Span]:
    """Return the patterns in the records of a text, and the values of fields that declare an identifier."""
    found = find_in_records(text, find=detector.detect, border="" if detector.custom else _BORDER)
    placed = [span for span in find_fields(text, _FIELD) if span.label in fields]
    held = [(span.start, span.end) for span in placed if span.label != _CODE]
    rest = (span for span in found if span.label != _CODE or not _is_within(span, held))
    return sorted({*rest, *placed}, key=lambda span: span[:3])


def _is_within(span: Span, places: Sequence[tuple[int, int]]) -> bool:
    """Return whether a span is within one of these places, which are in order and disjoint."""
    number = bisect_right(places, (span.start, sys.maxsize)) - 1
    return number >= 0 and span.end <= places[number][1]


def _make(settings: PatternsSettings, run: MethodContext) -> Finder:
    detector = settings.detector()
    if not run.plan.reads_segments:
        return partial(pattern_spans, detector=detector)
    return partial(pattern_spans_of_records, detector=detector, fields=_labels_of_fields(detector))


def _labels_of_fields(detector: PatternDetector) -> frozenset[str]:
    """Return the labels that fields may have: those of the kinds, and names where every kind is sought."""
    labels = {KINDS[name].label for name in detector.kinds}
    return frozenset(labels | {"NAME"} if {*ALL_KINDS} <= {*detector.kinds} else labels)


def _describe(settings: PatternsSettings) -> str:
    return f"find patterns: {', '.join(settings.detector().names)}"


def _public(settings: PatternsSettings) -> Mapping[str, object]:
    kinds = settings.kinds if isinstance(settings.kinds, str) else list(settings.kinds)
    return {"patterns": kinds, "custom_patterns": len(settings.custom)}


def _check(settings: PatternsSettings) -> None:
    settings.detector()


_BLIND_SPOTS: Mapping[str, str] = {
    "date": "days and months without a label or another date (10/3)",
    "age": "ages without a name or a word for age (44 yrs., cancer at 50)",
    "phone": "extensions and rooms without a label (room 4412)",
    "address": "streets without a number (lives on Elm Street)",
    "postcode": "postcodes by themselves",
    "handle": "names of accounts without @ or a site (annlee99)",
    "code": "numbers and codes without a label (badge A-12, bed 12)",
}
"""What each kind of pattern passes over."""


def _seeks(settings: PatternsSettings) -> DetectorScope:
    detector = settings.detector()
    kinds = [KINDS[name] for name in detector.kinds]
    labels = [*(kind.label for kind in kinds if kind.is_common), *(each.label for each in detector.custom)]
    parts = tuple(kind.part for kind in kinds if kind.part)
    blind_spots = tuple(entry for name, entry in _BLIND_SPOTS.items() if name in detector.kinds)
    return DetectorScope(tuple(dict.fromkeys(labels)), parts, blind_spots)


def _knows() -> tuple[str, ...]:
    return tuple(dict.fromkeys(KINDS[name].label for name in ALL_KINDS))


KIND = DetectorKind(
    settings=PatternsSettings,
    describe=_describe,
    legend="patterns",
    make=_make,
    public=_public,
    check=_check,
    example="patterns: {kinds: all}",
    seeks=_seeks,
    knows=_knows,
)

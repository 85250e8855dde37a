"""A detector: wards such as ``ward 7B``. In a plan: ``wards: {words: [ward, unit]}``."""

import re
from functools import lru_cache, partial

from spark_deid.extending import DetectorKind, Finder, MethodContext, PlanSection, Span


class WardsSettings(PlanSection):
    """The words that a ward's number follows."""

    words: tuple[str, ...] = ("ward",)


@lru_cache
def _expression(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, words))}) (?P<ward>[0-9]{{1,3}}[A-Z]?)\b", re.IGNORECASE)


def find_wards(text: str, *, words: tuple[str, ...]) -> list[Span]:
    """Return the numbers of wards. This travels to workers: a module's function, with plain arguments."""
    matches = _expression(words).finditer(text)
    return [Span(*match.span("ward"), "WARD", source="wards/number") for match in matches]


def _make(settings: WardsSettings, run: MethodContext) -> Finder:
    return partial(find_wards, words=settings.words)


def _describe(settings: WardsSettings) -> str:
    return f"find wards, after {', '.join(settings.words)}"


KIND = DetectorKind(
    settings=WardsSettings, describe=_describe, legend="wards", make=_make, example="wards: {words: [ward]}"
)

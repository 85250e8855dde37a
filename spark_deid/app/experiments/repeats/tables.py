"""Outcomes as tables, and as the plain figures of a page."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from spark_deid.app.experiments.repeats.curves import (
    CurveOutcome,
    CurvePoint,
    LabelledTokens,
    TokenDecision,
    measure_curves,
    precision_at,
)
from spark_deid.app.experiments.settings import RepeatsExperimentSettings
from spark_deid.core import tables
from spark_deid.core.document import Document
from spark_deid.core.edit import MASK
from spark_deid.core.report_section import LinePlot, PlotLine
from spark_deid.core.report_section import Point as Place
from spark_deid.repeats.extension import character_lengths, extension_lengths
from spark_deid.repeats.kernels.marks import MAX_LENGTH
from spark_deid.repeats.rare import count_cut, cover_rare
from spark_deid.repeats.settings import MAX_CAP, CountingUnit, CoveringMethod
from spark_deid.repeats.text import lay_out, number_units

# Time and published text of rare text search, by the size of the corpus (Matsubara and Hasida, Figures 3 and 4).


@dataclass(frozen=True)
class SizeSettings:
    """Measurements: ``steps`` corpora, each half of the next; ``min_length`` are values of l."""

    k: int = 4
    min_length: tuple[int, ...] = (1, 6)
    unit: CountingUnit = CountingUnit.OCCURRENCE
    covering: CoveringMethod = CoveringMethod.GREEDY
    cap: int = MAX_CAP
    steps: int = 7
    seed: int = 0


class SizeMeasure(NamedTuple):
    """One corpus at one l: ``seconds`` of this process from text to what is hidden, and the characters hidden.

    ``cut`` is the number of repeats that the cap cut.
    """

    min_length: int
    documents: int
    bytes: int
    characters: int
    hidden: int
    seconds: float
    cut: int

    @property
    def unsuppressed(self) -> float:
        """Return the fraction of characters that remain."""
        return 1 - self.hidden / self.characters if self.characters else 1.0


def measure_sizes(documents: Sequence[Document], sizes: SizeSettings) -> Iterator[SizeMeasure]:
    """Yield what the first documents of a random order take and leave, from the smallest corpus to the whole."""
    order = np.random.default_rng(sizes.seed).permutation(len(documents))
    mixed = [documents[i] for i in order.tolist()]
    until = np.cumsum([len(document.text.encode("utf-8", "surrogatepass")) for document in mixed])
    counts = [int(np.searchsorted(until, until[-1] / 2**step)) + 1 for step in reversed(range(sizes.steps))]
    _measure(mixed[: counts[0]], sizes, sizes.min_length[0])  # compiles
    for count in sorted(set(counts)):
        for min_length in sizes.min_length:
            yield _measure(mixed[:count], sizes, min_length)


def _measure(documents: Sequence[Document], sizes: SizeSettings, min_length: int) -> SizeMeasure:
    units = number_units([document.subject_id for document in documents]) if sizes.unit is CountingUnit.SUBJECT else ()
    text = lay_out([document.text for document in documents], units)
    began = time.process_time()
    lengths = character_lengths(text, extension_lengths(text, k=sizes.k, unit=sizes.unit, cap=sizes.cap))
    data = text.data[: text.size]
    hidden = cover_rare(data, lengths, covering=sizes.covering, min_length=min_length, cap=sizes.cap)
    seconds = time.process_time() - began
    cut = count_cut(data, lengths, sizes.cap)
    is_text = lengths <= MAX_LENGTH
    characters = sum(len(document.text) for document in documents)
    size = text.size - len(documents)
    return SizeMeasure(min_length, len(documents), size, characters, int((hidden & is_text).sum()), seconds, cut)


RESULTS = pa.schema(
    [
        ("split", pa.string()),
        ("method", pa.string()),
        ("k", pa.int32()),
        ("min_length", pa.int32()),
        ("share", pa.float64()),
        ("tokens", pa.int64()),
        ("gold", pa.int64()),
        ("true_positives", pa.int64()),
        ("false_positives", pa.int64()),
        ("precision", pa.float64()),
        ("recall", pa.float64()),
        ("f1", pa.float64()),
        ("publish_ratio", pa.float64()),
        ("cut", pa.int64()),
    ]
)
EDITS = pa.schema([("method", pa.string()), ("k", pa.int32()), *tables.EDITS])
SIZES = pa.schema(
    [
        ("min_length", pa.int32()),
        ("documents", pa.int64()),
        ("bytes", pa.int64()),
        ("characters", pa.int64()),
        ("hidden", pa.int64()),
        ("unsuppressed_ratio", pa.float64()),
        ("seconds", pa.float64()),
        ("cut", pa.int64()),
    ]
)
RECALLS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def results_table(outcome: CurveOutcome) -> pa.Table:
    """Return every point that was tried on the development split, and the curves of the test split."""
    points = (*outcome.tried, *(decision.point for decision in outcome.decisions))
    return pa.Table.from_pylist([_row(point) for point in points], RESULTS)


def edits_tables(outcome: CurveOutcome) -> list[pa.Table]:
    """Return for every curve's every k the tokens of the test split that are hidden, as edits."""
    return [_edits(outcome.test, decision) for decision in outcome.decisions]


def sizes_table(measured: Iterable[SizeMeasure]) -> pa.Table:
    """Return what every size took and left."""
    rows = [size._asdict() | {"unsuppressed_ratio": size.unsuppressed} for size in measured]
    return pa.Table.from_pylist(rows, SIZES)


def figures(
    outcome: CurveOutcome | None, measured: Sequence[SizeMeasure], experiment: RepeatsExperimentSettings
) -> dict[str, Any]:
    """Return what a page shows, without text and ids: curves where something was annotated, and sizes."""
    settings = {
        "unit": experiment.unit.value,
        "tokens": experiment.tokens.value,
        "covering": experiment.covering.value,
        "cap": experiment.cap,
        "development": experiment.development,
        "seed": experiment.seed,
    }
    sizes = [size._asdict() | {"unsuppressed_ratio": round(size.unsuppressed, 6)} for size in measured]
    drawn = [*(curve_plots(outcome) if outcome else ()), *size_plots(measured)]
    return {"settings": settings, "sizes": sizes, "plots": drawn} | (_row_of(outcome) if outcome else {"curves": {}})


def _row_of(outcome: CurveOutcome) -> dict[str, Any]:
    lines = measure_curves(outcome)
    return {
        "documents": len(outcome.test.ids),
        "tokens": len(outcome.test.tokens),
        "gold": int(outcome.test.gold.sum()),
        "chosen": {name: {"min_length": line[0].min_length, "share": line[0].share} for name, line in lines.items()},
        "curves": {name: [_row(point) for point in line] for name, line in lines.items()},
        "at_recall": [
            {"recall": recall, "precision": {name: precision_at(line, recall) for name, line in lines.items()}}
            for recall in RECALLS
        ],
    }


def _row(point: CurvePoint) -> dict[str, Any]:
    rates: Sequence[str] = ("precision", "recall", "f1", "publish_ratio")
    return point._asdict() | {name: round(getattr(point, name), 6) for name in rates}


def _edits(test: LabelledTokens, decision: TokenDecision) -> pa.Table:
    hidden = test.tokens[decision.hidden]
    number = np.searchsorted(test.text.characters, hidden[:, 0], side="right") - 1
    borders = hidden - test.text.characters[number][:, None]
    rows = len(hidden)
    columns = {
        "method": pa.array([decision.point.method] * rows, pa.string()),
        "k": pa.array(np.full(rows, decision.point.k), pa.int32()),
        "doc_id": pa.array(test.ids, pa.string()).take(pa.array(number)),
        "start": pa.array(borders[:, 0], pa.int32()),
        "end": pa.array(borders[:, 1], pa.int32()),
        "technique": pa.array([MASK] * rows, pa.string()),
        "replacement": pa.array(["★"] * rows, pa.string()),
    }
    return pa.table(columns, EDITS)


# Figures that the charts of an experiment show.


K = (2, 4, 9, 18)
"""The values of k of which a chart has lines, where they were tried."""


def curve_plots(outcome: CurveOutcome) -> Iterator[LinePlot]:
    """Yield precision over recall, and both over k and over l, for each method."""
    lines = measure_curves(outcome)
    yield _plot(
        "curves",
        "Precision over recall",
        "recall, fraction of annotated tokens",
        "precision, fraction of hidden tokens",
        [
            _line(name, number, [(p.recall, p.precision, f"k {p.k}") for p in line])
            for number, (name, line) in enumerate(lines.items())
        ],
    )
    both = "precision, recall"
    yield _plot("over-k", "Precision, and recall (dashed), over k", "k", both, _pairs(lines.items(), "k"))
    by_k = [(f"MR, k {k}", [point for point in outcome.grid if point.k == k]) for k in K]
    over_l = _pairs([(name, points) for name, points in by_k if points], "min_length")
    if over_l:
        yield _plot("over-l", "Precision, and recall (dashed), over l", "l, characters", both, over_l)


def size_plots(measured: Sequence[SizeMeasure]) -> Iterator[LinePlot]:
    """Yield time and the fraction of characters that remain over the size of the corpus."""
    if not measured:
        return
    lengths = sorted({size.min_length for size in measured})
    by_length = {length: [size for size in measured if size.min_length == length] for length in lengths}
    for name, title, value, upward in (
        ("time", "Seconds of processor time over MB of text", "seconds", "processor time, s"),
        ("unsuppressed", "Kept fraction of characters, by MB of text", "unsuppressed", "share of characters"),
    ):
        lines = [
            _line(f"l {min_length}", number, [(size.bytes / 1e6, getattr(size, value)) for size in sizes])
            for number, (min_length, sizes) in enumerate(by_length.items())
        ]
        yield _plot(name, title, "MB of text", upward, lines, linear=name == "time")


def _pairs(lines: Iterable[tuple[str, Iterable[CurvePoint]]], across: str) -> list[PlotLine]:
    """Return a line of precision and a dashed one of recall for each, in one colour."""
    return [
        _line(f"{name}{suffix}", number, [(getattr(p, across), getattr(p, rate)) for p in points], dashed=bool(suffix))
        for number, (name, points) in enumerate(lines)
        for rate, suffix in (("precision", ""), ("recall", ", recall"))
    ]


def _line(name: str, colour: int, points: Sequence[Place], *, dashed: bool = False) -> PlotLine:
    return {"name": name, "colour": colour, "dashed": dashed, "points": points}


def _plot(name: str, title: str, across: str, upward: str, lines: list[PlotLine], *, linear: bool = True) -> LinePlot:
    return {"name": name, "title": title, "across": across, "upward": upward, "linear": linear, "lines": lines}

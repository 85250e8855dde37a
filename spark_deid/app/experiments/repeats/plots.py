"""What the charts of an experiment show, as plain figures."""

from collections.abc import Iterable, Iterator, Sequence

from spark_deid.app.experiments.repeats.curves import CurveOutcome, CurvePoint, measure_curves
from spark_deid.app.experiments.repeats.sizes import SizeMeasure
from spark_deid.core.report_section import LinePlot, PlotLine
from spark_deid.core.report_section import Point as Place

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
    """Yield time and the share of characters that stay over the size of the corpus."""
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

"""Shares for bars: plain numbers that the templates draw."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from spark_deid.core.report_section import LinePlot, PlotLine, Point
from spark_deid.core.span import GOLD, detector_of, is_allowed
from spark_deid.detection.registry import DETECTORS, installed_names
from spark_deid.report.phrases import percent
from spark_deid.rewriting.registry import TECHNIQUES

SERIES = 13
"""Number of styles that distinguish detectors."""
KEEP = "keep"
"""The rule of labels that a plan leaves in the text."""


class BarPart(NamedTuple):
    """A piece of a bar: its style, how many, and its width in percent of the longest bar."""

    style: str
    spans: int
    width: float


class ChartBar(NamedTuple):
    """A bar with its total and its pieces."""

    name: str
    total: int
    parts: tuple[BarPart, ...]


def legend(detector: str) -> str:
    """Describe a detector; gold is the annotation of the input.

    >>> legend("model"), legend("gold"), legend("Anna")
    ('trained model', 'annotations of the input', 'Anna')
    """
    if detector == GOLD:
        return "annotations of the input"
    return DETECTORS.find(detector).legend if detector in DETECTORS.names() else detector


def template(method: str) -> str:
    """Return the template that shows what a detector or a technique reports."""
    registry = DETECTORS if method in DETECTORS.names() else TECHNIQUES
    return registry.find(method).template or "figures.html"


def total(edits: Mapping[str, Mapping[str, int]]) -> int:
    """Return how many edits there are, by technique and label."""
    return sum(sum(labels.values()) for labels in edits.values())


class LabelRow(NamedTuple):
    """A label: its bar of spans, how many edits each technique made of them, and where it made none, why."""

    bar: ChartBar
    written: tuple[tuple[str, int], ...]
    unwritten: str = ""


def rows(
    spans: Mapping[str, Mapping[str, int]],
    edits: Mapping[str, Mapping[str, int]],
    rules: Mapping[str, str] = MappingProxyType({}),
) -> tuple[LabelRow, ...]:
    """Return a row for each label that was found or written, most found first; ``rules`` are techniques by label.

    >>> [(row.bar.name, row.bar.total, row.written) for row in rows({"model/1": {"NAME": 3}}, {"mask": {"NAME": 2}})]
    [('NAME', 3, (('mask', 2),))]
    """
    bars = {bar.name: bar for bar in label_bars(spans)}
    written: dict[str, list[tuple[str, int]]] = {}
    for technique in sorted(edits):
        for label, count in edits[technique].items():
            written.setdefault(label, []).append((technique, count))
    known = [*bars, *sorted(set(written) - set(bars))]
    return tuple(
        LabelRow(
            bars.get(label, ChartBar(label, 0, ())),
            tuple(written.get(label, ())),
            "" if label in written else _unwritten(label, spans, rules),
        )
        for label in known
    )


def _unwritten(label: str, spans: Mapping[str, Mapping[str, int]], rules: Mapping[str, str]) -> str:
    """State why nothing was written for a label that was found: some edit hides all that is marked and not kept."""
    if rules.get(label) == KEEP:
        return "kept by the plan"
    if all(is_allowed(source) for source, labels in spans.items() if labels.get(label)):
        return "allowed by the plan"
    return "hidden under other labels"


def of_detectors(spans: Mapping[str, Mapping[str, int]], names: Iterable[str]) -> dict[str, Mapping[str, int]]:
    """Return the spans whose sources are of these detectors.

    >>> of_detectors({"gold": {"NAME": 1}, "model/round-1": {"AGE": 2}}, ["model"])
    {'model/round-1': {'AGE': 2}}
    """
    wanted = frozenset(names)
    return {source: labels for source, labels in spans.items() if detector_of(source) in wanted}


def label_bars(spans: Mapping[str, Mapping[str, int]]) -> tuple[ChartBar, ...]:
    """Return a bar for each label, longest first, its pieces by detector; ``spans`` by source and label."""
    counts: dict[str, dict[str, int]] = {}
    for source, labels in spans.items():
        for label, count in labels.items():
            bar = counts.setdefault(label, {})
            bar[detector_of(source)] = bar.get(detector_of(source), 0) + count
    longest = max((sum(bar.values()) for bar in counts.values()), default=0)
    bars = [_bar(label, bar, detectors(spans), longest) for label, bar in counts.items()]
    return tuple(sorted(bars, key=lambda bar: (-bar.total, bar.name)))


def detectors(spans: Iterable[str]) -> tuple[str, ...]:
    """Return the detectors that some sources name, in the order of drawing."""
    present = {detector_of(source) for source in spans}
    known = [name for name in _order() if name in present]
    return (*known, *sorted(present - set(known)))


def style(detector: str) -> str:
    """Return the style of a detector, the same in every report, whichever others it has.

    >>> style("model"), style("patterns"), style("gold")
    ('series-0', 'series-1', 'series-10')
    """
    order = _order()
    return f"series-{(order.index(detector) if detector in order else len(order)) % SERIES}"


def _order() -> tuple[str, ...]:
    return (*DETECTORS.built_in, GOLD, *installed_names())


def widths(values: Iterable[float]) -> tuple[float, ...]:
    """Return each value in percent of the largest.

    >>> widths([1, 4, 0])
    (25.0, 100.0, 0.0)
    """
    values = tuple(values)
    largest = max(values, default=0)
    return tuple(round(100 * value / largest, 2) if largest else 0.0 for value in values)


def _bar(name: str, counts: Mapping[str, int], order: Sequence[str], longest: int) -> ChartBar:
    found = ((style(detector), counts[detector]) for detector in order if counts.get(detector))
    parts = (BarPart(name, count, round(100 * count / longest, 2)) for name, count in found)
    return ChartBar(name, sum(counts.values()), tuple(parts))


# Curves of reports, as plots: what remains against what is hidden unnecessarily, what more labels give, other settings.


LEFT, VAIN = "remaining identifier words, %", "false positives, % of other words"
HELPS = 0.85
"""Ratio of misses with all labels to misses with half of them, below which more labels are reported to help."""


def leak_curve(training: Mapping[str, Any]) -> LinePlot | None:
    """Draw what each round leaves against what it hides in vain, by its own decoding and by the others that it tried.

    None where the training did not count that.
    """
    rounds = [each for each in training["rounds"] if each["kept"] and each.get("tried")]
    chosen = [(each["round"], _chosen(each)) for each in rounds]
    lines = [_line("rounds, one after another", 0, [_point(tried, f"round {n}") for n, tried in chosen])]
    for number, each in enumerate(rounds, 1):
        points = [_point(tried, _decoding(tried)) for tried in each["tried"]]
        if len(points) > 1:
            lines.append(_line(f"round {each['round']}, other decodings", number, points, dashed=True))
    if not rounds:
        return None
    left = _point(chosen[-1][1], "")[1]
    done = f"{len(chosen)} rounds" if len(chosen) > 1 else "1 round"
    return _plot("leak", f"{done} of training left {left:.2g}% of the identifier words", VAIN, LEFT, lines)


def learning_curve(curve: Mapping[str, Any]) -> LinePlot:
    """Draw what remains over the number of documents that were learned from."""
    points: list[Point] = [
        (each["documents"], 100 * each["left"], f"{100 * each['published']:.2f}% of the other words published")
        for each in curve["points"]
    ]
    title = f"{points[-1][0]} labelled documents left {points[-1][1]:.2g}% of the identifier words"
    return _plot("labels", title, "documents learned from", LEFT, [_line("first round", 0, points)])


def ratio_curve(curve: Mapping[str, Any]) -> LinePlot | None:
    """Draw what is left against what is hidden in vain at several L/C; None where the model does not decode by cost."""
    points = [_point(each, f"L/C {each['loss_ratio']}") for each in curve["ratios"]]
    lines = [_line("first round, by L/C", 0, points)]
    if not points:
        return None
    first, last = curve["ratios"][0]["loss_ratio"], curve["ratios"][-1]["loss_ratio"]
    title = (
        f"L/C {first:g} left {points[0][1]:.2g}% of the identifier words, and L/C {last:g} left {points[-1][1]:.2g}%"
    )
    return _plot("ratios", title, VAIN, LEFT, lines)


def more_labels(curve: Mapping[str, Any]) -> str:
    """Return whether more labels would help, by what the last doubling of labels gave."""
    half, whole = (each["left"] for each in curve["points"][-2:])
    gain = f"Doubling the documents reduced the leaked identifier words from {percent(half)} to {percent(whole)}"
    if not half or whole / half > HELPS:
        return f"{gain}. Doubling them again would hardly help."
    return f"{gain}. More labels would help."


def sweep_curves(sweep: Mapping[str, Any]) -> LinePlot:
    """Draw the fraction of characters kept over the shortest run that is kept, a line for each k."""
    lines = [
        _line(
            f"k = {row['k']}",
            number,
            [(at, 100 * ratio) for at, ratio in zip(sweep["min_lengths"], row["ratios"], strict=True)],
        )
        for number, row in enumerate(sweep["rows"])
    ]
    return _plot(
        "sweep", "Characters kept by other settings", "shortest run kept, characters", "characters kept, %", lines
    )


def _chosen(report: Mapping[str, Any]) -> Mapping[str, Any]:
    own = (report["bias"], report["threshold"])
    return next((each for each in report["tried"] if (each["bias"], each["threshold"]) == own), report["tried"][0])


def _point(shares: Mapping[str, Any], note: str) -> Point:
    return round(100 * (1 - shares["published"]), 6), 100 * shares["left"], note


def _decoding(tried: Mapping[str, Any]) -> str:
    return f"bias {tried['bias']:g}" if tried["threshold"] is None else f"threshold {tried['threshold']:.3g}"


def _line(name: str, colour: int, points: Sequence[Point], *, dashed: bool = False) -> PlotLine:
    return {"name": name, "colour": colour, "dashed": dashed, "points": points}


def _plot(name: str, title: str, across: str, upward: str, lines: Sequence[PlotLine]) -> LinePlot:
    return {"name": name, "title": title, "across": across, "upward": upward, "linear": True, "lines": lines}

"""Curves of reports, as plots: what is left against what is hidden in vain, what more labels give, other settings."""

from collections.abc import Mapping, Sequence
from typing import Any

from spark_deid.core.report_section import LinePlot, PlotLine, Point
from spark_deid.report.phrases import percent

LEFT, VAIN = "identifier words left, %", "other words hidden in vain, %"
HELPS = 0.85
"""What is left by all labels over what is left by half of them, below which more labels are said to help."""


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
    return _plot("leak", "Leak against words hidden in vain", VAIN, LEFT, lines) if rounds else None


def learning_curve(curve: Mapping[str, Any]) -> LinePlot:
    """Draw what is left over the number of documents that were learned from."""
    points: list[Point] = [
        (each["documents"], 100 * each["left"], f"{100 * each['published']:.2f}% of the other words published")
        for each in curve["points"]
    ]
    return _plot("labels", "What more labels give", "documents learned from", LEFT, [_line("first round", 0, points)])


def ratio_curve(curve: Mapping[str, Any]) -> LinePlot | None:
    """Draw what is left against what is hidden in vain at several L/C; None where the model does not decode by cost."""
    points = [_point(each, f"L/C {each['loss_ratio']}") for each in curve["ratios"]]
    lines = [_line("first round, by L/C", 0, points)]
    return _plot("ratios", "Leak against words hidden in vain by L/C", VAIN, LEFT, lines) if points else None


def more_labels(curve: Mapping[str, Any]) -> str:
    """Say whether more labels would help, by what the last doubling of labels gave."""
    half, whole = (each["left"] for each in curve["points"][-2:])
    gain = f"Twice as many documents took what is left from {percent(half)} to {percent(whole)} of the identifier words"
    if not half or whole / half > HELPS:
        return f"{gain}: as many again would hardly help."
    return f"{gain}: more labels would help."


def sweep_curves(sweep: Mapping[str, Any]) -> LinePlot:
    """Draw the share of characters kept over the shortest run that is kept, a line for each k."""
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

"""Outcomes as tables, and as the plain figures of a page."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from spark_deid.app.experiments.repeats.curves import (
    CurveOutcome,
    CurvePoint,
    TokenDecision,
    measure_curves,
    precision_at,
)
from spark_deid.app.experiments.repeats.labelled import LabelledTokens
from spark_deid.app.experiments.repeats.plots import curve_plots, size_plots
from spark_deid.app.experiments.repeats.settings import RepeatsExperimentSettings
from spark_deid.app.experiments.repeats.sizes import SizeMeasure
from spark_deid.core import tables
from spark_deid.rewriting.mask import MASK

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

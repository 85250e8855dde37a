from pathlib import Path
from typing import Any

import pytest

import spark_deid.report
from spark_deid.core.kinds import DetectorKind
from spark_deid.detection.registry import DETECTORS
from spark_deid.report.charts import (
    SERIES,
    BarPart,
    detectors,
    label_bars,
    legend,
    rows,
    template,
    total,
    widths,
)
from spark_deid.report.charts import style as chart_style
from spark_deid.report.render import template_of_package

ROUNDS = {"model/round-1": {"NAME": 6, "DATE": 1}, "model/round-2": {"NAME": 2}}
SPANS = {**ROUNDS, "patterns/date": {"DATE": 3}, "gold": {"NAME": 2}}
TEMPLATES = Path(spark_deid.report.__file__).parent / "templates"
KINDS = sorted(DETECTORS.built_in_items())


def test_rounds_are_one_detector_and_longest_bar_comes_first() -> None:
    name, date = label_bars(SPANS)
    assert (name.name, name.total, date.name, date.total) == ("NAME", 10, "DATE", 4)
    assert name.parts == (BarPart("series-0", 8, 80.0), BarPart("series-10", 2, 20.0))
    assert date.parts == (BarPart("series-0", 1, 10.0), BarPart("series-1", 3, 30.0))


def test_detectors_are_in_the_order_of_drawing() -> None:
    assert detectors(["gold", "patterns/x", "model/round-1", "model/round-2"]) == ("model", "patterns", "gold")
    assert detectors(["zebra", "gold", "Anna/2", "repeats"]) == ("repeats", "gold", "Anna", "zebra")


def test_nothing_has_no_bars() -> None:
    assert label_bars({}) == ()
    assert label_bars({"gold": {"NAME": 0}})[0].parts == ()
    assert widths([]) == ()
    assert widths([0.0]) == (0.0,)


@pytest.mark.parametrize(("name", "kind"), KINDS, ids=[name for name, _ in KINDS])
def test_every_detector_has_a_legend_and_a_template(name: str, kind: DetectorKind[Any]) -> None:
    assert legend(name) == kind.legend != ""
    assert template(name) == "figures.html" or template_of_package(template(name))


def test_no_two_detectors_have_one_legend() -> None:
    assert len({legend(name) for name in (*DETECTORS.built_in, "gold")}) == len(DETECTORS.built_in) + 1


def test_every_style_is_drawn() -> None:
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    assert [f".series-{number} " in style for number in range(SERIES)] == [True] * SERIES
    names = (*DETECTORS.built_in, "gold", "installed")
    assert len({chart_style(name) for name in names}) == len(names) < SERIES


def test_a_detector_has_one_style_whichever_others_found_something() -> None:
    (alone,) = label_bars({"patterns/date": {"DATE": 3}})
    assert alone.parts[0].style == chart_style("patterns") == "series-1"


def test_a_label_has_what_was_found_next_to_what_was_written() -> None:
    edits = {"suppress": {"NAME": 1, "AGE": 4}, "mask": {"AGE": 2}}
    name, date, age = rows(SPANS, edits)
    assert (name.bar.name, name.bar.total, name.written) == ("NAME", 10, (("suppress", 1),))
    assert (date.bar.name, date.written, date.unwritten) == ("DATE", (), "hidden under other labels")
    assert (age.bar.parts, age.written) == ((), (("mask", 2), ("suppress", 4)))
    assert total(edits) == 7


def test_a_label_of_which_nothing_was_written_reports_why() -> None:
    spans = {"patterns/date": {"DATE": 3, "AGE": 1}, "deny/allowed": {"TERM": 2}}
    told = {row.bar.name: row.unwritten for row in rows(spans, {}, {"AGE": "keep", "*": "suppress"})}
    assert told == {"DATE": "hidden under other labels", "AGE": "kept by the plan", "TERM": "allowed by the plan"}
    assert rows(spans, {"mask": {"DATE": 1}})[0].unwritten == ""

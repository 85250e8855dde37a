"""Measure what generalizing the identifier view of synthesized persons loses, by k.

    PYTHONPATH=. python benchmarks/identifier_view.py --persons 5000 --seed 7

A line a model: classes, the least of them, years that an age covers on average, the share of persons of whom one gender
is shown, for each attribute the share of whom a text may show a value, and the shares of whom that is the state itself,
or its division or region by the Census Bureau.
"""

import argparse
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from spark_deid.anonymity.models import read_models
from spark_deid.core.report_section import LinePlot, PlotLine
from spark_deid.corpus.synthesis.attributes import attributes_of, diagnoses_of
from spark_deid.corpus.synthesis.people import make_person
from spark_deid.corpus.synthesis.pools import make_pools
from spark_deid.identity.generalized_values import is_publishable
from spark_deid.ontology.places import PlaceHierarchy
from spark_deid.report.plots import svg
from spark_deid.values.locale import ValueLocale
from spark_deid.values.state import read_state
from tests.unit.identity.in_memory import HeldValues, IdentifierView, ViewRecodingSettings, generalize

KINDS = {"age": "age", "gender": "gender", "zip": "postcode", "state": "state"}
SIZES = (2, 5, 10, 25)
DEMANDS = {"k": "", "k, frequency-l=2": ",frequency-l=2"}


def view_of(persons: int, seed: int) -> IdentifierView:
    pools = make_pools(seed, "en")
    rows, owners, values = [], [], []
    for number in range(persons):
        someone = make_person(seed, number, pools)
        rows.append(attributes_of(someone, "en") | {"state": read_state(someone.state, ValueLocale())})
        for name in diagnoses_of(someone, "en"):
            owners.append(number)
            values.append(name)
    quasi = {name: pa.array([str(row[name]) for row in rows]) for name in KINDS}
    return IdentifierView(persons, quasi, (HeldValues(np.array(owners, np.int64), pa.array(values)),))


def measured(view: IdentifierView, models: str) -> dict[str, float]:
    states = PlaceHierarchy("state", ValueLocale())
    hierarchy = states.hierarchy(view.quasi["state"].to_pylist())
    hierarchies = {} if hierarchy is None else {"state": hierarchy}
    shown = generalize(view, ViewRecodingSettings(read_models(models), KINDS, hierarchies, {}))
    level = [
        states(state).index(label)
        for state, label in zip(view.quasi["state"].to_pylist(), shown["state"].to_pylist(), strict=True)
    ]
    levels = {name: level.count(number) / view.persons for number, name in enumerate(("itself", "division", "region"))}
    classes = Counter(zip(*(shown[name].to_pylist() for name in KINDS), strict=True))
    ages = [width(label) for label in shown["age"].to_pylist()]
    told = {
        name: sum(label is not None and is_publishable(label) for label in shown[name].to_pylist()) / view.persons
        for name in KINDS
    }
    single = sum(label in ("female", "male") for label in shown["gender"].to_pylist()) / view.persons
    sizes = list(classes.values())
    figures = {"classes": len(sizes), "least": min(sizes), "years": float(np.mean(ages)), "one gender": single}
    return figures | told | levels


def width(label: str | None) -> int:
    if label is None or "-" not in label:
        return 1
    low, high = label.strip("[]").split("-")
    return int(high) - int(low) + 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--persons", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--chart", type=Path, help="write a drawing of the ages to this file (SVG)")
    given = parser.parse_args()
    view = view_of(given.persons, given.seed)
    found = {}
    for name, more in DEMANDS.items():
        for k in SIZES:
            found[name, k] = told = measured(view, f"k={k}{more}")
            print(f"k={k}{more}", " ".join(f"{figure}={value:.4g}" for figure, value in told.items()), flush=True)
    if given.chart:
        given.chart.write_text(svg(_plot(found)) + "\n", encoding="utf-8")


def _plot(found: Mapping[tuple[str, int], Mapping[str, float]]) -> LinePlot:
    lines: list[PlotLine] = [
        {"name": name, "colour": at, "dashed": bool(at), "points": [(k, found[name, k]["years"]) for k in SIZES]}
        for at, name in enumerate(DEMANDS)
    ]
    return {
        "name": "loss",
        "title": "What generalization makes of ages",
        "across": "k",
        "upward": "years that an age covers",
        "linear": False,
        "lines": lines,
    }


if __name__ == "__main__":
    main()

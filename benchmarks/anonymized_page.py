"""What `anonymized_adult.py` measured, as a table of Markdown and a drawing of losses over k."""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from spark_deid.core.report_section import LinePlot, PlotLine
from spark_deid.report.plots import svg

Row = Mapping[str, Any]
NAMES = {"k-anonymous": "k", "l-diverse": "l", "t-close": "t"}
HEAD = "| columns | model | algorithm | classes | NCP | average size / k | suppressed | k, l, t by pycanon |"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", type=Path)
    parser.add_argument("--svg", type=Path, required=True)
    options = parser.parse_args(arguments)
    rows = sorted(json.loads(options.figures.read_text()), key=_order)
    print("\n".join((HEAD, "|---" * HEAD.count(" | ") + "|---|", *map(_line, rows))))
    options.svg.write_text(svg(_plot(rows)) + "\n")


def _line(row: Row) -> str:
    first = [str(row["quasi"]), f"`{row['models']}`", row["algorithm"]]
    if row.get("refused"):
        return "| " + " | ".join([*first, "none", *[""] * 4]) + " |"
    asked = [name for name in NAMES.values() if f"{name}=" in row["models"]]
    told = row["pycanon"]
    for name, value in row.get("found", {}).items():
        assert abs(value - told[NAMES[name]]) < 1e-9, row
    cells = [f"{row['classes']:,}", f"{row['ncp']:.3f}", f"{row['average_class_size']:.1f}", str(row["suppressed"])]
    return "| " + " | ".join([*first, *cells, ", ".join(_number(told[name]) for name in asked)]) + " |"


def _number(value: float) -> str:
    return f"{value:.4g}"


def _order(row: Row) -> tuple[int, int, int, str]:
    return row["quasi"], row["models"].count(","), _k(row), row["algorithm"]


def _k(row: Row) -> int:
    return int(row["models"].partition(",")[0].removeprefix("k="))


def _plot(rows: Sequence[Row]) -> LinePlot:
    return {
        "name": "anonymity-adult",
        "title": "Adult: what is lost by k",
        "across": "k",
        "upward": "NCP",
        "linear": False,
        "lines": list(_lines(rows)),
    }


def _lines(rows: Sequence[Row]) -> Iterator[PlotLine]:
    kinds = sorted({(row["quasi"], _further(row)) for row in rows})
    for colour, (quasi, further) in enumerate(kinds):
        for algorithm in ("mondrian", "incognito"):
            of_line = [each for each in rows if (each["quasi"], _further(each)) == (quasi, further)]
            points = [(float(_k(e)), e["ncp"]) for e in of_line if e["algorithm"] == algorithm and "ncp" in e]
            yield {
                "name": f"{algorithm}, {quasi} columns{', ' if further else ''}{further}",
                "colour": colour,
                "dashed": algorithm == "incognito",
                "points": points,
            }


def _further(row: Row) -> str:
    further: str = row["models"].partition(",")[2]
    return further


if __name__ == "__main__":
    main()

"""Tables and charts of several seeds' runs: means, with the least and the most."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from spark_deid.app.experiments.greedy.figures import WORDS
from spark_deid.app.experiments.greedy.outcomes import BUDGET_RATIOS
from spark_deid.core.report_section import LinePlot, PlotLine
from spark_deid.greedy.game.attacker import expected_best
from spark_deid.greedy.game.counts import ConfusionCounts
from spark_deid.report.plots import svg

BUDGETS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
TITLES = {"email": "e-mail", "newsgroup": "newsgroups"}
SPACES = ("crf", "svm", "adaboost", "ensemble", "selection")
KINDS = {"greedy": "GreedySanitize", "once": "one shot", "cost": "by cost"}
COLOURS = [*WORDS]
Row = Mapping[str, Any]
Told = Mapping[str, Any]


class Cell(NamedTuple):
    """A figure over seeds."""

    mean: float
    least: float
    most: float


class Summary(NamedTuple):
    """The rows of a genre's part over seeds, by method and loss ratio."""

    genre: str
    part: str
    runs: Sequence[Told]

    def rows(self, method: str) -> dict[float, list[Row]]:
        """Return a method's rows by loss ratio, one a seed."""
        found: dict[float, list[Row]] = {}
        for run in self.runs:
            for row in run["rows"]:
                if row["method"] == method:
                    found.setdefault(row["loss_ratio"], []).append(row)
        return found

    @property
    def methods(self) -> tuple[str, ...]:
        """Return the methods that took part, in their order."""
        return tuple(dict.fromkeys(row["method"] for run in self.runs for row in run["rows"]))


Figure = Callable[[Row], float | None]


def hits(row: Row) -> float | None:
    """Return the attacker's true positives."""
    return row["cells"][0] if row["cells"] else None


def wasted(row: Row) -> float | None:
    """Return the attacker's false positives."""
    return row["cells"][1] if row["cells"] else None


def over(rows: Sequence[Row], figure: Figure) -> Cell | None:
    """Return a figure over seeds; None where a seed has none."""
    values = [value for value in map(figure, rows) if value is not None]
    return Cell(fmean(values), min(values), max(values)) if len(values) == len(rows) else None


def write_page(ended: Sequence[Told], folder: Path, page: Path | None) -> None:
    """Write charts and tables into a folder, or where a page is given, charts beside it and tables into its places."""
    folder = page.parent if page else folder
    folder.mkdir(parents=True, exist_ok=True)
    ordered = sorted(ended, key=lambda run: (run["genre"], run["part"]))
    grouped = groupby(ordered, key=lambda run: (run["genre"], run["part"]))
    summaries = {place: Summary(*place, tuple(runs)) for place, runs in grouped}
    for plot in (plot for genre in TITLES for plot in plots(genre, summaries)):
        (folder / f"{plot['name']}.svg").write_text(f"{svg(plot)}\n", encoding="utf-8")
    tables = {f"{genre} {part}": "\n".join(table(each)) for (genre, part), each in summaries.items()}
    tables["email svm"] = "\n".join(svm_table(summaries))
    told = page.read_text(encoding="utf-8") if page else "\n".join(map(_place, tables))
    for name, lines in tables.items():
        parts = re.split(rf"(<!-- {name} -->\n).*?(<!-- end -->)", told, maxsplit=1, flags=re.S)
        told = f"{lines}\n".join("".join(half) for half in (parts[:2], parts[2:])) if len(parts) > 1 else told
    (page or folder / "tables.md").write_text(told, encoding="utf-8")


def _place(name: str) -> str:
    return f"## {name}\n\n<!-- {name} -->\n<!-- end -->\n"


def table(summary: Summary) -> Iterator[str]:
    """Yield the lines of a table in Markdown."""
    *first, last = sorted(str(run["seed"]) for run in summary.runs)
    seeds = f"Seeds {', '.join(first)} and {last}" if first else f"Seed {last}"
    documents, instances, names = (_whole(_over_runs(summary, key)) for key in ("drawn", "instances", "sensitive"))
    sizes = f"{documents} documents, {instances} words, {names} in names"
    yield f"{seeds}: {sizes}. Cells are means, with the range in brackets.\n"
    yield "| method | L/C | rounds | published | names left | attacker: hits | false positives |"
    yield "|---|---|---|---|---|---|---|"
    for method in summary.methods:
        yield from _lines(method, summary.rows(method))


def svm_table(summaries: Mapping[tuple[str, str], Summary]) -> Iterator[str]:
    """Yield the lines of the table of the SVM by parts of speech and by what is counted."""
    yield "| parts of speech | counts | L/C | rounds | published | names left | attacker: hits | false positives |"
    yield "|---|---|---|---|---|---|---|---|"
    for tagger, ending in (("no", ""), ("`english-pos`", "-speech")):
        for counts in ("oof", "train"):
            if summary := summaries.get(("email", f"svm-{counts}{ending}")):
                for line in _lines("greedy-svm", summary.rows("greedy-svm")):
                    is_first = line.startswith("| Greedy")
                    names = f"| {tagger} | `{counts}` |" if is_first else "| | |"
                    yield f"{names}{line.partition(' |')[2]}"


def _over_runs(summary: Summary, key: str) -> Cell | None:
    return over(summary.runs, lambda run: run[key])


def _lines(method: str, rows: Mapping[float, Sequence[Row]]) -> Iterator[str]:
    kind, _, hypothesis = method.partition("-")
    name = f"{KINDS[kind]}, {WORDS[hypothesis]}"
    told = [(ratio, _cells(each)) for ratio, each in sorted(rows.items())]
    for cells, same in groupby(told, key=lambda each: each[1]):
        ratios = [f"{ratio:g}" for ratio, _ in same]
        span = ratios[0] if len(ratios) == 1 else f"{ratios[0]} to {ratios[-1]}"
        yield f"| {name} | {'' if kind == 'once' else span} | {' | '.join(cells)} |"
        name = ""


def _cells(rows: Sequence[Row]) -> tuple[str, ...]:
    return (
        _told(over(rows, lambda row: row["rounds"]), "{:.2f}"),
        _told(over(rows, lambda row: row["publish_ratio"]), "{:.4f}"),
        _told(over(rows, lambda row: row["residual_ratio"]), "{:.1%}"),
        _told(over(rows, hits), "{:.0f}"),
        _told(over(rows, wasted), "{:.0f}"),
    )


def _told(cell: Cell | None, form: str) -> str:
    if cell is None:
        return ""
    mean, least, most = map(form.format, cell)
    return mean if least == most else f"{mean} ({least} to {most})"


def _whole(cell: Cell | None) -> str:
    return _told(cell, "{:,.0f}")


def plots(genre: str, summaries: Mapping[tuple[str, str], Summary]) -> Iterator[LinePlot]:
    """Yield the paper's Figures 3, 3b and 4 to 8 for a genre."""
    paper, by_cost = summaries.get((genre, "paper")), summaries.get((genre, "by-cost"))
    if paper is None:
        return
    crf = [(paper, "greedy-crf", "CRF, the paper's"), (paper, "once-crf", "one shot, the paper's")]
    if by_cost is not None:
        crf += [(by_cost, "greedy-crf", "CRF by cost"), (by_cost, "once-crf", "one shot, full features")]
    selection = [(paper, "greedy-selection", "best of four"), (paper, "once-selection", "one shot, best of four")]
    loops = [(paper, f"greedy-{name}", WORDS[name]) for name in SPACES]
    baselines = [(paper, f"cost-{name}", f"cost-sensitive {WORDS[name]}") for name in SPACES[:4]]
    yield _over_ratios(genre, "3", "the attacker's hits, CRF", "true positives, word tokens", hits, crf)
    yield _over_ratios(genre, "3b", "hits, best of four", "true positives, word tokens", hits, selection)
    for ratio in BUDGET_RATIOS:
        yield _over_budgets(genre, f"4-{ratio:g}", ratio, [loops[0], loops[-1], *baselines])
    published: Figure = lambda row: row["publish_ratio"]  # noqa: E731
    yield _over_ratios(genre, "5", "words published", "share of words", published, [*loops, *baselines])
    for number, ratio in zip("67", BUDGET_RATIOS, strict=True):
        yield _over_budgets(genre, number, ratio, loops)
    yield _over_ratios(genre, "8", "rounds", "rounds on average", lambda row: row["rounds"], loops)


Named = tuple[Summary, str, str]


def _over_ratios(genre: str, number: str, title: str, upward: str, figure: Figure, lines: Sequence[Named]) -> LinePlot:
    drawn = []
    for place, (summary, method, words) in enumerate(lines):
        cells = {ratio: over(rows, figure) for ratio, rows in sorted(summary.rows(method).items())}
        drawn.append(_line(method, words, cells, place if number == "3" else None))
    return _plot(genre, number, title, "loss ratio L/C", upward, drawn)


def _over_budgets(genre: str, number: str, ratio: float, lines: Sequence[Named]) -> LinePlot:
    drawn = []
    for summary, method, words in lines:
        counts = [ConfusionCounts(*row["cells"]) for row in summary.rows(method).get(ratio, ())]
        most = min((sum(each) for each in counts), default=0)
        budgets = [budget for budget in BUDGETS if budget <= most]
        found = [(expected_best(each, budgets) / budgets).tolist() for each in counts]
        cells = {budget: Cell(fmean(v), min(v), max(v)) for budget, *v in zip(budgets, *found, strict=True)}
        drawn.append(_line(method, words, cells, None))
    title = f"on a budget, L/C\u00a0=\u00a0{ratio:g}"
    return _plot(genre, number, title, "budget, word tokens inspected", "identified per inspection", drawn)


def _plot(genre: str, number: str, title: str, across: str, upward: str, lines: Sequence[PlotLine]) -> LinePlot:
    figure = number.partition("-")[0]
    return {
        "name": f"greedy-{genre}-figure-{number}",
        "title": f"Figure {figure}, {TITLES[genre]}: {title}",
        "across": across,
        "upward": upward,
        "linear": False,
        "lines": lines,
    }


def _line(method: str, words: str, cells: Mapping[float, Cell | None], colour: int | None) -> PlotLine:
    kind, _, hypothesis = method.partition("-")
    present = {place: cell for place, cell in cells.items() if cell}
    return {
        "name": words,
        "dashed": kind != "greedy",
        "points": [(place, cell.mean, f"{cell.least:.4g} to {cell.most:.4g}") for place, cell in present.items()],
        "ranges": [(cell.least, cell.most) for cell in present.values()],
        "colour": COLOURS.index(hypothesis) if colour is None else colour // 2,
    }

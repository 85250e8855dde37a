"""Trials as a table, and as the plain figures of a page: Figures 3(a) to 3(i), and the closing example."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean, median
from typing import Any

import pyarrow as pa

from spark_deid.app.experiments.plausibility.trials import (
    EP,
    LEAST_COST,
    LEAST_VOLUME,
    OSAS,
    UEP,
    SearchTrial,
    TextGuess,
    name_search,
    summarize,
)
from spark_deid.app.experiments.settings import PlausibilityExperimentSettings
from spark_deid.core.errors import UsageError
from spark_deid.core.report_section import LinePlot, PlotLine, Point
from spark_deid.ontology.ontology import Ontology
from spark_deid.plausibility.search import Method
from spark_deid.plausibility.term_generalization import GeneralizationRequest, PathStart, generalize

RESULTS = pa.schema(
    [
        ("method", pa.string()),
        ("size", pa.int32()),
        ("t", pa.int64()),
        ("alpha", pa.float64()),
        ("draw", pa.int32()),
        ("seconds", pa.float64()),
        ("is_finished", pa.bool_()),
        *((name, pa.float64()) for name in SearchTrial._fields[7:]),
    ]
)
EXAMPLE = (("marijuana", "02953127-n"), ("phantom limb pain", None))
EXAMPLE_T = 10
SIZE = "terms"
By = Mapping[tuple[str, int, int], Sequence[SearchTrial]]


def results_table(trials: Iterable[SearchTrial]) -> pa.Table:
    """Return every trial."""
    return pa.Table.from_pylist([trial._asdict() for trial in trials], RESULTS)


def guesses_table(guesses: Iterable[TextGuess]) -> pa.Table:
    """Return every guess."""
    return pa.Table.from_pylist([guess._asdict() for guess in guesses])


def figures(
    trials: Sequence[SearchTrial],
    ontology: Ontology,
    experiment: PlausibilityExperimentSettings,
    guesses: Sequence[TextGuess] = (),
) -> dict[str, Any]:
    """Return what a page shows: means over draws, plots, and what each search makes of the closing example."""
    drawn = [trial for trial in trials if trial.alpha == experiment.alpha[0]]
    return {
        "settings": {
            "ontology": ontology.name,
            "draws": experiment.draws,
            "height": experiment.height,
            "alpha": list(experiment.alpha),
            "most_nodes": experiment.most_nodes,
            "seed": experiment.seed,
        },
        "summary": list(summary(trials)),
        "example": list(example(ontology, experiment)),
        "guesses": list(summarize(guesses)),
        "plots": list(plots(_by(drawn), experiment)),
    }


def summary(trials: Iterable[SearchTrial]) -> Iterator[dict[str, Any]]:
    """Yield means over the draws of every setting; costs by the optimum of the same text too."""
    optimum = {(x.size, x.t, x.alpha, x.draw): x.cost for x in trials if x.method == LEAST_COST}
    groups: dict[tuple[str, int, int, float], list[SearchTrial]] = defaultdict(list)
    for trial in trials:
        groups[trial.method, trial.size, trial.t, trial.alpha].append(trial)
    for (method, size, t, alpha), group in groups.items():
        ratios = [x.cost / optimum[x.size, x.t, x.alpha, x.draw] for x in group]
        yield {
            "method": method,
            "size": size,
            "t": t,
            "alpha": alpha,
            "draws": len(group),
            "unfinished": sum(not x.is_finished for x in group),
            "milliseconds": round(1000 * fmean(x.seconds for x in group), 4),
            "milliseconds_median": round(1000 * median(x.seconds for x in group), 4),
            "milliseconds_most": round(1000 * max(x.seconds for x in group), 4),
            **{name: round(fmean(getattr(x, name) for x in group), 4) for name in SearchTrial._fields[7:]},
            "cost_ratio": round(fmean(ratios), 4),
            "cost_ratio_most": round(max(ratios), 4),
            "optimal": sum(ratio < 1 + 1e-6 for ratio in ratios),
        }


def example(ontology: Ontology, experiment: PlausibilityExperimentSettings) -> Iterator[dict[str, Any]]:
    """Yield what every search makes of "Uses marijuana for phantom limb pain", where the ontology has its words."""
    try:
        concepts = [ontology.concept(*term) for term in EXAMPLE]
    except UsageError:
        return
    searches: list[tuple[str, Method, int]] = [(LEAST_COST, "exact", 0), (UEP, "pruned", 0), (OSAS, "one-step", 0)]
    searches += [(name_search(delta), "lub", delta) for delta in experiment.delta]
    for name, method, delta in searches:
        request = GeneralizationRequest(
            t=EXAMPLE_T, alpha=experiment.alpha[0], method=method, delta=delta, lowest=PathStart.TERM
        )
        done = generalize(ontology, concepts, request)
        drug, pain = (ontology.name_of(node) for node in done.nodes if node is not None)
        yield {"method": name, "text": f"uses {drug} for {pain}", "originals": done.originals, "cost": done.cost}


def plots(by: By, experiment: PlausibilityExperimentSettings) -> Iterator[LinePlot]:
    """Yield Figures 3(a) to 3(i). A search has the same colour in all that compare searches."""
    sizes, thresholds = sorted(experiment.size), sorted(experiment.t)
    middle, least, most = thresholds[len(thresholds) // 2], thresholds[0], thresholds[-1]
    greedy = [name_search(delta) for delta in sorted(experiment.delta)]
    best = (UEP, EP, OSAS, greedy[-1])
    across = "|d|, terms"

    def over_sizes(method: str, t: int, of: Callable[[Sequence[SearchTrial]], float]) -> list[Point]:
        return [_point(size, by[method, size, t], of) for size in sizes if (method, size, t) in by]

    colours = {method: number for number, method in enumerate((LEAST_COST, OSAS, UEP, EP, *reversed(greedy)))}

    def times(methods: Sequence[str], t: int) -> list[PlotLine]:
        return [_line(m, colours[m], over_sizes(m, t, _milliseconds)) for m in methods]

    def means(methods: Sequence[str], t: int, name: str) -> list[PlotLine]:
        return [_line(m, colours[m], over_sizes(m, t, _mean(name))) for m in methods]

    for letter, pruned, exact in (("a", EP, LEAST_VOLUME), ("b", UEP, LEAST_COST)):
        lines = [
            _line(f"{method}, t {t}", number, over_sizes(method, t, _milliseconds), dashed=method == exact)
            for number, t in enumerate(thresholds)
            for method in (pruned, exact)
        ]
        yield _plot(f"3{letter}", f"3({letter}) Time: {pruned}, exact", across, _TIME, lines, rises=True)
    yield _plot("3c", f"3(c) Time of LUBS, t {middle}", across, _TIME, times([*greedy, OSAS], middle), rises=True)
    for letter, t in (("d", least), ("e", most)):
        lines = means([LEAST_COST, OSAS, *greedy], t, "cost")
        yield _plot(f"3{letter}", f"3({letter}) Cost, t {t}", across, "cost C", lines, rises=True)
    for letter, name, title, upward in (
        ("f", "cost", "Cost", "cost C"),
        ("g", "variance", "Variance", "variance of the words' entropies, bits²"),
        ("h", "highest", "Highest", "highest entropy of a word, bits"),
    ):
        lines = means([LEAST_COST, *best], most, name)
        yield _plot(f"3{letter}", f"3({letter}) {title}, t {most}", across, upward, lines)
    similar = [
        _line(f"|d| {size}", number, [_point(t, by[LEAST_COST, size, t], _mean("cosine")) for t in thresholds])
        for number, size in enumerate(sizes)
    ]
    yield _plot("3i", "3(i) Cosine similarity", "t", "similarity", similar, linear=False)


_TIME = "processor time, ms"


def _milliseconds(group: Sequence[SearchTrial]) -> float:
    return 1000 * fmean(trial.seconds for trial in group)


def _mean(name: str) -> Callable[[Sequence[SearchTrial]], float]:
    return lambda group: fmean(getattr(trial, name) for trial in group)


def _point(place: int, group: Sequence[SearchTrial], of: Callable[[Sequence[SearchTrial]], float]) -> Point:
    cut = sum(not trial.is_finished for trial in group)
    return (place, of(group), f"{cut} of {len(group)} cut off") if cut else (place, of(group))


def _line(name: str, colour: int, points: Sequence[Point], *, dashed: bool = False) -> PlotLine:
    return {"name": name, "colour": colour, "dashed": dashed, "points": points}


def _plot(
    name: str, title: str, across: str, upward: str, lines: list[PlotLine], *, linear: bool = True, rises: bool = False
) -> LinePlot:
    plot: LinePlot = {
        "name": name,
        "title": title,
        "across": across,
        "upward": upward,
        "linear": linear,
        "lines": lines,
    }
    return {**plot, "rises_by_factors": True} if rises else plot


def _by(trials: Iterable[SearchTrial]) -> By:
    groups: dict[tuple[str, int, int], list[SearchTrial]] = defaultdict(list)
    for trial in trials:
        groups[trial.method, trial.size, trial.t].append(trial)
    return groups

"""An experiment's page as plain numbers: a row a method and loss ratio, and the lines of the paper's figures."""

from collections.abc import Mapping, Sequence
from typing import Any

from spark_deid.app.experiments.greedy.fit_plans import FoldOutcome
from spark_deid.app.experiments.greedy.fits import ExperimentData
from spark_deid.app.experiments.greedy.outcomes import (
    BUDGET_RATIOS,
    NOTHING,
    budget_rows,
    by_method,
    measure_all,
    pooled_attack,
)
from spark_deid.app.experiments.greedy.settings import HYPOTHESES
from spark_deid.core.document import Document
from spark_deid.core.report_section import LinePlot, PlotLine, Point

Row = dict[str, Any]
WORDS = {
    "crf": "CRF",
    "svm": "SVM",
    "adaboost": "AdaBoost",
    "ensemble": "ensemble",
    "selection": "best of four",
    "plain-crf": "plain CRF",
}


def figures(data: ExperimentData, documents: Sequence[Document], outcomes: Sequence[FoldOutcome]) -> Row:
    """Return settings, corpus, a summary over folds, budgets and the lines to draw; no text and no ids."""
    summary = summarize(data, documents, outcomes)
    budgets = list(budget_rows(outcomes))
    experiment = data.experiment
    sensitive = sum(int(instance_set.sensitive.sum()) for instance_set in data.instance_sets)
    return {
        "settings": experiment.to_json(),
        "documents": len(documents),
        "instances": sum(len(instance_set.starts) for instance_set in data.instance_sets),
        "sensitive": sensitive,
        "summary": [*summary],
        "budgets": [*budgets],
        "plots": [*plots(summary, budgets)],
        "failed": sum(not outcome.ended for outcome in outcomes),
    }


def summarize(data: ExperimentData, documents: Sequence[Document], outcomes: Sequence[FoldOutcome]) -> list[Row]:
    """Return a row a method and loss ratio: all folds together, rounds on average."""
    measured = {id(outcome): m for outcome, m in zip(outcomes, measure_all(data, documents, outcomes), strict=True)}
    rows = []
    for (method, ratio), group in by_method(outcomes).items():
        total = sum((measured[id(outcome)] for outcome in group), NOTHING)
        attacker, counts = pooled_attack(group) or (None, None)
        rounds = [outcome.rounds for outcome in group if outcome.rounds is not None]
        rows.append(
            {
                "method": method,
                "loss_ratio": ratio,
                "rounds": sum(rounds) / len(rounds) if rounds else None,
                "failed": sum(not outcome.ended for outcome in group),
                "publish_ratio": total.publish_ratio,
                "gold_tokens": total.gold_tokens,
                "residual_tokens": total.residual_tokens,
                "residual_ratio": total.residual_tokens / total.gold_tokens if total.gold_tokens else 0.0,
                "attacker": attacker,
                "attacker_true_positives": counts.true_positives if counts else None,
                "attacker_false_positives": counts.false_positives if counts else None,
                "seconds": sum(outcome.seconds for outcome in group),
            }
        )
    return rows


def plots(summary: Sequence[Row], budgets: Sequence[Row]) -> list[LinePlot]:
    """Return the paper's figures as named lines of points, and one of what remains; those without a line are omitted.

    Dashed lines are for comparison: the one-shot classifier, the best of those that took part, or cost-sensitive ones.
    A learner has the same colour everywhere.
    """
    present = {row["method"] for row in summary}
    once = next((name for name in ("once-selection", "once-crf", "once-plain-crf") if name in present), "")
    dashed = {once: f"one shot, {WORDS[once.removeprefix('once-')]}"} if once else {}
    spaces = {f"greedy-{name}": WORDS[name] for name in HYPOTHESES}
    crfs = {name: spaces[name] for name in ("greedy-crf", "greedy-plain-crf")}
    costs = {f"cost-{name}": f"cost-sensitive {WORDS[name]}" for name in HYPOTHESES}
    hits, title = ("attacker_true_positives", "word tokens found"), "True positives of the attacker"
    share = "fraction of identifier tokens"
    found = [
        _over_ratios("attack-crf", f"{title}, CRF (Figure 3a)", hits, summary, crfs, dashed),
        _over_ratios(
            "attack-selection",
            f"{title}, best of four (3b)",
            hits,
            summary,
            _one(spaces, "selection"),
            dashed if "greedy-selection" in present else {},
        ),
        *(_over_budgets(ratio, budgets, {**crfs, **_one(spaces, "selection"), **costs}) for ratio in BUDGET_RATIOS),
        *(_over_budgets(ratio, budgets, spaces, name="spaces-") for ratio in BUDGET_RATIOS),
        _over_ratios(
            "publish", "Words published (Figure 5)", ("publish_ratio", "share of words"), summary, spaces, costs
        ),
        _over_ratios("spaces", f"{title}, by hypothesis space", hits, summary, spaces, {}),
        _over_ratios("rounds", "Rounds on average (Figure 8)", ("rounds", "rounds"), summary, spaces, {}),
        _over_ratios(
            "residual", "Identifier tokens left, as a share", ("residual_ratio", share), summary, spaces, dashed
        ),
    ]
    return [plot for plot in found if plot["lines"]]


def _one(names: Mapping[str, str], hypothesis: str) -> dict[str, str]:
    return {f"greedy-{hypothesis}": names[f"greedy-{hypothesis}"]}


def _over_ratios(
    name: str,
    title: str,
    value: tuple[str, str],
    summary: Sequence[Row],
    solid: Mapping[str, str],
    dashed: Mapping[str, str],
) -> LinePlot:
    """Return a value, by its column in the summary and its name on the axis, over the loss ratios, a line a method."""
    column, upward = value
    lines = []
    for method, words in (*solid.items(), *dashed.items()):
        points: list[Point] = [(row["loss_ratio"], row[column]) for row in summary if row["method"] == method]
        if points:
            lines.append(_line(method, words, points, dashed=method in dashed))
    across = "loss ratio L/C"
    return {"name": name, "title": title, "across": across, "upward": upward, "linear": False, "lines": lines}


def _over_budgets(
    ratio: float, budgets: Sequence[Row], methods: Mapping[str, str], *, name: str = "budget-"
) -> LinePlot:
    """Return identified/budget over the budget at a loss ratio, a line a method."""
    lines = []
    for method, words in methods.items():
        rows = [row for row in budgets if row["method"] == method and row["loss_ratio"] == ratio]
        if rows:
            points: list[Point] = [(row["budget"], row["identified_per_budget"]) for row in rows]
            lines.append(_line(method, words, points, dashed=method.startswith("cost-")))
    figure = "Figure 4" if name == "budget-" else "Figures 6 and 7"
    title = f"Identified per inspection at L/C\u00a0=\u00a0{ratio:g} ({figure})"
    return {
        "name": f"{name}{ratio:g}",
        "title": title,
        "across": "budget, word tokens inspected",
        "upward": "identified per inspection",
        "linear": False,
        "lines": lines,
    }


def _line(method: str, words: str, points: Sequence[Point], *, dashed: bool) -> PlotLine:
    colour = [*WORDS].index(method.partition("-")[2])
    return {"name": words, "dashed": dashed, "points": points, "colour": colour}

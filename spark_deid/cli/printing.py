"""What a person reads: progress, tables of figures, and files of them."""

import time
from collections.abc import Iterable, Iterator, Mapping
from colorsys import hls_to_rgb
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from spark_deid.cli.figures_file import FIGURES
from spark_deid.core.numerics.notices import COMPILING
from spark_deid.core.plurals import make_printable
from spark_deid.report.missed_names import missed_sentences

if TYPE_CHECKING:
    from spark_deid.app import (
        AttackFigures,
        CalibrationFigures,
        ComparisonFigures,
        EvaluationFigures,
        ExperimentFigures,
        ModelCardsFigures,
        TableAssessmentFigures,
        TrainingFigures,
    )
    from spark_deid.app.figures import ResidualText
    from spark_deid.app.trying import PlanTrial
    from spark_deid.detection.token_classification.card import ClassifierCard
    from spark_deid.evaluation.score import MatchScores
    from spark_deid.greedy.model_card import ModelCard
    from spark_deid.report.excerpts import ExcerptPiece


class PlainConsole(Console):
    """A console that lets no text reach the terminal that would be carried out there: names of files, say."""

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        plain = (each if each.control else each._replace(text=make_printable(each.text)) for each in buffer)
        return super()._render_buffer(plain)


OUT = PlainConsole(emoji=False)
_NOTICE = "These are originals: do not share this output. Nothing is written."
ERR = PlainConsole(stderr=True, emoji=False)


@cache
def _say_compiling() -> None:
    ERR.print(COMPILING, markup=False, highlight=False, soft_wrap=True)


@contextmanager
def compilation_message() -> Iterator[None]:
    """Say once that code compiles, where somebody waits for it; progress that says so, too, then adds nothing."""
    # Start-up: help needs neither compiled code nor arrays.
    from spark_deid.core.numerics.compilation import report_compiling

    _say_compiling.cache_clear()
    with report_compiling(_say_compiling):
        yield


class PrintedProgress:
    """Say what is being done, and how long it took since the start."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def __call__(self, message: str) -> None:
        """Print a line with the time since the start; that code compiles, once."""
        if message.strip() == COMPILING:
            _say_compiling()
            return
        FIGURES.stage = message.strip()
        elapsed = time.monotonic() - self._start
        ERR.print(f"[{elapsed:7.1f} s] {message}", markup=False, highlight=False, soft_wrap=True)


_MISSED = "missed_names"
_SHOWN = {"rounds": "model rounds"}
"""Names of figures that say too little by themselves."""


def print_figures(title: str, figures: Mapping[str, object]) -> None:
    """Print figures, a line each, and below what is estimated to be missed, in words."""
    table = Table(title=title, title_justify="left", show_header=False)
    for name, value in figures.items():
        if name != _MISSED:
            table.add_row(_SHOWN.get(name, name).replace("_", " "), _cell(value))
    OUT.print(table)
    for sentence in missed_sentences({_MISSED: figures.get(_MISSED)}):
        OUT.print(sentence, markup=False, highlight=False)


def print_models(models: "ModelCardsFigures") -> None:
    """Print shipped models, a line each, and those that can't be read."""
    table = Table("model", "labels", "MB", "L/C", "", title="Shipped models", title_justify="left")
    for card in models.cards:
        size, about = f"{card.size / 1e6:.1f}", str(card.training.get("about", ""))
        table.add_row(card.name, ", ".join(card.labels), size, f"{card.loss_ratio:g}", escape(about))
    for name, reason in models.broken.items():
        table.add_row(name, "", "", "", escape(f"can't be used: {reason}"))
    for classifier in models.classifiers:
        about = str(classifier.description.get("about", ""))
        labels, size = escape(", ".join(classifier.labels)), f"{classifier.size / 1e6:.1f}"
        table.add_row(classifier.name, labels, size, "", escape(about))
    OUT.print(table)
    if not (models.cards or models.classifiers):
        OUT.print("No model is installed. Train one, or install a package with a model.")


def print_card(models: "ModelCardsFigures") -> None:
    """Print all that a shipped model says of itself."""
    for card in models.cards:
        decoding = {"decoding": f"{card.decoding}, L/C {card.loss_ratio:g}"}
        _print_description(card, decoding, card.training)
    for classifier in models.classifiers:
        _print_description(classifier, {"used by": f"onnx: {classifier.name}"}, classifier.description)


def _print_description(
    card: "ModelCard | ClassifierCard", figures: Mapping[str, str], description: Mapping[str, Any]
) -> None:
    labels = {"labels": ", ".join(card.labels)}
    print_figures(card.name, labels | dict(figures) | {"size": f"{card.size:,} bytes", "sha256": card.sha256})
    for name in ("about", "not_for", "figures", "sources"):
        if lines := description.get(name):
            OUT.rule(name.replace("_", " "), align="left")
            for line in lines if isinstance(lines, list) else [lines]:
                OUT.print(f"- {_cell(line)}", markup=False, highlight=False)


def print_assessed_table(assessed: "TableAssessmentFigures") -> None:
    """Print every model's worst figure, and whether it holds."""
    table = Table(title="Assessed", title_justify="left")
    for name in ("guarantee", "asked", "worst", "holds", "counted"):
        table.add_column(name, overflow="fold")
    for row in assessed.assessments:
        holds = "yes" if row["satisfied"] else "no"
        table.add_row(row["guarantee"], row["parameters"], _cell(row["value"]), holds, row["evidence"])
    OUT.print(table)
    risks = ", ".join(f"{name} {_cell(risk)}" for name, risk in assessed.risk.items())
    OUT.print(f"re-identification risk: {risks}", markup=False, highlight=False)


def print_comparison(compared: "ComparisonFigures") -> None:
    """Print loss, risk and omitted rows of each setting, and the command that writes its table."""
    table = Table(title="Compared. No table was written.", title_justify="left")
    for name in (
        "",
        "model",
        "algorithm",
        "loss",
        "highest risk",
        "average risk",
        "suppressed rows",
        "rows",
        "verdict",
    ):
        table.add_column(name, overflow="fold")
    for number, each in enumerate(compared.settings, 1):
        figures = (each.loss, each.highest_risk, each.average_risk, each.suppressed_rows, each.rows)
        cells = [_cell(value) if value is not None else "unknown" for value in figures]
        refused = each.refused is not None
        row = (each.model, each.algorithm, *(("",) * len(cells) if refused else cells))
        table.add_row(str(number), *map(escape, row), "refused" if refused else each.verdict)
    OUT.print(table)
    for number, each in enumerate(compared.settings, 1):
        line = each.command if each.refused is None else f"refused: {each.refused}"
        OUT.print(f"{number}: {line}", markup=False, highlight=False, soft_wrap=True)
    if compared.page is not None:
        OUT.print(f"Page: {compared.page}", markup=False, highlight=False, soft_wrap=True)


def print_attacks(privacy: Mapping[str, Any]) -> None:
    """Print what attacks on a representation found, and the adversary on embeddings themselves."""
    table = Table("attack", "seed", "tries", "a guess", "right", "95%", title="Attacks", title_justify="left")
    for kind, rows in (("", privacy["attacks"]), ("embeddings: ", privacy["controls"])):
        for row in rows:
            names = ("chance", "accuracy", "low", "high")
            chance, accuracy, low, high = (f"{row[name]:.1%}" for name in names)
            table.add_row(
                f"{kind}{row['attack']}", str(row["seed"]), str(row["tries"]), chance, accuracy, f"{low} to {high}"
            )
    OUT.print(table)


def print_rounds(trained: "TrainingFigures") -> None:
    """Print what each round of a training found."""
    headings = ("round", "words left", "labelled", "found", "in vain", "loss after", "kept", "s")
    table = Table(*headings, title="Rounds by the counts of the stop test", title_justify="left")
    for entry in trained.report["rounds"]:
        names = ("round", "tokens", "sensitive_tokens", "true_positives", "false_positives", "loss_after")
        kept = "yes" if entry["kept"] else "no"
        table.add_row(*(_cell(entry[name]) for name in names), kept, f"{entry['seconds']:,.0f}")
    OUT.print(table)


def print_calibration(calibrated: "CalibrationFigures") -> None:
    """Print a calibration, and what thresholds leave and hide."""
    print_figures("Calibrated", {name: each for name, each in calibrated.to_json().items() if name != "rates"})
    title = "by threshold, each half of the documents with the calibration of the other half"
    table = Table("threshold", "words of entities missed", "other words hidden", title=title, title_justify="left")
    for rates in calibrated.rates:
        table.add_row(f"{rates['threshold']:g}", *(f"{rates[name]:.2%}" for name in ("missed", "hidden")))
    OUT.print(table)


def print_scores(evaluation: "EvaluationFigures") -> None:
    """Print precision, recall and F1 of all rounds and of each; of a plan what it leaves goes before."""
    if evaluation.residual is not None:
        _print_residuals(evaluation.residual)
    for name, scores in {"all rounds": evaluation.scores, **(evaluation.rounds or {})}.items():
        table = Table("", "precision", "recall", "F1", title=name, title_justify="left")
        for measure in ("strict", "relaxed", "token", "binary_token"):
            table.add_row(measure.replace("_", " "), *_rates(scores.micro(measure)))
        OUT.print(table)
        if scores is evaluation.scores:
            _print_labels(scores)
        OUT.print(
            f"documents {scores.documents}, publish ratio {scores.publish_ratio:.4f}, "
            f"entity recall {scores.entity_recall:.4f}"
        )


def _print_residuals(residual: "ResidualText") -> None:
    figures = residual.to_json()
    kinds = ("all", "whole", "part", "by_rule", "by_allow")
    for noun in ("entities", "words"):
        headings = ("label", noun, "left whole", "left in part", "kept by rule", "kept by allow")
        table = Table(*headings, title=f"{noun} that the plan misses", title_justify="left")
        table.columns[0].overflow = "fold"
        for label, counts in figures[noun].items():
            table.add_row(label, *(_cell(counts[kind]) for kind in kinds))
        OUT.print(table)
    others = figures["other_words"]
    OUT.print(f"other words hidden: {others['hidden']:,} of {others['all']:,} ({others['fraction']:.2%})")


def _print_labels(scores: "MatchScores") -> None:
    labels = scores.by_label("strict")
    if not labels:
        return
    table = Table("label", "annotated", "precision", "recall", "F1", title="strict, by label", title_justify="left")
    for label, figures in sorted(labels.items()):
        table.add_row(label, _cell(figures["support"]), *_rates(figures))
    OUT.print(table)


def _rates(figures: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(f"{figures[name]:.4f}" for name in ("precision", "recall", "f1"))


def print_attack(attacked: "AttackFigures") -> None:
    """Print what each attacker finds, and what follows from it."""
    report, attackers = attacked.report, attacked.report["attackers"]
    names = ("learner", "features", "source", "decoding", "true_positives", "false_positives", "recall", "precision")
    headings = (*names[:4], "found", "in vain", *names[6:])
    table = Table(*headings, title="Attackers", title_justify="left", padding=0)
    for entry in attackers:
        table.add_row(*(_cell(entry[name]) for name in names))
    OUT.print(table)
    accurate, dangerous = report["most_accurate"], report["most_dangerous"]
    if accurate == dangerous:
        _print_budgets("most accurate and most dangerous attacker", attackers[accurate])
    else:
        _print_budgets("most accurate attacker", attackers[accurate])
        _print_budgets("most dangerous attacker", attackers[dangerous])
    parrots = report.get("surrogates")
    if parrots is not None:
        _print_parrots(parrots)
    for sentence in (*report["statements"], *(parrots["statements"] if parrots else ())):
        OUT.print(f"- {sentence}", markup=False, highlight=False)


def _print_parrots(parrots: Mapping[str, Any]) -> None:
    """Print which names attackers take for real, beside as many guesses at random."""
    headings = ("attacker", "decoding", "guesses", "right", "precision", "at random", "recall", "at random")
    title = f"Real names among surrogates ({parrots['learner']})"
    table = Table(*headings, title=title, title_justify="left", padding=0)
    names = ("precision", "random_precision", "recall", "random_recall")
    for row in parrots["attackers"]:
        shares = (f"{row[name]:.1%}" for name in names)
        table.add_row(row["attacker"], row["decoding"], *(_cell(row[name]) for name in ("guesses", "right")), *shares)
    OUT.print(table)


def _print_budgets(title: str, entry: Mapping[str, Any]) -> None:
    name = f"{title}: {entry['learner']}, {entry['features']}, {entry['decoding']}"
    table = Table("budget", "found", "found/budget", "uniform", title=name, title_justify="left")
    for row in entry["budgets"]:
        table.add_row(*(_cell(row[key]) for key in ("budget", "identified", "identified_per_budget", "uniform")))
    OUT.print(table)
    bounds = Table("bound", "of", "", "value", "holds here", title_justify="left")
    for bound in entry["bounds"]:
        bounds.add_row(bound["theorem"], bound["quantity"], bound["kind"], _cell(bound["value"]), _holds(bound))
    OUT.print(bounds)


def _holds(bound: Mapping[str, Any]) -> str:
    failing = [each["statement"] for each in bound["conditions"] if not each["holds"]]
    return f"no; not fulfilled: {failing[0]}" if failing else "says nothing" if bound["vacuous"] else "yes"


def print_curves(experimented: "ExperimentFigures") -> None:
    """Print precision at equal recall of each way to hide rare text, and what sizes take."""
    figures = experimented.results
    if figures["curves"]:
        table = Table("recall", *figures["curves"], title="Precision at equal recall", title_justify="left")
        for row in figures["at_recall"]:
            values = ("-" if value is None else f"{value:.3f}" for value in row["precision"].values())
            table.add_row(str(row["recall"]), *values)
        OUT.print(table)
        for name, chosen in figures["chosen"].items():
            if chosen["min_length"]:
                OUT.print(f"{name}: l {chosen['min_length']}, R {chosen['share']}", highlight=False)
    table = Table("MB", "l", "seconds", "stays", title="Size", title_justify="left")
    for size in figures["sizes"]:
        is_kept = f"{size['unsuppressed_ratio']:.3f}"
        table.add_row(f"{size['bytes'] / 1e6:.2f}", str(size["min_length"]), f"{size['seconds']:.2f}", is_kept)
    OUT.print(table)
    OUT.print(f"Report: {experimented.output}/report.html", markup=False, highlight=False, soft_wrap=True)


def print_experiment(experimented: "ExperimentFigures") -> None:
    """Print what each method published and left, and what the attacker found of it."""
    names = ("method", "L/C", "rounds", "words published", "tokens left", "share", "attacker", "finds", "in vain")
    table = Table(*names, title="All folds together", title_justify="left", padding=0)
    table.columns[0].no_wrap = True  # names of methods stay whole, in 80 columns too
    for row in experimented.results["summary"]:
        rounds = "-" if row["rounds"] is None else f"{row['rounds']:.2f}{' failed' if row['failed'] else ''}"
        found = tuple(
            "–" if row["attacker"] is None else _cell(row[name])
            for name in ("attacker", "attacker_true_positives", "attacker_false_positives")
        )
        residual = (_cell(row["residual_tokens"]), f"{row['residual_ratio']:.3f}")
        table.add_row(row["method"], f"{row['loss_ratio']:g}", rounds, f"{row['publish_ratio']:.4f}", *residual, *found)
    OUT.print(table)
    OUT.print(f"Report: {experimented.output}/report.html", markup=False, highlight=False, soft_wrap=True)


def print_trials(experimented: "ExperimentFigures") -> None:
    """Print what each search took and gave at the largest size and t, and what it makes of the closing example."""
    figures = experimented.results
    size, t = (max(row[name] for row in figures["summary"]) for name in ("size", "t"))
    names = ("search", "ms", "at most", "cut off", "cost", "of optimum", "similarity")
    table = Table(*names, title=f"{size} terms, t = {t}", title_justify="left", padding=0)
    table.columns[0].no_wrap = True
    for row in figures["summary"]:
        if (row["size"], row["t"], row["alpha"]) == (size, t, figures["settings"]["alpha"][0]):
            times = (f"{row['milliseconds']:.3f}", f"{row['milliseconds_most']:.3f}", str(row["unfinished"]))
            shares = (f"{row['cost']:.4f}", f"{row['cost_ratio']:.3f}", f"{row['cosine']:.3f}")
            table.add_row(row["method"], *times, *shares)
    OUT.print(table)
    for row in figures["example"]:
        OUT.print(f"{row['method']}: {row['text']}", markup=False, highlight=False)
    OUT.print(f"Report: {experimented.output}/report.html", markup=False, highlight=False, soft_wrap=True)


def print_private(experimented: "ExperimentFigures") -> None:
    """Print F1 of every N and d with its range, and the worst attack on representations."""
    table = Table("trained on", "N", "seeds", "F1", "range", "let out", "worst attack", title_justify="left")
    for row in experimented.results["summary"]:
        attacks = row.get("attacks", {})
        worst = max(attacks, key=lambda name: attacks[name]["high"] - attacks[name]["chance"], default=None)
        message = (
            "" if worst is None else f"{worst} {attacks[worst]['accuracy']:.1%}, up to {attacks[worst]['high']:.1%}"
        )
        scores = (f"{row['f1']:.4f}", f"{row['f1_least']:.4f} to {row['f1_most']:.4f}")
        let_out = str(row.get("let_out", ""))
        table.add_row(row["kind"], str(row["neighbours"]), str(row["seeds"]), *scores, let_out, message)
    OUT.print(table)
    OUT.print(f"Report: {experimented.output}/report.html", markup=False, highlight=False, soft_wrap=True)


def print_hidden(experimented: "ExperimentFigures") -> None:
    """Print how well attackers tell real names from surrogates, and what models find that learned from each writing."""
    names = ("precision", "random_precision", "recall", "random_recall")
    table = Table("written", "attacker", "decoding", "precision", "at random", "recall", "at random", padding=0)
    for row in experimented.results["parrots"]:
        shares = (f"{row[name]['mean']:.1%}" for name in names)
        table.add_row(row["writing"], row["attacker"], row["decoding"], *shares)
    OUT.print(table)
    learned = Table("learned from", "seeds", "F1 on real text", "range", title_justify="left")
    for row in experimented.results["utility"]:
        f1 = row["f1"]
        message = f"{f1['least']:.4f} to {f1['most']:.4f}"
        learned.add_row(row["writing"], str(row["seeds"]), f"{f1['mean']:.4f}", message)
    OUT.print(learned)
    OUT.print(f"Report: {experimented.output}/report.html", markup=False, highlight=False, soft_wrap=True)


def _cell(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_cell(part)}" for key, part in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def print_trial(trial: "PlanTrial") -> None:
    """Print documents before and after a plan, with edits in the colours of their labels."""
    OUT.print(_NOTICE, style="bold red", markup=False, highlight=False)
    OUT.print(trial.describe(), markup=False, highlight=False)
    for document in trial.documents:
        OUT.print(f"\n{document.doc_id}", style="bold", markup=False, highlight=False)
        for name in ("before", "after"):
            line = Text(f"{name}: ", style="dim")
            for piece in document.pieces:
                line.append(getattr(piece, name), _style_of(piece))
            OUT.print(line, soft_wrap=True)


def _style_of(piece: "ExcerptPiece") -> str:
    """Return the colour of an edit's label."""
    # Start-up: help needs neither compiled code nor arrays.
    from spark_deid.report.highlight import hue_of

    if not piece.is_edit:
        return ""
    red, green, blue = (round(255 * part) for part in hls_to_rgb(hue_of(piece.label) / 360, 0.55, 0.7))
    return f"bold rgb({red},{green},{blue})"

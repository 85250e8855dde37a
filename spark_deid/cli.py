"""The command line: the only place that prints."""

import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from spark_deid import __version__, app
from spark_deid import demo as demonstration
from spark_deid.core.errors import GateRefused, SparkDeidError, UsageError

_out = Console(emoji=False)
_err = Console(stderr=True, emoji=False)

_STOPPED = 130
_UNSURE = "; a release is there only if its documents/_delta_log holds a commit"

cli = typer.Typer(
    name="spark-deid",
    help="Sanitize large text corpora on Spark before they are shared.\n\n"
    "Start with [bold]spark-deid demo[/]: it trains on a bundled sample and releases another. Then write a plan "
    "([bold]conf/patterns.yaml[/] needs no model), look at it with [bold]explain[/] and carry it out with "
    "[bold]run[/].",
    rich_markup_mode="rich",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


experiments = typer.Typer(help="Draw the figures of the papers on labelled text.", no_args_is_help=True)
cli.add_typer(experiments, name="experiment")


class Counts(StrEnum):
    """Where the stop test counts."""

    oof = "oof"
    train = "train"


class Decoding(StrEnum):
    """How a model decides."""

    viterbi = "viterbi"
    cost = "cost"


class Unit(StrEnum):
    """What k counts."""

    auto = "auto"
    subject = "subject"
    document = "document"
    occurrence = "occurrence"


class CountedUnit(StrEnum):
    """What k counts, where nothing can choose it."""

    subject = "subject"
    document = "document"
    occurrence = "occurrence"


class Covering(StrEnum):
    """Which frequent text is kept."""

    optimal = "optimal"
    greedy = "greedy"


class Tokens(StrEnum):
    """What is judged as one."""

    word = "word"
    space = "space"


class Strict(StrEnum):
    """In which text counts must hold."""

    original = "original"
    published = "published"


Input = Annotated[str, typer.Option("--input", help="A file, a folder or a glob; .gz is read everywhere.")]
Format = Annotated[str, typer.Option("--format", help=f"One of: {', '.join(app.format_names())}.")]
ModelFolder = Annotated[Path, typer.Option("--model", help="A model folder made by train.")]


def _writable(path: Path | None) -> Path | None:
    """Check, before anything is done, that a file of figures can be written; makes nothing."""
    if path is None:
        return None
    if os.path.isdir(path):
        raise UsageError(f"--json {path}: is a folder; name a file")
    place = next(place for place in (path, *path.absolute().parents) if os.path.exists(place))
    if not (place == path or os.path.isdir(place)) or not os.access(place, os.W_OK):
        raise UsageError(f"--json {path}: {place} is no folder or not open to writing; name another file")
    return path


Json = Annotated[
    Path | None, typer.Option("--json", callback=_writable, help="Write the figures to this file, as JSON.")
]
Master = Annotated[
    str | None, typer.Option("--master", help="A Spark master, such as spark://host:7077; local cores by default.")
]


@cli.command()
def train(
    input_path: Input,
    input_format: Format,
    output: Annotated[Path, typer.Option(help="The model folder to make; it must not exist, or be empty.")],
    labels: Annotated[
        str | None, typer.Option(help="Labels to remove, with commas between; every label by default.")
    ] = None,
    learner: Annotated[
        str,
        typer.Option(
            help="crf, svm, adaboost, ensemble, an installed one, or selection: the most accurate each round."
        ),
    ] = "crf",
    loss_ratio: Annotated[
        float, typer.Option(min=0, help="L/C: what a leaked identifier costs against a needlessly hidden word.")
    ] = 10,
    max_rounds: Annotated[int, typer.Option(min=1, help="The most models to keep.")] = 5,
    decoding: Annotated[Decoding, typer.Option(help="viterbi, or cost: remove where p > C/(L+C).")] = Decoding.viterbi,
    counts: Annotated[
        Counts, typer.Option(help="Where the stop test counts: oof (out of fold), or train, as in the paper.")
    ] = Counts.oof,
    features: Annotated[str, typer.Option(help="The feature set: rich, or hide.")] = "rich",
    iterations: Annotated[
        int, typer.Option(min=1, help="The most of L-BFGS; 30 train in a third of the time, for half a point of F1.")
    ] = 100,
    patterns: Annotated[
        Path | None, typer.Option(help="A plan whose pattern detectors take part in the simulated rounds.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
    key_file: Annotated[
        Path | None, typer.Option(help="A secret key for the features that hold words; a random one by default.")
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the out-of-fold counts.")] = 3,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that train at a time; every core.")] = None,
    json_file: Json = None,
) -> None:
    """Learn a model from labelled text by GreedySanitize.

    Learn a classifier, remove what it finds, learn again on what is left, until the next one would cost more than it
    gains. The model folder holds every round, a training report and a secret key: keep it as private as its data.

    Example: spark-deid train --input notes/ --format brat --output models/notes
    """
    progress = _Progress()
    report = app.train(
        input_path,
        input_format,
        output,
        labels=_comma(labels),
        learner=learner,
        loss_ratio=loss_ratio,
        max_rounds=max_rounds,
        decoding=decoding.value,
        counts=counts.value,
        features=features,
        iterations=iterations,
        patterns=patterns,
        seed=seed,
        key_file=key_file,
        folds=folds,
        workers=workers,
        progress=progress,
    )
    _print_rounds(report)
    _write_json(json_file, report)
    _out.print(f"Model: {output}   report: {output / 'training.html'}")


@cli.command()
def export(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model folder made by train.")],
    output: Annotated[Path, typer.Argument(metavar="OUT", help="A new folder.")],
    gold: Annotated[str | None, typer.Option(help="Labelled text, not trained on: tells the loss in F1.")] = None,
    gold_format: Annotated[str | None, typer.Option("--format", help="The format of the labelled text.")] = None,
    json_file: Json = None,
) -> None:
    """Make a model to give away: without key, features that carry words, and train lexicon.

    What is left knows shapes, lengths, places and listed words. It finds less; with --gold this says how much.

    Example: spark-deid export models/notes models/notes-public --gold notes/held-out --format brat
    """
    figures = app.export(model, output, gold=gold, gold_format=gold_format, progress=_Progress())
    _print_figures("Exported", {**figures, "f1": figures["f1"] or "unknown: give labelled text with --gold"})
    _write_json(json_file, figures)


@cli.command()
def detect(
    model: ModelFolder,
    input_path: Input,
    input_format: Format,
    output: Annotated[str, typer.Option(help="Where the annotated corpus goes; a new folder.")],
    to: Annotated[str, typer.Option(help="The format of the output.")],
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Annotate a corpus with a model, without rewriting it.

    Example: spark-deid detect --model models/notes --input notes/ --format text --output found/ --to brat
    """
    figures = app.detect(model, input_path, input_format, output, to, master=master, progress=_Progress())
    _print_figures("Detected", figures)
    _write_json(json_file, figures)


@cli.command()
def run(
    plan: Annotated[Path, typer.Argument(help="A plan in YAML; conf/ holds complete ones.")],
    overrides: Annotated[
        list[str] | None, typer.Option("--set", help="path.to.key=value, over the plan's own; may be repeated.")
    ] = None,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Carry out a plan: read, detect, edit, check, release.

    The release appears with one commit, or not at all; exit code 3 says that a check refused it.

    Example: spark-deid run conf/patterns.yaml --set input.path=notes/ --set release=out/release
    """
    figures = app.run(plan, overrides or (), master=master, progress=_Progress())
    _print_figures("Released", figures)
    _write_json(json_file, figures)


@cli.command()
def explain(
    plan: Annotated[Path, typer.Argument(help="A plan in YAML.")],
    overrides: Annotated[list[str] | None, typer.Option("--set", help="path.to.key=value; may be repeated.")] = None,
) -> None:
    """Say what a plan would do, without doing it; no Spark is started.

    Example: spark-deid explain conf/suppress.yaml
    """
    _out.print(app.explain(plan, overrides or ()), markup=False, highlight=False, soft_wrap=True)


@cli.command()
def evaluate(
    gold: Annotated[str, typer.Option(help="A labelled corpus.")],
    input_format: Format,
    model: Annotated[Path | None, typer.Option(help="Score this model.")] = None,
    spans: Annotated[
        str | None, typer.Option(help="Or score this spans table: the Delta table of a workspace.")
    ] = None,
    labels: Annotated[
        str | None, typer.Option(help="Score these labels alone, with commas between; every label by default.")
    ] = None,
    rounds: Annotated[bool, typer.Option(help="Score each round of the model alone too.")] = False,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Score a model, or a table of spans, against gold.

    Example: spark-deid evaluate --gold dev/ --format brat --model models/notes
    """
    scores = app.evaluate(
        gold,
        input_format,
        model=model,
        spans=spans,
        labels=_comma(labels),
        rounds=rounds,
        master=master,
        progress=_Progress(),
    )
    _print_scores(scores)
    _write_json(json_file, scores)


@cli.command()
def repeats(
    input_path: Input,
    input_format: Format,
    output: Annotated[str, typer.Option(help="A new folder for documents, spans and report.html.")],
    workspace: Annotated[
        str | None, typer.Option(help="A private folder that keeps originals and edits, for assess.")
    ] = None,
    k: Annotated[int, typer.Option(help="Hide what fewer than k share; 2 to 254.")] = 4,
    min_length: Annotated[int, typer.Option(help="The fewest characters of a run that is kept.")] = 6,
    unit: Annotated[
        Unit, typer.Option(help="What k counts; auto: persons where the input names them, else documents.")
    ] = Unit.auto,
    covering: Annotated[Covering, typer.Option(help="optimal, or greedy as in the paper.")] = Covering.optimal,
    cap: Annotated[int, typer.Option(help="Bytes up to which text is followed; no kept run is longer.")] = 255,
    strict: Annotated[
        Strict, typer.Option(help="published: every kept run is in k of the released texts, too.")
    ] = Strict.original,
    shards: Annotated[int, typer.Option(help="Find in so many shards; by itself in one task where the text fits.")] = 0,
    mask_length: Annotated[bool, typer.Option("--mask-length", help="One star a character, not one a run.")] = False,
    sweep: Annotated[bool, typer.Option("--sweep", help="Let the report compare other k and lengths.")] = False,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Hide every stretch of text that fewer than k persons or documents share, and nothing else.

    Example: spark-deid repeats --input notes/ --format text --output out/common --k 5
    """
    options = {
        "k": k,
        "min_length": min_length,
        "unit": unit.value,
        "covering": covering.value,
        "cap": cap,
        "strict": strict.value,
        "shards": shards,
    }
    figures = app.repeats(
        input_path,
        input_format,
        output,
        workspace=workspace,
        options=options,
        mask="character" if mask_length else "run",
        sweep=sweep,
        master=master,
        progress=_Progress(),
    )
    shown = (
        "output",
        "documents",
        "characters",
        "runs",
        "hidden_characters",
        "unsuppressed_ratio",
        "rejects",
        "seconds",
    )
    _print_figures("Hidden", {name: figures[name] for name in shown})
    _write_json(json_file, figures)


@cli.command()
def attack(
    release: Annotated[str, typer.Option(help="A finished release.")],
    workspace: Annotated[str, typer.Option(help="The workspace of its run: its edits move gold to the release.")],
    gold: Annotated[str, typer.Option(help="Labelled documents of the release.")],
    input_format: Format,
    labels: Annotated[
        str | None, typer.Option(help="Labels of identifiers, with commas between; every label by default.")
    ] = None,
    learners: Annotated[
        str | None, typer.Option(help="The attackers' learners, with commas between; all of this package by default.")
    ] = None,
    features: Annotated[str, typer.Option(help="The attackers' feature set.")] = "rich",
    loss_ratio: Annotated[
        float | None, typer.Option(min=0, help="L/C; that of the release's model by default, or 10.")
    ] = None,
    budgets: Annotated[str | None, typer.Option(help="Numbers of inspected words, with commas between.")] = None,
    public: Annotated[str | None, typer.Option(help="Labelled text of another origin, for attackers too.")] = None,
    public_format: Annotated[str | None, typer.Option(help="Its format.")] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds: attackers learn on the others than they inspect.")] = 3,
    seed: Annotated[int, typer.Option(help="Seed of folds, intervals and simulation.")] = 0,
    simulate: Annotated[int, typer.Option(min=0, help="Also simulate the order of inspection, so many times.")] = 0,
    vc_dimension: Annotated[
        float | None, typer.Option(min=1, help="VC dimension for the sampling bounds; a measured difference else.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that train at a time; every core.")] = None,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Attack a finished release as the paper's attacker does, and count what he finds.

    Attackers learn on labelled documents of the published text and inspect the others: the publisher's own way, every
    other learner, with plain and with cost-sensitive decoding. Says how many identifiers are left, and how many of
    them an attacker finds on a budget of inspections.

    Example: spark-deid attack --release out/release --workspace out/workspace --gold notes/labelled --format brat
    """
    report = app.attack(
        release,
        workspace,
        gold,
        input_format,
        labels=_comma(labels),
        learners=_comma(learners),
        features=features,
        loss_ratio=loss_ratio,
        budgets=_numbers(budgets),
        public=public,
        public_format=public_format,
        folds=folds,
        seed=seed,
        simulate=simulate,
        vc_dimension=vc_dimension,
        workers=workers,
        master=master,
        progress=_Progress(),
    )
    _print_attack(report)
    _write_json(json_file, report)


@cli.command()
def assess(
    release: Annotated[str, typer.Option(help="A release, or the output of repeats.")],
    k: Annotated[int, typer.Option(min=2, help="What every run of the release must reach.")],
    unit: Annotated[CountedUnit, typer.Option(help="What k counts.")],
    workspace: Annotated[str | None, typer.Option(help="The workspace of the release: its originals count.")] = None,
    published: Annotated[bool, typer.Option("--published", help="Count in the released texts alone.")] = False,
    sample: Annotated[int | None, typer.Option(min=1, help="Count at most so many distinct runs.")] = None,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Count every run of a release again, by another algorithm; exit code 3 says that one is too rare.

    Example: spark-deid assess --release out/common --workspace out/private --k 5 --unit document
    """
    figures = app.assess(
        release,
        workspace=workspace,
        k=k,
        unit=unit.value,
        published=published,
        sample=sample,
        master=master,
        progress=_Progress(),
    )
    _print_figures("Assessed", figures)
    _write_json(json_file, figures)
    if not figures["satisfied"]:
        raise typer.Exit(GateRefused.exit_code)


@experiments.command("repeats")
def experiment_repeats(
    input_path: Input,
    input_format: Format,
    output: Annotated[str, typer.Option(help="A new folder for results, edits, curves.svg and report.html.")],
    unit: Annotated[CountedUnit, typer.Option(help="What k counts; the paper: occurrence.")] = CountedUnit.occurrence,
    tokens: Annotated[
        Tokens, typer.Option(help="word, or space: all between white space, as in the paper.")
    ] = Tokens.word,
    covering: Annotated[Covering, typer.Option(help="greedy as in the paper, or optimal.")] = Covering.greedy,
    seed: Annotated[int, typer.Option(help="Seed of the development split.")] = 0,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Draw precision and recall of hiding rare text, of hiding rare words, and of both, for k from 2 to 18.

    Example: spark-deid experiment repeats --input notes/labelled --format brat --output out/curves
    """
    figures = app.experiment_repeats(
        input_path,
        input_format,
        output,
        unit=unit.value,
        tokens=tokens.value,
        covering=covering.value,
        seed=seed,
        master=master,
        progress=_Progress(),
    )
    _print_curves(figures)
    _write_json(json_file, figures)


@cli.command()
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="A file, a folder or a glob.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="A new folder.")],
    source_format: Annotated[str, typer.Option("--from", help="The format of IN.")],
    target_format: Annotated[str, typer.Option("--to", help="The format of OUT.")],
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Write a corpus in another format.

    Example: spark-deid convert --from brat --to jsonl notes/ notes-jsonl/
    """
    figures = app.convert(source, source_format, target, target_format, master=master, progress=_Progress())
    _print_figures("Converted", figures)
    _write_json(json_file, figures)


@cli.command()
def synthesize(
    documents: Annotated[int, typer.Option(min=1, help="How many documents; about 2.5 kB each.")],
    output: Annotated[str, typer.Option(help="A new folder for the documents, with gold spans inside.")],
    seed: Annotated[int, typer.Option(help="Equal seeds give equal corpora.")] = 0,
    output_format: Annotated[str, typer.Option("--format", help="The format of the documents.")] = "jsonl",
    persons: Annotated[str | None, typer.Option(help="Where the table of persons goes; a new folder.")] = None,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Make a test corpus of invented notes and mail, with exact gold spans.

    Example: spark-deid synthesize --documents 1000 --seed 7 --format jsonl --output corpus/
    """
    figures = app.synthesize(
        documents, seed, output_format, output, persons=persons, master=master, progress=_Progress()
    )
    _print_figures("Synthesized", figures)
    _write_json(json_file, figures)


@cli.command()
def demo(
    output: Annotated[Path | None, typer.Option(help="The folder; a new one beside you by default.")] = None,
    master: Master = None,
) -> None:
    """Train on a bundled public sample, release another, and show where everything lies."""
    result = demonstration.demo(output, master=master, progress=_Progress())
    _out.print()
    _out.rule("before and after, on a public sample", align="left")
    for before, after in result.examples:
        _out.print(f"- {before}", style="red", markup=False, highlight=False)
        _out.print(f"+ {after}", style="green", markup=False, highlight=False)
    _out.rule()
    _print_figures("Released", result.figures)
    for name, path in result.places.items():
        _out.print(f"{name:>10}: {path}", markup=False, highlight=False, soft_wrap=True)


@cli.command()
def doctor(
    deep: Annotated[bool, typer.Option(help="Also start Spark, and write and read a small Delta table.")] = False,
) -> None:
    """Say what is wrong with this machine, and how to mend it."""
    findings = app.doctor(deep=deep)
    marks = {"ok": "[green]ok[/]", "warn": "[yellow]warn[/]", "fail": "[red]fail[/]"}
    table = Table("", "check", "found", "what to do")
    for finding in findings:
        table.add_row(marks[finding.level], finding.check, finding.found, finding.remedy)
    _out.print(table)
    if any(finding.level == "fail" for finding in findings):
        raise typer.Exit(1)


@cli.command()
def version() -> None:
    """Print the version."""
    _out.print(__version__)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    if not os.environ.get("SPARK_DEID_DEBUG"):
        logging.disable()  # libraries log what they were doing, values and all; failures are told below
    given = list(sys.argv[1:] if arguments is None else arguments)
    hint = _UNSURE if given[:1] in (["run"], ["repeats"], ["demo"]) else ""
    try:
        cli(args=given)
    except SystemExit as end:
        if end.code == _STOPPED:  # Typer's answer to Ctrl-C, without a word
            _err.print(f"stopped{hint}", highlight=False, soft_wrap=True)
        raise
    except Exception as error:  # the border: nothing below may print, and no message may quote a document
        if _was_stopped(error):
            _err.print(f"stopped{hint}", highlight=False, soft_wrap=True)
            sys.exit(_STOPPED)
        if isinstance(error, SparkDeidError):
            _err.print("error:", style="bold red", end=" ")
            _err.print(str(error), markup=False, highlight=False, soft_wrap=True)
            sys.exit(error.exit_code)
        _print_failure(error, hint)
        sys.exit(1)


def _was_stopped(error: BaseException | None) -> bool:
    """Tell whether an error came of Ctrl-C: Spark, cut off in the middle of an answer, fails in ways of its own."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


class _Progress:
    """Say what is being done, and how long it took since the start."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def __call__(self, message: str) -> None:
        elapsed = time.monotonic() - self._start
        _err.print(f"[{elapsed:7.1f} s] {message}", markup=False, highlight=False, soft_wrap=True)


def _print_failure(error: Exception, hint: str) -> None:
    refused = app.worker_error(error)
    if refused:
        _err.print(f"error: {refused}{hint}", markup=False, highlight=False, soft_wrap=True)
        return
    place = traceback.extract_tb(error.__traceback__)[-1]
    _err.print(
        f"error: unexpected {type(error).__name__} at {Path(place.filename).name}:{place.lineno}{hint}."
        " Messages of such errors may hold text, so it is not shown: set SPARK_DEID_DEBUG=1 to see all of it.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    if os.environ.get("SPARK_DEID_DEBUG"):
        traceback.print_exception(error)


def _comma(value: str | None) -> tuple[str, ...] | None:
    return tuple(part.strip() for part in value.split(",") if part.strip()) if value else None


def _write_json(path: Path | None, value: object) -> None:
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise SparkDeidError(
            f"--json {path}: can't write this file ({error.strerror}); everything else was done"
        ) from error


def _print_figures(title: str, figures: Mapping[str, object]) -> None:
    table = Table(title=title, title_justify="left", show_header=False)
    for name, value in figures.items():
        table.add_row(name.replace("_", " "), _cell(value))
    _out.print(table)


def _cell(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_cell(part)}" for key, part in value.items())
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _print_rounds(report: Mapping[str, object]) -> None:
    rounds = report.get("rounds")
    if not isinstance(rounds, list) or not rounds:
        return
    headings = ("round", "tokens left", "sensitive", "found", "in vain", "loss after", "kept", "s")
    table = Table(*headings, title="Rounds, counted as the stop test does", title_justify="left")
    for entry in rounds:
        names = ("round", "tokens", "sensitive_tokens", "true_positives", "false_positives", "loss_after")
        kept = "yes" if entry["kept"] else "no"
        table.add_row(*(_cell(entry[name]) for name in names), kept, f"{entry['seconds']:,.0f}")
    _out.print(table)


def _print_scores(scores: Mapping[str, object]) -> None:
    for name, part in (("all rounds", scores), *_parts(scores.get("rounds"))):
        table = Table("", "precision", "recall", "F1", title=name, title_justify="left")
        for kind in ("strict", "relaxed", "token", "binary_token"):
            entry = part.get(kind)
            if isinstance(entry, Mapping):
                micro = entry["micro"]
                table.add_row(kind.replace("_", " "), *(f"{micro[k]:.4f}" for k in ("precision", "recall", "f1")))
        _out.print(table)
        if name == "all rounds":
            _print_labels(part)
        _out.print(
            f"documents {part.get('documents')}, publish ratio {part.get('publish_ratio'):.4f}, "
            f"entity recall {part.get('entity_recall'):.4f}"
        )


def _print_labels(scores: Mapping[str, object]) -> None:
    strict = scores.get("strict")
    labels = strict.get("labels") if isinstance(strict, Mapping) else None
    if not labels:
        return
    table = Table("label", "precision", "recall", "F1", title="strict, by label", title_justify="left")
    for label, figures in sorted(labels.items()):
        table.add_row(label, *(f"{figures[k]:.4f}" for k in ("precision", "recall", "f1")))
    _out.print(table)


def _numbers(value: str | None) -> tuple[int, ...]:
    parts = _comma(value) or ()
    if not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UsageError("budgets: expected whole numbers above 0, with commas between")
    return tuple(sorted({int(part) for part in parts}))


def _print_attack(report: Mapping[str, Any]) -> None:
    attackers = report["attackers"]
    names = ("learner", "features", "source", "decoding", "true_positives", "false_positives", "recall", "precision")
    table = Table(*(name.replace("_", " ") for name in names), title="Attackers", title_justify="left")
    for entry in attackers:
        table.add_row(*(_cell(entry[name]) for name in names))
    _out.print(table)
    for title in ("most_accurate", "most_dangerous"):
        _print_budgets(title.replace("_", " ") + " attacker", attackers[report[title]])
    for sentence in report["statements"]:
        _out.print(f"- {sentence}", markup=False, highlight=False)


def _print_budgets(title: str, entry: Mapping[str, Any]) -> None:
    name = f"{title}: {entry['learner']}, {entry['features']}, {entry['decoding']}"
    table = Table("budget", "found", "found/budget", "uniform", title=name, title_justify="left")
    for row in entry["budgets"]:
        table.add_row(*(_cell(row[key]) for key in ("budget", "identified", "identified_per_budget", "uniform")))
    _out.print(table)
    bounds = Table("bound", "of", "", "value", "holds here", title_justify="left")
    for bound in entry["bounds"]:
        word = "vacuous" if bound["vacuous"] else "yes" if bound["applies"] else "no: a condition fails"
        bounds.add_row(bound["theorem"], bound["quantity"], bound["kind"], _cell(bound["value"]), word)
    _out.print(bounds)


def _print_curves(figures: Mapping[str, Any]) -> None:
    table = Table("recall", *figures["curves"], title="Precision at equal recall", title_justify="left")
    for row in figures["at_recall"]:
        values = ("-" if value is None else f"{value:.3f}" for value in row["precision"].values())
        table.add_row(str(row["recall"]), *values)
    _out.print(table)
    for name, chosen in figures["chosen"].items():
        if chosen["min_length"]:
            _out.print(f"{name}: l {chosen['min_length']}, R {chosen['share']}", highlight=False)
    _out.print(f"Report: {figures['output']}/report.html", markup=False, highlight=False, soft_wrap=True)


def _parts(value: object) -> list[tuple[str, Mapping[str, object]]]:
    return list(value.items()) if isinstance(value, Mapping) else []


if __name__ == "__main__":
    main()

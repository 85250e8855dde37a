"""Commands that learn a model, look at it and give it away."""

from pathlib import Path
from typing import Annotated

import typer

from spark_deid import app
from spark_deid.cli.options import (
    Counts,
    Decoding,
    Format,
    Input,
    Json,
    Master,
    ModelFolder,
    chosen_background,
    split_commas,
)
from spark_deid.cli.printing import OUT, Progress, print_figures, print_rounds, print_scores, write_json


def train(
    input_path: Input,
    input_format: Format,
    output: Annotated[Path, typer.Option(help="The model folder to make; it must not exist, or be empty.")],
    labels: Annotated[
        str | None, typer.Option(help="Labels to remove, with commas between; every label by default.")
    ] = None,
    auxiliary: Annotated[
        str | None, typer.Option(help="Labels to learn as classes of their own, though they are not removed.")
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
    publish_budget: Annotated[
        float | None,
        typer.Option(help="Remove as much as leaves this share of the words published; with cost decoding."),
    ] = None,
    counts: Annotated[
        Counts, typer.Option(help="Where the stop test counts: oof (out of fold), or train, as in the paper.")
    ] = Counts.oof,
    features: Annotated[str, typer.Option(help="The feature set: rich, hide, gazetteer or full.")] = "rich",
    background: Annotated[
        str | None,
        typer.Option(help="Models of other text whose probabilities are features: shipped ones, or folders; or none."),
    ] = None,
    tagger: Annotated[
        str, typer.Option(help="Parts of speech as features: nltk:FOLDER of a perceptron tagger, or an installed one.")
    ] = "",
    iterations: Annotated[
        int, typer.Option(min=1, help="The most of L-BFGS; 30 train in a third of the time, for half a point of F1.")
    ] = 100,
    patterns: Annotated[
        Path | None, typer.Option(help="A plan whose pattern detectors take part in the simulated rounds.")
    ] = None,
    context: Annotated[
        Path | None,
        typer.Option(help="A plan: terms that give its categories of route label away are learned as well."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the folds.")] = 0,
    key_file: Annotated[
        Path | None, typer.Option(help="A secret key for the features that hold words; a random one by default.")
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Folds of the out-of-fold counts.")] = 3,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that train at a time; every core.")] = None,
    master: Annotated[
        str | None, typer.Option(help="A Spark master: folds and learners train as its tasks, not in processes here.")
    ] = None,
    json_file: Json = None,
) -> None:
    """Learn a model from labelled text by GreedySanitize.

    Learn a classifier, remove what it finds, learn again on what is left, until the next one would cost more than it
    gains. The model folder holds every round, a training report and a secret key: keep it as private as its data.

    Example: spark-deid train --input notes/ --format brat --output models/notes
    """
    progress = Progress()
    report = app.train(
        input_path,
        input_format,
        output,
        labels=split_commas(labels),
        auxiliary=split_commas(auxiliary) or (),
        learner=learner,
        loss_ratio=loss_ratio,
        max_rounds=max_rounds,
        decoding=decoding.value,
        publish_budget=publish_budget,
        counts=counts.value,
        features=features,
        background=chosen_background(background, features),
        tagger=tagger,
        iterations=iterations,
        patterns=patterns,
        context=context,
        seed=seed,
        key_file=key_file,
        folds=folds,
        workers=workers,
        master=master,
        progress=progress,
    )
    print_rounds(report)
    write_json(json_file, report)
    OUT.print(f"Model: {output}   report: {output / 'training.html'}")


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
    figures = app.export(model, output, gold=gold, gold_format=gold_format, progress=Progress())
    print_figures("Exported", {**figures, "f1": figures["f1"] or "unknown: give labelled text with --gold"})
    write_json(json_file, figures)


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
    figures = app.detect(model, input_path, input_format, output, to, master=master, progress=Progress())
    print_figures("Detected", figures)
    write_json(json_file, figures)


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
        labels=split_commas(labels),
        rounds=rounds,
        master=master,
        progress=Progress(),
    )
    print_scores(scores)
    write_json(json_file, scores)

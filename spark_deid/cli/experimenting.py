"""Commands that draw the figures of the papers."""

from typing import Annotated

import typer

from spark_deid import app
from spark_deid.cli.options import (
    Decoding,
    Format,
    Input,
    Json,
    Master,
    Tokens,
    chosen_background,
    split_commas,
    split_ratios,
)
from spark_deid.cli.printing import Progress, print_curves, print_experiment, write_json
from spark_deid.repeats.settings import Covering, Unit


def repeats(
    input_path: Input,
    input_format: Format,
    output: Annotated[str, typer.Option(help="A new folder for tables, charts and report.html.")],
    unit: Annotated[Unit, typer.Option(help="What k counts; the paper: occurrence.")] = Unit.OCCURRENCE,
    tokens: Annotated[
        Tokens, typer.Option(help="word; space: all between white space, as in the paper; script: for Japanese.")
    ] = Tokens.word,
    covering: Annotated[Covering, typer.Option(help="greedy as in the paper, or optimal.")] = Covering.GREEDY,
    seed: Annotated[int, typer.Option(help="Seed of the development split.")] = 0,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Draw precision and recall of hiding rare text, of hiding rare words, and of both, for k from 2 to 18.

    Time and the share of text that stays are drawn over the size of the corpus, alone where nothing is annotated.

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
        progress=Progress(),
    )
    print_curves(figures)
    write_json(json_file, figures)


def greedy(
    input_path: Input,
    input_format: Format,
    labels: Annotated[str, typer.Option(help="What is removed, with commas between.")],
    output: Annotated[str, typer.Option(help="A new folder, or one that a run with the same options left.")],
    methods: Annotated[
        str | None,
        typer.Option(
            help="Some of crf, svm, adaboost, ensemble, selection, plain-crf: each stands for greedy-, once- and"
            " cost-, or is given with one of them. By default all."
        ),
    ] = None,
    attackers: Annotated[
        str | None, typer.Option(help="Who attacks: some of crf, svm, adaboost, ensemble (the default), plain-crf.")
    ] = None,
    folds: Annotated[int, typer.Option(min=3, help="Parts by document; persons are never divided.")] = 4,
    loss_ratios: Annotated[str, typer.Option(help="Values of L/C.")] = "1,2,5,10,20,50,100",
    decoding: Annotated[
        Decoding, typer.Option(help="How greedy methods decide; greedy-plain-crf always by viterbi.")
    ] = Decoding.cost,
    features: Annotated[str, typer.Option(help="A feature set; plain-crf always has hide.")] = "full",
    auxiliary: Annotated[
        str | None, typer.Option(help="Labels that train as classes of their own and are not removed.")
    ] = None,
    background: Annotated[
        str | None,
        typer.Option(
            help="Models whose probabilities are features: names of shipped ones, or folders; or none. By default,"
            " for full, the shipped ones."
        ),
    ] = None,
    iterations: Annotated[int, typer.Option(min=1, help="The most iterations of a CRF.")] = 100,
    documents: Annotated[int, typer.Option(min=0, help="Draw so many documents by the seed; 0 takes all.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of folds, learners and drawing.")] = 0,
    workers: Annotated[int | None, typer.Option(min=1, help="Fits at a time on this machine.")] = None,
    master: Master = None,
    json_file: Json = None,
) -> None:
    """Play GreedySanitize against one-shot and cost-sensitive classifiers, and attack what each publishes.

    What is done is kept: the same command goes on where one that was cut off ended.

    Example: spark-deid experiment greedy --input notes/ --format brat --labels NAME --output out/greedy
    """
    figures = app.experiment_greedy(
        input_path,
        input_format,
        output,
        labels=split_commas(labels) or (),
        methods=split_commas(methods),
        attackers=split_commas(attackers),
        folds=folds,
        loss_ratios=split_ratios(loss_ratios),
        decoding=decoding.value,
        features=features,
        auxiliary=split_commas(auxiliary) or (),
        background=chosen_background(background, features),
        iterations=iterations,
        documents=documents,
        seed=seed,
        workers=workers,
        master=master,
        progress=Progress(),
    )
    print_experiment(figures)
    write_json(json_file, figures)

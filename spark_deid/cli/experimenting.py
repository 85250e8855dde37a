"""Commands that draw the figures of the papers."""

from spark_deid import app
from spark_deid.cli.options import takes
from spark_deid.cli.printing import (
    PrintedProgress,
    print_curves,
    print_experiment,
    print_hidden,
    print_private,
    print_trials,
)


@takes(app.RepeatsExperimentOptions)
def repeats(options: app.RepeatsExperimentOptions) -> app.ExperimentFigures:
    """Draw precision and recall of hiding rare text, of hiding rare words, and of both, for k from 2 to 18.

    Time and the share of text that stays are drawn over the size of the corpus, alone where nothing is annotated.

    Example: spark-deid experiment repeats --input notes/labelled --format brat --output out/curves
    """
    experimented = app.experiment_repeats(options, PrintedProgress())
    print_curves(experimented)
    return experimented


@takes(app.GreedyExperimentOptions)
def greedy(options: app.GreedyExperimentOptions) -> app.ExperimentFigures:
    """Play GreedySanitize against one-shot and cost-sensitive classifiers, and attack what each publishes.

    What is done is kept: the same command goes on where one that was cut off ended.

    Example: spark-deid experiment greedy --input notes/ --format brat --labels NAME --output out/greedy
    """
    experimented = app.experiment_greedy(options, PrintedProgress())
    print_experiment(experimented)
    return experimented


@takes(app.PlausibilityExperimentOptions)
def plausibility(options: app.PlausibilityExperimentOptions) -> app.ExperimentFigures:
    """Draw what searches for t-plausible texts take, and what their texts cost and keep: Figures 3(a) to 3(i).

    Texts are made of terms that are drawn from an ontology.

    Example: spark-deid experiment plausibility --output out/plausibility
    """
    experimented = app.experiment_plausibility(options, PrintedProgress())
    print_trials(experimented)
    return experimented


@takes(app.RepresentationExperimentOptions)
def representation(options: app.RepresentationExperimentOptions) -> app.ExperimentFigures:
    """Train de-identifiers on pseudonyms and on private representations, and attack these; needs the extra `neural`.

    What is done is kept: the same command goes on where one that was cut off ended.

    Example: spark-deid experiment representation --input train --test dev --format brat --embeddings vectors \\
    --output out/private
    """
    experimented = app.experiment_representation(options, PrintedProgress())
    print_private(experimented)
    return experimented


@takes(app.SurrogatesExperimentOptions)
def surrogates(options: app.SurrogatesExperimentOptions) -> app.ExperimentFigures:
    """Attack what a model missed among surrogates and among placeholders, and learn from text that has them.

    Documents are divided into three parts by a seed: a model learns from the first and marks the others, which are
    released and attacked; and models learn from two parts, rewritten by hand, and tag the real text of the third. What
    is done is kept: the same command goes on where one that was cut off ended.

    Example: spark-deid experiment surrogates --input notes/labelled --format brat --labels NAME --output out/surrogates
    """
    experimented = app.experiment_surrogates(options, PrintedProgress())
    print_hidden(experimented)
    return experimented

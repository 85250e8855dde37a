"""Commands that draw the figures of the papers."""

from spark_deid import app
from spark_deid.cli.printing import (
    print_curves,
    print_experiment,
    print_hidden,
    print_private,
    print_trials,
)


def repeats(experimented: "app.ExperimentFigures", options: "app.RepeatsExperimentOptions") -> None:
    """Draw precision and recall of hiding rare text, of hiding rare words, and of both, for k from 2 to 18.

    Time and the share of text that stays are drawn over the size of the corpus, alone where nothing is annotated.

    Example: spark-deid experiment repeats --input notes/labelled --format brat --output out/curves
    """
    print_curves(experimented)


def greedy(experimented: "app.ExperimentFigures", options: "app.GreedyExperimentOptions") -> None:
    """Play GreedySanitize against one-shot and cost-sensitive classifiers, and attack what each publishes.

    What is done is kept: the same command goes on where one that was cut off ended.

    Example: spark-deid experiment greedy --input notes/ --format brat --labels NAME --output out/greedy
    """
    print_experiment(experimented)


def plausibility(experimented: "app.ExperimentFigures", options: "app.PlausibilityExperimentOptions") -> None:
    """Draw what searches for t-plausible texts take, and what their texts cost and keep: Figures 3(a) to 3(i).

    Texts are made of terms that are drawn from an ontology.

    Example: spark-deid experiment plausibility --output out/plausibility
    """
    print_trials(experimented)


def representation(experimented: "app.ExperimentFigures", options: "app.RepresentationExperimentOptions") -> None:
    """Train de-identifiers on pseudonyms and on private representations, and attack these; needs the extra `neural`.

    What is done is kept: the same command goes on where one that was cut off ended.

    Example: spark-deid experiment representation --input train --test dev --format brat --embeddings vectors \\
    --output out/private
    """
    print_private(experimented)


def surrogates(experimented: "app.ExperimentFigures", options: "app.SurrogatesExperimentOptions") -> None:
    """Attack what a model missed among surrogates and among placeholders, and learn from text that has them.

    Documents are divided into three parts by a seed: a model learns from the first and marks the others, which are
    released and attacked; and models learn from two parts, rewritten by hand, and tag the real text of the third. What
    is done is kept: the same command goes on where one that was cut off ended.

    Example: spark-deid experiment surrogates --input notes/labelled --format brat --labels NAME --output out/surrogates
    """
    print_hidden(experimented)

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
    """Plot precision and recall of hiding rare text, rare words, or both, for k from 2 to 18.

    Further charts show the time and the fraction of published text by the size of the corpus. Text without annotations
    has only these charts.

    Example: spark-deid experiment repeats --input notes/labelled --format brat --output out/curves
    """
    print_curves(experimented)


def greedy(experimented: "app.ExperimentFigures", options: "app.GreedyExperimentOptions") -> None:
    """Compare GreedySanitize with one-shot and cost-sensitive classifiers, and attack their releases.

    If the run is interrupted, run the same command again to continue.

    Example: spark-deid experiment greedy --input notes/ --format brat --labels NAME --output out/greedy
    """
    print_experiment(experimented)


def plausibility(experimented: "app.ExperimentFigures", options: "app.PlausibilityExperimentOptions") -> None:
    """Plot cost, time and utility of searches for t-plausible texts: Figures 3(a) to 3(i).

    The texts consist of random terms of an ontology.

    Example: spark-deid experiment plausibility --output out/plausibility
    """
    print_trials(experimented)


def representation(experimented: "app.ExperimentFigures", options: "app.RepresentationExperimentOptions") -> None:
    """Train de-identifiers on pseudonyms and private representations, and attack them.

    This needs the extra `neural`. If the run is interrupted, run the same command again to continue.

    Example: spark-deid experiment representation --input train --test dev --format brat --embeddings vectors \\
    --output out/private
    """
    print_private(experimented)


def surrogates(experimented: "app.ExperimentFigures", options: "app.SurrogatesExperimentOptions") -> None:
    """Attack missed names among surrogates and placeholders, and train on text with surrogates.

    A seed divides the documents into three parts. In the first experiment, a model trains on one part. It annotates the
    other parts, which are released and attacked. In the second experiment, models train on two parts whose gold
    annotations are replaced, and tag the original text of the third. If the run is interrupted, run the same command
    again to continue.

    Example: spark-deid experiment surrogates --input notes/labelled --format brat --labels NAME --output out/surrogates
    """
    print_hidden(experimented)

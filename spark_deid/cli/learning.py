"""Commands that learn a model, look at it and give it away."""

from spark_deid import app
from spark_deid.cli.printing import (
    OUT,
    print_calibration,
    print_card,
    print_figures,
    print_models,
    print_rounds,
    print_scores,
)


def train(trained: "app.TrainingFigures", options: "app.TrainOptions") -> None:
    """Learn a model from labelled text by GreedySanitize.

    Learn a classifier, remove what it finds, learn again on what is left, until the next one would cost more than it
    gains. The model folder holds every round, a training report and a secret key: keep it as private as its data.

    Example: spark-deid train --input notes/ --format brat --output models/notes
    """
    print_rounds(trained)
    OUT.print(f"Model: {trained.model}   report: {trained.model / 'training.html'}")


def export(exported: "app.ExportFigures", options: "app.ExportOptions") -> None:
    """Make a model to give away: without key, features that carry words, and train lexicon.

    What is left knows shapes, lengths, places and listed words. It finds less; with --gold this says how much.

    Example: spark-deid export models/notes models/notes-public --gold notes/held-out --format brat
    """
    print_figures("Exported", exported.to_json() | {"f1": exported.f1 or "unknown: give labelled text with --gold"})


def models(found: "app.ModelCardsFigures", options: "app.ModelsOptions") -> None:
    """List the models that packages ship, or show the card or the feature templates of one.

    Plans and --model accept these names. A plan's `onnx` accepts the name of a token classifier.

    Example: spark-deid models english
    """
    if options.templates:
        for template in found.templates:
            OUT.print(template, markup=False, highlight=False)
    elif options.name is None:
        print_models(found)
    else:
        print_card(found)


def features(explained: "app.TokenFeatureFigures", options: "app.FeaturesOptions") -> None:
    """Show each token's features with their weights, and what decided its label.

    The output contains the document's text. Weights above 0 speak for the tag that is named, those below 0 for none.

    Example: spark-deid features models/notes --document note.txt --output features.txt
    """
    if explained.output is None:
        for line in explained.lines:
            OUT.print(line, markup=False, highlight=False, soft_wrap=True)
    print_figures("Explained", explained.to_json())


def detect(written: "app.ConversionFigures", options: "app.DetectOptions") -> None:
    """Annotate a corpus with a model, without rewriting it.

    Example: spark-deid detect --model models/notes --input notes/ --format text --output found/ --to brat
    """
    print_figures("Detected", written.to_json())


def evaluate(evaluation: "app.EvaluationFigures", options: "app.EvaluateOptions") -> None:
    """Score a model, a table of spans, or what a plan hides, against gold.

    With --plan the plan runs over the text, does not see gold and writes nothing. By gold's labels, the entities and
    words that it leaves whole, in part, by a rule or by allow are counted, and the other words that it hides.

    Example: spark-deid evaluate --gold dev/ --format brat --model models/notes

    Example: spark-deid evaluate --gold dev/ --format brat --plan plan.yaml --page scores.html
    """
    print_scores(evaluation)


def calibrate(calibrated: "app.CalibrationFigures", options: "app.CalibrateOptions") -> None:
    """Make the probabilities of a token classifier of your own right, on labelled text.

    Its folder gets a calibration.json, which plans with `onnx` go by; what thresholds leave is shown.

    Example: spark-deid calibrate exported/ner --gold notes --format brat --labels PER=NAME,LOC=CITY,MISC=
    """
    print_calibration(calibrated)

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
    """Train a model on labelled text with GreedySanitize.

    Each round trains a classifier, removes the identifiers that it finds, and trains the next one on the remaining
    text. Training ends when the next classifier would cost more than it gains. The model folder contains every round, a
    training report and a secret key. Keep it as private as the labelled text.

    Example: spark-deid train --input notes/ --format brat --output models/notes
    """
    print_rounds(trained)
    OUT.print(f"Model: {trained.model}   report: {trained.model / 'training.html'}")


def export(exported: "app.ExportFigures", options: "app.ExportOptions") -> None:
    """Write a copy of a model that can be published.

    The copy has no key, no train lexicon and no features that contain words. It still uses shapes, lengths, places and
    listed words, so it finds less. With --gold, export measures the loss.

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
    """Show the features of each token with their weights, and the reason for its label.

    The output contains the text of the document. A weight above 0 supports the named tag, a weight below 0 contradicts
    it.

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
    """Score a model, a table of spans, or a plan against gold.

    With --plan, the plan runs over the text without seeing gold, and writes no files. The result counts, by label of
    gold, the entities and words that the plan misses completely, in part, by a rule or by allow. It also counts the
    false positives.

    Example: spark-deid evaluate --gold dev/ --format brat --model models/notes

    Example: spark-deid evaluate --gold dev/ --format brat --plan plan.yaml --page scores.html
    """
    print_scores(evaluation)


def calibrate(calibrated: "app.CalibrationFigures", options: "app.CalibrateOptions") -> None:
    """Calibrate the probabilities of your token classifier on labelled text.

    calibrate writes calibration.json into the folder of the classifier. Plans with `onnx` use this file. The output
    shows the missed words by threshold.

    Example: spark-deid calibrate exported/ner --gold notes --format brat --labels PER=NAME,LOC=CITY,MISC=
    """
    print_calibration(calibrated)

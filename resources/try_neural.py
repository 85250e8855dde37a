"""Return what the neural model of English leaves of names, and publishes of other words, in text that it never saw.

python resources/try_neural.py --data FOLDER [--model FOLDER]
"""

import argparse
from collections.abc import Iterable
from pathlib import Path

import english_trials as trials
import numpy as np
from neural_labels import NEURAL

from spark_deid.detection.token_classification.classifier import TokenClassifier, load_classifier
from spark_deid.detection.token_classification.decoding import entity_odds, probability_of, words_of
from spark_deid.detection.token_classification.export import read_export
from spark_deid.text.view import TextView

PUBLISHED = (0.96, 0.975, 0.98)
THRESHOLDS = (0.5, 0.2, 0.1, 0.05, 0.02)


def neural_chances(classifier: TokenClassifier, given: Iterable[trials.Trial]) -> trials.Chances:
    """Return the lowest and highest probability of the model's words that have letters or digits of a word."""
    rows = []
    for trial in given:
        text = trial.view.text
        offsets, logits = classifier.logits(text)
        told = np.full(len(text), -np.inf)
        if len(offsets):
            odds, _ = entity_odds(logits, classifier.export)
            for word in words_of(text, offsets):
                told[word.start : word.end] = odds[word.tokens].max()
        for word in trial.words:
            inside = [told[place] for place in range(word.start, word.end) if text[place].isalnum()]
            if inside:
                rows.append((trial.genre, word.kind, min(inside), max(inside)))
    genres, kinds, lowest, highest = zip(*rows, strict=True)
    own = classifier.export
    chance = (probability_of(np.asarray(each), own.temperature, own.bias) for each in (lowest, highest))
    return trials.Chances(np.array(genres), np.array(kinds), *chance)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public files")
    parser.add_argument("--model", type=Path, default=NEURAL)
    options = parser.parse_args()
    classifier = load_classifier(read_export(options.model))
    for name, make in trials.TRIALS.items():
        found = neural_chances(classifier, make(options.data))
        for share in PUBLISHED:
            bound = found.threshold(share)
            print(f"{name}, threshold {bound:.4f}: {trials.told(found, bound)}", flush=True)
        for threshold in THRESHOLDS:
            print(f"{name}, threshold {threshold}: {trials.told(found, threshold)}")
        if make is trials.uner:
            bound = found.threshold(PUBLISHED[-1])
            for genre in sorted({*found.genres}):
                print(f"  {genre}, threshold {bound:.4f}: {trials.told(found.of(genre), bound)}")
    for case, change in {"small letters": str.lower, "capitals": str.upper}.items():
        changed = ((trial, change(trial.view.text)) for trial in trials.shared_alike(options.data))
        alike = [trial._replace(view=TextView(text)) for trial, text in changed if len(text) == len(trial.view.text)]
        found = neural_chances(classifier, alike)
        for share in PUBLISHED[1:]:
            bound = found.threshold(share)
            print(f"GUM's biographies and guides in {case}, threshold {bound:.4f}: {trials.told(found, bound)}")
        print(f"GUM's biographies and guides in {case}, threshold 0.05: {trials.told(found, 0.05)}")
    found = neural_chances(classifier, trials.research(options.data))
    for genre in sorted({*found.genres}):
        words = found.of(genre)
        published = ", ".join(f"{words.published(each):.2%} at {each}" for each in THRESHOLDS)
        print(f"{genre} without names, {len(words.kinds):,} innocent words: published {published}")


if __name__ == "__main__":
    main()

"""Try a model of English on text that it was not trained on, at several costs and shares of found and published words.

    python resources/try_english.py --data FOLDER
    python resources/try_english.py --data FOLDER --model models/mine --loss-ratio 10,20

FOLDER holds the public files that resources/README.md lists. A word of a name remains where any of its tokens is.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import english_trials as trials

from spark_deid.greedy.sanitizer import load_sanitizer
from spark_deid.greedy.shipped import model_folder
from spark_deid.learners.crf_model import CrfModel

PUBLISHED, FOUND = 0.975, 0.97
"""Fractions of innocent words published, and of words of names found, at which the other is reported."""


def rows(found: trials.Chances, loss_ratios: list[float]) -> Iterator[str]:
    """Yield one line per threshold: the words that it leaves, publishes and hides unnecessarily."""
    given = [(f"L/C {each:g}", 1 / (1 + each)) for each in loss_ratios]
    given.append((f"{PUBLISHED:.1%} published", found.threshold(PUBLISHED)))
    given.append((f"{FOUND:.0%} found", found.threshold_of_names(FOUND)))
    for name, threshold in given:
        told = f"{trials.told(found, threshold)}, {found.precision(threshold):.1%} of the hidden words annotated"
        yield f"  {name} (threshold {threshold:.3f}): {told}"


def main() -> None:
    """Print the figures of the model that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public files")
    parser.add_argument("--model", default="english", help="a shipped model or a folder")
    parser.add_argument("--loss-ratio", default="5,10,20,40", help="ratios L/C, with commas between")
    given = parser.parse_args()
    model = load_sanitizer(model_folder(given.model)).rounds[0].model
    assert isinstance(model, CrfModel), "only a CRF tells marginals"
    for name, make in trials.TRIALS.items():
        found = trials.chances(model, make(given.data))
        print(name, *rows(found, [float(each) for each in given.loss_ratio.split(",")]), sep="\n")
    innocent = trials.chances(model, trials.research(given.data))
    for genre in sorted({*innocent.genres}):
        words = innocent.of(genre)
        for ratio in map(float, given.loss_ratio.split(",")):
            print(f"{genre} without names, L/C {ratio:g}: {words.published(1 / (1 + ratio)):.2%} of words published")


if __name__ == "__main__":
    main()

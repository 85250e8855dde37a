"""Train the background models that come with the package, from public labelled text.

    python resources/train_background.py --data FOLDER [--only public,web] [--output FOLDER]

``FOLDER`` holds the files that README.md names. Each model is an ordinary model folder of one round. Equal files and
versions give equal models.
"""

import argparse
import hashlib
import shutil
from pathlib import Path

from labelled_text import BTC, CROSSNER, WIKIGOLD, WNUT, examples

from spark_deid.greedy.decoding import PLAIN
from spark_deid.greedy.files import FittedRound
from spark_deid.greedy.report import versions
from spark_deid.greedy.sanitizer import GreedySanitizer
from spark_deid.learners.crf import CrfLearner, CrfSolver

DEFAULT = Path("spark_deid/learners/data/background")
PUBLIC_KEY = hashlib.sha256(b"spark-deid background models").digest()
"""Hashes the words in the features of shipped models; it is no secret, since their training text is public."""
SAME = {label: label for label in ("PER", "LOC", "ORG")}
MODELS = {"public": (BTC, WNUT, WIKIGOLD, CROSSNER), "web": (BTC, WNUT)}


def train(data: Path, name: str, output: Path, *, c1: float, c2: float, iterations: int) -> None:
    given = examples(data, MODELS[name], SAME)
    learner = CrfLearner(
        "gazetteer",
        PUBLIC_KEY,
        c1=c1,
        c2=c2,
        max_iterations=iterations,
        copy_length=0,
        solver=CrfSolver.CRFSUITE,
    )
    model = learner.fit(given, seed=0)
    report = {
        "kind": "background model",
        "sources": [each.told() for each in MODELS[name]],
        "settings": {"features": "gazetteer", "c1": c1, "c2": c2, "iterations": iterations},
        "documents": len(given),
        "versions": versions(),
    }
    folder = output / name
    if folder.exists():
        shutil.rmtree(folder)
    rounds = (FittedRound(model, PLAIN),)
    GreedySanitizer(
        rounds=rounds, labels=model.labels, loss_ratio=10.0, decoding="viterbi", key=PUBLIC_KEY, report=report
    ).save(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*"))
    print(f"{name}: {len(given):,} examples of lines, {size:,} bytes: {folder}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public files")
    parser.add_argument("--output", type=Path, default=DEFAULT)
    parser.add_argument("--only", default="public", help=f"which models, with commas between: {', '.join(MODELS)}")
    parser.add_argument("--c1", type=float, default=0.1)
    parser.add_argument("--c2", type=float, default=0.3)
    parser.add_argument("--iterations", type=int, default=70)
    options = parser.parse_args()
    for name in options.only.split(","):
        train(options.data, name, options.output, c1=options.c1, c2=options.c2, iterations=options.iterations)


if __name__ == "__main__":
    main()

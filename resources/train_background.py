"""Train the background models that come with the package, from public labelled text.

    python resources/train_background.py --data FOLDER [--only english,public,web] [--output FOLDER]

``FOLDER`` holds the files that README.md names. Each model is an ordinary model folder of one round. Equal files and
versions give equal models. ``english`` consists of the shipped model of English, and of no file.
"""

import argparse
import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path

from labelled_text import BTC, CROSSNER, WIKIGOLD, WNUT, examples
from thinning import thinned

from spark_deid.greedy.decoding import PLAIN
from spark_deid.greedy.files import FittedRound
from spark_deid.greedy.report import versions
from spark_deid.greedy.sanitizer import GreedySanitizer, load_sanitizer
from spark_deid.greedy.shipped import model_folder
from spark_deid.learners.crf import CrfLearner, CrfSolver
from spark_deid.learners.crf_model import CrfModel

DEFAULT = Path("spark_deid/learners/data/background")
PUBLIC_KEY = hashlib.sha256(b"spark-deid background models").digest()
"""Hashes the words in the features of shipped models; it is not a secret, since their training text is public."""
SAME = {label: label for label in ("PER", "LOC", "ORG")}
ENGLISH, ATTRIBUTES = "english", 20_000
"""The shipped model that one consists of, and how many of its attributes are kept: more find no more names of mail."""
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
    save(model, PUBLIC_KEY, report, output / name)


def thin(name: str, output: Path) -> None:
    """Make a background model of the heaviest attributes of a shipped model."""
    whole = load_sanitizer(model_folder(name))
    model = whole.rounds[0].model
    assert isinstance(model, CrfModel), "only a CRF tells marginals"
    told = {key: whole.report[key] for key in ("sources", "settings", "documents", "versions")}
    report = {"kind": "background model", **told, "settings": {**told["settings"], "attributes": ATTRIBUTES}}
    save(thinned(model, ATTRIBUTES), whole.key, report, output / name)


def save(model: CrfModel, key: bytes, report: Mapping[str, object], folder: Path) -> None:
    """Write a model folder instead of what is there."""
    if folder.exists():
        shutil.rmtree(folder)
    rounds = (FittedRound(model, PLAIN),)
    GreedySanitizer(
        rounds=rounds, labels=model.labels, loss_ratio=10.0, decoding="viterbi", key=key, report=dict(report)
    ).save(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*"))
    print(f"{size:,} bytes: {folder}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public files")
    parser.add_argument("--output", type=Path, default=DEFAULT)
    parser.add_argument("--only", default="english,public", help=f"with commas between: {ENGLISH}, {', '.join(MODELS)}")
    parser.add_argument("--c1", type=float, default=0.1)
    parser.add_argument("--c2", type=float, default=0.3)
    parser.add_argument("--iterations", type=int, default=70)
    options = parser.parse_args()
    for name in options.only.split(","):
        if name == ENGLISH:
            thin(name, options.output)
            continue
        train(options.data, name, options.output, c1=options.c1, c2=options.c2, iterations=options.iterations)


if __name__ == "__main__":
    main()

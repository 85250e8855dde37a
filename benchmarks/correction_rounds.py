"""Label, train, correct: what each round of corrections adds, on the sample of MEDDOCAN that comes with the package.

    python benchmarks/correction_rounds.py --output out/rounds --documents 10 20 40 80

The first documents are labelled from nothing. Each round trains a model on the labelled documents. It finds spans in
the next documents, and the user corrects these: here by the sample's own annotations. The script prints the model's
strict scores on the other sample, which is never trained on, and what there was to correct in the next documents.
"""

import argparse
import gzip
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import spark_deid as sd

SAMPLES = Path(sd.__file__).parent / "samples"
Row = dict[str, Any]
Spans = set[tuple[int, int, str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, help="a folder for what is labelled, and models")
    parser.add_argument("--documents", type=int, nargs="+", default=[10, 20, 40, 80])
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    labelled, held_out = (list(_rows(f"meddocan-{name}-sample.jsonl.gz")) for name in ("train", "dev"))
    print("| documents | precision | recall | F1 | next documents | found right | wrong | missed |\n|" + "---|" * 8)
    for number, following in zip(given.documents, [*given.documents[1:], len(labelled)], strict=True):
        find = _model(labelled[:number], given.output, number)
        right, wrong, missed = _counts(held_out, find)
        scores = right / max(right + wrong, 1), right / (right + missed), 2 * right / (2 * right + wrong + missed)
        told = [f"{score:.3f}" for score in scores]
        corrected = [f"{n:,}" for n in _counts(labelled[number:following], find)]
        print(f"| {number} | {' | '.join(told)} | {following - number} | {' | '.join(corrected)} |", flush=True)


def _rows(name: str) -> Iterator[Row]:
    with gzip.open(SAMPLES / name, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _model(rows: Sequence[Row], folder: Path, number: int) -> Callable[[str], Spans]:
    """Train on rows, and return what finds spans."""
    model, notes = folder / f"model-{number}", folder / f"labelled-{number}.jsonl"
    if not model.exists():
        notes.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        options = ["--format", "jsonl", "--max-rounds", "1", "--folds", "2", "--iterations", "60"]
        command = [sys.executable, "-m", "spark_deid.cli", "train", "--input", notes, "--output", model, *options]
        subprocess.run([*map(str, command)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    plan = sd.Plan(model=str(model), decoding="viterbi")
    return lambda text: {(span.start, span.end, span.label) for span in sd.detect(text, plan=plan)}


def _counts(rows: Sequence[Row], find: Callable[[str], Spans]) -> tuple[int, int, int]:
    """Count the spans that were found and are right, those that are wrong, and those that were missed."""
    right = wrong = missed = 0
    for row in rows:
        gold = {(span["start"], span["end"], span["label"]) for span in row["spans"]}
        found = find(row["text"])
        right, wrong, missed = right + len(found & gold), wrong + len(found - gold), missed + len(gold - found)
    return right, wrong, missed


if __name__ == "__main__":
    main()

"""Score what models of several feature sets and amounts of text find on held-out text, by label, as tables and a chart.

    python benchmarks/hide_extraction.py --input notes/train --gold notes/dev --format brat --output out/extraction

Models of one round are trained on the first documents of a folder of annotated text, and scored on another folder. What
was trained or scored is not done again.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spark_deid.core.report_section import LinePlot, PlotLine
from spark_deid.corpus.local import read_documents
from spark_deid.evaluation.score import evaluate
from spark_deid.greedy.sanitizer import load_sanitizer
from spark_deid.report.plots import svg

Scores = Mapping[str, Any]


def main() -> None:
    given = _options()
    found = {(name, size): _scored(given, name, size) for name in given.features for size in given.documents}
    most = max(given.documents)
    _tell_labels({name: found[name, most] for name in given.features})
    _tell_sizes(found, given.features, given.documents)
    chart = given.output / "extraction.svg"
    chart.write_text(svg(_plot(found, given.features, given.documents)) + "\n", encoding="utf-8")
    print(f"\n{chart}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", type=Path, required=True, help="a folder of annotated text to train on")
    parser.add_argument("--gold", type=Path, required=True, help="a folder of annotated text to score on")
    parser.add_argument("--format", default="brat", help="brat; others where --documents names all documents alone")
    parser.add_argument("--output", type=Path, required=True, help="a folder for models, scores and the chart")
    parser.add_argument("--features", nargs="+", default=["hide", "rich", "gazetteer"])
    parser.add_argument(
        "--documents", type=int, nargs="+", default=[30, 60, 125, 250], help="how many to train on; each"
    )
    parser.add_argument("--iterations", type=int, default=60)
    return parser.parse_args()


def _scored(given: argparse.Namespace, features: str, size: int) -> Scores:
    place = given.output / f"{features}-{size}.json"
    if not place.exists():
        model = given.output / f"model-{features}-{size}"
        text = _first(given.input, given.output / f"first-{size}", size)
        options = ["--features", features, "--iterations", given.iterations, "--max-rounds", 1, "--counts", "train"]
        if not model.exists():
            _call("train", "--input", text, "--format", given.format, *options, "--output", model)
        documents = read_documents(str(given.gold), given.format).documents
        find = load_sanitizer(model).detect
        told = evaluate((each.text, each.spans, find(each.text)) for each in documents).to_json()
        place.write_text(json.dumps(told), encoding="utf-8")
    scores: Scores = json.loads(place.read_text())["strict"]
    return scores


def _first(folder: Path, place: Path, size: int) -> Path:
    """Copy the first documents of a folder, by name, with their annotations."""
    if not place.exists():
        texts = sorted(folder.rglob("*.txt"))[:size]
        place.mkdir(parents=True)
        for text in texts:
            for path in (text, text.with_suffix(".ann")):
                shutil.copy(path, place / path.name)
    return place


def _call(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "spark_deid.cli", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def _tell_labels(found: Mapping[str, Scores]) -> None:
    print("| label |" + "".join(f" {name} |" for name in found) + "\n|---|" + "---|" * len(found))
    for label in sorted(next(iter(found.values()))["labels"]):
        print(f"| {label} | " + " | ".join(f"{scores['labels'][label]['f1']:.3f}" for scores in found.values()) + " |")
    print("| micro | " + " | ".join(f"{scores['micro']['f1']:.3f}" for scores in found.values()) + " |\n")


def _tell_sizes(found: Mapping[tuple[str, int], Scores], features: Sequence[str], sizes: Sequence[int]) -> None:
    print("| documents |" + "".join(f" {name}: precision | recall | F1 |" for name in features))
    print("|---|" + "---|---|---|" * len(features))
    for size in sizes:
        micro = [found[name, size]["micro"] for name in features]
        cells = [f"{each[figure]:.3f}" for each in micro for figure in ("precision", "recall", "f1")]
        print(f"| {size} | " + " | ".join(cells) + " |")


def _plot(found: Mapping[tuple[str, int], Scores], features: Sequence[str], sizes: Sequence[int]) -> LinePlot:
    lines: list[PlotLine] = [
        {
            "name": name,
            "colour": at,
            "dashed": False,
            "points": [(size, found[name, size]["micro"]["f1"]) for size in sizes],
        }
        for at, name in enumerate(features)
    ]
    across = "documents trained on"
    return {
        "name": "extraction",
        "title": "Attributes found in held-out text",
        "across": across,
        "upward": "strict F1, micro",
        "linear": False,
        "lines": lines,
    }


if __name__ == "__main__":
    main()

"""Make every table and chart of docs/experiments/greedy.md; a run that was cut off continues where it was.

    python benchmarks/greedy_experiments.py --ewt uner_ewt --output out/greedy --workers 2

``--ewt`` is a folder with UNER's English EWT (``en_ewt-ud-*.iob2.gz``), of which e-mail and newsgroups are taken by
their documents' names. A run is a genre, a part (see ``PARTS``) and a seed; ``spark-deid experiment greedy`` plays the
same and takes the folder of a run, and ``--list`` names these commands. Tables and charts are drawn of the runs that
have ended, in ``OUTPUT/page`` or for ``--page``, and state how many seeds they rest on.
"""

import argparse
import gzip
import json
import re
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from greedy_page import write_page

from spark_deid.app.experiments.greedy.figures import figures
from spark_deid.app.experiments.greedy.fit_plans import fit_plans
from spark_deid.app.experiments.greedy.fits import FitStore, carry_out
from spark_deid.app.experiments.greedy.outcomes import BUDGET_RATIOS, by_method, pooled_attack
from spark_deid.app.experiments.greedy.settings import GreedyExperimentSettings
from spark_deid.app.greedy_experiment import FITS, open_experiment, play_all
from spark_deid.corpus.local import read_documents
from spark_deid.greedy.parallel import LocalProcesses

GENRES = ("email", "newsgroup")
LEARNERS = ("crf", "svm", "adaboost", "ensemble")
RATIOS = (1.0, 5.0, 10.0, 50.0)
PARTS: dict[str, dict[str, Any]] = {
    "residual": {
        "features": "full",
        "auxiliary": ("LOC", "ORG"),
        "iterations": 100,
        "loss_ratios": (10.0,),
        "attack_ratios": (1.0,),
        "methods": ("cost-crf",),
    },
    "paper": {
        "features": "hide",
        "folds": 3,
        "decoding": "viterbi",
        "iterations": 30,
        "loss_ratios": RATIOS,
        "attack_ratios": BUDGET_RATIOS,
        "methods": (
            *(f"greedy-{name}" for name in (*LEARNERS, "selection")),
            "once-crf",
            "once-selection",
            *(f"cost-{name}" for name in LEARNERS),
        ),
    },
    "by-cost": {
        "features": "full",
        "folds": 3,
        "background": (),
        "iterations": 30,
        "loss_ratios": RATIOS,
        "attack_ratios": BUDGET_RATIOS,
        "methods": ("greedy-crf", "once-crf", "cost-crf"),
    },
}
"""How few names of e-mail remain at all; the paper's learners, features and decoding; the CRF by cost."""
PARTS |= {
    f"svm-{counts}{'-speech' if tagger else ''}": {
        **PARTS["paper"],
        "methods": ("greedy-svm",),
        "counts": counts,
        "tagger": tagger,
    }
    for tagger in ("", "english-pos")
    for counts in ("oof", "train")
}
"""The SVM as the paper ran it: with parts of speech and without, counted out of fold and on training documents."""
ON_MAIL = {part for part in PARTS if part not in ("paper", "by-cost")}


class Run(NamedTuple):
    """A genre's part with a seed."""

    genre: str
    part: str
    seed: int
    documents: int

    @property
    def name(self) -> str:
        """Return the name of its folder."""
        return f"{self.genre}-{self.part}-{self.seed}"

    def experiment(self) -> GreedyExperimentSettings:
        """Return its settings: part ``residual`` takes all documents."""
        drawn = 0 if self.part == "residual" else self.documents
        return GreedyExperimentSettings(labels=("PER",), seed=self.seed, documents=drawn, **PARTS[self.part])

    def command(self, output: Path) -> str:
        """Return the command that plays it."""
        told = {**PARTS[self.part], "seed": self.seed, "documents": self.experiment().documents}
        options = " ".join(f"--{name.replace('_', '-')} {_cell(value)}" for name, value in told.items() if value != "")
        place = f"--input {output}/corpora/{self.genre}.iob2 --format conll --output {output}/{self.name}"
        return f"spark-deid experiment greedy {place} --labels PER {options}"


def _cell(value: object) -> str:
    cells = value if isinstance(value, tuple) else (value,)
    return ",".join(f"{cell:g}" if isinstance(cell, float) else str(cell) for cell in cells) or "none"


def runs(seeds: Sequence[int], documents: int) -> Iterator[Run]:
    """Yield the runs, seed by seed."""
    for seed in seeds:
        for part in PARTS:
            for genre in GENRES[:1] if part in ON_MAIL else GENRES:
                yield Run(genre, part, seed, documents)


def split(ewt: Path, output: Path) -> None:
    """Write a file of documents for each genre, if it is missing yet."""
    texts = [gzip.decompress(path.read_bytes()).decode() for path in sorted(ewt.glob("en_ewt-ud-*.iob2.gz"))]
    if not texts:
        raise SystemExit(f"{ewt}: expected files en_ewt-ud-*.iob2.gz")
    documents = [part for text in texts for part in re.split(r"(?m)^(?=# newdoc id)", text)]
    (output / "corpora").mkdir(parents=True, exist_ok=True)
    for genre in GENRES:
        own = "".join(document for document in documents if document.startswith(f"# newdoc id = {genre}"))
        (output / "corpora" / f"{genre}.iob2").write_text(own, encoding="utf-8")


def play(run: Run, output: Path) -> str:
    """Play a run to its end, or find it ended, and write its figures; return its name."""
    folder = output / run.name
    done = folder / "figures.json"
    if done.exists():
        return run.name
    experiment = run.experiment()
    documents = read_documents(str(output / "corpora" / f"{run.genre}.iob2"), "conll").documents
    with open_experiment(documents, experiment, str(folder)) as ready:
        fit = partial(carry_out, cases=ready.data.cases, experiment=experiment)
        plans, store = fit_plans(ready.data), FitStore(ready.folder / FITS)
        outcomes = play_all(plans, store, partial(LocalProcesses(1).run, fit), partial(tell, run.name))
        told = figures(ready.data, ready.documents, outcomes)
        pooled = {key: pooled_attack(group) for key, group in by_method(outcomes).items()}
        cells = {key: tuple(attack[1]) for key, attack in pooled.items() if attack}
        rows = [{**row, "cells": cells.get((row["method"], row["loss_ratio"]))} for row in told["summary"]]
        kept = {name: told[name] for name in ("documents", "instances", "sensitive")}
        done.write_text(json.dumps({**kept, **run._asdict(), "drawn": len(ready.documents), "rows": rows}, indent=1))
    return run.name


def tell(name: str, line: str) -> None:
    """State how far a run is."""
    print(f"{name}: {line}", file=sys.stderr, flush=True)


def main() -> None:
    """Play what has not ended, then write the page's tables and charts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ewt", type=Path, required=True, help="a folder with en_ewt-ud-*.iob2.gz")
    parser.add_argument("--output", type=Path, required=True, help="a folder for runs, tables and charts")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--documents", type=int, default=24, help="documents drawn of a genre by the seed; 0: all")
    parser.add_argument("--workers", type=int, default=2, help="runs at a time")
    parser.add_argument("--list", action="store_true", help="name the commands that play the same, and end")
    parser.add_argument("--page", type=Path, help="a page whose marked places are filled, with charts beside it")
    parser.add_argument("--draw", action="store_true", help="draw what has ended, and play nothing")
    given = parser.parse_args()
    asked = tuple(runs(given.seeds, given.documents))
    if given.list:
        print("\n".join(run.command(given.output) for run in asked))
        return
    split(given.ewt, given.output)
    if not given.draw:
        for _, name in LocalProcesses(given.workers).run(partial(play, output=given.output), asked):
            tell(name, "ended")
    ended = [
        json.loads(path.read_text()) for run in asked if (path := given.output / run.name / "figures.json").exists()
    ]
    write_page(ended, given.output / "page", given.page)


if __name__ == "__main__":
    main()

"""Score a plan on `unseen_notes/`: choose the loss ratio or the threshold on one half, and measure the other.

    python benchmarks/unseen_scores.py --plan names --log "commit or change"
    python benchmarks/unseen_scores.py --plan patterns --half choose --show

Without `--half choose` the script measures the half `score` and appends a line to `unseen_notes/scorings.md`.
`--show` prints words of the half `choose` only. The innocent words are all words outside the
annotations. Organizations are counted separately. Intervals are 95% intervals of a bootstrap over notes.
"""

import argparse
import datetime
import json
import random
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table
from written_notes import WORD

import spark_deid as sd
from spark_deid.plan.load import plan_file

FOLDER = Path(__file__).parent / "unseen_notes"
LOG = FOLDER / "scorings.md"
OTHERS = ("DATE", "AGE", "ADDRESS", "CODE", "PHONE", "EMAIL", "URL", "IP")
PUBLISHED = 0.96
GRIDS = {
    "loss_ratio": [0.2, 0.5, 1, 1.3, 1.6, 2, 3, 5, 7, 10, 15, 20, 30, 40, 60, 80, 120, 200],
    "onnx.threshold": [0.8, 0.5, 0.3, 0.2, 0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.003, 0.001],
}

Count = tuple[str, bool, str]
"""Label of a word (an empty string outside the annotations), whether the plan hides the word, and the word."""


def rows_of(name: str, half: str) -> list[dict]:
    """Read the rows of one half of a file."""
    lines = (FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row["half"] == half]


def counts_of(redactor: sd.Redactor, row: dict) -> list[Count]:
    """Return each word of a text with its label. A word with a published part counts as published."""
    text = row["text"]
    hidden = {place for edit in redactor.redact(text).edits for place in range(edit.start, edit.end)}
    labels = {place: span["label"] for span in row["spans"] for place in range(span["start"], span["end"])}
    counts = []
    for found in WORD.finditer(text):
        places = range(found.start(), found.end())
        label = next((labels[place] for place in places if place in labels), "")
        counts.append((label, hidden.issuperset(places) if label else not hidden.isdisjoint(places), found[0]))
    return counts


def fraction(notes: list[list[Count]], labels: tuple[str, ...], *, hidden: bool = False) -> float:
    """Return the fraction of the words with these labels that are published, or hidden."""
    words = [each[1] for note in notes for each in note if each[0] in labels]
    return sum(each is hidden for each in words) / max(1, len(words))


def interval(notes: list[list[Count]], labels: tuple[str, ...]) -> str:
    """Return the published fraction with a bootstrap interval over notes."""
    chance = random.Random(0)
    samples = sorted(fraction(chance.choices(notes, k=len(notes)), labels) for _ in range(1000))
    return f"{fraction(notes, labels):.1%} ({samples[25]:.1%} to {samples[974]:.1%})"


def short_texts(redactor: sd.Redactor, half: str) -> Counter[str]:
    """Count the texts by file and kind, and those with a missed identifier or a false positive."""
    counts: Counter[str] = Counter()
    for name in ("codes", "eponyms", "cells", "spellings"):
        for row in rows_of(name, half):
            kind = "spelling" if name == "spellings" else row["kind"]
            counts[f"{kind} all"] += 1
            words = counts_of(redactor, row)
            is_wrong = any(not hidden for label, hidden, _ in words if label) or (
                not row["spans"] and any(hidden for _, hidden, _ in words)
            )
            counts[kind] += is_wrong
    return counts


def main() -> None:
    """Choose the value on one half and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plan", default="names")
    parser.add_argument("--half", choices=("choose", "score"), default="score")
    parser.add_argument("--log", default="", help="the commit or change, for the log of scorings")
    parser.add_argument("--values", type=float, nargs="+", help="loss ratios or thresholds instead of the grid")
    parser.add_argument("--show", action="store_true", help="print the wrong words of the half `choose`")
    given = parser.parse_args()
    if given.half == "score" and not given.log:
        parser.error("--log: name the change that is scored")
    console = Console(width=200)
    lines = plan_file(given.plan).read_text("utf-8").splitlines()
    starts = {line.partition(":")[0] for line in lines}
    key = "onnx.threshold" if "onnx" in starts else "loss_ratio" if "model" in starts else ""
    table = Table(key or "plan", "choose: innocent published", "names left", "others left")
    chosen: tuple[float, str, list] | None = None
    values = (given.values or GRIDS[key]) if key else [None]
    for value in [None, *values] if key else values:
        changes = [f"{key}={value:g}"] if value is not None else []
        redactor = sd.Redactor(sd.Plan.load(plan_file(given.plan), changes))
        notes = [counts_of(redactor, row) for row in rows_of("notes", "choose")]
        published = fraction(notes, ("",))
        left = [f"{fraction(notes, labels):.1%}" for labels in (("NAME",), OTHERS)]
        table.add_row(f"{value or 'default'}", f"{published:.1%}", *left)
        if value is None:
            default = redactor
        gap = abs(published - PUBLISHED)
        if (value is not None or not key) and (chosen is None or gap < chosen[0]):
            chosen = (gap, f"{value}", [redactor, notes])
    assert chosen is not None
    console.print(table)
    lines = []
    for name, redactor in (("default", default), (f"{key} {chosen[1]}", chosen[2][0])):
        notes = [counts_of(redactor, row) for row in rows_of("notes", given.half)]
        by_label = ", ".join(f"{label} {fraction(notes, (label,)):.1%}" for label in (*OTHERS, "ORG"))
        short = short_texts(redactor, given.half)
        kinds = ", ".join(f"{kind} {short[kind]}/{short[f'{kind} all']}" for kind in short if " all" not in kind)
        lines.append(
            f"| {given.log} | `{given.plan}`, {name} | {fraction(notes, ('',)):.1%} | {interval(notes, ('NAME',))} "
            f"| {interval(notes, OTHERS)} | {by_label} | {kinds} |"
        )
        if given.show:
            show(console, redactor)
        if not key:
            break
    console.print(f"half {given.half}", *lines, sep="\n")
    if given.half == "score":
        day = datetime.datetime.now(tz=datetime.UTC).date()
        with LOG.open("a", encoding="utf-8") as log:
            log.writelines(f"| {day} {line}\n" for line in lines)


def show(console: Console, redactor: sd.Redactor) -> None:
    """Print the wrong words of the half `choose`."""
    wrong: dict[str, list[str]] = {}
    for row in rows_of("notes", "choose"):
        for label, hidden, word in counts_of(redactor, row):
            if bool(label) is not hidden:
                wrong.setdefault(label or "hidden", []).append(word)
    for name in ("codes", "eponyms", "cells", "spellings"):
        for row in rows_of(name, "choose"):
            words = counts_of(redactor, row)
            if any(bool(label) is not hidden for label, hidden, _ in words if label or not row["spans"]):
                wrong.setdefault(f"{name} {row['kind'] if name != 'spellings' else ''}", []).append(row["text"])
    for label, words in wrong.items():
        console.print(f"{label} ({len(words)}): {' | '.join(words)}", markup=False, highlight=False)


if __name__ == "__main__":
    main()

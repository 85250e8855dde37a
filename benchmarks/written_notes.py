"""Count what a plan leaves of, and hides unnecessarily in, the hundred notes of `written_notes/`, by its threshold.

    python benchmarks/written_notes.py
    python benchmarks/written_notes.py --plan names --half odd --loss-ratio 10 20 40 --show
    python benchmarks/written_notes.py --plan names-neural --threshold .2 .1 .05 .02

A word of a name, or of another identifier, remains where any part of it is published; innocent words are those outside
all annotations. Ages below 90, weekdays, holidays and bare years are counted separately: plans edit them where asked.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

import spark_deid as sd
from spark_deid.core.edit import LabelledEdit
from spark_deid.plan.load import plan_file

NOTES = Path(__file__).parent / "written_notes" / "notes.txt"
NAMES, WHEN_ASKED = "NLO", "AW"
GROUPS = ("persons", "names", "others", "asked", "innocent")
"""People are counted among names as well."""
WORD = re.compile(r"\w+")


class AnnotatedSpan(NamedTuple):
    """An annotated stretch of a note: where it is, and the letter of its kind."""

    start: int
    end: int
    kind: str


class WrittenNote(NamedTuple):
    """A note without its marks, and what was marked in it."""

    text: str
    spans: tuple[AnnotatedSpan, ...]


class WordCount(NamedTuple):
    """A word, the letter of its kind, what it counts among (one of GROUPS), whether it is hidden."""

    group: str
    kind: str
    is_hidden: bool
    word: str


def read_notes(path: Path = NOTES) -> Iterator[WrittenNote]:
    """Yield the notes of a file in its order."""
    for marked in re.split(r"(?m)^=== .*\n", path.read_text("utf-8"))[1:]:
        text, spans, place = "", [], 0
        for mark in re.finditer(r"\{([A-Z]):([^{}]*)\}", marked):
            text += marked[place : mark.start()]
            spans.append(AnnotatedSpan(len(text), len(text) + len(mark[2]), mark[1]))
            text += mark[2]
            place = mark.end()
        yield WrittenNote(text + marked[place:], tuple(spans))


def group_of(kind: str, word: str) -> str:
    """Return what a word counts among by the letter of its kind; ages from 90 on identify."""
    if kind in NAMES:
        return "names"
    is_old = kind == "A" and word.isdigit() and int(word) >= 90
    return "asked" if kind in WHEN_ASKED and not is_old else "others"


def counts_of(note: WrittenNote, edits: tuple[LabelledEdit, ...]) -> Iterator[WordCount]:
    """Yield each word of a note with what became of it."""
    hidden = {place for edit in edits for place in range(edit.start, edit.end)}
    kinds = {place: span.kind for span in note.spans for place in range(span.start, span.end)}
    for found in WORD.finditer(note.text):
        places = range(found.start(), found.end())
        kind = next((kinds[place] for place in places if place in kinds), "")
        is_hidden = hidden.issuperset(places) if kind else not hidden.isdisjoint(places)
        yield WordCount(group_of(kind, found[0]) if kind else "innocent", kind, is_hidden, found[0])


def shown(counts: list[WordCount]) -> Iterator[str]:
    """Yield what remains by kind, then what is hidden unnecessarily."""
    for group in ("names", "others", "asked"):
        left = [f"{each.kind}:{each.word}" for each in counts if each.group == group and not each.is_hidden]
        yield f"{group} left: {' '.join(left)}"
    yield f"in vain: {' '.join(each.word for each in counts if each.group == 'innocent' and each.is_hidden)}"


def main() -> None:
    """Print a row a threshold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plan", default="names", help="the name of a shipped plan, or a file")
    parser.add_argument("--model", help="a model in place of the plan's")
    parser.add_argument("--half", choices=("odd", "even", "all"), default="even")
    decided = parser.add_mutually_exclusive_group()
    decided.add_argument("--loss-ratio", type=float, nargs="+", default=[1, 2, 5, 10, 20, 40, 80])
    decided.add_argument("--threshold", type=float, nargs="+", help="of the plan's onnx, in place of loss ratios")
    parser.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", help="other changes of the plan")
    parser.add_argument("--show", action="store_true", help="print the words that are left, and those hidden in vain")
    given = parser.parse_args()
    notes = list(read_notes())
    chosen = {"odd": notes[::2], "even": notes[1::2], "all": notes}[given.half]
    key, shown_as = ("onnx.threshold", "threshold") if given.threshold else ("loss_ratio", "L/C")
    table = Table(shown_as, "persons left", "names left", "others left", "asked left", "innocent published")
    console = Console()
    for value in given.threshold or given.loss_ratio:
        changes = [f"{key}={value:g}", *([f"model={given.model}"] if given.model else []), *given.set]
        redactor = sd.Redactor(sd.Plan.load(plan_file(given.plan), changes))
        counts = [each for note in chosen for each in counts_of(note, redactor.redact(note.text).edits)]
        counts += [each._replace(group="persons") for each in counts if each.kind == "N"]
        words = Counter(each.group for each in counts)
        kept = Counter(each.group for each in counts if not each.is_hidden)
        shares = [f"{kept[group] / words[group]:.1%}" for group in GROUPS]
        table.add_row(f"{value:g}", *shares)
        if given.show:
            console.print(f"[bold]{shown_as} {value:g}", *shown(counts), sep="\n")
    console.print(f"{len(chosen)} notes; words: {dict(words)}")
    console.print(table)


if __name__ == "__main__":
    main()

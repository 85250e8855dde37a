"""Clinical text that the shipped model of English is trained on: public notes and dialogues, and shorthand of our own.

Drugs, devices, scales, eponyms and abbreviations stand there beside names, so that they are told from these.
"""

import csv
import gzip
import io
import re
from collections.abc import Iterator
from pathlib import Path

from english_text import invented_example
from labelled_text import Source

from spark_deid.core.span import Span
from spark_deid.learners.base import TrainingExample
from spark_deid.synthesis.generate import is_long, make_document
from spark_deid.synthesis.grammar import parse_grammar
from spark_deid.synthesis.pools import make_pools
from spark_deid.text.view import TextView

MTS_DIALOG = Source(
    "MTS-Dialog, training set", ("mts_dialog/MTS-Dialog-TrainingSet.csv.gz",), "abachaa/MTS-Dialog", "CC BY 4.0"
)
ACI_BENCH = Source("ACI-BENCH, training set", ("aci_bench/train.csv.gz",), "wyim/aci-bench", "CC BY 4.0")
SHORTHAND = Path(__file__).parent / "clinical_shorthand.txt"
_PARTS = ("section_text", "dialogue", "note")
"""Columns that hold text; each is an example of its own."""
_PERSON = re.compile(
    r"\b([A-Z][a-z]+)((?: [A-Z][a-z]+)+),? (?:is|was) an? \d|\b(?:Mr|Mrs|Ms|Miss|Dr|Doctor)\.? ([A-Z][a-z]+)"
)


def public_notes(data: Path) -> Iterator[TrainingExample]:
    """Yield notes and dialogues; names are what these introduce, wherever it stands with a capital in either.

    Both sources are without identifiers but for some invented names after a title or at a note's begin.
    """
    for source in (MTS_DIALOG, ACI_BENCH):
        for number, row in enumerate(_rows(data / source.files[0])):
            names = {name for text in row.values() for found in _PERSON.findall(text) for name in _words(found)}
            marked = (
                re.compile(rf"\b(?:{'|'.join(sorted(names))})\b(?: (?:{'|'.join(sorted(names))})\b)*")
                if names
                else None
            )
            for part, text in row.items():
                spans = tuple(Span(*each.span(), "NAME") for each in marked.finditer(text)) if marked else ()
                yield TrainingExample(f"{source.name} {number} {part}", TextView(text), spans)


def _words(found: tuple[str, str, str]) -> Iterator[str]:
    first, rest, titled = found
    yield from (word for word in (first, *rest.split(), titled) if word)


def _rows(path: Path) -> Iterator[dict[str, str]]:
    table = csv.DictReader(io.StringIO(gzip.decompress(path.read_bytes()).decode("utf-8", "replace")))
    yield from ({part: row[part] for part in _PARTS if row.get(part)} for row in table)


def shorthand(count: int, *, seed: int) -> Iterator[TrainingExample]:
    """Yield notes in shorthand with names of many countries."""
    pools, rules = make_pools(seed, "en"), parse_grammar({SHORTHAND.name: SHORTHAND.read_text(encoding="utf-8")})
    numbers = (number for number in range(2 * count) if not is_long(seed, number))
    for number, _ in zip(numbers, range(count), strict=False):
        yield invented_example(make_document(seed, number, pools, grammar=rules))

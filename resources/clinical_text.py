"""Clinical text that the shipped model of English is trained on: public notes and dialogues, and shorthand of our own.

Drugs, devices, scales, eponyms and abbreviations are included with names, so that the model distinguishes them.
"""

import csv
import gzip
import io
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from english_text import LOCALES, invented_example
from faker import Faker
from labelled_text import Source

from spark_deid.core.span import Span
from spark_deid.corpus.synthesis.generate import is_long, make_document
from spark_deid.corpus.synthesis.grammar import parse_grammar
from spark_deid.corpus.synthesis.pools import make_pools
from spark_deid.learners.base import TrainingExample
from spark_deid.text.gazetteer import COMMON, facts_of
from spark_deid.text.view import TextView

MTS_DIALOG = Source(
    "MTS-Dialog, training set", ("mts_dialog/MTS-Dialog-TrainingSet.csv.gz",), "abachaa/MTS-Dialog", "CC BY 4.0"
)
ACI_BENCH = Source("ACI-BENCH, training set", ("aci_bench/train.csv.gz",), "wyim/aci-bench", "CC BY 4.0")
SHORTHAND = Path(__file__).parent / "clinical_shorthand.txt"
_PARTS = ("section_text", "dialogue", "note")
"""Columns that hold text; each is a separate example."""
_PERSON = re.compile(
    r"\b([A-Z][a-z]+)((?: [A-Z][a-z]+)+),? (?:is|was) an? \d|\b(?:Mr|Mrs|Ms|Miss|Dr|Doctor)\.? ([A-Z][a-z]+)"
)
_TITLE = r"(?:mr|mrs|ms|miss|dr|doctor)\.?"
_TITLED = re.compile(rf"\b{_TITLE} $")


def public_notes(data: Path) -> Iterator[TrainingExample]:
    """Yield notes and dialogues; names are the words that these introduce, at each place where either has a capital.

    Dialogues that were written down by ear have them in lowercase: there given names count that are not common
    words, what follows them, and surnames after a title. Both sources are without identifiers but for some invented
    names after a title or at a note's begin.
    """
    for source in (MTS_DIALOG, ACI_BENCH):
        for number, row in enumerate(_rows(data / source.files[0])):
            found = [names for text in row.values() for names in _PERSON.findall(text)]
            marked = _marked({first for first, _, _ in found}, {name for _, *names in found for name in _words(names)})
            for part, text in row.items():
                spans = tuple(Span(*each.span(each.lastgroup), "NAME") for each in marked.finditer(text))
                yield TrainingExample(f"{source.name} {number} {part}", TextView(text), spans)


def renamed_dialogues(data: Path, copies: int, *, seed: int) -> Iterator[TrainingExample]:
    """Yield ACI-BENCH's dialogues, which are in lowercase, with other names instead of each: that many copies.

    There are too few names to learn from otherwise. They are drawn from many countries; a word has one in a copy.
    """
    Faker.seed(seed)
    people = [Faker(locale) for locale in LOCALES]
    spoken = [
        each
        for each in public_notes(data)
        if each.spans and each.doc_id.startswith(ACI_BENCH.name) and each.doc_id.endswith("dialogue")
    ]
    for copy in range(copies):
        for number, each in enumerate(spoken):
            yield _renamed(each, people[(copy + number) % len(people)], copy)


def _renamed(told: TrainingExample, people: Faker, copy: int) -> TrainingExample:
    text, spans, last, others = "", [], 0, dict[str, str]()
    for span in told.spans:
        text += told.view.text[last : span.start]
        names = told.view.text[span.start : span.end].split()
        for place, name in enumerate(names):
            draw = people.last_name if place or _TITLED.search(text) else people.first_name
            others.setdefault(name, str(draw()).lower())
        value = " ".join(others[name] for name in names)
        spans.append(Span(len(text), len(text) + len(value), "NAME"))
        text += value
        last = span.end
    return TrainingExample(f"{told.doc_id}/{copy}", TextView(text + told.view.text[last:]), tuple(spans))


def _marked(given: Collection[str], others: Collection[str]) -> re.Pattern[str]:
    """Return what finds given names and other ones: nothing if they are missing."""
    names = sorted({*given, *others} - {""})
    if not names:
        return re.compile("(?!)")
    small = sorted(name.lower() for name in given if name and facts_of(name.lower()) >> COMMON & 3 < 2)
    every, lower = "|".join(names), "|".join(map(str.lower, names))
    forms = [rf"(?P<name>\b(?:{every})\b(?: (?:{every})\b)*)", rf"\b{_TITLE} (?P<titled>(?:{lower})\b)"]
    if small:
        forms.append(rf"(?P<small>\b(?:{'|'.join(small)})\b(?: (?:{lower})\b)*)")
    return re.compile("|".join(forms))


def _words(names: Sequence[str]) -> Iterator[str]:
    yield from (word for name in names for word in name.split())


def _rows(path: Path) -> Iterator[dict[str, str]]:
    table = csv.DictReader(io.StringIO(gzip.decompress(path.read_bytes()).decode("utf-8", "replace")))
    yield from ({part: row[part] for part in _PARTS if row.get(part)} for row in table)


def shorthand(count: int, *, seed: int) -> Iterator[TrainingExample]:
    """Yield notes in shorthand with names of many countries."""
    pools, rules = make_pools(seed, "en"), parse_grammar({SHORTHAND.name: SHORTHAND.read_text(encoding="utf-8")})
    numbers = (number for number in range(2 * count) if not is_long(seed, number))
    for number, _ in zip(numbers, range(count), strict=False):
        yield invented_example(make_document(seed, number, pools, grammar=rules))

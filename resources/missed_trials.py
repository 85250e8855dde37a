"""Labelled English text of many kinds, each with the model that never saw its kind, and what names that misses."""

import ast
import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from english_text import invented_documents
from english_trials import ALIKE, PRESIDIO
from labelled_text import (
    BTC,
    CROSSNER,
    GUM,
    INDIAN_COURTS,
    LITBANK,
    WIKIGOLD,
    WNUT,
    Source,
    documents,
    example,
    examples,
    glued,
    mail,
)

from spark_deid.api.plan import Plan
from spark_deid.core.span import Span
from spark_deid.greedy.missed_names.table import CELLS, word_odds
from spark_deid.greedy.missed_names.word_forms import count_forms
from spark_deid.greedy.sanitizer import GreedySanitizer
from spark_deid.rewriting.counts import are_touched

VOXPOPULI = Source(
    "SLUE VoxPopuli, speeches of the European Parliament",
    ("slue_voxpopuli/en_slue_voxpopuli_fine-tune.tsv.gz",),
    "asappresearch/slue-toolkit",
    "CC0",
)
NAME = "NAME"
_LABELS = {"PER": NAME}
_TOGETHER = 10
"""Utterances of one speech that make a document."""


class LabelledText(NamedTuple):
    """A text, and the spans of its names of people."""

    text: str
    names: tuple[Span, ...]


class LabelledCorpus(NamedTuple):
    """Texts of one kind; ``model`` is the folder of the model that was trained without it, "" for the shipped one."""

    name: str
    model: str
    texts: Callable[[Path], Iterator[LabelledText]]


class CountedCorpus(NamedTuple):
    """Words and names ``[document, cell]`` that no pattern touches, and those that one does; words ``[form]``."""

    words: np.ndarray
    names: np.ndarray
    hidden: np.ndarray
    hidden_names: np.ndarray
    forms: np.ndarray


def _of_blocks(source: Source) -> Callable[[Path], Iterator[LabelledText]]:
    """Return texts of some sentences each of files that mark no documents."""
    return lambda data: (_labelled(each.view.text, each.spans) for each in examples(data, (source,), _LABELS | _OTHER))


_OTHER = {"LOC": "OTHER", "ORG": "OTHER"}


def _labelled(text: str, spans: Sequence[Span]) -> LabelledText:
    return LabelledText(text, tuple(span for span in spans if span.label == NAME))


def _of_documents(source: Source) -> Callable[[Path], Iterator[LabelledText]]:
    def texts(data: Path) -> Iterator[LabelledText]:
        for file in source.files:
            for number, document in enumerate(documents(data / file)):
                made = example(f"{file}#{number}", document, _LABELS | _OTHER, glued)
                yield _labelled(made.view.text, made.spans)

    return texts


def _mail(data: Path) -> Iterator[LabelledText]:
    for name, block in mail(data):
        made = example(name, block, _LABELS | _OTHER, glued)
        yield _labelled(made.view.text, made.spans)


def _presidio(data: Path) -> Iterator[LabelledText]:
    for each in json.loads(gzip.decompress((data / PRESIDIO).read_bytes())):
        spans = [
            Span(int(span["start_position"]), int(span["end_position"]), NAME)
            for span in each["spans"]
            if span["entity_type"] == "PERSON"
        ]
        yield LabelledText(each["full_text"], tuple(spans))


def _synthesized(_: Path) -> Iterator[LabelledText]:
    for made in invented_documents(300, 20_000, held_back=True):
        yield _labelled(made.text, made.spans)


def _voxpopuli(data: Path) -> Iterator[LabelledText]:
    content = gzip.decompress((data / VOXPOPULI.files[0]).read_bytes()).decode()
    speeches: dict[str, list[Mapping[str, str]]] = {}
    for row in csv.DictReader(io.StringIO(content), delimiter="\t", quoting=csv.QUOTE_NONE):
        if row["raw_text"]:
            speeches.setdefault(row["id"].rpartition("_")[0], []).append(row)
    rows = [row for speech in speeches.values() for row in speech]
    for first in range(0, len(rows), _TOGETHER):
        text, spans = "", []
        for row in rows[first : first + _TOGETHER]:
            for kind, start, size in ast.literal_eval(row["raw_ner"] or "None") or ():
                if kind == "PERSON":
                    spans.append(Span(len(text) + start, len(text) + start + size, NAME))
            text += row["raw_text"] + "\n"
        yield LabelledText(text, tuple(spans))


CORPORA = (
    LabelledCorpus("Broad Twitter Corpus", "btc", _of_blocks(BTC)),
    LabelledCorpus("WNUT 2017", "wnut", _of_blocks(WNUT)),
    LabelledCorpus("wikigold", "wikigold", _of_documents(WIKIGOLD)),
    LabelledCorpus("CrossNER", "crossner", _of_blocks(CROSSNER)),
    LabelledCorpus("emailcoref", "enron", _mail),
    LabelledCorpus("GUM", "gum", _of_documents(replace(GUM, files=(*GUM.files, *ALIKE.files)))),
    LabelledCorpus("LitBank", "litbank", _of_documents(LITBANK)),
    LabelledCorpus("InLegalNER", "courts", _of_documents(INDIAN_COURTS)),
    LabelledCorpus("presidio-research", "templates", _presidio),
    LabelledCorpus("synthesize", "synthesized", _synthesized),
    LabelledCorpus("SLUE VoxPopuli", "", _voxpopuli),
)


def counted(sanitizer: GreedySanitizer, texts: Iterator[LabelledText]) -> CountedCorpus:
    """Count words by their cells; a word is part of a name where a name touches it."""
    find = Plan(patterns={"kinds": "all"}).finders
    given = [*texts]
    rows = [_counted(sanitizer, each, [s for finder in find for s in finder(each.text)]) for each in given]
    columns = (np.array(column, np.int64).reshape(-1, CELLS) for column in zip(*rows, strict=True))
    return CountedCorpus(*columns, np.sum([count_forms(each.text) for each in given], 0))


def _counted(sanitizer: GreedySanitizer, given: LabelledText, found: Sequence[Span]) -> list[np.ndarray]:
    starts, ends, cells = word_odds(sanitizer, given.text)
    pieces = (sorted(span[:2] for span in spans) for spans in (given.names, found))
    is_name, is_hidden = (are_touched(starts, ends, each) for each in pieces)
    chosen = (~is_hidden, ~is_hidden & is_name, is_hidden, is_hidden & is_name)
    return [np.bincount(cells[each], minlength=CELLS) for each in chosen]

"""From tokens to hashed attributes."""

import hashlib
import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from spark_deid.core.errors import ModelError
from spark_deid.core.numerics.arrays import Bools, Float64s, UInt64s
from spark_deid.text.background import OpenBackground, background_columns, chances_at, fill_background
from spark_deid.text.column_layout import FeatureColumn
from spark_deid.text.features import FeatureSet
from spark_deid.text.gazetteer import gazetteer
from spark_deid.text.kernels.characters import PLACEHOLDER
from spark_deid.text.kernels.expansion import expand, reduce
from spark_deid.text.kernels.hashing import salt
from spark_deid.text.kernels.merging import DATE, KINDS, MAIL, MONTH_YEAR, WEB, WRITTEN_DATE
from spark_deid.text.tagging import PartsOfSpeech
from spark_deid.text.templates import TemplateTable, compile_templates
from spark_deid.text.token_columns.cluster import CLUSTER_COLUMNS, fill_clusters
from spark_deid.text.token_columns.gazetteer import GAZETTEER_COLUMNS, fill_gazetteer
from spark_deid.text.token_columns.line_class import LINE_CLASS_COLUMNS, fill_line_class
from spark_deid.text.token_columns.neighbours import NEIGHBOUR_COLUMNS, fill_neighbours
from spark_deid.text.token_columns.speech import SPEECH_COLUMNS, fill_speech
from spark_deid.text.token_columns.table import COLUMNS, TrainingKnowledge, fill_columns, window_of, words_of
from spark_deid.text.token_columns.word import WORD_COLUMNS, WordMemory, word_memory
from spark_deid.text.tokenizer import ALL_BORDERS, ViewTokenizer, ViewTokens, cut_tokens
from spark_deid.text.view import TextView
from spark_deid.text.vocabulary import clusters

MAX_WINDOW = 32768
"""Tokens that columns look at together: memory and lines of a longer document begin again."""
MAX_SEQUENCE = 4096
"""Tokens that are labelled together."""
MAX_TEMPLATES = 4096
PROBE = TextView("Ann, 1-2")
_REDUCED = np.isin(np.arange(len(KINDS)), (MAIL, WEB, DATE, WRITTEN_DATE, MONTH_YEAR))


FURTHER = (NEIGHBOUR_COLUMNS, GAZETTEER_COLUMNS, CLUSTER_COLUMNS, LINE_CLASS_COLUMNS)
"""Families of columns that are filled where a template reads one of them."""


class DocumentWindow(NamedTuple):
    """A part of a document: its first token, its columns, which of its tokens have few templates, and its pieces.

    Pieces are labelled together: first token and end of each, counted from the window's first.
    """

    start: int
    columns: UInt64s
    reduced: Bools
    pieces: tuple[tuple[int, int], ...]


class WordMemories:
    """Memories of words, each used by one thread at a time. What is sent elsewhere remembers nothing."""

    def __init__(self) -> None:
        self._free: list[WordMemory] = []

    @contextmanager
    def borrowed(self) -> Iterator[WordMemory]:
        """Give a memory that no one else uses."""
        memory = self._free.pop() if self._free else word_memory()
        yield memory
        # Not in ``finally``: a memory that remained half written is not used again.
        self._free.append(memory)

    def __reduce__(self) -> tuple[type["WordMemories"], tuple[()]]:
        return WordMemories, ()


@dataclass(frozen=True, repr=False)
class FeatureExtractor:
    """Compute a feature set's hashed attributes; words are hashed with a key derived from the model's ``key``.

    ``background`` are the opened models that the feature set names, in its order; ``tagger`` the one it names.
    """

    features: FeatureSet
    key: bytes
    background: tuple[OpenBackground, ...] = ()
    tagger: PartsOfSpeech | None = None

    @cached_property
    def tokenizer(self) -> ViewTokenizer:
        """What cuts views into tokens."""
        return self.features.tokenizer()

    @cached_property
    def templates(self) -> TemplateTable:
        """The templates as arrays."""
        return compile_templates(self.features.parsed(), self.columns)

    @cached_property
    def columns(self) -> tuple[FeatureColumn, ...]:
        """The columns that templates may read: those of every set, and of the further families that this one reads."""
        further = [column for family in self._families for column in family]
        speech = SPEECH_COLUMNS if self.tagger else ()
        return (*COLUMNS, *further, *background_columns(self.features.background), *speech)

    @cached_property
    def uses_lexicon(self) -> bool:
        """Whether a template reads what training states."""
        return any(name.startswith("known") for name in self._names)

    def check(self) -> None:
        """Check what compiled code relies on: word lists and templates that can be laid out, and background models.

        Raises ModelError, or what laying out raises.
        """
        if not 0 <= self.features.borders <= int(ALL_BORDERS) or len(self.features.templates) > MAX_TEMPLATES:
            raise ModelError(f"model: expected known borders, and at most {MAX_TEMPLATES} templates")
        self.words(PROBE, self.tokenizer(PROBE))
        _ = self.templates, self._cut_alike
        for model in self.background:
            model.check()

    def words(self, view: TextView, tokens: ViewTokens) -> UInt64s:
        """Return the keyed hash of each token's lower-case word."""
        with self._memories.borrowed() as memory:
            return words_of(tokens, self._word_key, _placeholder_hashes(view), memory)

    def windows(self, view: TextView, tokens: ViewTokens, known: TrainingKnowledge) -> Iterator[DocumentWindow]:
        """Yield the columns of consecutive windows; longer documents begin again in each."""
        placeholders = _placeholder_hashes(view)
        chances = self._chances(view, tokens)
        tags = self.tagger.hashes(tokens) if self.tagger else None
        for start, stop in cut_tokens(tokens, MAX_WINDOW):
            part = window_of(tokens, start, stop)
            with self._memories.borrowed() as memory:
                columns = fill_columns(
                    part,
                    self._word_key,
                    placeholders,
                    known,
                    memory,
                    word_alone=self._reads_words_alone,
                    further=sum(map(len, self._families)),
                )
            self._fill_families(part, columns)
            others = [fill_background(part.arrays, each[start:stop]) for each in chances]
            if tags is not None:
                others.append(fill_speech(tags[start:stop]))
            columns = np.concatenate([columns, *others]) if others else columns
            reduced = _REDUCED[part.arrays.merged] | (part.arrays.kinds == PLACEHOLDER)
            yield DocumentWindow(start, columns, reduced, tuple(cut_tokens(part, MAX_SEQUENCE)))

    def sequences(
        self, view: TextView, tokens: ViewTokens, known: TrainingKnowledge
    ) -> Iterator[tuple[int, int, UInt64s]]:
        """Yield first token, end, and the attributes ``[template, token]`` of consecutive pieces; 0 is no attribute.

        A yielded array is good until the next is asked for.
        """
        table = self.templates
        out = np.empty((len(table.sizes), min(len(tokens), MAX_SEQUENCE)), np.uint64)
        for start, columns, reduced, pieces in self.windows(view, tokens, known):
            for first, end in pieces:
                expand(columns, first, end, table.cells, table.sizes, table.seeds, out)
                reduce(reduced[first:end], table.kept, out)
                yield start + first, start + end, out[:, : end - first]

    def _chances(self, view: TextView, tokens: ViewTokens) -> list[Float64s]:
        """Return what each background model finds likely, ``[token, label]``."""
        found: list[Float64s] = []
        for model, cuts_equal in zip(self.background, self._cut_alike, strict=True):
            own = tokens if cuts_equal else model.tokenizer(view)
            chances = model.chances(view, own)
            found.append(chances if cuts_equal else chances_at(tokens, own, chances))
        return found

    @cached_property
    def _cut_alike(self) -> tuple[bool, ...]:
        return tuple(model.tokenizer == self.tokenizer for model in self.background)

    def _fill_families(self, part: ViewTokens, columns: UInt64s) -> None:
        """Fill the rows of the further families, which come after those of every set."""
        first = len(COLUMNS)
        for family in self._families:
            rows = columns[first : first + len(family)]
            rows.fill(0)
            if family is NEIGHBOUR_COLUMNS:
                fill_neighbours(part.arrays, columns[: len(COLUMNS)], rows)
            elif family is GAZETTEER_COLUMNS:
                fill_gazetteer(part.lower, part.classes, part.arrays, gazetteer(), rows)
            elif family is CLUSTER_COLUMNS:
                fill_clusters(part.lower, part.arrays, clusters(), rows)
            else:
                fill_line_class(part.arrays, rows)
            first += len(family)

    @cached_property
    def _families(self) -> tuple[tuple[FeatureColumn, ...], ...]:
        return tuple(family for family in FURTHER if self._reads(family))

    def _reads(self, family: tuple[FeatureColumn, ...]) -> bool:
        return any(column.name in self._names for column in family)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for template in self.features.parsed() for name, _ in template.cells)

    @cached_property
    def _reads_words_alone(self) -> bool:
        further = (column for family in FURTHER for column in family)
        known = (*WORD_COLUMNS, *further, *background_columns(self.features.background), *SPEECH_COLUMNS)
        return self._names <= {column.name for column in known}

    @cached_property
    def _memories(self) -> WordMemories:
        return WordMemories()

    @cached_property
    def _word_key(self) -> UInt64s:
        return np.frombuffer(hmac.new(self.key, b"words", hashlib.sha256).digest()[:16], "<u8").astype(np.uint64)


def _placeholder_hashes(view: TextView) -> UInt64s:
    return np.array([salt(f"placeholder {label}") for label in view.classes], np.uint64)

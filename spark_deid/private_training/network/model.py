"""A fitted BiLSTM-CRF: on vectors of words, or on a representation of them that belongs to it."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict

from spark_deid.core.errors import ModelError
from spark_deid.core.hashing import fingerprint
from spark_deid.core.numerics.arrays import Bools, Float64s, Int32s, Int64s
from spark_deid.core.span import Span
from spark_deid.learners.array_validation import check_labels, check_number, expect
from spark_deid.learners.document_rule import apply_rule
from spark_deid.learners.folders import ModelFormat, read_folder, record_hash, write_folder
from spark_deid.learners.propagation import copy_spans, mean_scores
from spark_deid.private_training.embeddings.store import EmbeddingStore, StoreAbout, open_store
from spark_deid.private_training.embeddings.vector_blocks import EmbeddingsError, Float32s
from spark_deid.private_training.network.encoding import EncodedText, TextEncoder, padded_length, padded_rows
from spark_deid.private_training.network.layers import GATES, NoNoise, Shapes, Weights, represent, representing_shapes
from spark_deid.private_training.network.tagging import (
    LAYERS,
    NO_CASING,
    best_rows,
    tag_probabilities,
    tag_scores,
    tagging_shapes,
)
from spark_deid.text.bio import OUTSIDE, Offsets, decode, tag_names
from spark_deid.text.view import TextView

EMBEDDINGS = "embeddings"
"""The folder of a model that has its vectors."""
IMPOSSIBLE = -1e4
BATCH = 64
_TAGGER, _REPRESENTATION = tuple(tagging_shapes(1, 1, 1)), tuple(representing_shapes(1, 1, 1))


class BilstmSettings(BaseModel):
    """A model without its arrays; ``store`` is the digest of the facts about its vectors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    labels: tuple[str, ...]
    auxiliary: tuple[str, ...]
    store: str
    scale: float
    outside_bias: float
    threshold: float | None
    copy_length: int


FORMAT = ModelFormat(
    "spark-deid bilstm 1",
    BilstmSettings,
    {**dict.fromkeys(_TAGGER, np.float32), **{f"representation_{name}": np.float32 for name in _REPRESENTATION}},
    library="numpy",
    secret="bilstm",
)


class _SentenceScores(NamedTuple):
    """Sentences of one length: the first token of each, which tokens are there, and scores of tags."""

    firsts: Int64s
    present: Bools
    scores: Float64s


@dataclass(frozen=True, repr=False, kw_only=True, eq=False)
class BilstmModel:
    """Score the tokens of sentences by two bidirectional layers, and decode a chain of tags.

    With a ``representation`` the network reads that of the words' vectors, noise off. Without ``threshold`` the best
    row of tags counts (Viterbi), and texts that were found are copied; with it, every token whose probability of a
    label exceeds it after the document rule. ``labels`` are the classes, of which ``auxiliary`` ones are never marked.
    """

    encoder: TextEncoder
    labels: tuple[str, ...]
    weights: Weights
    representation: Weights | None = None
    auxiliary: tuple[str, ...] = ()
    outside_bias: float = 0.0
    threshold: float | None = None
    copy_length: int = 4

    def with_bias(self, delta: float) -> "BilstmModel":
        """Return the model with ``delta`` more on the score of O; below 0 it finds more."""
        return replace(self, outside_bias=self.outside_bias + delta)

    def with_threshold(self, threshold: float) -> "BilstmModel":
        """Return the model that marks each token whose probability of any label exceeds the threshold."""
        return replace(self, threshold=threshold)

    def without_words(self) -> "BilstmModel":
        """Return the model, which knows words by public vectors only.

        Raises ModelError where its vectors are those of a private corpus.
        """
        if self.encoder.store.about.private:
            raise ModelError("model: its vectors come from a private corpus, so it cannot be exported")
        return self

    def tokens(self, view: TextView) -> tuple[Offsets, Offsets]:
        """Return the starts and ends of tokens in original offsets, without placeholders."""
        return self.encoder(view).tokens.visible

    def predict(self, view: TextView) -> tuple[Span, ...]:
        """Return disjoint spans in original offsets, in order, none touching a removed piece."""
        encoded = self.encoder(view)
        tokens = encoded.tokens
        if self.threshold is None:
            spans = self._spans(encoded, self.best(encoded))
            return copy_spans(view, tokens, spans, self.copy_length) if self.copy_length else spans
        found = self.probabilities(encoded)
        marked = np.where(self._is_marked, found, 0)
        chances = apply_rule(tokens, marked.sum(1)).chances
        tags = np.where(chances > self.threshold, marked.argmax(1), OUTSIDE).astype(np.int32)
        return mean_scores(self._spans(encoded, tags), tokens, chances)

    def best(self, encoded: EncodedText) -> Int32s:
        """Return the best row of tags (``text.bio``)."""
        tags = np.zeros(len(encoded.tokens), np.int32)
        for part in self._scored(encoded):
            rows = best_rows(self.weights, part.scores, part.present)
            for first, here, own in zip(part.firsts.tolist(), part.present, rows, strict=True):
                tags[first : first + int(here.sum())] = own[here]
        return tags

    def probabilities(self, encoded: EncodedText) -> Float64s:
        """Return each token's probability of each tag, ``[token, tag]``; placeholders are surely O."""
        found = np.zeros((len(encoded.tokens), len(tag_names(self.labels))))
        for part in self._scored(encoded):
            chances = tag_probabilities(self.weights, part.scores, part.present)
            for first, here, own in zip(part.firsts.tolist(), part.present, chances, strict=True):
                found[first : first + int(here.sum())] = own[here]
        return found

    def _scored(self, encoded: EncodedText) -> Iterator[_SentenceScores]:
        """Yield scores of sentences of alike lengths, whatever else is beside them: sums are a sentence's own."""
        lengths = np.diff(encoded.borders)
        laid = np.array([padded_length(length) for length in lengths.tolist()], np.int64)
        hidden = encoded.tokens.is_placeholder
        for length in np.unique(laid[lengths > 0]).tolist():
            numbers = np.flatnonzero((laid == length) & (lengths > 0))
            for start in range(0, len(numbers), BATCH):
                own = numbers[start : start + BATCH]
                bounds = [slice(int(encoded.borders[i]), int(encoded.borders[i + 1])) for i in own.tolist()]
                present = np.arange(length) < lengths[own][:, None]
                vectors = self.encoder.vectors(padded_rows([encoded.rows[each] for each in bounds], length, -1))
                casings = padded_rows([encoded.casings[each] for each in bounds], length, NO_CASING)
                scores = self._scores(vectors, casings, present)
                removed = padded_rows([hidden[each].astype(np.int64) for each in bounds], length, 0) > 0
                scores[removed] = IMPOSSIBLE
                scores[removed, OUTSIDE] = 0
                yield _SentenceScores(encoded.borders[own], present, scores)

    def _scores(self, vectors: Float32s, casings: Int64s, present: Bools) -> Float64s:
        if self.representation is not None:
            vectors = represent(self.representation, vectors, present, NoNoise())
        scores = tag_scores(self.weights, vectors, casings, present).astype(np.float64)
        scores[:, :, OUTSIDE] += self.outside_bias
        return scores

    def _spans(self, encoded: EncodedText, tags: Int32s) -> tuple[Span, ...]:
        tokens = encoded.tokens
        tags[tokens.is_placeholder] = OUTSIDE
        spans = decode(tokens.starts, tokens.ends, tokens.is_apart, tags, self.labels)
        return tuple(span for span in spans if span.label not in self.auxiliary)

    @cached_property
    def _is_marked(self) -> Bools:
        return np.array([name != "O" and name[2:] not in self.auxiliary for name in tag_names(self.labels)])

    def check(self) -> None:
        """Check shapes and numbers of all arrays; raises ModelError."""
        check_labels(self.labels, self.auxiliary)
        check_number("threshold", self.threshold, 0, 1)
        check_number("outside_bias", self.outside_bias)
        inputs = self.encoder.store.about.dimensions
        if self.representation is not None:
            outputs = self.representation["output_bias"].shape[-1]
            units = self.representation["lstm_bias"].shape[-1] // GATES
            check_arrays(self.representation, representing_shapes(inputs, units, outputs))
            inputs = outputs
        units = self.weights[f"{LAYERS[0]}_bias"].shape[-1] // GATES
        check_arrays(self.weights, tagging_shapes(inputs, units, len(tag_names(self.labels))))

    def save(self, folder: Path) -> None:
        """Write the model into a new or empty folder, its vectors in one of their own inside."""
        about = self.encoder.store.about
        settings = BilstmSettings(
            labels=self.labels,
            auxiliary=self.auxiliary,
            store=store_digest(about),
            scale=self.encoder.scale,
            outside_bias=self.outside_bias,
            threshold=self.threshold,
            copy_length=self.copy_length,
        )
        own = self.representation or dict.fromkeys(_REPRESENTATION, np.zeros(0, np.float32))
        arrays = {**self.weights, **{f"representation_{name}": each for name, each in own.items()}}
        write_folder(folder, FORMAT, settings, arrays, b"")
        copy_store(self.encoder.store, folder / EMBEDDINGS)


def open_bilstm(folder: Path, key: bytes) -> BilstmModel:
    """Read a model whose files were checked before, once a process.

    Raises ModelError on a folder that is missing, damaged, or of another version.
    """
    return _read(folder.resolve(), record_hash(folder))


@lru_cache(maxsize=8)
def _read(folder: Path, _: str) -> BilstmModel:
    settings, arrays = read_folder(folder, FORMAT, b"")
    try:
        store = open_store(str(folder / EMBEDDINGS))
    except (EmbeddingsError, OSError) as error:
        raise ModelError(f"{folder / EMBEDDINGS}: the model's vectors can't be read ({type(error).__name__})") from None
    if store_digest(store.about) != settings.store:
        raise ModelError(f"{folder / EMBEDDINGS}: not the vectors that this model was trained with")
    own = {name: arrays[f"representation_{name}"] for name in _REPRESENTATION}
    return BilstmModel(
        encoder=TextEncoder(store),
        labels=settings.labels,
        weights={name: arrays[name] for name in _TAGGER},
        representation=own if own["output_bias"].size else None,
        auxiliary=settings.auxiliary,
        outside_bias=settings.outside_bias,
        threshold=settings.threshold,
        copy_length=settings.copy_length,
    )


def store_digest(about: StoreAbout) -> str:
    """Return a digest of what is stated about a store, which holds that of its source."""
    return fingerprint(asdict(about))


def copy_store(store: EmbeddingStore, folder: Path) -> None:
    """Put a store into a model's folder, without another copy of its bytes where the file system can."""
    folder.mkdir(mode=0o700)
    for path in sorted(store.folder.iterdir()):
        try:
            os.link(path, folder / path.name)
        except OSError:
            shutil.copyfile(path, folder / path.name)
            (folder / path.name).chmod(0o600)


def check_arrays(arrays: Weights, shapes: Shapes) -> None:
    """Check that arrays have these shapes, of a sensible size, and finite numbers; raises ModelError."""
    for name, shape in shapes.items():
        expect(arrays[name].shape == shape and min(shape) > 0, f"{name}: expected the shape {shape}")
        expect(bool(np.isfinite(arrays[name]).all()), f"{name}: expected finite numbers")

"""Small random networks and sentences, and a store of few words."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from spark_deid.core.span import Span
from spark_deid.learners.base import TrainingExample
from spark_deid.private_training.embeddings.building import build_from_file
from spark_deid.private_training.embeddings.store import EmbeddingStore
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.layers import Shapes, representing_shapes
from spark_deid.private_training.network.representation_folder import write_representation
from spark_deid.private_training.network.sentence_set import LabelledSentence, SentenceBatch, SentenceSet, batches
from spark_deid.text.view import TextView

NAMES = ("ann", "bob", "cay", "dee", "eva", "fay", "gus", "hal", "ivy", "joe", "kim", "lea")
OTHERS = ("seen", "by", "fever", "is", "gone", "call", "the", "ward", "again", "today", "cough", "of")


def drawn(shapes: Shapes, rng: np.random.Generator) -> dict[str, Float32s]:
    """Draw arrays of these shapes."""
    return {name: (rng.standard_normal(shape) * 0.5).astype(np.float32) for name, shape in shapes.items()}


def sentences(
    rng: np.random.Generator, lengths: tuple[int, ...], words: int, tags: int
) -> tuple[LabelledSentence, ...]:
    """Draw sentences of these lengths, three of a document."""
    return tuple(
        LabelledSentence(
            rng.integers(1, words, length),
            rng.integers(0, 7, length).astype(np.uint8),
            rng.integers(0, tags, length).astype(np.int32),
            number // 3,
        )
        for number, length in enumerate(lengths)
    )


def batch(rng: np.random.Generator, dimensions: int, tags: int) -> tuple[SentenceBatch, Float32s]:
    """Draw a batch of seven sentences and one that fills up, and its vectors."""
    table = rng.standard_normal((30, dimensions)).astype(np.float32)
    table[0] = 0
    given = SentenceSet(sentences(rng, (3, 1, 4, 16, 5, 2, 4), 30, tags), table)
    found = next(batches(given.sentences, 8))
    return found, table[found.rows]


def rows_of(length: int, tags: int) -> Iterator[tuple[int, ...]]:
    """Return every row of tags."""
    return itertools.product(range(tags), repeat=length)


def store(folder: Path, seed: int = 0, dimensions: int = 8) -> EmbeddingStore:
    """Build a store in which names are near each other, and so are other words."""
    rng = np.random.default_rng(seed)
    lines = []
    for words, side in ((NAMES, 1.0), (OTHERS, -1.0)):
        for word in words:
            vector = rng.standard_normal(dimensions)
            vector[0] += 3 * side
            lines.append(f"{word} {' '.join(f'{number:.4f}' for number in vector)}")
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n")
    return build_from_file(str(folder / "vectors.txt"), str(folder / "store"))


def notes(count: int, seed: int = 0) -> list[TrainingExample]:
    """Make notes of two sentences in which a name is after a word that shows it, or one that doesn't."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(count):
        name = NAMES[int(rng.integers(len(NAMES)))].title()
        start = ("Seen by ", "Call ", "Ward of ")[int(rng.integers(3))]
        more = " ".join(OTHERS[int(place)] for place in rng.integers(0, len(OTHERS), 3))
        text = f"{start}{name} {more}.\nThe fever is gone."
        spans = (Span(len(start), len(start) + len(name), "NAME"),)
        found.append(TrainingExample(f"d{number}", TextView(text), spans))
    return found


def representation_folder(
    folder: Path, vectors: EmbeddingStore, *, holds: bool = True, noise: float = 0.5, outputs: int = 6
) -> Path:
    """Write a representation of drawn arrays as if attacks on it had been carried out."""
    weights = drawn(representing_shapes(vectors.about.dimensions, 4, outputs), np.random.default_rng(0))
    weights["noise_in"][:] = weights["noise_out"][:] = noise
    privacy = json.dumps({"holds": holds}).encode()
    write_representation(folder, weights, store=vectors, neighbours=8, labels=("DATE", "NAME"), privacy=privacy)
    return folder

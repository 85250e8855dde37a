"""An institution's sentences as noisy vectors: what may leave it is vectors, casings and labels, and no text."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b, sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spark_deid.core.numerics.arrays import UInt8s
from spark_deid.core.span import Span
from spark_deid.private_training.embeddings.store import open_store
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.encoding import TextEncoder, padded_length
from spark_deid.private_training.network.layers import represent
from spark_deid.private_training.network.replaceable import cut_sentences
from spark_deid.private_training.network.representation_folder import PublishedRepresentation, read_representation
from spark_deid.text.bio import encode, tag_names
from spark_deid.text.view import TextView


class TransformedSentence(NamedTuple):
    """A sentence that may be given away, and its place in an order that shows nothing of where it occurred.

    ``vectors`` are ``[token, number]``; ``tags`` are names such as ``B-NAME``.
    """

    place: str
    vectors: Float32s
    casings: UInt8s
    tags: tuple[str, ...]


OTHER = "OTHER"
"""Stands for the labels of annotations that may not be let out: whoever annotated may have written a name there."""


class TransformSource(NamedTuple):
    """What transforms: the folders of a representation and of its vectors, and a key; it travels to workers.

    ``labels`` are those that are published; all others become OTHER.
    """

    representation: str
    store: str
    key: bytes
    labels: tuple[str, ...]

    def __repr__(self) -> str:
        return f"TransformSource({self.representation!r}, {self.store!r})"


def transform_text(
    doc_id: str, text: str, spans: Sequence[Span], source: TransformSource
) -> Iterator[TransformedSentence]:
    """Yield a document's sentences, each with separate noise, which only the key shows.

    Equal keys, ids and texts give equal vectors, whatever else is transformed.
    """
    encoder, model = open_once(source.representation, source.store)
    spans = [span if span.label in source.labels else span._replace(label=OTHER) for span in spans]
    labels = tuple(sorted({span.label for span in spans}))
    names = tag_names(labels)
    encoded = encoder(TextView(text))
    tokens = encoded.tokens
    tags = encode(tokens.starts, tokens.ends, tokens.is_placeholder, spans, labels)
    for number, sentence in enumerate(cut_sentences(encoded, tags, 0)):
        size = len(sentence.rows)
        if size == 0:
            continue
        stream = f"{doc_id}\0{number}".encode("utf-8", "surrogatepass")
        rng = noise_of(source.key, stream)
        length = padded_length(size)
        rows = np.full((1, length), -1, np.int64)
        rows[0, :size] = sentence.rows
        vectors = represent(model.weights, encoder.vectors(rows), np.arange(length)[None] < size, rng)
        place = blake2b(stream, key=_derived(source.key, b"place"), digest_size=16).hexdigest()
        yield TransformedSentence(
            place, vectors[0, :size], sentence.casings, tuple(names[tag] for tag in sentence.tags.tolist())
        )


def noise_of(key: bytes, stream: bytes) -> np.random.Generator:
    """Return a generator of noise that no one has without the key."""
    seed = blake2b(stream, key=_derived(key, b"noise"), digest_size=32).digest()
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(list(seed))))


def _derived(key: bytes, use: bytes) -> bytes:
    return blake2b(b"representation transform " + use, key=sha256(key).digest(), digest_size=32).digest()


@lru_cache(maxsize=4)
def open_once(representation: str, store: str) -> tuple[TextEncoder, PublishedRepresentation]:
    """Open a representation and its vectors, once a process."""
    vectors = open_store(store)
    return TextEncoder(vectors), read_representation(Path(representation), vectors)

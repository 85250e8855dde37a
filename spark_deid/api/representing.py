"""The commands ``spark-deid representation`` as functions of ``sd.representation``: one keyword per option."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from spark_deid import app
from spark_deid.api.option_keywords import (
    EmbeddingsKeywords,
    LearnEmbeddingsKeywords,
    PoolKeywords,
    PseudonymizeKeywords,
    TrainRepresentationKeywords,
    TransformKeywords,
)
from spark_deid.plan.clock import Progress, say_nothing

__all__ = ["build_embeddings", "learn_embeddings", "pool", "pseudonymize", "train", "transform"]


def build_embeddings(
    source: str | Path, output: str | Path, *, progress: Progress = say_nothing, **options: Unpack[EmbeddingsKeywords]
) -> app.EmbeddingsFigures:
    """Build a store from a file of word vectors.

    Args:
        source: A file of vectors: GloVe, FastText's ``.vec``, word2vec's binary format or wink's JSON.
        output: The new folder of the store.
        progress: A function that receives the name of each step.
        **options: Options of ``spark-deid representation embeddings``.

    Returns:
        The figures of the store.
    """
    given = {"source": str(source), "output": str(output), **options}
    return app.build_embeddings(app.EmbeddingsOptions(**_any(given)), progress)


def learn_embeddings(
    input: str | Path,
    format: str,
    output: str | Path,
    *,
    progress: Progress = say_nothing,
    **options: Unpack[LearnEmbeddingsKeywords],
) -> app.EmbeddingsFigures:
    """Learn word vectors of a corpus, in a private store.

    Args:
        input: The corpus: a file, a folder or a glob.
        format: The format of the corpus.
        output: The new folder of the store.
        progress: A function that receives the name of each step.
        **options: Options of ``spark-deid representation learn-embeddings``.

    Returns:
        The figures of the store.
    """
    given = {"input": str(input), "format": format, "output": str(output), **options}
    return app.learn_embeddings(app.LearnEmbeddingsOptions(**_any(given)), progress)


def pseudonymize(
    input: str | Path,
    format: str,
    embeddings: str | Path,
    output: str | Path,
    *,
    progress: Progress = say_nothing,
    **options: Unpack[PseudonymizeKeywords],
) -> app.PseudonymFigures:
    """Release labelled text with near words instead of annotated ones.

    Args:
        input: The labelled corpus: a file, a folder or a glob.
        format: The format of the corpus.
        embeddings: A store of word vectors.
        output: The new folder of the release.
        progress: A function that receives the name of each step.
        **options: Options of ``spark-deid representation pseudonymize``.

    Returns:
        The figures of the release.

    Raises:
        GateRefused: A check refuses, so there is no release.
    """
    given = {"input": str(input), "format": format, "embeddings": str(embeddings), "output": str(output), **options}
    return app.pseudonymize(app.PseudonymizeOptions(**_any(given)), progress)


def train(
    input: str | Path,
    format: str,
    embeddings: str | Path,
    output: str | Path,
    *,
    progress: Progress = say_nothing,
    **options: Unpack[TrainRepresentationKeywords],
) -> app.RepresentationFigures:
    """Train a representation to publish, on public labelled text.

    Args:
        input: The labelled corpus: a file, a folder or a glob.
        format: The format of the corpus.
        embeddings: A store of public word vectors.
        output: The new folder of the representation.
        progress: A function that receives the name of each step.
        **options: Options of ``spark-deid representation train``.

    Returns:
        The figures of the training and of all attacks.

    Raises:
        GateRefused: An attack succeeds, so nothing is exported.
    """
    given = {"input": str(input), "format": format, "embeddings": str(embeddings), "output": Path(output), **options}
    return app.train_representation(app.TrainRepresentationOptions(**_any(given)), progress)


def transform(
    input: str | Path,
    format: str,
    representation: str | Path,
    embeddings: str | Path,
    output: str | Path,
    *,
    progress: Progress = say_nothing,
    **options: Unpack[TransformKeywords],
) -> app.TransformFigures:
    """Release labelled text as vectors.

    Args:
        input: The labelled corpus: a file, a folder or a glob.
        format: The format of the corpus.
        representation: The publisher's representation.
        embeddings: The publisher's store of word vectors.
        output: The new folder of the release.
        progress: A function that receives the name of each step.
        **options: Options of ``spark-deid representation transform``.

    Returns:
        The figures of the release.
    """
    places = {"representation": Path(representation), "embeddings": str(embeddings), "output": str(output)}
    given = {"input": str(input), "format": format, **places, **options}
    return app.transform(app.TransformOptions(**_any(given)), progress)


def pool(
    releases: Sequence[str | Path],
    representation: str | Path,
    embeddings: str | Path,
    output: str | Path,
    *,
    progress: Progress = say_nothing,
    **options: Unpack[PoolKeywords],
) -> app.PoolingFigures:
    """Train a de-identifier on vectors of several institutions.

    Args:
        releases: Releases of ``transform``.
        representation: The representation that they were made with.
        embeddings: The publisher's store of word vectors.
        output: The new model folder.
        progress: A function that receives the name of each step.
        **options: Options of ``spark-deid representation pool``.

    Returns:
        The figures of the training.
    """
    places = {"representation": Path(representation), "embeddings": str(embeddings), "output": Path(output)}
    given = {"releases": tuple(map(str, releases)), **places, **options}
    return app.pool(app.PoolOptions(**_any(given)), progress)


def _any(options: Mapping[str, object]) -> dict[str, Any]:
    """Return options to be checked when they are made into what a use case takes."""
    return dict(options)

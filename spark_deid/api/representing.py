"""What ``spark-deid representation`` does, as functions of ``sd.representation``: a keyword for each option."""

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
    """Build a store of a file of word vectors; options are those of ``representation embeddings``."""
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
    """Learn word vectors of a corpus, in a private store; options are those of ``representation learn-embeddings``."""
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
    """Release labelled text for training; options are those of ``representation pseudonymize``."""
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
    """Train a representation that may be given away; options are those of ``representation train``.

    Raises GateRefused where an attack succeeds.
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
    """Release labelled text as vectors; options are those of ``representation transform``."""
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
    """Train a de-identifier on vectors of several institutions; options are those of ``representation pool``."""
    places = {"representation": Path(representation), "embeddings": str(embeddings), "output": Path(output)}
    given = {"releases": tuple(map(str, releases)), **places, **options}
    return app.pool(app.PoolOptions(**_any(given)), progress)


def _any(options: Mapping[str, object]) -> dict[str, Any]:
    """Return options to be checked when they are made into what a use case takes."""
    return dict(options)

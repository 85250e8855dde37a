"""Build stores of word vectors: of files, and of one's own corpus."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spark_deid.app.figures import CommandFigures
from spark_deid.app.inputs import Progress, check_all, check_reading, no_progress
from spark_deid.app.options.representation import EmbeddingsOptions, LearnEmbeddingsOptions
from spark_deid.app.sessions import open_session, read_once
from spark_deid.core.errors import UsageError
from spark_deid.engine.keeping import kept_tables
from spark_deid.private_training.embeddings.building import build_from_file
from spark_deid.private_training.embeddings.subword_vectors import check_installed
from spark_deid.private_training.spark.own_vectors import VectorSettings, learn_vectors
from spark_deid.storage.files import is_remote, local_path
from spark_deid.storage.path_checks import check_creatable, check_present

if TYPE_CHECKING:
    from spark_deid.private_training.embeddings.store import EmbeddingStore


@dataclass(frozen=True)
class EmbeddingsFigures(CommandFigures):
    """A store of vectors: its words, those of them that may be pseudonyms, and those that the file had twice."""

    output: str
    words: int
    dimensions: int
    pseudonyms: int
    duplicates: int


def build_embeddings(options: EmbeddingsOptions, progress: Progress = no_progress) -> EmbeddingsFigures:
    """Build a store of a file of vectors; raises EmbeddingsError, which names the line of what is malformed."""
    check_all(lambda: check_present(options.source), lambda: check_store(options.output))
    progress(f"read {options.source}")
    store = build_from_file(options.source, options.output, options.format)
    return _figures(options.output, store)


def learn_embeddings(options: LearnEmbeddingsOptions, progress: Progress = no_progress) -> EmbeddingsFigures:
    """Learn vectors of a corpus, and write a private store of them."""
    if options.method == "fasttext":
        check_installed()
    check_all(
        lambda: check_reading(options.input, options.format, options.options), lambda: check_store(options.output)
    )
    settings = VectorSettings(options.dimensions, options.min_count, options.passes, options.seed, options.method)
    with (
        open_session(
            "representation", options.master, options.input, progress=progress, engine=options.engine
        ) as spark,
        kept_tables() as keep,
    ):
        reading = read_once(spark, options.input, options.format, options.options, keep, progress)
        progress("learn vectors")
        store = learn_vectors(reading.documents, options.output, settings, k=options.k)
    return _figures(options.output, store)


def check_store(folder: str) -> None:
    """Raise UsageError where a store can't be built in a folder."""
    if is_remote(folder):
        raise UsageError(f"{folder}: expected a local folder, or a folder that this machine mounts as a local path")
    if Path(local_path(folder)).exists():
        raise UsageError(f"{folder}: folder already exists. Choose a new name")
    check_creatable(folder)


def _figures(output: str, store: "EmbeddingStore") -> EmbeddingsFigures:
    about = store.about
    return EmbeddingsFigures(output, about.words, about.dimensions, int(store.eligible().sum()), about.duplicates)

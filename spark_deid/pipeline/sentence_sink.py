"""A release of sentences in another order: what was decided of documents, gathered to new ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame

from spark_deid.core import tables
from spark_deid.engine.tables import read_files
from spark_deid.pipeline.release_folder import ReleaseSink
from spark_deid.pipeline.run import PipelineRun
from spark_deid.private_training.pseudonyms.settings import NEIGHBOUR
from spark_deid.private_training.spark.shuffling import count_joined, gather, store_sentences
from spark_deid.release.commit import DOCUMENTS
from spark_deid.storage.delta_log import added_files

KEY = "shuffled_sentences"
"""Under this name a manifest states how sentences were gathered."""


@dataclass
class SentenceSink(ReleaseSink):
    """The workspace and the release of labelled sentences; ``sentences`` are in each of its documents.

    ``after`` gets the documents that were released (columns of ANNOTATED), when there is a release.
    """

    sentences: int = 100
    after: "Callable[[DataFrame], None] | None" = None
    gathered: dict[str, int] = field(default_factory=dict)

    def let_out(self, run: PipelineRun) -> tuple[DataFrame, int]:
        """Cut, shuffle and gather; the figures of pseudonyms state how many sentences can be joined again."""
        run.clock.start("shuffle sentences")
        parts = [parts["decisions"] for parts in run.corpus.decided]
        stored = store_sentences(run.spark, parts, self.place("sentences"), run.key)
        documents = -(-stored.number // self.sentences)
        self.gathered = {"sentences": stored.number, "sentences_a_document": self.sentences, "documents": documents}
        record = {**self.gathered, "joined": dict(count_joined(run.spark, stored))}
        figures = dict(self.figures or {})
        self.figures = {**figures, NEIGHBOUR: {**figures.get(NEIGHBOUR, {}), **record}}
        return gather(run.spark, stored, self.sentences), documents

    def release(self, run: PipelineRun) -> None:
        """Publish, and pass the published rows to the writer of another format."""
        super().release(run)
        if self.after is not None:
            table = self.folders.release.child(DOCUMENTS)
            paths = [f"{table.uri.removeprefix('file://')}/{name}" for name in added_files(table)]
            self.after(read_files(run.spark, paths, tables.ddl(tables.ANNOTATED)))

    def statements(self, run: PipelineRun) -> Mapping[str, Any]:
        """Return how sentences were gathered, and what of them can be read."""
        about = (self.figures or {}).get(NEIGHBOUR, {})
        kept = ("neighbours", "index", "recall", "scope", "includes_self", "excluded")
        return {KEY: {**self.gathered, **{name: about[name] for name in kept if name in about}, "outside": "as it was"}}

"""Release labelled text for training: pseudonyms among nearest words, and sentences in another order."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from spark_deid.app.figures import CommandFigures
from spark_deid.app.inputs import (
    FormatOptions,
    Input,
    LabelledFormat,
    Master,
    Progress,
    WrittenFormat,
    annotation_check,
    check_all,
    no_progress,
    private_folder_of,
)
from spark_deid.app.releasing import deliver, pace_of_run
from spark_deid.core.errors import UsageError
from spark_deid.core.options import CommandOptions, option, option_of
from spark_deid.core.span import GOLD
from spark_deid.plan.config import PlanSettings, on_day
from spark_deid.plan.load import check_plan
from spark_deid.representation.embeddings.store import open_store
from spark_deid.representation.pseudonyms.settings import NEIGHBOUR, NeighbourSettings
from spark_deid.storage.files import absolute_path

CORPUS = "corpus"
"""The folder of a release that has its documents in another format than Delta."""


class PseudonymizeOptions(CommandOptions):
    """Labelled text, vectors, and what is released of it."""

    input: Input
    format: LabelledFormat
    embeddings: str = Field(description="A store of vectors, built by `representation embeddings`.")
    output: str = Field(description="A new folder for documents, manifest.json and report.html.")
    options: FormatOptions = Field(default_factory=dict)
    to: WrittenFormat = option("delta", "A format: OUTPUT/corpus has the documents in it, too.")
    neighbours: int = option_of(NeighbourSettings, "neighbours")
    include_self: bool = option_of(NeighbourSettings, "include_self")
    exclude: tuple[str, ...] = option_of(NeighbourSettings, "exclude")
    index: Literal["exact", "approximate"] = option_of(NeighbourSettings, "index")
    scope: Literal["token", "document"] = option_of(NeighbourSettings, "scope")
    sentences: int = option(100, "Sentences of a new document.", ge=1)
    cache: str | None = option_of(NeighbourSettings, "cache")
    workspace: str | None = option(None, "A private folder that keeps originals and edits.")
    key_file: Path | None = option(None, "A secret key: equal keys and inputs give equal releases; random by default.")
    master: Master = None

    @property
    def private(self) -> str:
        """Return the place of originals, spans and edits."""
        return self.workspace or private_folder_of(self.output)

    def plan(self) -> PlanSettings:
        """Return the plan that this stands for: of annotations alone, all by one rule."""
        rule = {name: getattr(self, name) for name in NeighbourSettings.model_fields}
        content = {
            "input": {"path": self.input, "format": self.format, "options": dict(self.options)},
            "workspace": self.private,
            "release": self.output,
            "release_ids": "keyed",
            "sources": [GOLD],
            "rules": {"*": {"technique": NEIGHBOUR, **rule, "embeddings": absolute_path(self.embeddings)}},
            "key_file": None if self.key_file is None else str(self.key_file),
        }
        return check_plan(content, "representation pseudonymize")


@dataclass(frozen=True)
class PseudonymFigures(CommandFigures):
    """A release of labelled sentences: what was counted of its pseudonyms, and how it went."""

    release: str
    documents: int
    rejects: int
    results: Mapping[str, Any]
    seconds: float
    stages: Mapping[str, float]


def pseudonymize(options: PseudonymizeOptions, progress: Progress = no_progress) -> PseudonymFigures:
    """Release labelled text with pseudonyms, its sentences in another order. Raises GateRefused where a check refuses.

    Without a workspace, what is private lies beside the output while it is made.
    """
    from spark_deid.corpus.spark.write import write_annotated
    from spark_deid.pipeline.sentence_sink import SentenceSink
    from spark_deid.plan.ready import check_ready
    from spark_deid.release.workspace import drop_private
    from spark_deid.storage.files import is_remote
    from spark_deid.storage.folder import folder_at

    began = time.monotonic()
    check_all(
        *annotation_check(options.input, options.format, options.options, "leave"),
        partial(open_store, absolute_path(options.embeddings)),
    )
    if is_remote(options.output):
        raise UsageError(f"{options.output}: expected a folder that workers see as a local path")
    settings = on_day(options.plan(), date.today())
    check_ready(settings)
    if options.workspace is None:
        drop_private(settings.release, settings.workspace)

    def write(documents: Any) -> None:
        progress(f"write {options.to}")
        write_annotated(documents, f"{options.output}/{CORPUS}", options.to)

    done, sink = deliver(
        settings,
        "representation",
        options.master,
        pace_of_run(options.input),
        progress,
        keeps_key=options.workspace is not None,
        sink_of=partial(SentenceSink, sentences=options.sentences, after=None if options.to == "delta" else write),
    )
    if options.workspace is None:
        folder_at(settings.workspace).remove("")
    assert isinstance(sink, SentenceSink)
    manifest, figures = done.manifest, dict((sink.figures or {})[NEIGHBOUR])
    del figures["documents"]
    return PseudonymFigures(
        release=settings.release,
        documents=sink.gathered["documents"],
        rejects=sum(manifest.rejects.values()),
        results=figures,
        seconds=round(time.monotonic() - began, 3),
        stages=dict(manifest.times.stages),
    )

"""Release labelled text for training: pseudonyms among nearest words, and sentences in another order."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from spark_deid.app.figures import CommandFigures
from spark_deid.app.inputs import Progress, annotation_check, check_all, no_progress
from spark_deid.app.options.representation import PseudonymizeOptions
from spark_deid.app.releasing import deliver, pace_of_run
from spark_deid.core.errors import UsageError
from spark_deid.core.span import GOLD
from spark_deid.corpus.spark.write import write_annotated
from spark_deid.pipeline.sentence_sink import SentenceSink
from spark_deid.plan.config import PlanSettings, on_day
from spark_deid.plan.load import check_plan
from spark_deid.plan.ready import check_ready
from spark_deid.private_training.embeddings.store import open_store
from spark_deid.private_training.pseudonyms.settings import NEIGHBOUR, NeighbourSettings
from spark_deid.release.workspace import drop_private
from spark_deid.storage.files import absolute_path, is_remote
from spark_deid.storage.folder import folder_at

CORPUS = "corpus"
"""The folder of a release that has its documents in another format than Delta."""


@dataclass(frozen=True)
class PseudonymFigures(CommandFigures):
    """A release of labelled sentences: what was counted of its pseudonyms, and how it went."""

    release: str
    documents: int
    rejects: int
    results: Mapping[str, Any]
    seconds: float
    stages: Mapping[str, float]


def pseudonym_plan(options: PseudonymizeOptions) -> PlanSettings:
    """Return the plan that options describe: annotations only, all by one rule."""
    rule = {name: getattr(options, name) for name in NeighbourSettings.model_fields}
    content = {
        "input": {"path": options.input, "format": options.format, "options": dict(options.options)},
        "workspace": options.private,
        "release": options.output,
        "release_ids": "keyed",
        "sources": [GOLD],
        "rules": {"*": {"technique": NEIGHBOUR, **rule, "embeddings": absolute_path(options.embeddings)}},
        "key_file": None if options.key_file is None else str(options.key_file),
    }
    return check_plan(content, "representation pseudonymize")


def pseudonymize(options: PseudonymizeOptions, progress: Progress = no_progress) -> PseudonymFigures:
    """Release labelled text with pseudonyms, its sentences in another order. Raises GateRefused where a check refuses.

    Without a workspace, what is private is next to the output while it is made.
    """
    began = time.monotonic()
    check_all(
        *annotation_check(options.input, options.format, options.options, "leave"),
        partial(open_store, absolute_path(options.embeddings)),
    )
    if is_remote(options.output):
        raise UsageError(f"{options.output}: expected a folder that workers see as a local path")
    settings = on_day(pseudonym_plan(options), date.today())
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

"""The steps of a run, in order. ``PipelineRun`` documents the results of each."""

from dataclasses import replace

from spark_deid.core.errors import GateRefused
from spark_deid.core.kinds import MethodContext
from spark_deid.core.span import GOLD
from spark_deid.corpus.reject_hints import hints, too_many
from spark_deid.guarantees.gate import require
from spark_deid.pipeline.columns import found_in_columns, published_columns
from spark_deid.pipeline.describing import describe
from spark_deid.pipeline.detecting import carry_out, labels_of_names
from spark_deid.pipeline.first_rows import NO_ANNOTATIONS
from spark_deid.pipeline.missed_names import aim, estimate_missed, is_doubted
from spark_deid.pipeline.plan_columns import column_finders
from spark_deid.pipeline.recounting import check, expected_of, require_readable
from spark_deid.pipeline.release_table import (
    ASSESSMENT_OF_TABLE,
    checked_table,
    keys_of_table,
    with_residuals_of_table,
)
from spark_deid.pipeline.run import PipelineRun
from spark_deid.pipeline.step import PipelineStep, carry_out_steps
from spark_deid.pipeline.warnings import lacks_gold, warnings_of_detectors
from spark_deid.release.spark.leaks import find_residuals, store_removed
from spark_deid.release.spark.remaining_names import count_remaining_names
from spark_deid.release.spark.residual_documents import as_released, first_passages


def run_steps(run: PipelineRun) -> None:
    """Carry out every step.

    Raises CorpusError if the input has no readable record, and GateRefused if a check fails. Then it publishes no file.
    """
    carry_out_steps(run, STEPS)


def run_to_score(run: PipelineRun) -> None:
    """Carry out the steps up to the recount, also if a guarantee fails; no result is published.

    ``refusals`` has the reasons that a run would refuse its input for. Raises CorpusError where nothing is readable.
    """
    carry_out_steps(run, SCORED_STEPS)


def _read(run: PipelineRun) -> None:
    run.contents = run.sink.read(run)
    inventory = run.contents.inventory
    allowed = run.settings.max_rejects
    why = too_many(inventory.rejects, inventory.unknown_rejects, inventory.documents, allowed)
    if why is not None:
        raise GateRefused("; ".join((f"nothing is released: {why}", *hints(inventory.rejects))))
    require_readable(run.settings, run.contents.corpus.documents)
    _lend(run)


def _read_to_score(run: PipelineRun) -> None:
    run.contents = run.sink.read(run)
    try:
        require_readable(run.settings, run.contents.corpus.documents)
    except GateRefused as error:
        run.refusals = (*run.refusals, str(error))
    _lend(run)


def _lend(run: PipelineRun) -> None:
    run.corpus = run.contents.corpus
    run.methods = MethodContext(
        spark=run.spark,
        plan=run.settings,
        materialize=run.sink.materialize,
        scratch=run.sink.scratch,
        place=run.sink.place,
        subjects=run.contents.inventory.documents_with_subject,
        secret=run.key,
    )
    doubts = warnings_of_detectors(run.settings, run.corpus.documents)
    run.doubts, run.is_doubted = tuple(map(str, doubts)), is_doubted(doubts)


def _decide(run: PipelineRun) -> None:
    run.corpus = carry_out(run.settings, run.corpus, run.methods, run.clock)
    run.sink.keep_decisions(run)


def _recount(run: PipelineRun) -> None:
    run.checked = check(run.settings, run.corpus, run.contents.inventory, run.clock, run.key)
    if set(run.settings.edited) == {GOLD} and lacks_gold(run.settings, run.checked.counted):
        raise GateRefused(NO_ANNOTATIONS)
    if (keys := keys_of_table(run.settings)) is not None:
        run.clock.start("write the table", "write the table of people, and count its classes")
        run.table = checked_table(keys, run.corpus, run.sink.folder_of_table())
        run.checked = replace(run.checked, assessed=(*run.checked.assessed, run.table.assessed))
    run.sink.keep_assessments(run)


def _recount_to_score(run: PipelineRun) -> None:
    run.checked = check(run.settings, run.corpus, run.contents.inventory, run.clock, run.key)


def _scan(run: PipelineRun) -> None:
    run.clock.start("look for leaks", "search the release for removed text")
    run.removed = store_removed(run.corpus, run.sink.place("removed"))
    run.finders = column_finders(run.settings, run.methods)
    columns = published_columns(run.settings, run.finders)
    keeps_ids = run.settings.ids == "keep"
    found = find_residuals(run.removed, run.corpus, columns, ids=keeps_ids)
    run.residuals = found.counts
    run.passages = found.passages
    run.residual_documents = as_released(found.documents, None if keeps_ids else run.key)
    if run.table is not None and (keys := keys_of_table(run.settings)) is not None:
        run.residuals = with_residuals_of_table(run.residuals, run.removed, run.table, keys)
    run.remaining_names, names = count_remaining_names(
        run.corpus,
        labels_of_names(run.settings, run.corpus.hidden_labels),
        run.sink.place("removed"),
        has_subjects=run.methods.subjects > 0,
    )
    run.passages = first_passages([run.passages, names])
    run.found_in_columns = found_in_columns(run.settings, run.corpus, run.finders)


def _describe(run: PipelineRun) -> None:
    describe(run)
    run.sink.keep_manifest(run)
    for warning in run.manifest.warnings:
        run.clock.say(f"warning: {warning}")


def _release(run: PipelineRun) -> None:
    of_table = () if keys_of_table(run.settings) is None else (ASSESSMENT_OF_TABLE,)
    require(run.checked.assessed, expected=(*expected_of(run.settings), *of_table))
    run.sink.release(run)


STEPS: tuple[PipelineStep[PipelineRun], ...] = (
    PipelineStep(("read",), _read),
    PipelineStep(("aim",), aim),
    PipelineStep(("find", "link", "recode", "decide", "sweep"), _decide),
    PipelineStep(("recount",), _recount),
    PipelineStep(("scan",), _scan),
    PipelineStep(("estimate",), estimate_missed),
    PipelineStep(("describe",), _describe),
    PipelineStep(("release",), _release),
)

SCORED_STEPS = (
    PipelineStep(("read",), _read_to_score),
    *(step for step in STEPS if {"aim", "find"} & {*step.names}),
    PipelineStep(("recount",), _recount_to_score),
)

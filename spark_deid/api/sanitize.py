"""A plan over a DataFrame that the user has, giving DataFrames: no workspace, no release folder."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any, Literal, get_args

import pandas as pd
from pyspark.sql import DataFrame, SparkSession

from spark_deid.api.detect import NAMES
from spark_deid.api.own_frame import (
    own_columns,
    pandas_of_own,
    pandas_to_read,
    spark_named,
    spark_of_own,
    spark_to_read,
)
from spark_deid.api.plan import PlanLike, Terms, with_terms
from spark_deid.api.published_columns import documents_let_out, found_by_spark, found_in_memory, under_own_names
from spark_deid.api.results import Frame, Sanitized, SanitizedCounts, in_order, records_of_pandas, to_pandas
from spark_deid.core import tables
from spark_deid.core.detector_kind import object_to_nothing
from spark_deid.core.document import Document, RejectedInput
from spark_deid.core.engine_names import EngineName
from spark_deid.core.error_wording import did_you_mean, likely_word
from spark_deid.core.errors import UsageError
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.hashing import fingerprint
from spark_deid.core.kinds import Materialize
from spark_deid.corpus.frame import FrameColumns, nothing_readable
from spark_deid.corpus.reading import CorpusRecord
from spark_deid.corpus.spark.frame import check_frame, first_of_frame, read_frame, read_records
from spark_deid.corpus.spark.read import CorpusReading
from spark_deid.engine import functions as F
from spark_deid.engine.choice import EngineChoice, EngineRequest, choose_engine, frame_session
from spark_deid.engine.engines import EngineKind, frame_in_use
from spark_deid.engine.failures import values_hidden
from spark_deid.engine.running import check_running, refuse_other_frames
from spark_deid.engine.session import running_session
from spark_deid.engine.tables import sent_tables
from spark_deid.pipeline.first_rows import FIRST_ROWS, found_in_first, require_columns
from spark_deid.pipeline.frame_sink import FrameSink, checkpoints, private_folder
from spark_deid.pipeline.release_table import refuse_table
from spark_deid.pipeline.run import PipelineRun, RunInfo
from spark_deid.pipeline.steps import run_steps
from spark_deid.plan.clock import Progress, StageClock, say_nothing
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.explain import check_detectors, check_guarantees
from spark_deid.plan.secret import find_secret
from spark_deid.rewriting.metadata import KEEP, Way
from spark_deid.rewriting.spark.identifiers import hash_of_id
from spark_deid.surrogates.partial_dates import date_finders

_SUBJECTS = "(subject)"
"""The column of people whose values are given without a column."""
_RESULTS = ("decisions", "spans", "edits", "rejects")


def sanitize(
    frame: Frame,
    plan: PlanLike = NAMES,
    *,
    text: str = "text",
    doc_id: str = "doc_id",
    subject_id: str | None = None,
    subject: "str | pd.Series[Any] | Sequence[str | None] | None" = None,
    gold: str | None = None,
    metadata: Sequence[str] | Mapping[str, Way] = (),
    keep: Literal["all"] | None = None,
    content: Literal["text"] | None = None,
    allow: Terms | None = None,
    deny: Terms | None = None,
    engine: EngineName | None = None,
    scratch: str | Path | None = None,
    progress: Progress = say_nothing,
) -> Sanitized[Frame]:
    """Sanitize the rows of a DataFrame of Spark or pandas.

    Spark's frame is processed in its own session. For a frame of pandas, the running session is used, or one that is
    stopped at the end. The results do not depend on the frame. The call writes only temporary files, in a private
    folder that is removed at the end. A row without an id or text, with the id of an earlier row, or with text that is
    not Unicode, is in ``rejects`` with a reason. The plan's input, workspace and release are ignored.

    Args:
        frame: The rows.
        plan: The name of a shipped plan, a file, a mapping or a ``Plan``.
        text: The column of texts.
        doc_id: The column of ids: strings or integers. A frame without it has row numbers as ids.
        subject_id: The column of people, if there is one. A person has the same surrogates in all texts.
        subject: The person of each text: a column, as ``subject_id``, or for pandas one value per row.
        gold: A column of annotations, if there is one.
        metadata: Further columns to publish as strings, next to those of the plan. A mapping names a way for each:
            ``keep``, ``keep-identifying``, ``keyed``, ``detect`` or ``shift``. The plan's ``language_column`` is
            read, and published only if it is named here.
        keep: ``"all"`` returns the given frame with its text replaced, without rejected rows. Rows are numbered if no
            column has ids. If detectors find a span in another column, ``metadata`` must name a way for it.
        content: ``"text"`` reads texts that begin as RTF, PDF, DOCX or an HTML page. They are rejected otherwise.
        allow: Further terms to keep: a word, words, or lists as in a plan.
        deny: Further terms to hide.
        engine: The engine for a frame of pandas: ``auto``, ``embedded`` or ``spark``, by default the plan's ``engine``.
        scratch: The place of the temporary folder, by default where Spark spills. Every worker must see it.
        progress: A function that receives the name of each step.

    Returns:
        The results, DataFrames of the same kind.

    Raises:
        GateRefused: A check fails, or a kept column has spans.
        UsageError: The plan or a column is wrong.
        CorpusError: No row is readable.
    """
    _check_choices(keep, content)
    frame, subject_id = _with_subjects(frame, subject_id, subject, keep)
    _check_named(metadata, getattr(frame, "columns", ()))
    settings = _with_engine(_with_metadata(with_terms(plan, allow, deny).settings, metadata), engine, frame)
    named, is_text = tuple(settings.metadata), content is not None
    columns = FrameColumns(text, doc_id, subject_id, gold, named, settings.language_column, is_text)
    return _sanitize_in_use(frame, settings, columns, scratch, progress, keeps_columns=keep is not None)


def _check_choices(keep: object, content: object) -> None:
    """Raise UsageError for a value that is not a choice."""
    if keep not in (None, "all"):
        raise UsageError(f"keep: expected 'all' or None, got {keep!r}")
    if content not in (None, "text"):
        raise UsageError(f"content: expected 'text' or None, got {content!r}")


def _with_engine(settings: MethodSettings, engine: EngineName | None, frame: object) -> MethodSettings:
    """Return settings with the engine that a call names, if it names one."""
    return settings if engine is None else settings.model_copy(update={"engine": _checked_engine(engine, frame)})


def _checked_engine(engine: EngineName, frame: object) -> EngineName:
    """Return the name of an engine; raises UsageError for an unknown one, and for a frame that has a session."""
    if engine not in get_args(EngineName):
        raise UsageError(f"engine: expected one of {', '.join(get_args(EngineName))}, got {engine!r}")
    if not isinstance(frame, pd.DataFrame):
        raise UsageError("engine: a DataFrame of Spark is processed in its own session. Remove the argument")
    return engine


def _sanitize_in_use(
    frame: Frame,
    settings: MethodSettings,
    columns: FrameColumns,
    scratch: str | Path | None,
    progress: Progress,
    *,
    keeps_columns: bool,
) -> Sanitized[Frame]:
    """Sanitize a frame while no other call can change it, with or without its further columns."""
    clock, below = StageClock(progress), None if scratch is None else Path(scratch)
    with frame_in_use(frame):
        if keeps_columns:
            return _sanitize_own(frame, settings, columns, below, clock)
        return _sanitize(_with_ids(frame, columns), settings, columns, below, clock)


def _with_subjects(
    frame: Frame,
    subject_id: str | None,
    subject: "str | pd.Series[Any] | Sequence[str | None] | None",
    keep: str | None,
) -> tuple[Frame, str | None]:
    """Return a frame with a column of people, and its name."""
    if subject is None:
        return frame, subject_id
    if subject_id is not None:
        raise UsageError("subject: expected either subject or subject_id, got both")
    if isinstance(subject, str):
        return frame, subject
    if not isinstance(frame, pd.DataFrame) or keep is not None:
        reason = "with keep='all'" if keep is not None else "for a DataFrame of Spark"
        raise UsageError(f"subject: expected the name of a column {reason}, got {type(subject).__name__}")
    if len(subject) != len(frame):
        raise UsageError(f"subject: expected one value for each of {len(frame)} rows, got {len(subject)}")
    return frame.assign(**{_SUBJECTS: list(subject)}), _SUBJECTS


def _with_ids(frame: Frame, columns: FrameColumns) -> Frame:
    """Return a frame with row numbers as ids, if no ids were named and it has no ids."""
    name = FrameColumns.doc_id
    if columns.doc_id != name or name in getattr(frame, "columns", (name,)):
        return frame
    if isinstance(frame, pd.DataFrame):
        return frame.assign(**{name: range(len(frame))})
    _check_kind(frame)
    return frame.withColumn(name, F.monotonically_increasing_id())


def _check_named(metadata: Iterable[str], known: Iterable[str]) -> None:
    """Raise UsageError for metadata that a frame has not."""
    has = [*known]
    if unknown := [name for name in metadata if name not in has]:
        likely = did_you_mean(likely_word(unknown[0], map(str, has)))
        raise UsageError(f"metadata: {unknown[0]!r} is not a column of the frame{likely}")


def _sanitize_own(
    frame: Frame, settings: MethodSettings, columns: FrameColumns, scratch: Path | None, clock: StageClock
) -> Sanitized[Frame]:
    """Sanitize a frame and keep all its columns."""
    if not isinstance(frame, pd.DataFrame):
        _check_kind(frame)
    own = own_columns(list(frame.columns), columns, settings, settings.metadata)
    settings = settings.model_copy(update={"metadata": dict(own.ways)})
    columns = replace(own.columns, metadata=tuple(own.ways))
    if isinstance(frame, pd.DataFrame):
        given = pandas_to_read(frame, own)
        done = _sanitize(given, settings, columns, scratch, clock, own.refuse)
        return replace(done, frame=pandas_of_own(frame, given, own, done.documents))
    settings = _checked(settings, columns)
    _refuse_first_of_spark(spark_named(frame, own), settings, columns, own.refuse)
    rows = spark_to_read(frame, own)
    by_spark = _sanitize_spark(rows, settings, columns, scratch, clock, own.refuse)
    return replace(by_spark, frame=spark_of_own(frame, rows, own, by_spark.documents))


def _sanitize(
    frame: Frame,
    settings: MethodSettings,
    columns: FrameColumns,
    scratch: Path | None,
    clock: StageClock,
    refuse: Callable[..., None] = object_to_nothing,
) -> Sanitized[Frame]:
    """Sanitize a frame; ``refuse`` gets what detectors find in metadata that is kept as it is."""
    settings = _checked(settings, columns)
    if isinstance(frame, pd.DataFrame):
        return _sanitize_pandas(frame, settings, columns, scratch, clock, refuse)
    _check_kind(frame)
    _refuse_first_of_spark(frame, settings, columns, refuse)
    return _sanitize_spark(frame, settings, columns, scratch, clock, refuse)


def _checked(settings: MethodSettings, columns: FrameColumns) -> MethodSettings:
    """Return settings with metadata under the names of documents, once a frame can be sanitized by them."""
    settings = settings.model_copy(update={"metadata": under_own_names(settings.metadata, columns)})
    refuse_table(settings)
    check_detectors(settings)
    check_guarantees(settings)
    return settings


def _refuse_first_of_spark(
    frame: DataFrame, settings: MethodSettings, columns: FrameColumns, refuse: Callable[..., None]
) -> None:
    """Refuse a frame of Spark by its columns and its first rows; runs a small action if the plan has metadata."""
    check_frame(frame, columns)
    documents: tuple[Document, ...] = ()
    is_whole = False
    if settings.metadata:
        with values_hidden():
            documents, is_whole = first_of_frame(frame, columns, FIRST_ROWS)
    _refuse_first(documents, is_whole, settings, refuse)


def _refuse_first(
    documents: Sequence[Document], is_whole: bool, settings: MethodSettings, refuse: Callable[..., None]
) -> None:
    """Refuse a frame by its first documents, before the work begins. Raises GateRefused."""
    require_columns(settings, documents, is_whole)
    if refuse is not object_to_nothing:
        rows = "rows" if is_whole else f"of the first {FIRST_ROWS:,} rows"
        refuse(found_in_first(settings, documents), rows)


def _check_kind(frame: object) -> None:
    refuse_other_frames("sanitize", frame)


def _with_metadata(settings: MethodSettings, metadata: Sequence[str] | Mapping[str, Way]) -> MethodSettings:
    """Return the settings with further metadata; a list keeps it, a mapping replaces the plan's."""
    given = dict(metadata) if isinstance(metadata, Mapping) else {}
    if wrong := [way for way in given.values() if way not in get_args(Way)]:
        raise UsageError(f"metadata: expected one of {', '.join(get_args(Way))}, got {wrong[0]!r}")
    ways = {**settings.metadata, **{name: settings.metadata.get(name, KEEP) for name in metadata}, **given}
    settings = settings.model_copy(update={"metadata": ways})
    if unlooked := [*settings.metadata_unlooked()]:
        raise UsageError("\n".join(unlooked))
    return settings


def _sanitize_spark(
    frame: DataFrame,
    settings: MethodSettings,
    columns: FrameColumns,
    scratch: Path | None,
    clock: StageClock,
    refuse: Callable[..., None],
) -> Sanitized[DataFrame]:
    spark = frame.sparkSession
    check_running(spark, needs_delta=False)
    key = find_secret(settings.key_file).key
    with values_hidden(), private_folder(spark, scratch) as folder, checkpoints(_RESULTS) as materialize:
        rows = partial(_rows_of_spark, frame, columns)
        sink = FrameSink(rows, columns, materialize, folder)
        run = _carried_out(spark, settings, sink, key, clock)
        refuse(run.found_in_columns)
        clock.start("keep the results")
        corpus = run.corpus
        decisions, spans, edits, rejects = map(
            materialize, _RESULTS, (corpus.decisions, corpus.spans, corpus.edits, corpus.rejects)
        )
        return Sanitized(
            documents_let_out(decisions, settings, columns, key, run.finders),
            spans,
            edits,
            spark.createDataFrame(list(run.manifest.assessments), tables.ddl(tables.ASSESSMENTS)),
            rejects,
            _counts(run),
            run.manifest.warnings,
            manifest=sink.manifest,
            missed=run.missed,
            found=partial(found_by_spark, decisions),
        )


def _rows_of_spark(frame: DataFrame, columns: FrameColumns, materialize: Materialize) -> CorpusReading:
    return read_frame(frame, columns, stage=partial(materialize, "parsed"))


def _rows_of_pandas(spark: SparkSession, records: Sequence[CorpusRecord], materialize: Materialize) -> CorpusReading:
    return read_records(spark, iter(records), stage=partial(materialize, "parsed"))


def _engine_of(frame: pd.DataFrame, settings: MethodSettings, clock: StageClock) -> EngineChoice:
    """Return the engine for a frame of pandas, and announce its start if it does not run."""
    size = int(frame.memory_usage(deep=True).sum())
    choice = choose_engine(EngineRequest("sanitize", settings.engine, size=size))
    is_classic = choice.kind is EngineKind.CLASSIC
    if running_session() is None or not is_classic:
        clock.say("start Spark" if is_classic else "start the engine")
    return choice


def _sanitize_pandas(
    frame: pd.DataFrame,
    settings: MethodSettings,
    columns: FrameColumns,
    scratch: Path | None,
    clock: StageClock,
    refuse: Callable[..., None],
) -> Sanitized[pd.DataFrame]:
    records = records_of_pandas(frame, columns)
    firsts: dict[str, Document] = {}
    for record in records:
        if isinstance(record.outcome, Document):
            firsts.setdefault(record.outcome.doc_id, record.outcome)
    if not firsts:
        raise nothing_readable(
            Counter(record.outcome.reason for record in records if isinstance(record.outcome, RejectedInput))
        )
    documents_of_first = [each.outcome for each in records[:FIRST_ROWS] if isinstance(each.outcome, Document)]
    _refuse_first(documents_of_first, len(records) <= FIRST_ROWS, settings, refuse)
    places = {name: place for place, name in enumerate(firsts)}
    key = find_secret(settings.key_file).key
    choice = _engine_of(frame, settings, clock)
    is_classic = choice.kind is EngineKind.CLASSIC
    with (
        values_hidden(),
        _alone() if is_classic else nullcontext(),
        private_folder(running_session() if is_classic else None, scratch) as folder,
        sent_tables(),
        frame_session(choice, "sanitize", folder, scratch) as spark,
        checkpoints() as materialize,
    ):
        sink = FrameSink(partial(_rows_of_pandas, spark, records), columns, materialize, folder)
        run = _carried_out(spark, settings, sink, key, clock)
        refuse(run.found_in_columns)
        corpus = run.corpus
        let_out = documents_let_out(corpus.decisions, settings, columns, key, run.finders)
        documents, spans, edits, rejects = map(to_pandas, (let_out, corpus.spans, corpus.edits, corpus.rejects))
    edits = in_order(edits, places, "start")
    # Keyed ids come in the order of the hashes: that of the originals would show their ranks, and the order of dates.
    if settings.ids == "keyed":
        documents = documents.sort_values("doc_id", ignore_index=True)
    elif date_finders(settings):
        hashes = partial(hash_of_id, key=key)
        documents = documents.sort_values("doc_id", key=lambda ids: ids.map(hashes), ignore_index=True)
    else:
        documents = in_order(documents, places)
    return Sanitized(
        documents,
        in_order(spans, places, "start", "end", "label", "source"),
        edits,
        pd.DataFrame(run.manifest.assessments, columns=Assessment._fields),
        rejects,
        _counts(run),
        run.manifest.warnings,
        manifest=sink.manifest,
        missed=run.missed,
        found=partial(found_in_memory, firsts, edits),
    )


_OWN_SESSION = Lock()


@contextmanager
def _alone() -> Iterator[None]:
    """Let one call at a time of this process start a session that ends with it; others wait."""
    if running_session() is not None and not _OWN_SESSION.locked():
        yield
        return
    with _OWN_SESSION:
        yield


def _carried_out(
    spark: SparkSession, settings: MethodSettings, sink: FrameSink, key: bytes, clock: StageClock
) -> PipelineRun:
    """Carry out every step of a plan, as a release does. Raises GateRefused."""
    plan = settings.resolved()
    run = PipelineRun(settings, spark, sink, key, RunInfo(plan, fingerprint(plan), datetime.now(UTC)), clock)
    run_steps(run)
    return run


def _counts(run: PipelineRun) -> SanitizedCounts:
    manifest = run.manifest
    spans, edits = (sum(sum(each.values()) for each in entry.values()) for entry in (manifest.spans, manifest.edits))
    rejects = MappingProxyType(dict(manifest.rejects))
    return SanitizedCounts(manifest.documents, spans, edits, rejects, manifest.words.publish_ratio)

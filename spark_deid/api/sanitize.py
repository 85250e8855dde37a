"""A plan over a DataFrame that the user has, giving DataFrames: no workspace, no release folder."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import get_args

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.classic.dataframe import DataFrame as ClassicDataFrame

from spark_deid.api.pandas import in_order, records_of_pandas, to_pandas
from spark_deid.api.plan import PlanLike, methods_of
from spark_deid.api.results import Frame, Sanitized, SanitizedCounts
from spark_deid.api.scratch import checkpoints, private_folder
from spark_deid.core import tables
from spark_deid.core.corpus import Corpus
from spark_deid.core.document import Document, RejectedInput
from spark_deid.core.edit import Edit
from spark_deid.core.errors import UsageError
from spark_deid.core.guarantee import Assessment
from spark_deid.core.kinds import Materialize, MethodContext
from spark_deid.core.span import Finder
from spark_deid.corpus.frame import FrameColumns, nothing_readable
from spark_deid.corpus.spark.frame import read_frame, read_records
from spark_deid.corpus.spark.read import CorpusReading
from spark_deid.corpus.spark.store import store_frame
from spark_deid.failures import values_hidden
from spark_deid.guarantees.gate import require
from spark_deid.plan.check import CheckedDecisions, check, expected_of
from spark_deid.plan.clock import Progress, StageClock, silent
from spark_deid.plan.columns import column_finders, found_in_columns, metadata_let_out, warnings_of_columns
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.deliver import warnings_of_detectors, warnings_of_edits
from spark_deid.plan.explain import check_detectors, check_guarantees
from spark_deid.plan.phases import carry_out
from spark_deid.plan.secret import find_secret
from spark_deid.release.manifest import WordCounts
from spark_deid.rewriting.metadata import KEEP, SUBJECT, Way, Ways
from spark_deid.rewriting.spark.identifiers import key_ids
from spark_deid.rewriting.spark.operators import published_of_decisions
from spark_deid.running import check_running
from spark_deid.session import running_session, session_scope
from spark_deid.settings import SessionPace
from spark_deid.storage.spark.tasks import read_parts

_RESULTS = ("decisions", "spans", "edits", "rejects")


def sanitize(
    frame: Frame,
    plan: PlanLike,
    *,
    text: str = "text",
    doc_id: str = "doc_id",
    subject_id: str | None = None,
    gold: str | None = None,
    metadata: Sequence[str] | Mapping[str, Way] = (),
    scratch: str | Path | None = None,
    progress: Progress = silent,
) -> Sanitized[Frame]:
    """Sanitize the rows of a DataFrame of Spark or pandas; the results are of the same kind.

    ``text``, ``doc_id`` and ``subject_id`` name columns: strings, ids may be integers; ``gold`` one of annotations.
    ``metadata`` columns come with the documents, as strings, beside those that the plan lets through; a mapping says of
    each what becomes of it, as in a plan: ``keep``, ``keyed``, or ``detect``, without what detectors mark. The plan's
    input, workspace and release are passed over. A row that can't be read (no id, one that an earlier row has, no
    text, or text that is no Unicode) is in ``rejects`` with a reason.

    Spark's frame is worked on in its own session, pandas' in the one that runs, else in one that is stopped at the end.
    Results do not depend on the frame any more. Nothing is written but what is temporary, in a private folder that is
    gone at the end: below ``scratch``, which on a cluster every worker must see, else where Spark spills.

    Raises GateRefused where a check does not hold, UsageError for a wrong plan or column, CorpusError where no row is
    readable.
    """
    settings = _with_metadata(methods_of(plan).settings, metadata)
    columns = FrameColumns(text, doc_id, subject_id, gold, tuple(settings.metadata))
    check_detectors(settings)
    check_guarantees(settings)
    clock, below = StageClock(progress), None if scratch is None else Path(scratch)
    if isinstance(frame, pd.DataFrame):
        return _sanitize_pandas(frame, settings, columns, below, clock)
    if not isinstance(frame, ClassicDataFrame):
        raise UsageError("sanitize: expected a DataFrame of pandas, or of a Spark session that is not Spark Connect's")
    return _sanitize_spark(frame, settings, columns, below, clock)


def _with_metadata(settings: MethodSettings, metadata: Sequence[str] | Mapping[str, Way]) -> MethodSettings:
    """Return the settings with further metadata; a list keeps it, a mapping goes before what the plan says."""
    given = dict(metadata) if isinstance(metadata, Mapping) else {}
    if wrong := [way for way in given.values() if way not in get_args(Way)]:
        raise UsageError(f"metadata: expected one of {', '.join(get_args(Way))}, got {wrong[0]!r}")
    ways = {**settings.metadata, **{name: settings.metadata.get(name, KEEP) for name in metadata}, **given}
    settings = settings.model_copy(update={"metadata": ways})
    if unlooked := [*settings.metadata_unlooked()]:
        raise UsageError("\n".join(unlooked))
    return settings


@dataclass(frozen=True)
class _Work:
    """What sanitizing is done with: where tables and files are kept meanwhile, and who is told."""

    materialize: Materialize
    scratch: Path
    clock: StageClock

    def place(self, name: str) -> str:
        """Make the folder of a table, and return its path."""
        folder = self.scratch / name
        folder.mkdir(exist_ok=True)
        return str(folder)


@dataclass(frozen=True)
class _Outcome:
    """What was decided and holds; its tables lie in what is temporary."""

    corpus: Corpus
    checked: CheckedDecisions
    rejects: Mapping[str, int]
    finders: tuple[Finder, ...]
    warnings: tuple[str, ...]

    @property
    def assessed(self) -> tuple[Assessment, ...]:
        return tuple(each.assessment for each in self.checked.assessed)

    @property
    def counts(self) -> SanitizedCounts:
        counted = self.checked.counted
        spans, edits = (sum(sum(each.values()) for each in told.values()) for told in (counted.spans, counted.edits))
        words = WordCounts(counted.totals.words, counted.totals.published_words)
        return SanitizedCounts(
            counted.totals.documents, spans, edits, MappingProxyType(dict(self.rejects)), words.publish_ratio
        )


def _sanitize_spark(
    frame: DataFrame, settings: MethodSettings, columns: FrameColumns, scratch: Path | None, clock: StageClock
) -> Sanitized[DataFrame]:
    spark = frame.sparkSession
    check_running(spark, needs_delta=False)
    key = find_secret(settings.key_file).key
    with values_hidden(), private_folder(spark, scratch) as folder, checkpoints(_RESULTS) as materialize:
        clock.start("read", "read the DataFrame")
        reading = read_frame(frame, columns, stage=partial(materialize, "parsed"))
        outcome = _carry_out(spark, reading, settings, key, _Work(materialize, folder, clock))
        clock.start("keep the results")
        tables_made = (outcome.corpus.decisions, outcome.corpus.spans, outcome.corpus.edits, outcome.corpus.rejects)
        decisions, spans, edits, rejects = map(materialize, _RESULTS, tables_made)
        return Sanitized(
            _let_out(decisions, settings, columns, key, outcome.finders),
            spans,
            edits,
            spark.createDataFrame(list(outcome.assessed), tables.ddl(tables.ASSESSMENTS)),
            rejects,
            outcome.counts,
            outcome.warnings,
            found=partial(_found_by_spark, decisions),
        )


def _sanitize_pandas(
    frame: pd.DataFrame, settings: MethodSettings, columns: FrameColumns, scratch: Path | None, clock: StageClock
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
    places = {name: place for place, name in enumerate(firsts)}
    key = find_secret(settings.key_file).key
    with (
        values_hidden(),
        private_folder(running_session(), scratch) as folder,
        _session(folder, clock) as spark,
        checkpoints() as materialize,
    ):
        clock.start("read", "read the DataFrame")
        reading = read_records(spark, iter(records), stage=partial(materialize, "parsed"))
        outcome = _carry_out(spark, reading, settings, key, _Work(materialize, folder, clock))
        corpus = outcome.corpus
        let_out = _let_out(corpus.decisions, settings, columns, key, outcome.finders)
        documents, spans, edits, rejects = map(to_pandas, (let_out, corpus.spans, corpus.edits, corpus.rejects))
    edits = in_order(edits, places, "start")
    # Keyed ids come in the order of the hashes: that of the originals would tell their ranks.
    keyed = settings.ids == "keyed"
    return Sanitized(
        documents.sort_values("doc_id", ignore_index=True) if keyed else in_order(documents, places),
        in_order(spans, places, "start", "end", "label", "source"),
        edits,
        pd.DataFrame(outcome.assessed, columns=Assessment._fields),
        rejects,
        outcome.counts,
        outcome.warnings,
        found=partial(_found_in_memory, firsts, edits),
    )


@contextmanager
def _session(scratch: Path, clock: StageClock) -> Iterator[SparkSession]:
    """Give the session that runs, as it is; else one of our own, which is stopped at the end."""
    running = running_session()
    if running is not None:
        check_running(running, needs_delta=False)
        yield running
        return
    clock.say("start Spark")
    settings = {"spark.sql.warehouse.dir": (scratch / "warehouse").as_uri()}
    with session_scope(app_name="spark-deid sanitize", settings=settings, pace=SessionPace.SHORT) as spark:
        yield spark


def _carry_out(
    spark: SparkSession, reading: CorpusReading, settings: MethodSettings, key: bytes, work: _Work
) -> _Outcome:
    """Find, decide, rewrite and check, as a release does. Raises GateRefused."""
    read = store_frame(reading.annotated, {name: work.place(name) for name in ("documents", "imported")})
    documents = read_parts(spark, (parts["documents"] for parts in read), tables.DOCUMENTS)
    corpus = replace(Corpus.empty(spark), read=read, documents=documents, rejects=reading.rejects)
    run = MethodContext(
        spark=spark,
        plan=settings,
        materialize=work.materialize,
        scratch=str(work.scratch),
        place=work.place,
        subjects=reading.inventory.documents_with_subject,
        secret=key,
    )
    corpus = carry_out(settings, corpus, run, work.clock)
    checked = check(settings, corpus, reading.inventory, work.clock)
    require(checked.assessed, expected=expected_of(settings))
    work.clock.start("look for doubts")
    told = (*warnings_of_edits(settings, checked.counted), *warnings_of_detectors(settings, corpus.documents))
    finders = column_finders(settings, run)
    return _Outcome(
        corpus,
        checked,
        reading.inventory.rejects,
        finders,
        (*told, *warnings_of_columns(found_in_columns(settings, corpus, finders))),
    )


def _let_out(
    decisions: DataFrame, settings: MethodSettings, columns: FrameColumns, key: bytes, finders: Sequence[Finder]
) -> DataFrame:
    """Select what the documents hold: ids, text, and metadata; ids are keyed under whatever name they stand."""
    keyed = settings.ids == "keyed"
    named_so = settings.model_copy(update={"metadata": _under_own_names(settings.metadata, columns)})
    published = metadata_let_out(published_of_decisions(decisions), named_so, finders, key=key, keyed_ids=keyed)
    carried = {name: F.col("meta").getItem(name).alias(f"meta{place}") for place, name in enumerate(columns.carried)}
    chosen = published.select("doc_id", "text", "subject_id", *carried.values())
    if keyed:
        chosen = key_ids(chosen, key=key)
    places = {name: f"meta{place}" for place, name in enumerate(carried)}
    named = (F.col(places.get(name, "subject_id")).alias(name) for name in columns.metadata)
    return chosen.select("doc_id", "text", *named)


def _under_own_names(ways: Ways, columns: FrameColumns) -> dict[str, Way]:
    """Return what becomes of metadata, with the column of persons under the name that documents have for it."""
    return {SUBJECT if columns.names_subject(name) else name: way for name, way in ways.items()}


def _found_by_spark(decisions: DataFrame, doc_id: str) -> tuple[str, tuple[Edit, ...]]:
    row = decisions.where(F.col("doc_id") == F.lit(doc_id)).select("text", "edits").first()
    if row is None:
        raise _unknown()
    return row["text"], tuple(Edit(*edit[:4]) for edit in row["edits"])


def _found_in_memory(
    documents: Mapping[str, Document], edits: pd.DataFrame, doc_id: str
) -> tuple[str, tuple[Edit, ...]]:
    if doc_id not in documents:
        raise _unknown()
    rows = edits.loc[edits["doc_id"] == doc_id, list(Edit._fields)]
    return documents[doc_id].text, tuple(Edit(*row) for row in rows.itertuples(index=False))


def _unknown() -> UsageError:
    return UsageError("compare: expected the id of a document that was sanitized, as spans and edits have it")

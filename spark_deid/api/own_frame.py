"""A frame of the user with its text replaced, and every other column in which detectors find no span."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd
from pyspark.sql import DataFrame

from spark_deid.api.kept_values import (
    plain_type,
    plain_values,
    types_without_text,
    unreadable_in_pandas,
    unreadable_in_spark,
)
from spark_deid.api.results import records_of_pandas
from spark_deid.core.document import Document
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.core.tables import quote_name
from spark_deid.corpus.frame import FrameColumns
from spark_deid.detection.registry import DETECTORS
from spark_deid.engine import functions as F
from spark_deid.engine.keeping import checkpoint
from spark_deid.plan.config import MethodSettings
from spark_deid.rewriting.metadata import KEEP, KEEP_IDENTIFYING, KEYED, Way, is_kept
from spark_deid.rewriting.spark.metadata import FoundInColumns

_RESERVED = ("doc_id", "subject_id", "text")
_NUMBER = "(row)"


@dataclass(frozen=True)
class FrameColumnMap:
    """The columns of a user's frame: the name of each role, and the name under which each is read as metadata.

    ``named`` are columns whose way the user named; ``is_numbered`` is whether the frame has no ids.
    """

    columns: FrameColumns
    names: Mapping[str, str]
    ways: Mapping[str, Way]
    named: frozenset[str]
    is_numbered: bool

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Return the columns whose values detectors must be able to read: all but those to keep or key by name."""
        return tuple(
            name
            for name, alias in self.names.items()
            if name not in self.named or self.ways[alias] not in (KEEP, KEEP_IDENTIFYING, KEYED)
        )

    def refuse(self, found: FoundInColumns, rows: str = "rows") -> None:
        """Raise GateRefused if detectors found a span in columns that no one named; ``rows`` names the rows."""
        own = {alias: name for name, alias in self.names.items()}
        wrong = [
            f"column {own.get(alias, alias)}: detectors find {', '.join(labels)} in up to {max(labels.values())} {rows}"
            for alias, labels in found.items()
            if own.get(alias, alias) not in self.named
        ]
        subject = self.columns.subject_id
        if subject is not None and subject not in self.named:
            wrong.append(f"column {subject}: it identifies the person of a text")
        if wrong:
            raise GateRefused(
                f"the frame cannot be returned: {'; '.join(wrong)}. Drop these columns, or set keyed, detect "
                f"or keep for each in metadata={{COLUMN: WAY}}"
            )


def own_columns(
    known: Sequence[str], columns: FrameColumns, settings: MethodSettings, named: Mapping[str, Way]
) -> FrameColumnMap:
    """Return the name under which each column of a frame is read, and its way. Raises UsageError."""
    if settings.ids == KEYED:
        raise UsageError("keep: with release_ids: keyed, set metadata={'ID': 'keyed'} for each column of ids instead")
    if not [name for name in settings.sections if name in settings.edited and DETECTORS.find(name).make is not None]:
        raise UsageError("keep: no detector of the plan reads single values, such as patterns or model")
    if wrong := [name for name in known if not isinstance(name, str)]:
        raise UsageError(f"keep: expected strings as column names, {len(wrong)} are not")
    is_numbered = columns.doc_id not in known and columns.doc_id == FrameColumns.doc_id
    if is_numbered:
        columns = replace(columns, doc_id=_free_name(_NUMBER, known))
    separate = (columns.text, columns.gold, columns.subject_id)
    reserved, taken = {*_RESERVED, columns.doc_id.lower()}, [*known, columns.doc_id]
    names: dict[str, str] = {}
    for name in known:
        if name not in separate:
            names[name] = _free_name(f"own {name}", taken) if name.lower() in reserved else name
            taken.append(names[name])
    ways = {alias: named.get(name, KEEP) for name, alias in names.items()}
    if columns.subject_id is not None and columns.subject_id in named:
        ways[columns.subject_id] = named[columns.subject_id]
    return FrameColumnMap(columns, names, ways, frozenset(named), is_numbered)


def pandas_to_read(frame: pd.DataFrame, own: FrameColumnMap) -> pd.DataFrame:
    """Return the frame of pandas to read.

    Raises UsageError if its index may contain names, and GateRefused for values that detectors cannot read.
    """
    if not (pd.api.types.is_integer_dtype(frame.index.dtype) and frame.index.nlevels == 1):
        raise UsageError(
            "keep: the index of the frame is not numeric and may identify people. Call reset_index() first"
        )
    if frame.columns.has_duplicates:
        raise UsageError("keep: several columns of the frame have the same name. Rename all but one")
    _refuse_unreadable(name for name in own.unchecked if unreadable_in_pandas(frame[name]))
    given = frame.assign(**{alias: frame[name] for name, alias in own.names.items() if alias != name})
    return given.assign(**{own.columns.doc_id: range(len(frame))}) if own.is_numbered else given


def pandas_of_own(
    frame: pd.DataFrame, given: pd.DataFrame, own: FrameColumnMap, documents: pd.DataFrame
) -> pd.DataFrame:
    """Return a frame of the user's values without rejected rows, with the texts of documents and an index from 0.

    Only values and their types are kept: no attrs, flags, names of axes, or categories without a row.
    """
    firsts: dict[str, int] = {}
    for place, record in enumerate(records_of_pandas(given, own.columns)):
        if isinstance(record.outcome, Document):
            firsts.setdefault(record.outcome.doc_id, place)
    rows = [firsts[name] for name in documents["doc_id"]]
    replaced = _replaced(own)
    kept: dict[str, pd.Series] = {}
    for name in map(str, frame.columns):
        if name in replaced:
            dtype = frame[name].dtype if isinstance(frame[name].dtype, pd.StringDtype) else object
            kept[name] = pd.Series(documents[replaced[name]].to_numpy(dtype=object), dtype=dtype)
        elif name != own.columns.gold:
            kept[name] = plain_values(frame[name].iloc[rows])
    return pd.DataFrame(kept)


def spark_named(frame: DataFrame, own: FrameColumnMap) -> DataFrame:
    """Return a frame of Spark with each column under the name that it is read by.

    Raises UsageError if two columns have one name, and GateRefused for types that detectors cannot read.
    """
    _require_distinct_names(frame)
    _refuse_unreadable(types_without_text(frame.schema, own.unchecked))
    given = frame
    for name, alias in own.names.items():
        if alias != name:
            given = given.withColumn(alias, F.col(quote_name(name)))
    return given.withColumn(own.columns.doc_id, F.monotonically_increasing_id()) if own.is_numbered else given


def spark_to_read(frame: DataFrame, own: FrameColumnMap) -> DataFrame:
    """Return the frame to read as Spark keeps it, so that the checked rows are those of the result. Runs actions.

    Raises UsageError if two rows have one id, and GateRefused for values that detectors cannot read.
    """
    given = checkpoint(spark_named(frame, own))
    _refuse_unreadable(unreadable_in_spark(given, own.unchecked))
    if own.is_numbered:
        return given
    ids = given.select(F.col(quote_name(own.columns.doc_id)).cast("string").alias("doc_id"))
    if ids.groupBy("doc_id").count().where("doc_id is not null and count > 1").take(1):
        raise UsageError(f"keep: expected each {own.columns.doc_id} once, but some occur twice")
    return given


def spark_of_own(frame: DataFrame, given: DataFrame, own: FrameColumnMap, documents: DataFrame) -> DataFrame:
    """Return a frame of the user's columns without rejected rows and metadata of columns, with texts of documents."""
    replaced = _replaced(own)
    number = _free_name(_NUMBER, given.columns)
    places = {name: _free_name(f"({place})", [*given.columns, number]) for place, name in enumerate(replaced)}
    new = [F.col(quote_name(column)).alias(places[name]) for name, column in replaced.items()]
    texts = documents.select(F.col("doc_id").alias(number), *new)
    joined = given.withColumn(number, F.col(quote_name(own.columns.doc_id)).cast("string")).join(
        texts, on=number, how="inner"
    )
    kept = []
    for each in frame.schema:
        column = F.col(quote_name(places.get(each.name, each.name)))
        if each.name != own.columns.gold:
            plain = plain_type(each.dataType)
            changes = each.name not in places and plain != each.dataType
            kept.append((column.cast(plain) if changes else column).alias(each.name, metadata={}))
    return joined.select(*kept)


def _free_name(name: str, known: Iterable[str]) -> str:
    """Return a name of a helper column that no column has, compared without case as Spark compares names.

    >>> _free_name("own text", ["Own Text"])
    'own text 2'
    """
    taken = {each.lower() for each in known}
    names = (name, *(f"{name} {number}" for number in range(2, len(taken) + 3)))
    return next(each for each in names if each.lower() not in taken)


def _require_distinct_names(frame: DataFrame) -> None:
    """Raise UsageError if Spark cannot distinguish the names of two columns."""
    if frame.sparkSession.conf.get("spark.sql.caseSensitive") == "true":
        return
    seen: set[str] = set()
    for place, name in enumerate(frame.columns):
        if name.lower() in seen:
            raise UsageError(
                f"keep: column {place} (counted from 0) has the name of an earlier column, because Spark "
                "ignores case. Rename one"
            )
        seen.add(name.lower())


def _refuse_unreadable(names: Iterable[str]) -> None:
    """Raise GateRefused if there are columns that no detector can read."""
    if wrong := [f"column {name}" for name in names]:
        raise GateRefused(
            f"the frame cannot be returned: {', '.join(wrong)}: detectors cannot read the values (objects, or "
            f"bytes that are not UTF-8). Drop each column, or set keep or keyed in metadata={{COLUMN: WAY}}"
        )


def _replaced(own: FrameColumnMap) -> dict[str, str]:
    """Return the columns of the user's that change, and the columns of documents that take their places."""
    changed = {name: alias for name, alias in own.names.items() if not is_kept(own.ways[alias])}
    subject = own.columns.subject_id
    if subject is not None and not is_kept(own.ways.get(subject, KEEP)):
        changed[subject] = subject
    return {own.columns.text: "text", **changed}

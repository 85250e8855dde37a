"""A frame of the user's own with its text replaced: every other column stays, once detectors found nothing in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.api.pandas import records_of_pandas
from spark_deid.core.document import Document
from spark_deid.core.errors import GateRefused, UsageError
from spark_deid.corpus.frame import FrameColumns
from spark_deid.detection.registry import DETECTORS
from spark_deid.plan.config import MethodSettings
from spark_deid.rewriting.metadata import KEEP, KEYED, Way, is_kept
from spark_deid.rewriting.spark.metadata import FoundInColumns

_RESERVED = ("doc_id", "subject_id", "text")
_NUMBER = "(row)"


@dataclass(frozen=True)
class OwnColumns:
    """The columns of a user's own frame: what each role is called, and under what name each stays as metadata.

    ``named`` are those of which the user said what becomes of them; ``is_numbered`` tells that rows have no id of
    their own.
    """

    columns: FrameColumns
    names: Mapping[str, str]
    ways: Mapping[str, Way]
    named: frozenset[str]
    is_numbered: bool

    def refuse(self, found: FoundInColumns, rows: str = "rows") -> None:
        """Raise GateRefused if detectors found a span in columns that no one named; ``rows`` names the rows."""
        own = {alias: name for name, alias in self.names.items()}
        wrong = [
            f"column {own.get(alias, alias)}: {', '.join(labels)} stands in it in up to {max(labels.values())} {rows}"
            for alias, labels in found.items()
            if own.get(alias, alias) not in self.named
        ]
        subject = self.columns.subject_id
        if subject is not None and subject not in self.named:
            wrong.append(f"column {subject}: it says whom a text is about")
        if wrong:
            raise GateRefused(
                f"no frame is given: {'; '.join(wrong)}; say what becomes of each by metadata={{COLUMN: WAY}}, with the"
                " ways keyed, detect and keep, or drop it"
            )


def own_columns(
    known: Sequence[str], columns: FrameColumns, settings: MethodSettings, named: Mapping[str, Way]
) -> OwnColumns:
    """Say of each column of a frame under which name it is read, and what becomes of it. Raises UsageError."""
    if settings.ids == KEYED:
        raise UsageError("keep: with release_ids: keyed, say metadata={'ID': 'keyed'} of each column of ids instead")
    if not [name for name in settings.sections if name in settings.edited and DETECTORS.find(name).make is not None]:
        raise UsageError("keep: no detector of the plan looks through single values, such as patterns or model")
    if wrong := [name for name in known if not isinstance(name, str)]:
        raise UsageError(f"keep: expected names of columns to be strings, {len(wrong)} are not")
    is_numbered = columns.doc_id not in known and columns.doc_id == FrameColumns.doc_id
    apart = (columns.text, columns.gold, columns.subject_id)
    other_names = {*_RESERVED, columns.doc_id.lower()}
    names = {name: f"own {name}" if name.lower() in other_names else name for name in known if name not in apart}
    ways = {alias: named.get(name, KEEP) for name, alias in names.items()}
    if columns.subject_id is not None and columns.subject_id in named:
        ways[columns.subject_id] = named[columns.subject_id]
    return OwnColumns(columns, names, ways, frozenset(named), is_numbered)


def pandas_to_read(frame: pd.DataFrame, own: OwnColumns) -> pd.DataFrame:
    """Return what is read of a frame of pandas. Raises UsageError where its index may name somebody."""
    if not (pd.api.types.is_integer_dtype(frame.index.dtype) and frame.index.nlevels == 1):
        raise UsageError("keep: the frame's index is no range of numbers and may name somebody: reset_index() first")
    given = frame.assign(**{alias: frame[name] for name, alias in own.names.items() if alias != name})
    return given.assign(**{own.columns.doc_id: range(len(frame))}) if own.is_numbered else given


def pandas_of_own(frame: pd.DataFrame, given: pd.DataFrame, own: OwnColumns, documents: pd.DataFrame) -> pd.DataFrame:
    """Return a user's frame with the texts of documents in place of its own, rows that were rejected left out."""
    firsts: dict[str, int] = {}
    for place, record in enumerate(records_of_pandas(given, own.columns)):
        if isinstance(record.outcome, Document):
            firsts.setdefault(record.outcome.doc_id, place)
    rows = [firsts[name] for name in documents["doc_id"]]
    replaced = frame.iloc[rows].drop(columns=[name for name in (own.columns.gold,) if name is not None])
    for name, column in _replaced(own).items():
        texts = documents[column].to_numpy(dtype=object)
        dtype = frame[name].dtype if isinstance(frame[name].dtype, pd.StringDtype) else object
        replaced[name] = pd.Series(texts, index=replaced.index, dtype=dtype)
    return replaced


def spark_named(frame: DataFrame, own: OwnColumns) -> DataFrame:
    """Return a frame of Spark with each column under the name that it is read by."""
    given = frame
    for name, alias in own.names.items():
        if alias != name:
            given = given.withColumn(alias, F.col(_quoted(name)))
    return given.withColumn(own.columns.doc_id, F.monotonically_increasing_id()) if own.is_numbered else given


def spark_to_read(frame: DataFrame, own: OwnColumns) -> DataFrame:
    """Return what is read of a frame of Spark, as Spark keeps it: what is checked is what is given. Runs an action.

    Raises UsageError where an id stands twice: nothing would tell which of the rows is meant.
    """
    given = spark_named(frame, own).localCheckpoint(eager=True)
    if own.is_numbered:
        return given
    ids = given.select(F.col(_quoted(own.columns.doc_id)).cast("string").alias("doc_id"))
    if ids.groupBy("doc_id").count().where("doc_id is not null and count > 1").take(1):
        raise UsageError(f"keep: expected each {own.columns.doc_id} once, some stand twice")
    return given


def spark_of_own(frame: DataFrame, given: DataFrame, own: OwnColumns, documents: DataFrame) -> DataFrame:
    """Return a user's frame with the texts of documents in place of its own, rows that were rejected left out."""
    replaced = _replaced(own)
    new = [F.col(_quoted(column)).alias(f"({place})") for place, column in enumerate(replaced.values())]
    texts = documents.select(F.col("doc_id").alias(_NUMBER), *new)
    joined = given.withColumn(_NUMBER, F.col(_quoted(own.columns.doc_id)).cast("string")).join(
        texts, on=_NUMBER, how="inner"
    )
    places = {name: f"({place})" for place, name in enumerate(replaced)}
    names = [name for name in frame.columns if name != own.columns.gold]
    return joined.select(*(F.col(_quoted(places.get(name, name))).alias(name) for name in names))


def _replaced(own: OwnColumns) -> dict[str, str]:
    """Return the columns of the user's that change, and the columns of documents that take their places."""
    changed = {name: alias for name, alias in own.names.items() if not is_kept(own.ways[alias])}
    subject = own.columns.subject_id
    if subject is not None and not is_kept(own.ways.get(subject, KEEP)):
        changed[subject] = subject
    return {own.columns.text: "text", **changed}


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"

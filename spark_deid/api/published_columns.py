"""What of decisions on a DataFrame is let out, and what is looked up where somebody asks for it."""

from collections.abc import Mapping, Sequence

import pandas as pd
from pyspark.sql import DataFrame

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Finder
from spark_deid.corpus.frame import FrameColumns
from spark_deid.engine import functions as F
from spark_deid.engine.engines import frame_in_use
from spark_deid.pipeline.columns import published_documents
from spark_deid.plan.config import MethodSettings
from spark_deid.rewriting.metadata import SUBJECT, Way, Ways


def documents_let_out(
    decisions: DataFrame, settings: MethodSettings, columns: FrameColumns, key: bytes, finders: Sequence[Finder]
) -> DataFrame:
    """Select what the documents hold: ids, text, and metadata; ids are keyed under whatever name they stand."""
    chosen, places = published_documents(decisions, settings, finders, key=key)
    named = (F.col(places.get(name, SUBJECT)).alias(name) for name in columns.metadata)
    return chosen.select("doc_id", "text", *named)


def under_own_names(ways: Ways, columns: FrameColumns) -> dict[str, Way]:
    """Return what becomes of metadata, with the column of persons under the name that documents have for it."""
    return {SUBJECT if columns.names_subject(name) else name: way for name, way in ways.items()}


def found_by_spark(decisions: DataFrame, doc_id: str) -> tuple[str, tuple[Edit, ...]]:
    """Return the original text of a document and its edits, from its decision."""
    with frame_in_use(decisions):
        row = decisions.where(F.col("doc_id") == F.lit(doc_id)).select("text", "edits").first()
    if row is None:
        raise _unknown()
    return row["text"], tuple(Edit(*edit[:4]) for edit in row["edits"])


def found_in_memory(
    documents: Mapping[str, Document], edits: pd.DataFrame, doc_id: str
) -> tuple[str, tuple[Edit, ...]]:
    """Return the original text of a document and its edits, from the frame that was given and the edits that it got."""
    if doc_id not in documents:
        raise _unknown()
    rows = edits.loc[edits["doc_id"] == doc_id, list(Edit._fields)]
    return documents[doc_id].text, tuple(Edit(*row) for row in rows.itertuples(index=False))


def _unknown() -> UsageError:
    return UsageError("compare: expected the id of a sanitized document, as in spans and edits")

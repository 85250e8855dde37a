"""Put originals back in place of pseudonyms, from the workspace of a run."""

from pathlib import Path
from typing import TYPE_CHECKING

from spark_deid.app.figures import RestorationFigures
from spark_deid.app.inputs import Progress, no_progress
from spark_deid.app.options.assessing import RestoreOptions
from spark_deid.app.private_files import write_private_file
from spark_deid.app.reversing import check_originals
from spark_deid.app.sessions import open_session, read_table
from spark_deid.core.edit import Edit
from spark_deid.core.errors import UsageError, line_of
from spark_deid.engine import functions as F
from spark_deid.surrogates.restoring import PseudonymizedText, restore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def restore_file(options: RestoreOptions, progress: Progress = no_progress) -> RestorationFigures:
    """Put originals back into a text; writes it where an output is named.

    Raises UsageError where the text can't be read, the workspace has no document of this id or person, or its originals
    are gone.
    """
    try:
        text = Path(options.file).read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{options.file}:{line_of(error)}: expected UTF-8") from None
    except OSError as error:
        raise UsageError(f"{options.file}: cannot read this file. Expected a file in UTF-8") from error
    with open_session("restore", options.master, None, progress=progress, engine=options.engine) as spark:
        check_originals(options.workspace, spark)
        tables = [read_table(spark, options.workspace, name) for name in ("documents", "edits")]
        known = read_pseudonymized(*tables, document=options.document, subject=options.subject)
    if not known:
        what = "document of this id" if options.subject is None else "document of this person"
        raise UsageError(f"{options.workspace}: there is no {what}")
    found = restore(text, known, lenient=options.lenient)
    if options.output is not None:
        write_private_file(options.output, found.text)
    shown = found.text if options.output is None else ""
    return RestorationFigures(options.output or "", found.restored, found.lenient, found.is_exact, shown)


def read_pseudonymized(
    documents: "DataFrame", edits: "DataFrame", *, document: str | None, subject: str | None
) -> list[PseudonymizedText]:
    """Return the documents of an id, or of a person, with their edits; one query."""
    named = F.col("doc_id") == F.lit(document) if subject is None else F.col("subject_id") == F.lit(subject)
    own = documents.where(named)
    struct = F.struct("start", "end", "technique", "replacement")
    edited = edits.groupBy("doc_id").agg(F.sort_array(F.collect_list(struct)).alias("edits"))
    rows = own.select("doc_id", "text").join(edited, on="doc_id", how="left").orderBy("doc_id").collect()
    return [PseudonymizedText(row["text"], tuple(Edit(*each) for each in row["edits"] or ())) for row in rows]

"""Put originals back instead of pseudonyms, from the workspace of a run."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_deid.app.figures import RestorationFigures
from spark_deid.app.inputs import Progress, no_progress
from spark_deid.app.options.assessing import RestoreOptions
from spark_deid.app.private_files import write_private_file
from spark_deid.app.sessions import open_session, read_table
from spark_deid.core.edit import Edit
from spark_deid.core.errors import UsageError, line_of
from spark_deid.engine import functions as F
from spark_deid.release.workspace import KEY
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.storage.folder import StorageFolder, folder_at
from spark_deid.surrogates.restoring import PseudonymizedText, restore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


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


# Files of a workspace that can turn back a release with pseudonyms, surrogates or shifted dates.


ORIGINALS = ("documents", "edits")
"""The tables without which nothing is put back."""
_KEPT = (
    *ORIGINALS,
    "spans",
    "entities",
    "identifiers",
    "surrogates",
    "pseudonyms",
    "excerpts.html",
    "passages.html",
    KEY,
)
_ELSEWHERE = ("offsets", "continue")
"""Options of rules that name what reveals originals: tables of days, and workspaces with assignments."""


def is_invented(manifest: Mapping[str, Any]) -> bool:
    """Return whether what a release has instead of values was made up, so that a workspace may turn it back."""
    rules = manifest.get("plan", {}).get("rules", {})
    known = set(TECHNIQUES.names())
    return any(technique in known and TECHNIQUES.find(technique).invents for technique in rules.values())


def reversing_parts(workspace: StorageFolder) -> tuple[str, ...]:
    """Name what must go so that a release can't be turned back: tables and files of its workspace, and others.

    Key, input, tables of offsets and workspaces of earlier runs are those that the workspace's manifest names. They are
    elsewhere.
    """
    present = [name for name in _KEPT if name in workspace.names()]
    plan: Mapping[str, Any] = json.loads(workspace.read("manifest.json") or b"{}").get("plan", {})
    rules = [rule for rule in plan.get("rules", {}).values() if isinstance(rule, dict)]
    named = [("key_file", plan.get("key_file")), ("input", plan.get("input", {}).get("path"))]
    named += [(option, rule.get(option)) for option in _ELSEWHERE for rule in rules]
    return (*present, *dict.fromkeys(f"{option} {place}" for option, place in named if place))


def has_originals(workspace: StorageFolder) -> bool:
    """Return whether a workspace holds originals with their edits."""
    return all(workspace.child(name).names() for name in ORIGINALS)


def check_originals(workspace: str, spark: "SparkSession") -> None:
    """Raise UsageError where nothing can be put back, since what it would be put back from is gone."""
    if not has_originals(folder_at(workspace, spark)):
        raise UsageError(f"{workspace}: expected {' and '.join(ORIGINALS)}, which are necessary to restore originals")

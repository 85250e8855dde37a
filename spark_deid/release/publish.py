"""The only writer of releases."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from spark_deid.core.errors import GateRefused
from spark_deid.core.version import VERSION
from spark_deid.release.commit import (
    BESIDE_TEXTS,
    DOCUMENTS,
    MANIFEST,
    REPORT,
    TABLE,
    of_table,
    seal_entry,
    user_metadata,
)
from spark_deid.release.manifest import write_json
from spark_deid.release.metadata_leaks import Texts, texts_about, texts_far_away
from spark_deid.release.record import ReleaseRecord, record_of, table_record
from spark_deid.release.spark.tables import schema_of, store_rows
from spark_deid.release.workspace import drop_marker
from spark_deid.storage.delta_log import FIRST_COMMIT, LOG, check_new, entry_of, write_entry
from spark_deid.storage.folder import LocalFolder, StorageFolder, folder_at
from spark_deid.storage.parts import PartFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from spark_deid.release.spark.leaks import RemovedText, ResidualCounts


class TableFiles(NamedTuple):
    """Files that lie in ``release/table``, to be released beside texts, and the schema of their rows."""

    files: tuple[PartFile, ...]
    schema: pa.Schema


def _untold(_: str) -> None:
    """Tell nobody."""


def _unkept(_: ReleaseRecord) -> None:
    """Keep nothing."""


def publish(
    documents: "DataFrame",
    place: StorageFolder | str | Path,
    manifest: Mapping[str, object],
    report_html: str,
    *,
    expected: int | None = None,
    table: TableFiles | None = None,
    removed: "RemovedText | None" = None,
    apart: Iterable[str] = (),
    stage: Callable[[str], None] = _untold,
    keep: Callable[[ReleaseRecord], None] = _unkept,
) -> None:
    """Write a release: manifest and report first, the Delta commit last; without the commit there is no release.

    ``documents`` has exactly the columns to let out. ``place`` was made by ``open_release``. The table is new, in
    one commit that carries digests of all; its log holds no values of any column, and no column is a partition.
    Before the commit, and in what it adds, it is looked for what was ``removed`` beside the documents; words ``apart``
    may stand there. ``stage`` is told what begins, and ``keep`` gets the record of what is about to be committed. Files
    of a ``table`` that lie in the release become one by a commit before that of the documents, which names its digest;
    by itself it is no release. Runs one Spark job, and one more with ``removed``.

    Raises SparkDeidError where the folder holds a table already, and GateRefused where not as many documents were
    written as are ``expected``, or where removed text was found: then nothing of the release is left.
    """
    release = folder_at(place, documents.sparkSession) if isinstance(place, str | Path) else place
    written = write_json(manifest).encode()
    folder, schema = release.child(DOCUMENTS), schema_of(documents)
    check_new(folder)
    report = report_html.encode()
    release.write(MANIFEST, written)
    release.write(REPORT, report)
    stage("write the release")
    parts = store_rows(documents, schema, folder)
    rows = sum(part.rows for part in parts)
    if expected is not None and rows != expected:
        raise GateRefused(f"nothing is released: {expected} documents were checked, {rows} written")
    version = VERSION
    extra = b"" if table is None else _entry_of_table(table, written, report)
    named = of_table(extra) if extra else {}
    entry = seal_entry(entry_of(schema, parts, user_metadata(written, report, parts, version, named)))
    scan = partial(look_for_leaks, release, folder, removed, tuple(apart))
    stage("search the other files of the release for removed text")
    scanned = scan(entry + extra, {})
    stage("commit")
    keep(record_of(written, report, entry, parts, None if table is None else table_record(extra, table.files)))
    if table is not None:
        write_entry(release.child(TABLE), table.files, extra)
    write_entry(folder, parts, entry)
    scan(None, scanned)
    drop_marker(release)


def _entry_of_table(table: TableFiles, manifest: bytes, report: bytes) -> bytes:
    result = user_metadata(manifest, report, table.files, VERSION, BESIDE_TEXTS)
    return seal_entry(entry_of(table.schema, table.files, result))


def require_no_leak(found: "ResidualCounts") -> None:
    """Raise GateRefused where pieces of removed text stand beside the documents.

    ``found`` counts them by place and label.
    """
    if found:
        counts = "; ".join(
            f"{place}: {', '.join(f'{label} {count}' for label, count in labels.items())}"
            for place, labels in sorted(found.items())
        )
        raise GateRefused(
            f"nothing is released: other files of the release contain removed text ({counts}). They contain "
            "names from the plan (labels, placeholders, columns, model files). Rename these, or add terms "
            "that identify no one to allow"
        )


def require_no_leak_of_table(found: "ResidualCounts") -> None:
    """Raise GateRefused where values that were removed from columns stand beside the rows of a table.

    They are counted by place; the names of their columns may be such values.
    """
    if found:
        counts = ", ".join(f"{place} {sum(columns.values())}" for place, columns in sorted(found.items()))
        raise GateRefused(
            f"nothing is released: other files of the release contain removed values ({counts}). They contain "
            "the names of columns, models and the algorithm. Rename columns, or choose another algorithm or "
            "model"
        )


def look_for_leaks(
    release: StorageFolder,
    table: StorageFolder,
    removed: "RemovedText | None",
    apart: tuple[str, ...],
    entry: bytes | None,
    before: Texts,
    *,
    require: Callable[["ResidualCounts"], None] = require_no_leak,
) -> Texts:
    """Look through what a release says beside the rows of its table, but for what was looked through before; return it.

    ``require`` raises GateRefused where removed text stands there; then all of the release is removed before, its
    commit first.
    """
    if removed is None:
        return {}
    near = release.path if isinstance(release, LocalFolder) else None
    texts = texts_far_away(release, entry) if near is None else texts_about(near, entry)
    later = {place: text for place, text in texts.items() if before.get(place) != text}
    found = removed.residuals_in(later, apart) if later else {}
    if found:
        table.child(LOG).remove(FIRST_COMMIT)
        for name in release.names():
            release.remove(name)
    require(found)
    return texts


def publish_table(
    files: Iterable[PartFile],
    schema: pa.Schema,
    release: StorageFolder,
    manifest: Mapping[str, object],
    report_html: str,
    *,
    removed: "RemovedText | None" = None,
    apart: Iterable[str] = (),
    keep: Callable[[ReleaseRecord], None] = _unkept,
) -> None:
    """Make files that lie in ``release/table`` the table of a release, as ``publish`` does it with documents.

    Raises GateRefused where ``removed`` values stand beside its rows: then nothing of the release is left.
    """
    written, report, parts = write_json(manifest).encode(), report_html.encode(), tuple(files)
    table = release.child(TABLE)
    check_new(table)
    release.write(MANIFEST, written)
    release.write(REPORT, report)
    entry = seal_entry(entry_of(schema, parts, user_metadata(written, report, parts, VERSION)))
    scan = partial(look_for_leaks, release, table, removed, tuple(apart), require=require_no_leak_of_table)
    scanned = scan(entry, {})
    keep(record_of(written, report, entry, parts))
    write_entry(table, parts, entry)
    scan(None, scanned)
    drop_marker(release)

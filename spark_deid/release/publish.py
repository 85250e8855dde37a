"""The only writer of releases."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import spark_deid
from spark_deid.release.commit import DOCUMENTS, MANIFEST, REPORT, user_metadata
from spark_deid.release.manifest import write_json
from spark_deid.release.spark.tables import schema_of, store_rows
from spark_deid.release.workspace import drop_marker
from spark_deid.storage.delta_log import commit_table
from spark_deid.storage.folder import Folder, folder_at

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def publish(
    documents: "DataFrame", place: Folder | str | Path, manifest: Mapping[str, object], report_html: str
) -> None:
    """Write a release: manifest and report first, the Delta commit last; without the commit there is no release.

    ``documents`` has exactly the columns to let out. ``place`` was made by ``open_release``. The table is new, in
    one commit that carries the manifest's sha256; its log holds no values of any column, and no column is a partition.
    Runs one Spark job. Raises Spark's error where the folder holds a table already.
    """
    release = folder_at(place, documents.sparkSession) if isinstance(place, str | Path) else place
    written = write_json(manifest).encode()
    release.write(MANIFEST, written)
    release.write(REPORT, report_html.encode())
    table, schema = release.child(DOCUMENTS), schema_of(documents)
    parts = store_rows(documents, schema, table)
    commit_table(table, schema, parts, user_metadata=user_metadata(written, spark_deid.__version__))
    drop_marker(release)

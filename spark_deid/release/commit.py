"""The commit that makes a release: what its log says, read without Spark."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from spark_deid.core.errors import SparkDeidError
from spark_deid.storage.delta_log import LOG
from spark_deid.storage.folder import Folder, folder_at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DOCUMENTS = "documents"
MANIFEST = "manifest.json"
REPORT = "report.html"


class ReleaseError(SparkDeidError):
    """A release that is missing, unfinished or changed."""


def user_metadata(manifest: bytes, version: str) -> str:
    """Write what the commit of a release carries: the manifest's sha256 and our version.

    >>> user_metadata(b"{}", "0.1.0")[-25:]
    '", "spark_deid": "0.1.0"}'
    """
    return json.dumps({"manifest_sha256": hashlib.sha256(manifest).hexdigest(), "spark_deid": version})


def is_release(place: Folder | str | Path) -> bool:
    """Tell whether a folder holds a release: a Delta commit with our metadata."""
    return next(_commits(_folder(place)), None) is not None


def verify_release(place: Folder | str | Path, *, spark: "SparkSession | None" = None) -> dict[str, object]:
    """Check that a release was committed and that its manifest is the one of its commit; return the manifest.

    Raises ReleaseError.
    """
    folder = _folder(place, spark)
    commits = list(_commits(folder))
    if not commits:
        raise ReleaseError(f"{folder.uri}: no release: its documents have no commit of ours")
    manifest = folder.read(MANIFEST)
    if manifest is None:
        raise ReleaseError(f"{folder.uri}: {MANIFEST} is missing")
    if commits[-1].get("manifest_sha256") != hashlib.sha256(manifest).hexdigest():
        raise ReleaseError(f"{folder.uri}: {MANIFEST} is not the one that was committed")
    content: dict[str, object] = json.loads(manifest)
    return content


def _folder(place: Folder | str | Path, spark: "SparkSession | None" = None) -> Folder:
    return folder_at(place, spark) if isinstance(place, str | Path) else place


def _commits(release: Folder) -> Iterator[dict[str, object]]:
    """Yield the metadata of our commits, oldest first."""
    log = release.child(DOCUMENTS).child(LOG)
    for name in log.names():
        if name.endswith(".json"):
            for line in (log.read(name) or b"").splitlines():
                metadata = _metadata(line)
                if metadata is not None:
                    yield metadata


def _metadata(action: bytes) -> dict[str, object] | None:
    if b'"commitInfo"' not in action:
        return None
    try:
        metadata = json.loads(json.loads(action)["commitInfo"]["userMetadata"])
    except (ValueError, KeyError, TypeError):
        return None
    return metadata if isinstance(metadata, dict) and "manifest_sha256" in metadata else None

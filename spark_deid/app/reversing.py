"""What of a workspace can turn a release back whose values were replaced by pseudonyms, surrogates or shifted dates."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from spark_deid.core.errors import UsageError
from spark_deid.release.workspace import KEY
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.storage.folder import StorageFolder, folder_at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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
"""Options of rules that name what tells of originals: tables of days, and workspaces with assignments."""


def is_invented(manifest: Mapping[str, Any]) -> bool:
    """Tell whether what a release has in place of values was made up, so that a workspace may turn it back."""
    rules = manifest.get("plan", {}).get("rules", {})
    known = set(TECHNIQUES.names())
    return any(technique in known and TECHNIQUES.find(technique).invents for technique in rules.values())


def reversing_parts(workspace: StorageFolder) -> tuple[str, ...]:
    """Name what must go so that a release can't be turned back: tables and files of its workspace, and others.

    Key, input, tables of offsets and workspaces of earlier runs are those that the workspace's manifest names, and lie
    elsewhere.
    """
    present = [name for name in _KEPT if name in workspace.names()]
    plan: Mapping[str, Any] = json.loads(workspace.read("manifest.json") or b"{}").get("plan", {})
    rules = [rule for rule in plan.get("rules", {}).values() if isinstance(rule, dict)]
    named = [("key_file", plan.get("key_file")), ("input", plan.get("input", {}).get("path"))]
    named += [(option, rule.get(option)) for option in _ELSEWHERE for rule in rules]
    return (*present, *dict.fromkeys(f"{option} {place}" for option, place in named if place))


def has_originals(workspace: StorageFolder) -> bool:
    """Tell whether a workspace holds originals with their edits."""
    return all(workspace.child(name).names() for name in ORIGINALS)


def check_originals(workspace: str, spark: "SparkSession") -> None:
    """Raise UsageError where nothing can be put back, since what it would be put back from is gone."""
    if not has_originals(folder_at(workspace, spark)):
        raise UsageError(f"{workspace}: expected {' and '.join(ORIGINALS)}, which are necessary to restore originals")

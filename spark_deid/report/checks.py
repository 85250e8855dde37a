"""Who can check what of a release, with which command."""

from collections.abc import Iterator
from shlex import quote
from typing import Any, NamedTuple

from spark_deid.report.data import ReportData

WORKSPACE = "WORKSPACE"
"""Stands for the workspace, whose place a release does not tell."""


class AvailableCheck(NamedTuple):
    """Who can check something, what, and the command that does."""

    who: str
    what: str
    command: str


def checks(data: ReportData) -> tuple[AvailableCheck, ...]:
    """Return the checks of a release, those that anyone can do first."""
    return tuple(_checks(data))


def _checks(data: ReportData) -> Iterator[AvailableCheck]:
    release = quote(data.release or "RELEASE")
    yield AvailableCheck(
        "anyone", "documents, manifest and report are those of the run", f"spark-deid verify {release}"
    )
    units = {each["guarantee"]: each.get("counts_by", "document") for each in _assessments(data)}
    for guarantee, options in data.checks.items():
        command = options.format(release=release, workspace=WORKSPACE, unit=units.get(guarantee, "document"))
        who = "who has the workspace" if WORKSPACE in command else "anyone"
        yield AvailableCheck(who, f"{guarantee.replace('-', ' ')}, counted again", f"spark-deid {command}")
    yield AvailableCheck(
        "who has the workspace",
        "the edits of the originals give these texts",
        f"spark-deid verify {release} --workspace {WORKSPACE}",
    )
    yield AvailableCheck(
        "who has labels of these documents",
        "how much of them was found",
        f"spark-deid evaluate --gold LABELLED --format FORMAT --spans {WORKSPACE}/spans",
    )
    yield AvailableCheck(
        "who has labels of these documents",
        "what an attacker would find of the rest",
        f"spark-deid attack --release {release} --workspace {WORKSPACE} --gold LABELLED --format FORMAT",
    )


def _assessments(data: ReportData) -> Any:
    return data.manifest["assessments"]

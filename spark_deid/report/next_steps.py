"""The next steps after a release, in order, with their commands."""

from collections.abc import Iterator, Sequence
from shlex import quote
from typing import Any, NamedTuple

from spark_deid.report.data import ReportData
from spark_deid.report.phrases import list_words
from spark_deid.report.verdict import ReportVerdict

OF_MODELS = ("names of persons", "places", "organizations")
"""Kinds of identifiers that shipped models find. Patterns find the other kinds."""


class NextStep(NamedTuple):
    """A next step, with its command or the key of a plan if there is one."""

    what: str
    how: str = ""


def next_steps(data: ReportData, verdict: ReportVerdict) -> tuple[NextStep, ...]:
    """Return the steps to fix the problems of a verdict, then the steps before sharing any release."""
    return (*_mending(verdict), *_sharing(data.release or "RELEASE"))


def _mending(verdict: ReportVerdict) -> Iterator[NextStep]:
    if verdict.leaks:
        yield NextStep(
            "Do not share this release. Open the page of the workspace that marks the readable text",
            "passages.html",
        )
    named = [kind for kind in verdict.missing if kind in OF_MODELS]
    if named:
        yield _to_be_found(named, "model: english, or another that spark-deid models lists")
    if others := [kind for kind in verdict.missing if kind not in named]:
        yield _to_be_found(others, "patterns: {kinds: all}")
    if verdict.unedited:
        detectors = list_words([who for who, _ in verdict.unedited])
        yield NextStep(
            f"Spans of {detectors} are still readable. Add the detectors whose spans must be edited", "sources: [...]"
        )
    if verdict.residual_places:
        yield NextStep(
            f"Find the removed text that is still published in {list_words(verdict.residual_places)}. The "
            "workspace's passages.html marks it in texts, and its manifest.json counts it by place",
            "removed_and_published",
        )
    if verdict.columns_found:
        columns = list_words(verdict.columns_found)
        yield NextStep(
            f"Remove {columns} from the metadata, or publish only values without identifiers",
            "metadata: {COLUMN: detect}",
        )


def _to_be_found(kinds: Sequence[str], section: str) -> NextStep:
    return NextStep(f"Decide whether the texts contain {list_words(kinds)}. If so, add a detector", section)


def _sharing(release: str) -> Iterator[NextStep]:
    yield NextStep(
        "Read a sample of documents as an outsider. Tick each document in which you recognize someone. The "
        "page computes a bound for the whole release",
        f"spark-deid sample {quote(release)} --documents 100 --output sample.html",
    )
    yield NextStep(
        "Share only the release. Keep its workspace private, because it contains the originals, or delete it",
    )


# Who can check what of a release, with which command.


WORKSPACE = "WORKSPACE"
"""Represents the workspace, whose place a release does not show."""


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

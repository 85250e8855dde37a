"""What whoever answers for a release does with its report in hand: in order, with the commands."""

from collections.abc import Iterator, Sequence
from shlex import quote
from typing import Any, NamedTuple

from spark_deid.report.data import ReportData
from spark_deid.report.phrases import list_words
from spark_deid.report.verdict import ReportVerdict

OF_MODELS = ("names of persons", "places", "organizations")
"""What shipped models find; patterns find the other kinds."""


class NextStep(NamedTuple):
    """What to do, and the command or the key of a plan for it, where there is one."""

    what: str
    how: str = ""


def next_steps(data: ReportData, verdict: ReportVerdict) -> tuple[NextStep, ...]:
    """Return what to do about what a verdict tells, then what to do before any release is shared."""
    return (*_mending(verdict), *_sharing(data.release or "RELEASE"))


def _mending(verdict: ReportVerdict) -> Iterator[NextStep]:
    if verdict.leaks:
        yield NextStep(
            "Do not share it yet. Run the plan again with excerpts: the workspace's excerpts.html frames what stays",
            "--set report.excerpts=100",
        )
    named = [kind for kind in verdict.missing if kind in OF_MODELS]
    if named:
        yield _to_be_found(named, "model: english, or another that spark-deid models lists")
    if others := [kind for kind in verdict.missing if kind not in named]:
        yield _to_be_found(others, "patterns: {kinds: all}")
    if verdict.unedited:
        detectors = list_words([who for who, _ in verdict.unedited])
        yield NextStep(f"What {detectors} found was left: name the detectors whose spans are edited", "sources: [...]")
    if verdict.residual_places:
        yield NextStep(
            "See in the workspace's manifest.json what was removed and stands in "
            f"{list_words(verdict.residual_places)}",
            "removed_and_published",
        )
    if verdict.columns_found:
        columns = list_words(verdict.columns_found)
        yield NextStep(f"Leave out {columns}, or let out what is left", "metadata: {COLUMN: detect}")


def _to_be_found(kinds: Sequence[str], section: str) -> NextStep:
    return NextStep(f"Decide whether the texts have {list_words(kinds)}; if so, have them looked for", section)


def _sharing(release: str) -> Iterator[NextStep]:
    yield NextStep(
        "Read documents as a stranger would, and tick those in which you recognize somebody: the page says what ticks"
        " tell of all",
        f"spark-deid sample {quote(release)} --documents 100 --output sample.html",
    )
    yield NextStep(
        "Pass on the release alone. Its workspace, where the originals lie, stays with you, or is deleted",
    )


# Who can check what of a release, with which command.


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

"""What whoever answers for a release does with its report in hand: in order, with the commands."""

from collections.abc import Iterator, Sequence
from shlex import quote
from typing import NamedTuple

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

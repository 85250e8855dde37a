"""What commands say of an input that was not taken whole, and of what others may do with what was written."""

from collections.abc import Iterable, Mapping
from itertools import islice

from spark_deid.core.plurals import plural, was_or_were
from spark_deid.corpus.reject_hints import hints, rejects_command
from spark_deid.plan.clock import Progress

SHOWN_REJECTS = 3
"""Of how many rejects a command tells where they stand."""


def tell_losses(
    rejects: Mapping[str, int], passed_over: int, progress: Progress, *, where: str = "", attachments: int = 0
) -> None:
    """Say what of an input was not taken, and why; ``where`` is a table that names each."""
    if rejects:
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(rejects.items()))
        number = sum(rejects.values())
        shown = f"; which, and why: {rejects_command(where)}" if where else ""
        progress(f"warning: {plural(number, 'input')} {was_or_were(number)} rejected: {reasons}{shown}")
        for hint in hints(rejects):
            progress(f"  {hint}")
    if attachments:
        progress(f"warning: {attachments_notice(attachments)}")
    if passed_over:
        progress(f"warning: {passed_over_notice(passed_over)}")


def attachments_notice(count: int) -> str:
    """Say how many attachments of mails are not read."""
    return f"{plural(count, 'attachment')} of mails {was_or_were(count)} left out: only text is read"


def passed_over_notice(count: int) -> str:
    """Say how many files of an input are none of its format."""
    return f"{plural(count, 'file')} {was_or_were(count)} passed over, by suffix or for a hidden name"


def tell_first_rejects(rejects: Iterable[tuple[str, str]], number: int, progress: Progress) -> None:
    """Say where the first rejects stand and what was expected there, where no table is kept that would."""
    told = 0
    for source, detail in islice(rejects, SHOWN_REJECTS):
        progress(f"rejected: {source}: {detail}")
        told += 1
    if number > told:
        progress(f"rejected: and {number - told} more")


def tell_formulas(formulas: int, progress: Progress) -> None:
    """Say how many cells of files that were written spreadsheets would carry out."""
    if formulas:
        cells = f"{plural(formulas, 'cell')} begin{'s' if formulas == 1 else ''}"
        progress(
            f"warning: {cells} with =, +, - or @ and may be carried out by spreadsheets: they are written as they are"
        )

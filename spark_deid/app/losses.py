"""Warnings of commands about skipped parts of an input and about risks of the written files."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from spark_deid.core.plurals import plural, was_or_were
from spark_deid.corpus.reject_hints import hints, listed_rejects, rejects_command, unknown_notice
from spark_deid.plan.clock import Progress

if TYPE_CHECKING:
    from spark_deid.corpus.inventory import FileInventory

SHOWN_REJECTS = 3
"""Maximum number of rejects whose places a command prints."""


def tell_rejects_by_reason(rejects: Mapping[str, int], unknown: int, progress: Progress, *, where: str = "") -> None:
    """Report how many records of an input were rejected, by reason; ``where`` is a table that lists each input.

    ``unknown`` is the number of rejected inputs with an unknown number of records.
    """
    if not rejects:
        return
    number = sum(rejects.values())
    least = f"at least {plural(number, 'record')}" if unknown else plural(number, "record")
    reasons = listed_rejects(rejects) + (f" ({unknown_notice(unknown)})" if unknown else "")
    shown = f"; list them: {rejects_command(where)}" if where else ""
    progress(f"warning: {least} {was_or_were(number)} rejected: {reasons}{shown}")
    for hint in hints(rejects):
        progress(f"  {hint}")


def tell_losses(inventory: "FileInventory", progress: Progress) -> None:
    """Report the records of an input that were rejected, the attachments and the files that were skipped."""
    tell_rejects_by_reason(inventory.rejects, inventory.unknown_rejects, progress)
    tell_skipped(inventory, progress)


def tell_skipped(inventory: "FileInventory", progress: Progress) -> None:
    """Report the attachments and the files of an input that were skipped."""
    if inventory.attachments:
        progress(f"warning: {attachments_notice(inventory.attachments)}")
    if inventory.passed_over:
        progress(f"warning: {inventory.skipped_notice()}")


def attachments_notice(count: int) -> str:
    """Return the number of skipped attachments of mails as a sentence."""
    return f"{plural(count, 'attachment')} of mails {was_or_were(count)} skipped, because only text is read"


def tell_first_rejects(rejects: Iterable[tuple[str, str]], number: int, progress: Progress) -> None:
    """Report place and expectation of the first of a number of rejected inputs, if no table is kept that lists them."""
    shown = 0
    for source, detail in islice(rejects, SHOWN_REJECTS):
        progress(f"rejected: {source}: {detail}")
        shown += 1
    if number > shown:
        progress(f"rejected: and {number - shown} more")


def tell_formulas(formulas: int, progress: Progress) -> None:
    """Return a warning with the number of written cells that spreadsheets would run as formulas."""
    if formulas:
        cells = f"{plural(formulas, 'cell')} begin{'s' if formulas == 1 else ''}"
        progress(f"warning: {cells} with =, +, - or @. Spreadsheets may run such cells as formulas")

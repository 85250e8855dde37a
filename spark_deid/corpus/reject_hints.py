"""Fixes for rejected inputs, by reason."""

from collections.abc import Mapping
from shlex import quote
from types import MappingProxyType

from spark_deid.core.plurals import plural, share_of, was_or_were
from spark_deid.storage.files import is_remote

HINTS = MappingProxyType(
    {
        "invalid-utf8": "rejects suggests an encoding for each file. Convert these files to UTF-8 (iconv), or read "
        "them separately with --option encoding=cp1252, which applies to all files of a run",
        "invalid-encoding": "some bytes are not valid in the chosen encoding. Choose another one",
        "nul": "NUL bytes usually mean UTF-16 without a byte-order mark (--option encoding=utf-16-le), or a binary "
        "file",
        "empty": "empty files have no text to release",
        "duplicate-id": "only the first document of each id was kept. Make the ids unique",
        "bad-annotation": "the offsets or surfaces of annotations do not fit the text",
        "malformed": "the files have another format or are damaged. The rejects table has details",
        "no-text": "rows and mails without a text cannot be released. If another column has the text, set --option "
        "text_column=note",
        "not-text": "names are split by the markup of these formats, or compressed. Convert the inputs to plain "
        "text, or set --option content=text to read them unchanged",
        "unreadable": "the file cannot be opened or is damaged. Copy it again",
        "outside": "links out of the input are not followed. Copy their targets into the input",
    }
)
"""The usual cause of each reject reason, and its fix."""


def hints(rejects: Mapping[str, int]) -> tuple[str, ...]:
    """Return a line for each reason that has a hint, the commonest first.

    >>> hints({"no-text": 2, "odd": 3})
    ('no-text: rows and mails without a text cannot be released. If another column has the text, set --option \
text_column=note',)
    """
    ordered = sorted(rejects, key=lambda reason: (-rejects[reason], reason))
    return tuple(f"{reason}: {HINTS[reason]}" for reason in ordered if reason in HINTS)


def rejects_command(table: str) -> str:
    """Return the command that shows a workspace's table of rejects; of a remote one, which it does not read, the place.

    >>> rejects_command("out/my workspace/rejects")
    "spark-deid convert --from delta --to csv 'out/my workspace/rejects' rejects-csv"
    >>> rejects_command("s3a://bucket/w/rejects")
    'the Delta table s3a://bucket/w/rejects'
    """
    if is_remote(table):
        return f"the Delta table {table}"
    return f"spark-deid convert --from delta --to csv {quote(table)} rejects-csv"


def too_many(rejects: Mapping[str, int], unknown: int, documents: int, most: float | None) -> str | None:
    """Return the reason if more records were rejected than a plan allows as a fraction of all; otherwise None.

    ``rejects`` counts records by reason. ``unknown`` inputs represent an unknown number of records, which can be
    any number: it exceeds every limit below 1.

    >>> too_many({"nul": 1}, 0, 99, 0.01) is None, too_many({"nul": 2}, 0, 98, 0.01)
    (True, '2 of the 100 records were rejected (nul 2), more than max_rejects: 0.01')
    >>> too_many({"malformed": 1}, 1, 999, 0.5)
    '1 rejected input has an unknown number of records (malformed 1), which can be more than max_rejects: 0.5'
    """
    count = sum(rejects.values())
    total = count + documents
    if most is None or (count <= most * total and (not unknown or most >= 1)):
        return None
    reasons = listed_rejects(rejects)
    if count > most * total:
        share = share_of(count, total, "record")
        return f"{share} {was_or_were(count)} rejected ({reasons}), more than max_rejects: {most:g}"
    return f"{unknown_notice(unknown)} ({reasons}), which can be more than max_rejects: {most:g}"


def listed_rejects(rejects: Mapping[str, int]) -> str:
    """Write the number of records by reason.

    >>> listed_rejects({"nul": 1200, "empty": 1})
    'empty 1, nul 1,200'
    """
    return ", ".join(f"{reason} {count:,}" for reason, count in sorted(rejects.items()))


def unknown_notice(unknown: int) -> str:
    """Write how many rejected inputs represent an unknown number of records.

    >>> unknown_notice(2)
    '2 rejected inputs have an unknown number of records'
    """
    return f"{plural(unknown, 'rejected input')} {'has' if unknown == 1 else 'have'} an unknown number of records"

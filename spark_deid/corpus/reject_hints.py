"""What to do about inputs that were rejected, by the reason."""

from collections.abc import Mapping
from shlex import quote
from types import MappingProxyType

from spark_deid.core.plurals import plural, share_of, was_or_were
from spark_deid.storage.files import is_remote

HINTS = MappingProxyType(
    {
        "invalid-utf8": "rejects guess each encoding: make these files UTF-8 (iconv), or read them apart with"
        " --option encoding=cp1252, which holds for all files of a run",
        "invalid-encoding": "not every byte is of the encoding that was named: name another",
        "nul": "NUL bytes are mostly those of UTF-16 without its mark (--option encoding=utf-16-le), or of no text",
        "empty": "files without a character hold nothing to release",
        "duplicate-id": "the first of each id was kept: make ids unique",
        "bad-annotation": "offsets or surfaces of annotations do not fit their text",
        "malformed": "the format is another, or a line is torn: see the detail of each",
        "no-text": "rows and mails without a text hold nothing to release; where another column has it: --option"
        " text_column=note",
        "not-text": "names are split by the markup of these formats, or packed: convert the inputs to plain text."
        " --option content=text reads them all the same",
        "unreadable": "the file can't be opened, or is torn: fetch it again",
        "outside": "links that lead out of the input are not followed: copy what they name",
    }
)
"""By reason, what mostly is the matter and what mends it."""


def hints(rejects: Mapping[str, int]) -> tuple[str, ...]:
    """Return a line for each reason that has a hint, the commonest first.

    >>> hints({"no-text": 2, "odd": 3})
    ('no-text: rows and mails without a text hold nothing to release; where another column has it: --option \
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

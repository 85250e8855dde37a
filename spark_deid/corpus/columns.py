"""Which columns of a table are meant, and what parts its cells."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from spark_deid.core.errors import UsageError

OPTIONS = {"text_column": "text", "id_column": "doc_id", "subject_column": "subject_id"}
"""Options of formats with columns, and what each names."""

_DELIMITERS = {";": "semicolons", "\t": "tabulators", "|": "bars", ",": "commas"}


@dataclass(frozen=True)
class CorpusColumns:
    """Name the values that are not metadata; ``named`` are those that an option names."""

    text: str = "text"
    doc_id: str = "doc_id"
    subject_id: str = "subject_id"
    spans: str = "spans"
    meta: str = "meta"
    named: frozenset[str] = frozenset()

    def configured(self, options: Mapping[str, str]) -> "CorpusColumns":
        """Return the names that ``text_column``, ``id_column`` and ``subject_column`` ask for.

        Raises UsageError where two of them are one.
        """
        named = {field: options[option] for option, field in OPTIONS.items() if option in options}
        chosen = replace(self, **named, named=frozenset(named))
        if len({chosen.text, chosen.doc_id, chosen.subject_id}) < 3:
            raise UsageError("text_column, id_column and subject_column: expected three different names")
        return chosen

    def lacking(self, known: Collection[str]) -> dict[str, str]:
        """Return the columns that a table must have and has not, by option: that of the text, and those asked for."""
        needed = {option: field for option, field in OPTIONS.items() if field == "text" or field in self.named}
        return {option: name for option, field in needed.items() if (name := getattr(self, field)) not in known}


def delimiter_hint(names: Iterable[str]) -> str:
    """Say what parts the cells of a table that has one column alone, since its delimiter is another one.

    >>> delimiter_hint(["ticket;text"]), delimiter_hint(["ticket", "text"])
    ("semicolons stand in its first row: say delimiter=';'", '')
    """
    first, *others = (*names, "")
    found = next((sign for sign in _DELIMITERS if sign in first and others == [""]), None)
    return f"{_DELIMITERS[found]} stand in its first row: say delimiter={found!r}" if found else ""

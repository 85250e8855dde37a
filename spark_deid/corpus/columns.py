"""Which columns of a table are meant, and what parts its cells."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from spark_deid.core.errors import UsageError

OPTIONS = {"text_column": "text", "id_column": "doc_id", "subject_column": "subject_id"}
"""Options of formats with columns, and what each names."""

RESULT_COLUMNS = ("doc_id", "text")
"""The columns of every result, which metadata can't have as names."""
PEOPLE = "people"

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

    @property
    def roles(self) -> Mapping[str, str]:
        """Return the columns that are not metadata by what they hold; of people only a column that an option names."""
        named = {PEOPLE: self.subject_id} if "subject_id" in self.named else {}
        return {"texts": self.text, "ids": self.doc_id, "annotations": self.spans, **named}

    def lacking(self, known: Collection[str]) -> dict[str, str]:
        """Return the columns that a table must have and has not, by option: that of the text, and those asked for."""
        needed = {option: field for option, field in OPTIONS.items() if field == "text" or field in self.named}
        return {option: name for option, field in needed.items() if (name := getattr(self, field)) not in known}


def metadata_mistakes(names: Iterable[str], roles: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each name of metadata that is a column of every result, or has a role in the input.

    ``roles`` are columns by what they hold. Their values are published by other rules than those of metadata. Names are
    compared without case, as in Spark.

    >>> [*metadata_mistakes(["Body", "Text", "ward"], {"texts": "body"})]
    ["metadata: 'Body' is the column of texts: remove it", "metadata: 'Text' is a column of every result: remove it"]
    """
    known = {name.lower(): what for what, name in roles.items()}
    for name in names:
        if name.lower() in RESULT_COLUMNS:
            yield f"metadata: {name!r} is a column of every result: remove it"
        elif (what := known.get(name.lower())) == PEOPLE:
            yield f"metadata: {name!r} is the column of people: name it subject_id"
        elif what is not None:
            yield f"metadata: {name!r} is the column of {what}: remove it"


def delimiter_hint(names: Iterable[str]) -> str:
    """Return the delimiter that separates the cells of a table that seems to have one column.

    >>> delimiter_hint(["ticket;text"]), delimiter_hint(["ticket", "text"])
    ("semicolons occur in the first row. Set delimiter=';'", '')
    """
    first, *others = (*names, "")
    found = next((sign for sign in _DELIMITERS if sign in first and others == [""]), None)
    return f"{_DELIMITERS[found]} occur in the first row. Set delimiter={found!r}" if found else ""

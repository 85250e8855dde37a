"""Formats by name: those of this package, and those that installed packages bring.

A package provides a format with an entry point of the group ``spark_deid.formats`` whose value is a ``CorpusFormat`` of
the same name, with the function that parses its unit::

    [project.entry-points."spark_deid.formats"]
    ledger = "my_package.ledger:FORMAT"

It has to be installed on the workers as well: they read and write.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from spark_deid.core.error_wording import did_you_mean, likely_word
from spark_deid.core.errors import UsageError
from spark_deid.core.registry import MethodRegistry
from spark_deid.corpus.columns import metadata_mistakes
from spark_deid.corpus.content import OPTION as CONTENT
from spark_deid.corpus.content import reading_any
from spark_deid.corpus.encodings import OPTION, in_encoding
from spark_deid.corpus.format import CorpusFormat

NO_OPTIONS: Mapping[str, str] = MappingProxyType({})


def _read(name: str, value: object) -> CorpusFormat | None:
    return value if isinstance(value, CorpusFormat) and value.name == name and value.is_read else None


FORMATS = MethodRegistry(
    noun="format",
    group="spark_deid.formats",
    built_in=MappingProxyType(
        {
            "text": "spark_deid.corpus.text:FORMAT",
            "jsonl": "spark_deid.corpus.jsonl:FORMAT",
            "csv": "spark_deid.corpus.csv:FORMAT",
            "parquet": "spark_deid.corpus.parquet:FORMAT",
            "delta": "spark_deid.corpus.delta:FORMAT",
            "brat": "spark_deid.corpus.brat:FORMAT",
            "conll": "spark_deid.corpus.conll:FORMAT",
            "i2b2-2006": "spark_deid.corpus.i2b2_2006:FORMAT",
            "i2b2-2014": "spark_deid.corpus.i2b2_2014:FORMAT",
            "tab": "spark_deid.corpus.tab_benchmark:FORMAT",
            "label-studio": "spark_deid.corpus.label_studio:FORMAT",
            "doccano": "spark_deid.corpus.doccano:FORMAT",
            "hide": "spark_deid.corpus.hide_inline:FORMAT",
            "eml": "spark_deid.corpus.eml:FORMAT",
            "mbox": "spark_deid.corpus.mbox:FORMAT",
        }
    ),
    kind=CorpusFormat,
    read=_read,
    expected="a CorpusFormat of this name, with the function that parses its unit",
)

UNLABELLED = frozenset({"text", "csv", "eml", "mbox"})
"""The built-in formats that hold no annotations. Help lists the others without a load of their modules."""
READ_ONLY = frozenset({"eml", "mbox"})
"""The built-in formats that are never written."""


def find_format(name: str, options: Mapping[str, str] = NO_OPTIONS) -> CorpusFormat:
    """Return a format that obeys the options.

    Raises UsageError for an unknown format or option, and for a format whose package can't be loaded.

    >>> find_format("brat").companions
    ('.ann',)
    """
    format = FORMATS.find(name)
    unknown = sorted(set(options) - set(format.options))
    if unknown:
        allowed = ", ".join(format.options) or "none"
        meant = did_you_mean(likely_word(unknown[0], format.options))
        raise UsageError(f"options of format {name}: {', '.join(unknown)} not known; allowed: {allowed}{meant}")
    if OPTION in options:
        format = in_encoding(format, options[OPTION])
    if CONTENT in options:
        format = reading_any(format, options[CONTENT])
    return format.configure(format, options) if format.configure and options else format


def metadata_mistakes_of(names: Iterable[str], format: str, options: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each name of metadata that an input of a format can't have; none for unknown formats."""
    try:
        columns = FORMATS.find(format).columns
        roles = {"ids": options["id_column"]} if "id_column" in options else {}
        if columns is not None:
            roles = dict(columns.configured(options).roles)
    except UsageError:
        return
    yield from metadata_mistakes(names, roles)


def usable_formats(names: Iterable[str] | None = None) -> Iterator[CorpusFormat]:
    """Yield formats, by default all, except those whose packages fail to load: a request by name gives the reason."""
    for name in FORMATS.names() if names is None else names:
        try:
            yield FORMATS.find(name)
        except UsageError:
            continue

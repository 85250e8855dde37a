"""The formats by name: the module of each, imported when it is asked for."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from spark_deid.core.errors import UsageError
from spark_deid.core.mistakes import NotOneOf, did_you_mean, likely
from spark_deid.corpus.encodings import OPTION, in_encoding
from spark_deid.corpus.format import CorpusFormat

NO_OPTIONS: Mapping[str, str] = MappingProxyType({})
FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "text": "spark_deid.corpus.text",
        "jsonl": "spark_deid.corpus.jsonl",
        "csv": "spark_deid.corpus.csv",
        "parquet": "spark_deid.corpus.parquet",
        "delta": "spark_deid.corpus.delta",
        "brat": "spark_deid.corpus.brat",
        "conll": "spark_deid.corpus.conll",
        "i2b2-2006": "spark_deid.corpus.i2b2_2006",
        "i2b2-2014": "spark_deid.corpus.i2b2_2014",
        "tab": "spark_deid.corpus.tab",
        "label-studio": "spark_deid.corpus.label_studio",
        "doccano": "spark_deid.corpus.doccano",
        "hide": "spark_deid.corpus.hide",
        "eml": "spark_deid.corpus.eml",
        "mbox": "spark_deid.corpus.mbox",
    }
)


def find_format(name: str, options: Mapping[str, str] = NO_OPTIONS) -> CorpusFormat:
    """Return a format that obeys the options. Raises UsageError for an unknown format or option.

    >>> find_format("brat").companions
    ('.ann',)
    """
    if name not in FORMATS:
        raise UsageError(f"format: {NotOneOf(name, FORMATS)}")
    format: CorpusFormat = import_module(FORMATS[name]).FORMAT
    unknown = sorted(set(options) - set(format.options))
    if unknown:
        allowed = ", ".join(format.options) or "none"
        meant = did_you_mean(likely(unknown[0], format.options))
        raise UsageError(f"options of format {name}: {', '.join(unknown)} not known; allowed: {allowed}{meant}")
    if OPTION in options:
        format = in_encoding(format, options[OPTION])
    return format.configure(format, options) if format.configure and options else format

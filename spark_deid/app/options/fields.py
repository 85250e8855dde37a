"""Types of options that several commands have."""

from collections.abc import Callable, Set
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from spark_deid.core.engine_names import EngineName
from spark_deid.core.options import OptionFlag, one_of
from spark_deid.corpus.format import CorpusFormat
from spark_deid.corpus.formats import FORMATS, READ_ONLY, UNLABELLED, usable_formats
from spark_deid.samples import locate_sample


def format_names() -> tuple[str, ...]:
    """Return the names of the formats."""
    return FORMATS.names()


def annotated_formats() -> tuple[str, ...]:
    """Return the names of the formats that have a place for annotations."""
    return _names_of(UNLABELLED, lambda format: format.holds_spans)


def written_formats() -> tuple[str, ...]:
    """Return the names of the formats that can be written."""
    return _names_of(READ_ONLY, lambda format: format.is_written)


def _names_of(lacking: Set[str], is_wanted: Callable[[CorpusFormat], bool]) -> tuple[str, ...]:
    """Return the names of formats; a request for a format that fails to load gives the reason."""
    others = {format.name for format in usable_formats(FORMATS.installed()) if not is_wanted(format)}
    return tuple(name for name in FORMATS.names() if name not in lacking | others)


def _annotated(name: str | None) -> str | None:
    """Refuse formats that have no place for annotations, and say what goes without any."""
    if name in format_names() and name not in annotated_formats():
        raise ValueError(
            f"{name} cannot store annotations. Expected one of {', '.join(annotated_formats())}. For text "
            "without annotations, use `spark-deid run names` or `spark-deid detect --model english`"
        )
    return name


Input = Annotated[
    str, AfterValidator(locate_sample), Field(description="A file, a folder or a glob. Files can end in .gz.")
]
FormatName = Annotated[str, one_of(format_names)]
WrittenFormat = Annotated[str, one_of(written_formats)]
AnyLabelledFormat = Annotated[str | None, AfterValidator(_annotated), one_of(annotated_formats)]
Format = Annotated[FormatName, Field(description=f"One of: {', '.join(format_names())}.")]
LabelledFormat = Annotated[
    str,
    AfterValidator(_annotated),
    one_of(annotated_formats),
    Field(description=f"One of: {', '.join(annotated_formats())}."),
]
"""Formats that have a place for annotations."""
FormatOptions = Annotated[
    dict[str, str],
    OptionFlag("--option"),
    Field(
        description="Option of the input format as name=value, such as text_column=note or encoding=cp1252. Repeatable."
    ),
]
Unlabelled = Annotated[
    Literal["leave", "empty"],
    Field(
        description=".txt files without .ann: skip them (leave), or read them as documents without identifiers (empty)."
    ),
]
Master = Annotated[
    str | None, Field(description="A Spark master, such as spark://host:7077. The default uses the local cores.")
]
Workers = Annotated[
    int | None, Field(ge=1, description="Number of parallel training processes. The default is one per core.")
]
Engine = Annotated[
    EngineName,
    Field(description="Engine: auto, embedded (Sail in this process, without Java) or spark (a Spark session)."),
]


def private_folder_of(output: str) -> str:
    """Return where everything private of an output lies that nobody named a workspace for.

    A name alone gets a folder before it, since ``out.private`` may be a schema of a catalog.

    >>> private_folder_of("out"), private_folder_of("data/out/")
    ('./out.private', 'data/out.private')
    """
    place = f"{output.rstrip('/')}.private"
    return place if "/" in place else f"./{place}"


def new_private_file(output: str | None) -> str | None:
    """Return a file that is to be made, or None, as validators do. Raises ValueError where it would be no new one."""
    if output is not None:
        # Start-up: help needs neither compiled code nor arrays.
        from spark_deid.app.private_files import require_new_file

        require_new_file(output)
    return output

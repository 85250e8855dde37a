"""What can be said of an input before it is read: whether its first file has the columns that are asked for."""

import gzip
import json
import os
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from spark_deid.core.column_names import columns_text
from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.corpus.columns import CorpusColumns, delimiter_hint
from spark_deid.corpus.encodings import beginning_as_utf8
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.corpus.formats import NO_OPTIONS, find_format, usable_formats
from spark_deid.corpus.items import OUTSIDE, InputListing, is_packed, list_items, unlabelled_ids, without_suffix
from spark_deid.storage.files import is_hidden, is_remote, local_path, open_file

_BEGINNING = 1 << 20
_LOG = "_delta_log"


def check_columns(
    path: str, format: str, options: Mapping[str, str] = NO_OPTIONS, metadata: Iterable[str] = ()
) -> None:
    """Check the columns that a local table or a mail must have; opens no more than the beginning of one file.

    ``metadata`` are columns to be kept. What can't be looked at is passed over, since reading tells more of it. Raises
    UsageError, which names the columns that there are, and for an unknown format or option.
    """
    kernel = find_format(format, options)
    known = known_columns(path, format, options)
    if known is not None:
        require_columns(path, kernel.columns, known, () if kernel.unit is ParserUnit.LINE else metadata)


def known_columns(path: str, format: str, options: Mapping[str, str] = NO_OPTIONS) -> tuple[str, ...] | None:
    """Return the names of columns that an input may have: a local table's by its first file, those of a mail.

    None where they can't be known beforehand.
    """
    kernel = find_format(format, options)
    if kernel.columns is None or is_remote(path) or "version" in options:
        return kernel.metadata or None
    return _first_columns(path, kernel) if kernel.suffixes else _delta_columns(path)


def require_columns(
    path: str, columns: CorpusColumns | None, known: Iterable[str], metadata: Iterable[str] = ()
) -> None:
    """Raise UsageError where an input of these columns lacks one that is asked for; ``columns`` are a table's."""
    names = tuple(known)
    lacking = {} if columns is None else columns.lacking(names)
    wrong = [f"{option}: there is no column {name!r}" for option, name in lacking.items()]
    if columns is None:
        wrong += [f"metadata: there is no column {name!r}" for name in metadata if name not in names]
    elif columns.meta not in names:
        held = {*names, *(("subject_id",) if columns.subject_id in names else ())}
        wrong += [f"metadata: there is no column {name!r}" for name in metadata if name not in held]
    if wrong:
        hint = ". Set --option text_column=NAME" if any(w.startswith("text_column") for w in wrong) else ""
        hint = f"; {other}" if (other := delimiter_hint(names)) else hint
        raise UsageError("\n".join(f"{path}: {each}; {columns_text(names)}{hint}" for each in wrong))


def _first_columns(path: str, format: CorpusFormat) -> tuple[str, ...] | None:
    try:
        item = next((item for item in list_items(path, format).items if item.reason is None), None)
        if item is None or format.header is None:
            return None
        with open_file(item.path) as stream:
            if format.unit is ParserUnit.TABLE:
                return format.header(stream, item.name)
            unpacked = gzip.GzipFile(fileobj=stream) if is_packed(item.path) else stream
            beginning = beginning_as_utf8(unpacked.read(_BEGINNING), format.encoding)
        return format.header(BytesIO(beginning), item.name)
    except (OSError, EOFError, ValueError, SparkDeidError):
        return None


def column_types(path: str, format: str) -> dict[str, pa.DataType | str]:
    """Return the types of a table's columns, as Arrow or Delta's log names them, by its first file or its log.

    Of other formats, and where it can't be seen, there are none.
    """
    kernel = find_format(format)
    if kernel.unit is not ParserUnit.TABLE:
        return {}
    if not kernel.suffixes:
        return {} if is_remote(path) else {str(field["name"]): field["type"] for field in _delta_fields(path) or ()}
    try:
        item = next((item for item in list_items(path, kernel).items if item.reason is None), None)
        if item is None:
            return {}
        with open_file(item.path) as stream:
            schema = pq.read_schema(stream)
    except (OSError, ValueError, pa.ArrowException, SparkDeidError):
        return {}
    return {field.name: field.type for field in schema}


def _delta_columns(path: str) -> tuple[str, ...] | None:
    fields = _delta_fields(path)
    return None if fields is None else tuple(str(field["name"]) for field in fields)


def _delta_fields(path: str) -> list[dict[str, Any]] | None:
    """Read the columns of a table's latest metadata; None where no commit that is left tells them."""
    for commit in sorted(Path(local_path(path), _LOG).glob("*.json"), reverse=True):
        try:
            actions = [json.loads(line) for line in commit.read_text(encoding="utf-8").splitlines()]
            schemas = [json.loads(action["metaData"]["schemaString"]) for action in actions if "metaData" in action]
            if schemas:
                return list(schemas[-1]["fields"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
    return None


# Whether a local input holds files of its format, by their names: nothing is opened.


def check_files(path: str, format: str, options: Mapping[str, str] = NO_OPTIONS) -> None:
    """Refuse a local folder or glob without any file that a format reads; a file that is named itself is read anyway.

    Raises UsageError, which tells by suffix what is there instead, and which formats read that; CorpusError for what
    can't be listed.
    """
    kernel = find_format(format, options)
    if is_remote(path) or Path(local_path(path)).is_file():
        return
    if not kernel.suffixes:
        _check_table(path)
    elif not _is_met(path, kernel):
        listing = list_items(path, kernel)
        if not listing.items:
            raise UsageError(f"{path}: {_absence_notice(listing, kernel)}")
        if all(item.reason == OUTSIDE for item in listing.items):
            raise UsageError(f"{path}: {_links_notice(len(listing.items))}")


def check_labelled(path: str, format: str, options: Mapping[str, str] = NO_OPTIONS) -> None:
    """Refuse a local folder, glob or file without any file of annotations, in a format that has them beside the texts.

    Raises UsageError; CorpusError for what can't be listed.
    """
    kernel = find_format(format, options)
    if is_remote(path) or not kernel.companions:
        return
    items = list_items(path, kernel).items
    texts = sum(item.reason is None for item in items)
    if texts and len(unlabelled_ids(items, kernel)) == texts:
        raise UsageError(
            f"{path}: expected {_either(kernel.companions)} files next to the texts ({texts}), but there are "
            "no such files. Choose a labelled folder, or set --unlabelled empty to read them as documents "
            "without identifiers"
        )


def _check_table(path: str) -> None:
    """Look above the folder too: that of a partition is read as the part of its table."""
    folder = Path(local_path(path)).absolute()
    if not any((each / "_delta_log").is_dir() for each in (folder, *folder.parents)):
        raise UsageError(f"{path}: expected the folder of a Delta table, which contains _delta_log")


def _is_met(path: str, format: CorpusFormat) -> bool:
    """Tell whether a walk through a folder meets a file of a format that is no link; it ends at the first."""
    for folder, folders, files in os.walk(local_path(path)):
        folders[:] = [name for name in folders if not is_hidden(name)]
        visible = (name for name in files if not is_hidden(name) and without_suffix(name, format.suffixes) is not None)
        if any(not os.path.islink(os.path.join(folder, name)) for name in visible):
            return True
    return False


def _links_notice(count: int) -> str:
    what = "its one file is a link that leads" if count == 1 else f"all its {count} files are links that lead"
    return f"{what} out of it, and those are not followed; name the folder that holds the files, or copy them here"


def _absence_notice(listing: InputListing, format: CorpusFormat) -> str:
    """Say what is there instead of files of a format, and what to do next."""
    wanted = f"format {format.name} reads names that end in {_either(format.suffixes)}"
    there = [f"{count} of {suffix}" for suffix, count in sorted(listing.ignored.items())]
    if listing.hidden:
        there.append(f"{listing.hidden} hidden (names that begin with . or _ are not read)")
    if not there:
        return f"no file is there; {wanted}: name the folder that holds them"
    others = [
        f"{suffix} is read by format {_either(names)}" for suffix in listing.ignored if (names := _readers(suffix))
    ]
    return "; ".join(
        [f"no readable file found. {wanted}, and there are {', '.join(there)}"]
        + (sorted(others) or ["choose another folder, or a single file, which is read with any name"])
    )


def _readers(suffix: str) -> list[str]:
    """Return the formats that read files of a suffix."""
    plain = suffix.lower().removesuffix(".gz")
    return [format.name for format in usable_formats() if plain in format.suffixes]


def _either(names: tuple[str, ...] | list[str]) -> str:
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

"""Local files of tables of records, checked before Spark reads them."""

import codecs
import csv
import gzip
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, TextIO, cast

import pyarrow as pa
import pyarrow.parquet as pq

from spark_deid.core.column_names import columns_text
from spark_deid.core.csv_dialect import LONGEST_GUESS, RFC_4180, CsvDialect, likely_dialect
from spark_deid.core.errors import CorpusError, UsageError
from spark_deid.storage.files import is_remote, local_path, walk
from spark_deid.storage.path_checks import check_present
from spark_deid.storage.table_files import (
    FileColumns,
    MissingColumns,
    all_names,
    check_columns_of_files,
    owners_of,
    parquet_columns,
)

_JSON = (".jsonl", ".json")
_BLOCK = 1 << 24


def check_records(place: str, *, dialect: CsvDialect = RFC_4180) -> None:
    """Refuse a local table that is absent or of an unknown kind, or whose first file has another beginning.

    And one with links that lead out of its folder: rows of files elsewhere were not given to be read. Raises
    UsageError. Remote places are not checked.
    """
    check_present(place)
    check_links(place)
    if is_remote(place) or is_delta(place):
        return
    first = next(csv_files(place), None)
    _check_one_kind(place)
    if first is not None:
        _check_header(first, dialect)
    elif not is_json(place):
        _check_parquet(place)


def _check_one_kind(place: str) -> None:
    """Refuse a local folder with files of several kinds, of which Spark would read all as one. Raises UsageError."""
    kinds = {"CSV": (".csv",), "JSON lines": _JSON, "Parquet": (".parquet",)}
    found = [kind for kind, suffixes in kinds.items() if any(next(_files(place, each), None) for each in suffixes)]
    if len(found) > 1:
        kinds_found = " and ".join(found)
        raise UsageError(f"{place}: expected files of one kind, got {kinds_found}: name a file or another folder")


def check_held(
    place: str,
    columns: Iterable[str],
    *,
    dialect: CsvDialect = RFC_4180,
    missing: MissingColumns = MissingColumns.REFUSE,
) -> None:
    """Refuse a local table without some of the columns, before Spark starts.

    Tables of Delta and JSON lines are checked when they are read.

    Raises:
        UsageError: No file of a table of CSV has one of the columns.
        CorpusError: A file lacks a column that other files have, and missing columns are refused.
    """
    if is_remote(place) or is_delta(place) or is_json(place):
        return
    files, columns = columns_of_files(place, dialect=dialect), [*columns]
    check_columns_of_files(files, columns, missing)
    if not is_csv(place):
        return
    names = all_names(files)
    if absent := [name for name in dict.fromkeys(columns) if name not in names]:
        hint = "; name the character between its cells by --delimiter" if len(names) == 1 else ""
        shown = names if len(files) == 1 else [name for name in names if owners_of(files)[name.lower()] > 1]
        raise UsageError(f"{', '.join(absent)}: expected columns of the table; {columns_text(shown)}{hint}")


def check_links(place: str) -> None:
    """Refuse a local folder with links that lead out of it, of files whose names are not hidden. Raises UsageError."""
    found = None if is_remote(place) else walk(place)
    count = len(found.outside) + sum(entry.leads_out for entry in found.files) if found else 0
    if count:
        raise UsageError(
            f"{place}: expected a table within its folder; links in it lead to {count} places outside: copy what "
            "they lead to, or name that place"
        )


def is_delta(place: str) -> bool:
    """Return whether a local folder is a Delta table."""
    return Path(local_path(place), "_delta_log").is_dir()


def is_json(place: str) -> bool:
    """Return whether a table is read as JSON lines: a file by its name, a folder by the files in it."""
    if is_delta(place) or next(csv_files(place), None) is not None:
        return False
    return _plain(place).endswith(_JSON) or any(next(_files(place, suffix), None) for suffix in _JSON)


def is_csv(place: str) -> bool:
    """Return whether a table is read as CSV. A Delta table is not, under any name."""
    return not is_delta(place) and (_plain(place).endswith(".csv") or next(csv_files(place), None) is not None)


def csv_files(place: str) -> Iterator[Path]:
    """Yield the local files of CSV of a table."""
    return _files(place, ".csv")


def columns_of_files(place: str, *, dialect: CsvDialect = RFC_4180) -> tuple[FileColumns, ...]:
    """Return the files of a local table of CSV or Parquet, each with its columns.

    Raises:
        UsageError: A file is not whole, or its columns have no names or equal names.
        CorpusError: A folder of CSV has files of another kind.
    """
    if not is_csv(place):
        return tuple(parquet_columns(file) for file in _files(place, ""))
    files = [*csv_files(place)]
    others = [file for file in _files(place, "") if file not in files]
    if others:
        raise CorpusError(
            f"{others[0]}: expected a folder with files of CSV only, and it has {len(others)} others. Move them"
        )
    for file in files:
        _check_header(file, dialect)
    return tuple(FileColumns(file, tuple(header_of(file, dialect))) for file in files)


class CsvFile(NamedTuple):
    """A local file of CSV and its dialect. ``has_sep`` is whether its first line names the delimiter, for Excel."""

    path: Path
    dialect: CsvDialect
    has_sep: bool
    has_breaks: bool

    def rows(self) -> Iterator[list[str]]:
        """Yield its rows, the header first, and not those without cells."""
        with _read_text(self.path, self.dialect) as (dialect, beginning, stream):
            yield from filter(None, dialect.rows_of_stream(stream, beginning))


def examine_csv(file: Path, *, dialect: CsvDialect = RFC_4180) -> CsvFile:
    """Read a file of CSV to its end.

    Raises UsageError if it is not UTF-8, has no header, or has quotes that do not fit the dialect.
    """
    _check_header(file, dialect)
    decoder = codecs.getincrementaldecoder("utf-8")()
    quote, has_quotes = dialect.quote.encode(), False
    with _opened(file) as stream:
        while block := stream.read(_BLOCK):
            decoder.decode(block)
            has_quotes |= quote in block
        decoder.decode(b"", final=True)
    with _read_text(file, dialect) as (found, beginning, lines):
        has_sep = not beginning
        has_breaks = has_quotes and _check_quotes(file, found, beginning, lines)
    return CsvFile(file, found, has_sep, has_breaks)


def _check_quotes(file: Path, dialect: CsvDialect, beginning: str, stream: TextIO) -> bool:
    """Return whether cells have line breaks. Raises UsageError for quotes that do not fit."""
    last = (0, False)
    try:
        for row in dialect.count_rows(stream, beginning):
            last = row
    except csv.Error:
        with _read_text(file, dialect) as (_, beginning, lines):
            likely = likely_dialect(beginning + lines.read(LONGEST_GUESS), dialect)
        hint = "" if likely is None else likely.describe(dialect, option="--{name} {value}")
        fits = f"; all rows would fit with {hint}" if hint else ""
        raise UsageError(f"{file}: expected other quotes in row {last[0] + 1}, the header included{fits}") from None
    return last[1]


@contextmanager
def _read_text(file: Path, dialect: CsvDialect) -> Iterator[tuple[CsvDialect, str, TextIO]]:
    """Open a file of CSV as text, behind a first line that names the delimiter; return what was read of it as well."""
    with _opened(file) as stream:
        lines = io.TextIOWrapper(stream, "utf-8-sig", newline="")
        found, beginning = dialect.of_text(lines.readline())
        yield found, beginning, lines


def _plain(place: str) -> str:
    return place.rstrip("/").removesuffix(".gz").lower()


def _files(place: str, suffix: str) -> Iterator[Path]:
    """Yield the local files of a table with a suffix, without hidden ones."""
    path = Path(local_path(place))
    if not is_remote(place):
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        files = [file for file in found if file.is_file() or file == path]
        yield from (file for file in files if _plain(file.name).endswith(suffix) and not _is_hidden(file, path))


def _is_hidden(file: Path, base: Path) -> bool:
    """Return whether Spark skips a file of a folder, because of its name or the name of a folder above it."""
    names = file.relative_to(base).parts or (file.name,)
    return any(name[0] in "._" for name in names)


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    """Open a file of CSV, with errors that name the file."""
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
            yield cast(BinaryIO, stream)
    except UnicodeDecodeError:
        raise UsageError(f"{file}:{_undecodable_line(file)}: expected CSV in UTF-8") from None
    except (OSError, EOFError):
        raise UsageError(f"{file}: can't be read whole") from None


def _undecodable_line(file: Path) -> int:
    """Return the number, from 1, of the first line that is not UTF-8, in a file that has such a line."""
    with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
        return next(number for number, line in enumerate(stream, 1) if not _is_utf8(line))


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def header_of(file: Path, dialect: CsvDialect = RFC_4180) -> list[str]:
    """Return the names of the columns of a local file of CSV; none if its first row does not fit the dialect."""
    try:
        with _read_text(file, dialect) as (found, beginning, lines):
            return next(found.rows_of_stream(lines, beginning), [])
    except csv.Error:
        return []


def _check_header(file: Path, dialect: CsvDialect) -> None:
    names = header_of(file, dialect)
    if not names or not all(names):
        raise UsageError(f"{file}: expected a header that names every column")
    if len({name.lower() for name in names}) < len(names):
        raise UsageError(f"{file}: expected a header whose names are all different, upper and lower case aside")


def _check_parquet(place: str) -> None:
    first = next(_files(place, ".parquet"), None)
    if first is None:
        raise UsageError(f"{place}: expected a Delta table, Parquet, CSV with a header, or JSON lines")
    try:
        pq.read_schema(first)
    except (pa.ArrowException, OSError, ValueError):
        raise UsageError(f"{first}: expected a whole file of Parquet") from None

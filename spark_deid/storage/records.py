"""Local files of tables of records, looked at before Spark reads them."""

import codecs
import csv
import gzip
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa
import pyarrow.parquet as pq

from spark_deid.core.column_names import columns_text
from spark_deid.core.csv_cells import LONGEST_TEXT, limit_cells
from spark_deid.core.errors import UsageError
from spark_deid.storage.files import is_remote, local_path, walk
from spark_deid.storage.presence import check_present

_JSON = (".jsonl", ".json")
_BLOCK = 1 << 24


def check_records(place: str, *, delimiter: str = ",") -> None:
    """Refuse a local table that is not there, is of no known kind, or whose first file begins as none does.

    And one with links that lead out of its folder: rows of files elsewhere were not given to be read. Raises
    UsageError. Remote places are not looked at.
    """
    check_present(place)
    check_links(place)
    if is_remote(place) or is_delta(place) or is_json(place):
        return
    first = next(csv_files(place), None)
    if first is not None:
        _checkheader_of(first, delimiter)
    else:
        _check_parquet(place)


def check_held(place: str, columns: Iterable[str], *, delimiter: str = ",") -> None:
    """Refuse a local file of CSV that lacks columns, before Spark starts; raises UsageError.

    Other tables are looked at where they are read.
    """
    if is_remote(place) or not Path(local_path(place)).is_file() or not is_csv(place):
        return
    names = header_of(Path(local_path(place)), delimiter)
    if absent := [name for name in dict.fromkeys(columns) if name not in names]:
        hint = "; name what stands between its cells by --delimiter" if len(names) == 1 else ""
        raise UsageError(f"{', '.join(absent)}: expected columns of the table; {columns_text(names)}{hint}")


def check_links(place: str) -> None:
    """Refuse a local folder with links that lead out of it, of files whose names are not hidden. Raises UsageError."""
    found = None if is_remote(place) else walk(place)
    count = len(found.outside) + sum(entry.leads_out for entry in found.files) if found else 0
    if count:
        raise UsageError(
            f"{place}: expected a table that lies in its folder; links in it lead to {count} places outside: copy what "
            "they lead to, or name that place"
        )


def is_delta(place: str) -> bool:
    """Tell whether a local folder is a Delta table."""
    return Path(local_path(place), "_delta_log").is_dir()


def is_json(place: str) -> bool:
    """Tell whether a table is read as JSON lines."""
    return _plain(place).endswith(_JSON)


def is_csv(place: str) -> bool:
    """Tell whether a table is read as CSV; one of Delta is none, whatever its name."""
    return not is_delta(place) and (_plain(place).endswith(".csv") or next(csv_files(place), None) is not None)


def csv_files(place: str) -> Iterator[Path]:
    """Yield the local files of CSV of a table."""
    return _files(place, ".csv")


def has_breaks(file: Path, *, delimiter: str = ",") -> bool:
    """Tell whether line breaks stand within cells of a file of CSV, all of which is read.

    Raises UsageError where it is no UTF-8, or has no header.
    """
    _checkheader_of(file, delimiter)
    decoder = codecs.getincrementaldecoder("utf-8")()
    inside = found = False
    with _opened(file) as stream:
        while block := stream.read(_BLOCK):
            decoder.decode(block)
            if not found and (inside or b'"' in block):
                pieces = block.split(b'"')
                found = any(b"\n" in piece for piece in pieces[not inside :: 2])
                inside ^= len(pieces) % 2 == 0
        decoder.decode(b"", final=True)
    return found


def _plain(place: str) -> str:
    return place.rstrip("/").removesuffix(".gz").lower()


def _files(place: str, suffix: str) -> Iterator[Path]:
    """Yield the local files of a table that end so; hidden ones are none."""
    path = Path(local_path(place))
    if not is_remote(place):
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file for file in files if _plain(file.name).endswith(suffix) and file.name[0] not in "._")


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    """Open a file of CSV; say of the file what goes wrong with it."""
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
            yield cast(BinaryIO, stream)
    except UnicodeDecodeError:
        raise UsageError(f"{file}:{_undecodable_line(file)}: expected CSV in UTF-8") from None
    except (OSError, EOFError):
        raise UsageError(f"{file}: can't be read whole") from None


def _undecodable_line(file: Path) -> int:
    """Return the number of the first line that is no UTF-8, from 1, in a file that is known to have one."""
    with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
        return next(number for number, line in enumerate(stream, 1) if not _is_utf8(line))


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def header_of(file: Path, delimiter: str) -> list[str]:
    """Return the names of the columns of a local file of CSV; none where its first row is none."""
    try:
        limit_cells(LONGEST_TEXT)
        with _opened(file) as stream:
            lines = io.TextIOWrapper(stream, "utf-8-sig", newline="")
            return next(csv.reader(lines, delimiter=delimiter, strict=True), [])
    except csv.Error:
        return []


def _checkheader_of(file: Path, delimiter: str) -> None:
    names = header_of(file, delimiter)
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

"""Tables of records as files have them: Delta, Parquet, CSV with a header, and JSON lines."""

import codecs
import csv
import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core.errors import CorpusError
from spark_deid.storage.files import absolute_path, is_remote, local_path

_KINDS = "a Delta table, Parquet, CSV with a header, or JSON lines"
_JSON = (".jsonl", ".json")
_BLOCK = 1 << 24


def read_records(spark: SparkSession, place: str, *, delimiter: str = ",") -> DataFrame:
    """Read a table: a Delta folder, Parquet, ``.csv`` or ``.jsonl``, packed (``.gz``) or not, or a folder of these.

    Cells of CSV are text, empty ones are missing. Rows that are torn fail what reads them. Local files of CSV are
    looked through before; raises CorpusError where one is no UTF-8 or has no header whose names differ, and for what is
    no such table.
    """
    path = place if is_remote(place) else f"file://{absolute_path(place)}"
    try:
        if _is_delta(spark, place):
            return spark.read.format("delta").load(path)
        if is_csv(place):
            breaks = [_look_through(file, delimiter) for file in _files(place, ".csv")]
            reader = spark.read.option("header", True).option("mode", "FAILFAST").option("multiLine", any(breaks))
            return reader.option("sep", delimiter).option("escape", '"').csv(path)
        if _plain(place).endswith(_JSON):
            return spark.read.option("mode", "FAILFAST").json(path)
        if not is_remote(place):
            _look_at_parquet(place)
        return spark.read.parquet(path)
    except AnalysisException:
        raise CorpusError(f"{place}: expected {_KINDS}") from None


def is_csv(place: str) -> bool:
    """Tell whether a table is read as CSV."""
    return _plain(place).endswith(".csv") or next(_files(place, ".csv"), None) is not None


def _plain(place: str) -> str:
    return place.rstrip("/").removesuffix(".gz").lower()


def _is_delta(spark: SparkSession, place: str) -> bool:
    if not is_remote(place):
        return Path(local_path(place), "_delta_log").is_dir()
    from delta.tables import DeltaTable

    return bool(DeltaTable.isDeltaTable(spark, place))


def _files(place: str, suffix: str) -> Iterator[Path]:
    """Yield the local files of a table that end so; hidden ones are none."""
    path = Path(local_path(place))
    if not is_remote(place):
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file for file in files if _plain(file.name).endswith(suffix) and file.name[0] not in "._")


def _look_through(file: Path, delimiter: str) -> bool:
    """Check a file of CSV; tell whether line breaks stand within its cells."""
    inside = has_breaks = False
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with _opened(file) as stream:
            _check_header(stream, file, delimiter)
        with _opened(file) as stream:
            while block := stream.read(_BLOCK):
                decoder.decode(block)
                if not has_breaks and (inside or b'"' in block):
                    pieces = block.split(b'"')
                    has_breaks = any(b"\n" in piece for piece in pieces[not inside :: 2])
                    inside ^= len(pieces) % 2 == 0
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise CorpusError(f"{file}: expected CSV in UTF-8, not every byte is") from None
    except (OSError, EOFError):
        raise CorpusError(f"{file}: can't be read whole") from None
    return has_breaks


def _opened(file: Path) -> BinaryIO:
    return gzip.open(file) if file.suffix == ".gz" else file.open("rb")  # type: ignore[return-value]


def _check_header(stream: BinaryIO, file: Path, delimiter: str) -> None:
    lines = io.TextIOWrapper(stream, "utf-8-sig", newline="")
    try:
        names = next(csv.reader(lines, delimiter=delimiter, strict=True), [])
    except csv.Error:
        names = []
    if not names or not all(names):
        raise CorpusError(f"{file}: expected a header that names every column")
    if len({name.lower() for name in names}) < len(names):
        raise CorpusError(f"{file}: expected a header whose names are all different, upper and lower case aside")


def _look_at_parquet(place: str) -> None:
    """Check that there are files of Parquet, and that the first of them is whole."""
    try:
        pq.read_schema(next(_files(place, ".parquet")))
    except StopIteration:
        raise CorpusError(f"{place}: expected {_KINDS}") from None
    except (pa.ArrowException, OSError, ValueError):
        raise CorpusError(f"{place}: expected whole files of Parquet") from None

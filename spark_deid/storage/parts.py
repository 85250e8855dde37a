"""Parts: Parquet files that workers write themselves, of several tables side by side."""

import os
import shutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from spark_deid.core.errors import SparkDeidError


class PartFile(NamedTuple):
    """A file of a table: its path, rows and bytes, and its digest where one was asked for."""

    path: str
    rows: int
    size: int
    sha256: str = ""

    @property
    def name(self) -> str:
        """Return the file's name in the table's folder."""
        return os.path.basename(self.path)


_ENDING = ".snappy.parquet"
_STAGING = ".staging"
Parts = Mapping[str, PartFile]
"""A part of each of several tables, by the tables' names; groups of rows of one number belong together."""


class PartsWriter:
    """Write one part of each table, group of rows by group of rows; without statistics, which would be pieces of text.

    ``folders`` are local paths, by table; the driver made them, and a worker that does not see them fails. Files
    of a writer that fails have a name that no one uses again.
    """

    def __init__(self, folders: Mapping[str, str], schemas: Mapping[str, pa.Schema]) -> None:
        self._rows = dict.fromkeys(folders, 0)
        name = f"part-{uuid.uuid4()}{_ENDING}"
        self._paths = {table: os.path.join(folder, name) for table, folder in folders.items()}
        try:
            self._writers = {table: _writer(path, schemas[table]) for table, path in self._paths.items()}
        except OSError as error:
            raise _unwritable(error) from None

    def write(self, groups: Mapping[str, pa.RecordBatch]) -> None:
        """Write a group of rows to each table."""
        try:
            for table, group in groups.items():
                self._writers[table].write_batch(group, row_group_size=max(group.num_rows, 1))
                self._rows[table] += group.num_rows
        except OSError as error:
            raise _unwritable(error) from None

    def close(self) -> dict[str, PartFile]:
        """End every file; return the parts."""
        try:
            for writer in self._writers.values():
                writer.close()
            return {t: PartFile(path, self._rows[t], os.path.getsize(path)) for t, path in self._paths.items()}
        except OSError as error:
            raise _unwritable(error) from None

    def __enter__(self) -> "PartsWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for writer in self._writers.values():
            writer.close()


def read_groups(path: str, columns: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the groups of rows of a part, in order, with these columns or all."""
    with pq.ParquetFile(path) as file:
        for number in range(file.num_row_groups):
            table = file.read_row_group(number, columns=columns, use_threads=False).combine_chunks()
            arrays = [column.chunk(0) if column.num_chunks else pa.array([], column.type) for column in table.columns]
            yield pa.RecordBatch.from_arrays(arrays, schema=table.schema)


def in_pieces(groups: Iterable[pa.RecordBatch], most: int) -> Iterator[pa.RecordBatch]:
    """Yield the rows of groups, at most that many at a time: as rows of Python they take much more memory."""
    for group in groups:
        for first in range(0, group.num_rows, most):
            yield group.slice(first, most)


def read_aligned(parts: Parts) -> Iterator[pa.RecordBatch]:
    """Yield groups of rows with the columns of all tables, in the order in which ``parts`` names them.

    A column of a later table replaces one of the same name.
    """
    for groups in zip(*(read_groups(part.path) for part in parts.values()), strict=True):
        columns = {name: group.column(name) for group in groups for name in group.schema.names}
        yield pa.RecordBatch.from_arrays([*columns.values()], names=[*columns])


def remove_parts(parts: Iterable[Parts]) -> None:
    """Remove files that are of no table any more."""
    for each in parts:
        for part in each.values():
            os.remove(part.path)


@contextmanager
def staged_parts(folder: str) -> Iterator[str]:
    """Give a folder next to a table's for parts that tasks write, and remove it with all that was not moved.

    A task that ends late, such as the second attempt of one that was slow, has no folder to write to any more. If the
    file system can't rename, it is the table's folder itself: names of parts are unique, and others are in no commit.
    """
    staging = f"{os.path.dirname(folder)}/.{os.path.basename(folder)}{_STAGING}"
    shutil.rmtree(staging, ignore_errors=True)
    os.mkdir(staging)
    try:
        yield staging if _can_rename(staging, folder) else folder
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def move_parts(parts: Iterable[PartFile], folder: str) -> tuple[PartFile, ...]:
    """Move parts that have rows into the folder of their table, and remove all other parts that are there.

    Raises SparkDeidError.
    """
    moved = tuple(part._replace(path=os.path.join(folder, part.name)) for part in parts if part.rows)
    sources = {part.name: part.path for part in parts}
    try:
        for part in moved:
            os.replace(sources[part.name], part.path)
        remove_others(folder, moved)
    except OSError as error:
        raise _unwritable(error) from None
    return moved


def _can_rename(staging: str, folder: str) -> bool:
    """Return whether a file can be moved from one folder to the other, which some mounted stores can't."""
    probe, target = (os.path.join(each, ".probe") for each in (staging, folder))
    try:
        with open(probe, "xb"):
            pass
        os.replace(probe, target)
        os.remove(target)
    except OSError:
        return False
    return True


def remove_others(folder: str, parts: Iterable[PartFile]) -> None:
    """Remove what no part of a folder is: files that tasks began which failed, and were carried out again."""
    names = {part.name for part in parts}
    for entry in os.scandir(folder):
        if entry.name.endswith(_ENDING) and entry.name not in names:
            os.remove(entry.path)


def _writer(path: str, schema: pa.Schema) -> pq.ParquetWriter:
    return pq.ParquetWriter(path, schema, compression="snappy", write_statistics=False)


def _unwritable(error: OSError) -> SparkDeidError:
    return SparkDeidError(f"a part of a table can't be written ({error.strerror or type(error).__name__})")

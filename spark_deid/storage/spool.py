"""Batches that are gone through twice: in memory while they are few, in a file without a name beyond that."""

import tempfile
from collections.abc import Iterable, Iterator
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc

HELD = 16 << 20
"""Bytes of batches that are kept in memory."""


class BatchSpool:
    """Keep batches of one schema, in order; then yield them as often as asked.

    What is too much for memory is in a file of ``folder``, as private as that is; it has no name, so that nothing is
    left of it where a task is killed.
    """

    def __init__(self, folder: str, *, held: int = HELD) -> None:
        self._folder, self._limit = folder, held
        self._held: list[pa.RecordBatch] = []
        self._size = 0
        self._file: IO[bytes] | None = None
        self._writer: pa.RecordBatchStreamWriter | None = None

    @property
    def is_spilled(self) -> bool:
        """Return whether batches are in a file."""
        return self._file is not None

    def append(self, batch: pa.RecordBatch) -> None:
        """Take a further batch; not after they were yielded."""
        self._held.append(batch)
        self._size += batch.nbytes
        if self._size > self._limit:
            self._spill()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows: those in memory as one batch, if any are there, those in a file as they came."""
        if self._file is None:
            if len(self._held) > 1:
                self._held = pa.Table.from_batches(self._held).combine_chunks().to_batches()
            yield from self._held
            return
        if self._writer is not None:
            self._spill()
            self._writer.close()
            self._writer = None
        self._file.seek(0)
        with pa.ipc.open_stream(self._file) as stream:
            yield from stream

    def close(self) -> None:
        """Let go of what is kept."""
        if self._file is not None:
            self._file.close()

    def _spill(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115  (it lives as long as this)
            self._writer = pa.ipc.new_stream(self._file, self._held[0].schema)
        if self._writer is not None:
            for batch in self._held:
                self._writer.write_batch(batch)
        self._held, self._size = [], 0


def whole_groups(
    incoming: Iterable[pa.RecordBatch], key: str, folder: str, *, held: int = HELD
) -> Iterator[BatchSpool]:
    """Cut sorted batches between groups of one key: yield the rows of several whole groups, or of one that is long.

    What is yielded lasts until the next is asked for.
    """
    spool = BatchSpool(folder, held=held)
    last = None
    for batch in incoming:
        if not batch.num_rows:
            continue
        keys = batch.column(key)
        begin = pc.index(keys, keys[-1]).as_py()
        if begin:
            spool.append(batch.slice(0, begin))
        if begin or (last is not None and last != keys[0].as_py()):
            yield spool
            spool.close()
            spool = BatchSpool(folder, held=held)
        spool.append(batch.slice(begin))
        last = keys[-1].as_py()
    if last is not None:
        yield spool
    spool.close()

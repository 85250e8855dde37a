"""Delta tables committed without Spark: such a commit costs Spark a second, this a millisecond."""

import io
import json
import time
import uuid
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.parquet as pq

from spark_deid.core.errors import SparkDeidError
from spark_deid.core.tables import atomic_types, names_of
from spark_deid.core.version import VERSION
from spark_deid.storage.folder import StorageFolder
from spark_deid.storage.parts import PartFile

LOG = "_delta_log"
FIRST_COMMIT = "00000000000000000000.json"
_NTZ = pa.timestamp("us")
_PROTOCOL: dict[str, object] = {"minReaderVersion": 1, "minWriterVersion": 2}
_NTZ_FEATURES = ["timestampNtz"]
_NTZ_PROTOCOL: dict[str, object] = {
    "minReaderVersion": 3,
    "minWriterVersion": 7,
    "readerFeatures": _NTZ_FEATURES,
    "writerFeatures": _NTZ_FEATURES,
}


def commit_table(
    folder: StorageFolder, schema: pa.Schema, parts: Iterable[PartFile], *, user_metadata: str | None = None
) -> None:
    """Make files that are in a folder a new Delta table of one commit, without statistics; other files of it go.

    What is not named remained by tasks that failed or were done twice.

    ``folder`` must not hold a table: raises SparkDeidError. ``user_metadata`` goes into the commit.
    """
    given = tuple(parts)
    write_entry(folder, given, entry_of(schema, given, user_metadata))


def entry_of(schema: pa.Schema, parts: Iterable[PartFile], user_metadata: str | None = None) -> bytes:
    """Return the first entry of a table's log.

    The protocol is Delta's first (reader 1, writer 2), as published in
    https://github.com/delta-io/delta/blob/master/PROTOCOL.md. A schema that has times without a zone needs reader 3
    and writer 7.
    """
    actions = [*_header(schema, user_metadata), *(_add(part) for part in parts)]
    return "".join(json.dumps(action) + "\n" for action in actions).encode()


def write_entry(folder: StorageFolder, parts: Iterable[PartFile], entry: bytes) -> None:
    """Make parts a table by the entry of its log that names them; see ``commit_table``."""
    check_new(folder)
    log = folder.child(LOG)
    log.make()
    for name in sorted({*folder.names()} - {LOG} - {part.name for part in parts}):
        folder.remove(name)
    log.write(FIRST_COMMIT, entry)


def is_first_version(folder: StorageFolder) -> bool:
    """Return whether a table is as its first commit made it: nothing else that readers of its log look at is there.

    That is a later commit, a checkpoint, a compaction, or a checksum, of which Delta takes schema and protocol too.
    """
    return all(name == FIRST_COMMIT or name.startswith(".") for name in folder.child(LOG).names())


def added_files(folder: StorageFolder) -> tuple[str, ...]:
    """Return the names of the files that a table's first commit made it of; raises ValueError for a torn log."""
    actions = map(json.loads, (folder.child(LOG).read(FIRST_COMMIT) or b"").splitlines())
    return tuple(str(action["add"]["path"]) for action in actions if "add" in action)


def check_new(folder: StorageFolder) -> None:
    """Check that a folder holds no table; raises SparkDeidError."""
    if FIRST_COMMIT in folder.child(LOG).names():
        raise SparkDeidError(f"{folder.uri}: holds a table already")


def write_small_table(rows: Iterable[tuple[object, ...]], schema: pa.Schema, folder: StorageFolder) -> None:
    """Write rows as a new Delta table of one commit and at most one file; ``folder`` must not hold a table."""
    table = pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema=schema)
    parts = []
    folder.make()
    if table.num_rows:
        name = f"part-00000-{uuid.uuid4()}.snappy.parquet"
        data = _parquet(table)
        folder.write(name, data)
        parts.append(PartFile(name, table.num_rows, len(data)))
    commit_table(folder, schema, parts)


def _parquet(table: pa.Table) -> bytes:
    stream = io.BytesIO()
    pq.write_table(table, stream, compression="snappy", write_statistics=False)
    return stream.getvalue()


def _header(schema: pa.Schema, user_metadata: str | None) -> tuple[dict[str, object], ...]:
    fields = [_field(field) for field in schema]
    information: dict[str, object] = {
        "timestamp": _now(),
        "operation": "WRITE",
        "operationParameters": {"mode": "ErrorIfExists", "partitionBy": "[]"},
        "isBlindAppend": True,
        "engineInfo": f"spark_deid/{VERSION}",
    }
    if user_metadata is not None:
        information["userMetadata"] = user_metadata
    metadata = {
        "id": str(uuid.uuid4()),
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": [],
        "configuration": {"delta.dataSkippingNumIndexedCols": "0"},
        "createdTime": _now(),
    }
    return (
        {"commitInfo": information},
        {"protocol": _NTZ_PROTOCOL if any(_NTZ in atomic_types(field.type) for field in schema) else _PROTOCOL},
        {"metaData": metadata},
    )


def _add(part: PartFile) -> dict[str, object]:
    return {
        "add": {
            "path": part.name,
            "partitionValues": {},
            "size": part.size,
            "modificationTime": _now(),
            "dataChange": True,
            "stats": json.dumps({"numRecords": part.rows}),
        }
    }


def _type(kind: pa.DataType) -> object:
    if pa.types.is_map(kind):
        return {
            "type": "map",
            "keyType": _type(kind.key_type),
            "valueType": _type(kind.item_type),
            "valueContainsNull": True,
        }
    if pa.types.is_list(kind):
        return {"type": "array", "elementType": _type(kind.value_type), "containsNull": True}
    if pa.types.is_struct(kind):
        return {"type": "struct", "fields": [_field(kind.field(place)) for place in range(kind.num_fields)]}
    names = names_of(kind)
    if names is None:
        raise SparkDeidError(f"a table can't store a column of type {kind}")
    return names.delta


def _field(field: pa.Field) -> dict[str, object]:
    return {"name": field.name, "type": _type(field.type), "nullable": True, "metadata": {}}


def _now() -> int:
    return time.time_ns() // 1_000_000

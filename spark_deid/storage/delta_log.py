"""Small Delta tables, written without Spark: a Delta commit costs Spark a second, this a millisecond."""

import io
import json
import time
import uuid
from collections.abc import Iterable

import pyarrow as pa
import pyarrow.parquet as pq

import spark_deid
from spark_deid.storage.folder import Folder

FIRST_COMMIT = "00000000000000000000.json"
_TYPES = {
    pa.string(): "string",
    pa.int32(): "integer",
    pa.int64(): "long",
    pa.float64(): "double",
    pa.bool_(): "boolean",
}


def write_small_table(rows: Iterable[tuple[object, ...]], schema: pa.Schema, folder: Folder) -> None:
    """Write rows as a new Delta table of one commit and at most one file, without statistics.

    ``folder`` must not hold a table. The protocol is Delta's first (reader 1, writer 2), as published in
    https://github.com/delta-io/delta/blob/master/PROTOCOL.md.
    """
    table = pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema=schema)
    log = folder.child("_delta_log")
    log.make()
    actions = [*_header(schema)]
    if table.num_rows:
        name = f"part-00000-{uuid.uuid4()}.snappy.parquet"
        data = _parquet(table)
        folder.write(name, data)
        actions.append(_add(name, len(data), table.num_rows))
    log.write(FIRST_COMMIT, "".join(json.dumps(action) + "\n" for action in actions).encode())


def _parquet(table: pa.Table) -> bytes:
    stream = io.BytesIO()
    pq.write_table(table, stream, compression="snappy")
    return stream.getvalue()


def _header(schema: pa.Schema) -> tuple[dict[str, object], ...]:
    fields = [{"name": f.name, "type": _type(f.type), "nullable": True, "metadata": {}} for f in schema]
    information = {
        "timestamp": _now(),
        "operation": "CREATE TABLE",
        "operationParameters": {},
        "engineInfo": f"spark_deid/{spark_deid.__version__}",
    }
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
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {"metaData": metadata},
    )


def _add(name: str, size: int, rows: int) -> dict[str, object]:
    return {
        "add": {
            "path": name,
            "partitionValues": {},
            "size": size,
            "modificationTime": _now(),
            "dataChange": True,
            "stats": json.dumps({"numRecords": rows}),
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
    return _TYPES[kind]


def _now() -> int:
    return time.time_ns() // 1_000_000

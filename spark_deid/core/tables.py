"""The tables that stages exchange and files keep: one schema each, readable without Spark."""

from collections.abc import Iterator
from types import MappingProxyType
from typing import NamedTuple

import pyarrow as pa

from spark_deid.core.errors import SparkDeidError


def _schema(*fields: tuple[str, pa.DataType]) -> pa.Schema:
    return pa.schema([pa.field(name, kind) for name, kind in fields])


_STRING = pa.string()
_OFFSET = pa.int32()

DOCUMENTS = _schema(
    ("doc_id", _STRING), ("subject_id", _STRING), ("text", _STRING), ("meta", pa.map_(_STRING, _STRING))
)
REJECTS = _schema(("source", _STRING), ("reason", _STRING), ("detail", _STRING), ("records", pa.int64()))
SPANS = _schema(
    ("doc_id", _STRING),
    ("start", _OFFSET),
    ("end", _OFFSET),
    ("label", _STRING),
    ("score", pa.float64()),
    ("source", _STRING),
    ("annotation_id", _STRING),
)
ENTITIES = _schema(
    ("entity_id", _STRING), ("doc_id", _STRING), ("start", _OFFSET), ("end", _OFFSET), ("subject_id", _STRING)
)
IDENTIFIERS = _schema(("subject_id", _STRING), ("attribute", _STRING), ("value", _STRING), ("generalized", _STRING))
EDITS = _schema(
    ("doc_id", _STRING),
    ("start", _OFFSET),
    ("end", _OFFSET),
    ("technique", _STRING),
    ("replacement", _STRING),
)
ASSOCIATIONS = _schema(
    ("label", _STRING),
    ("term", _STRING),
    ("value", _STRING),
    ("support", pa.int64()),
    ("term_documents", pa.int64()),
    ("value_documents", pa.int64()),
    ("documents", pa.int64()),
    ("confidence", pa.float64()),
    ("lift", pa.float64()),
)
ASSESSMENTS = _schema(
    ("guarantee", _STRING),
    ("parameters", _STRING),
    ("value", pa.float64()),
    ("threshold", pa.float64()),
    ("satisfied", pa.bool_()),
    ("evidence", _STRING),
)

TABLES = MappingProxyType(
    {
        "documents": DOCUMENTS,
        "rejects": REJECTS,
        "spans": SPANS,
        "entities": ENTITIES,
        "identifiers": IDENTIFIERS,
        "edits": EDITS,
        "associations": ASSOCIATIONS,
        "assessments": ASSESSMENTS,
    }
)

ASSIGNMENTS = frozenset(("surrogates", "pseudonyms"))
"""Values of people's documents: a workspace keeps them next to its tables, as files of Parquet."""

SPAN_STRUCT = pa.struct([field for field in SPANS if field.name != "doc_id"])
EDIT_STRUCT = pa.struct([*(field for field in EDITS if field.name != "doc_id"), ("label", _STRING)])
"""An edit of decisions: it knows the label that it was made for, which the table ``edits`` does not show."""
MENTION_STRUCT = pa.struct(
    [
        ("start", _OFFSET),
        ("end", _OFFSET),
        *((name, _STRING) for name in ("label", "replacement", "reason", "entity", "subject", "attribute", "value")),
    ]
)
"""A mention: a row of ``core.document.LinkedMention``."""
MENTIONS = "mentions"
"""The column of annotated documents that has these, a list per document, where people were linked."""
HANDED_BACK_STRUCT = pa.struct([("technique", _STRING), ("reason", _STRING), ("spans", pa.int64())])
ANNOTATED = pa.schema([*DOCUMENTS, ("spans", pa.list_(SPAN_STRUCT))])
"""Documents with the spans found in them."""
DECIDED = pa.schema([*ANNOTATED, ("edits", pa.list_(EDIT_STRUCT)), ("handed_back", pa.list_(HANDED_BACK_STRUCT))])
"""Annotated documents with the edits that rules make of their spans.

``handed_back`` counts the spans that a technique did not replace, by reason; they were suppressed. What a technique
notes of a document is there as well.
"""
DECISIONS = pa.schema(
    [
        *DECIDED,
        ("published", _STRING),
        ("words", pa.int64()),
        ("published_words", pa.int64()),
        ("gold_unedited", pa.int64()),
    ]
)
"""What became of each document.

``words`` counts the original's word tokens, ``published_words`` those that no edit touches, and ``gold_unedited``
imported annotations of which some word keeps an unedited character.
"""


def quote_name(name: str) -> str:
    """Write the name of a column, whatever characters that has, as Spark reads it.

    >>> quote_name("zip.code"), quote_name("a`ge")
    ('`zip.code`', '`a``ge`')
    """
    return f"`{name.replace('`', '``')}`"


def ddl(schema: pa.Schema) -> str:
    """Write a schema in Spark's DDL.

    >>> ddl(REJECTS)
    '`source` string, `reason` string, `detail` string, `records` bigint'
    """
    return ", ".join(f"{quote_name(field.name)} {_ddl_type(field.type)}" for field in schema)


def column_types(schema: pa.Schema) -> dict[str, str]:
    """Return the Spark type of each column, in order.

    >>> column_types(REJECTS)["reason"]
    'string'
    """
    return {field.name: _ddl_type(field.type) for field in schema}


def _field_name(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else quote_name(name)


def _ddl_type(kind: pa.DataType) -> str:
    if pa.types.is_map(kind):
        return f"map<{_ddl_type(kind.key_type)},{_ddl_type(kind.item_type)}>"
    if pa.types.is_list(kind):
        return f"array<{_ddl_type(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{','.join(f'{_field_name(field.name)}:{_ddl_type(field.type)}' for field in kind)}>"
    names = names_of(kind)
    if names is None:
        raise SparkDeidError(f"a table can't store a column of type {kind}")
    return names.ddl


# The types of columns that tables can store: each Arrow type with its name in Spark's DDL and in Delta's schema.


class TypeNames(NamedTuple):
    """The name of a type in Spark's DDL, and in the schema of a Delta table."""

    ddl: str
    delta: str


_NAMES = MappingProxyType(
    {
        pa.string(): TypeNames("string", "string"),
        pa.bool_(): TypeNames("boolean", "boolean"),
        pa.int8(): TypeNames("tinyint", "byte"),
        pa.int16(): TypeNames("smallint", "short"),
        pa.int32(): TypeNames("int", "integer"),
        pa.int64(): TypeNames("bigint", "long"),
        pa.float32(): TypeNames("float", "float"),
        pa.float64(): TypeNames("double", "double"),
        pa.date32(): TypeNames("date", "date"),
        pa.binary(): TypeNames("binary", "binary"),
        pa.timestamp("us"): TypeNames("timestamp_ntz", "timestamp_ntz"),
    }
)
_TIMESTAMP = TypeNames("timestamp", "timestamp")


def names_of(kind: pa.DataType) -> TypeNames | None:
    """Return the names of a type whose cells are single values, or None if tables can't store the type.

    >>> names_of(pa.int16()), names_of(pa.decimal128(12, 2)), names_of(pa.duration("us"))
    (TypeNames(ddl='smallint', delta='short'), TypeNames(ddl='decimal(12,2)', delta='decimal(12,2)'), None)
    """
    if pa.types.is_decimal128(kind):
        return TypeNames(*[f"decimal({kind.precision},{kind.scale})"] * 2)
    if pa.types.is_timestamp(kind) and kind.unit == "us" and kind.tz is not None:
        return _TIMESTAMP
    return _NAMES.get(kind)


def atomic_types(kind: pa.DataType) -> Iterator[pa.DataType]:
    """Yield the types of single values that a type contains.

    >>> [str(each) for each in atomic_types(pa.map_(pa.string(), pa.list_(pa.struct([("at", pa.date32())]))))]
    ['string', 'date32[day]']
    """
    if pa.types.is_map(kind):
        yield from (*atomic_types(kind.key_type), *atomic_types(kind.item_type))
    elif pa.types.is_struct(kind):
        for field in kind:
            yield from atomic_types(field.type)
    elif pa.types.is_list(kind):
        yield from atomic_types(kind.value_type)
    else:
        yield kind

"""The identifier view as codes: persons are numbered where they are, and of each a few numbers are brought together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.attribute import MISSING, CodedAttribute, attribute_of
from spark_deid.numerics.arrays import Int32s, Int64s
from spark_deid.ontology.hierarchy import ValueHierarchy

Places = npt.NDArray[np.signedinteger[Any]]
"""Places of values among distinct ones, in the least type that holds them; -1 where there is none."""

_WHOLE_DATE = r"^\d{4}-\d{2}-\d{2}$"


@dataclass(frozen=True)
class HeldValues:
    """The values of one sensitive attribute: ``persons[i]`` holds ``values[i]``, each pair once."""

    persons: Int64s
    values: pa.Array


@dataclass(frozen=True)
class IdentifierView:
    """A row a person: the quasi-identifiers by attribute (text, null where unknown), and who holds what."""

    persons: int
    quasi: Mapping[str, pa.Array]
    sensitive: Sequence[HeldValues] = ()


class NumberedValues(NamedTuple):
    """The values of a column, each once, and the place of each row's value among them."""

    values: pa.Array
    places: Places


class HeldPlaces(NamedTuple):
    """Sensitive values of persons: how many each holds, and the values of one person after the other."""

    counts: Places
    held: NumberedValues


class ViewChunk(NamedTuple):
    """A part of a view, in numbers: by quasi-identifier, and by sensitive attribute."""

    persons: int
    quasi: Mapping[str, NumberedValues]
    sensitive: tuple[HeldPlaces, ...]


@dataclass(frozen=True)
class CodedView:
    """A view in codes: ``codes`` has a row a person, a column an attribute.

    Person p holds the sensitive values ``held[offsets[p]:offsets[p + 1]]``. These are numbered through all attributes,
    and ``holders`` tells, by attribute, how many persons hold each.
    """

    attributes: tuple[CodedAttribute, ...]
    codes: Int32s
    offsets: Int64s
    held: Int32s
    holders: tuple[Int64s, ...]

    @property
    def persons(self) -> int:
        """Return how many persons there are."""
        return len(self.codes)


def number(view: IdentifierView) -> ViewChunk:
    """Number the values of a view, or of some of its persons."""
    sensitive = []
    for each in view.sensitive:
        order = np.argsort(each.persons, kind="stable")
        counts = np.bincount(each.persons, minlength=view.persons)
        values = _numbered(each.values.take(pa.array(order)))
        sensitive.append(HeldPlaces(_narrow(counts, counts.max(initial=0)), values))
    return ViewChunk(view.persons, {name: _numbered(column) for name, column in view.quasi.items()}, tuple(sensitive))


def distinct(chunks: Sequence[ViewChunk], name: str, kind: str) -> pa.Array:
    """Return the values of a quasi-identifier that can be compared, each once."""
    found = [comparable(chunk.quasi[name].values, kind) for chunk in chunks]
    return pc.unique(pa.chunked_array(found, _type_of(kind))).drop_null()


def code(chunks: Sequence[ViewChunk], kinds: Mapping[str, str], hierarchies: Mapping[str, ValueHierarchy]) -> CodedView:
    """Code a view; ``kinds`` are those of its quasi-identifiers. Attributes that nobody has a value of are left out.

    Raises SparkDeidError for values that a hierarchy lacks.
    """
    starts = np.cumsum([0, *(chunk.persons for chunk in chunks)])
    names = chunks[0].quasi if chunks else ()
    values = {name: distinct(chunks, name, kinds[name]) for name in names}
    known = [attribute_of(name, each, hierarchies.get(name)) for name, each in values.items() if len(each)]
    codes = np.empty((int(starts[-1]), len(known)), np.int32)
    for column, attribute in enumerate(known):
        for chunk, first, end in zip(chunks, starts, starts[1:], strict=False):
            codes[first:end, column] = _codes(attribute, kinds[attribute.name], chunk.quasi[attribute.name])
    return CodedView(tuple(known), codes, *_held(chunks, starts))


def codes_of(attributes: Sequence[CodedAttribute], kinds: Mapping[str, str], columns: Mapping[str, pa.Array]) -> Int32s:
    """Return the codes of some rows, a column an attribute; UNKNOWN for a value that an attribute does not have."""
    coded = [_codes(each, kinds[each.name], _numbered(columns[each.name])) for each in attributes]
    return np.ascontiguousarray(np.stack(coded, axis=1))


def comparable(values: pa.Array, kind: str) -> pa.Array:
    """Return values as they are compared: ages as numbers, and no dates of which some part is unknown."""
    return whole(values, kind).cast(_type_of(kind))


def whole(values: pa.Array, kind: str) -> pa.Array:
    """Return values, null in place of dates of which some part is unknown."""
    if kind != "date":
        return values
    return pc.if_else(pc.match_substring_regex(values, _WHOLE_DATE), values, pa.scalar(None, pa.string()))


def _type_of(kind: str) -> pa.DataType:
    return pa.int64() if kind == "age" else pa.string()


def _numbered(values: pa.Array) -> NumberedValues:
    encoded = values.dictionary_encode()
    places = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    return NumberedValues(encoded.dictionary, _narrow(places, len(encoded.dictionary)))


def _narrow(numbers: npt.NDArray[Any], largest: int) -> Places:
    """Return whole numbers in the least signed type that holds ``largest``."""
    kind = next(each for each in (np.int8, np.int16, np.int32) if largest <= np.iinfo(each).max)
    return numbers.astype(kind)


def _codes(attribute: CodedAttribute, kind: str, column: NumberedValues) -> Int32s:
    known = np.append(attribute.encode(comparable(column.values, kind)), np.int32(MISSING))
    codes: Int32s = known[column.places]
    return codes


def _held(chunks: Sequence[ViewChunk], starts: Int64s) -> tuple[Int64s, Int32s, tuple[Int64s, ...]]:
    """Bring sensitive values together: where those of each person begin, the values, and how many hold each."""
    offsets = np.zeros(int(starts[-1]) + 1, np.int64)
    for chunk, first in zip(chunks, starts, strict=False):
        for each in chunk.sensitive:
            offsets[first + 1 : first + 1 + chunk.persons] += each.counts
    np.cumsum(offsets, out=offsets)
    held = np.empty(int(offsets[-1]), np.int32)
    filled = offsets[:-1].copy()
    holders: list[Int64s] = []
    for at in range(len(chunks[0].sensitive) if chunks else 0):
        base = sum(map(len, holders))
        values = pc.unique(pa.chunked_array([chunk.sensitive[at].held.values for chunk in chunks]))
        counted = np.zeros(len(values), np.int64)
        for chunk, first in zip(chunks, starts, strict=False):
            counts, (own, places) = chunk.sensitive[at]
            codes = pc.index_in(own, value_set=values).to_numpy(zero_copy_only=False)[places]
            mine = filled[first : first + chunk.persons]
            ends = np.cumsum(counts, dtype=np.int64)
            held[np.arange(codes.size) + np.repeat(mine - (ends - counts), counts)] = codes + base
            mine += counts
            counted += np.bincount(codes, minlength=len(values))
        holders.append(counted)
    return offsets, held, tuple(holders)

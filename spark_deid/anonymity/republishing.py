"""A table in m-invariant classes: its rows as classes show them, with counterfeits among them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.attribute import CodedAttribute, attribute_of
from spark_deid.anonymity.bands import show_as_bands, widened_to_bands
from spark_deid.anonymity.coding import CodedTable
from spark_deid.anonymity.column_type import NO_TYPES, ColumnTypes, kind_of_column
from spark_deid.anonymity.invariance import COUNTERFEIT, Signature, SignedPersons, fill_buckets, split_bucket
from spark_deid.anonymity.kernels.classes import find_class_ranges, widen_to_nodes
from spark_deid.anonymity.multivalued import are_numbers, one_spelling, without_missing_words
from spark_deid.anonymity.partition import UnitRows, name_partition, rows_of
from spark_deid.anonymity.space import space_of
from spark_deid.core.hashing import keyed_hash
from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.ontology.hierarchy import ValueHierarchy

BEFORE = "values of the previous class"
"""The column of rows that has the signature that a person had, as text; null for a new person."""

CLASS = "class"
"""The column of what is published that numbers classes: those that show the same must be distinguished."""


@dataclass(frozen=True)
class RepublishedColumns:
    """Which columns are which, and how quasi-identifiers are recoded; ``key`` makes counterfeits' people.

    Classes show bands, but tight ranges of what ``tight`` names. ``types`` are those of columns of text.
    """

    quasi: tuple[str, ...]
    sensitive: str
    person: str
    hierarchies: Mapping[str, ValueHierarchy]
    key: bytes = field(repr=False)
    tight: frozenset[str] = frozenset()
    types: ColumnTypes = field(default_factory=lambda: NO_TYPES)


@dataclass(frozen=True)
class RepublishedRows:
    """Rows as they may be published, a class after the other, and counts of what it took."""

    rows: pa.Table
    classes: int
    counterfeits: int
    suppressed_rows: int
    suppressed_persons: int

    @property
    def counts(self) -> dict[str, object]:
        """Return the counts."""
        names = ("classes", "counterfeits", "suppressed_rows", "suppressed_persons")
        return {name: getattr(self, name) for name in names}


def republish(rows: pa.Table, columns: RepublishedColumns, m: int) -> RepublishedRows:
    """Put a table's people into m-invariant classes.

    ``rows`` has the columns and BEFORE, all rows of a person together. People with several sensitive values remain
    out, as no class can keep these apart from one another's. Raises CorpusError where rows name no person.
    """
    table = _Table(rows.combine_chunks(), columns)
    buckets, _ = fill_buckets(table.people, m)
    found = [
        (bucket.signature, row)
        for bucket in buckets
        for row in split_bucket(bucket, table.placed, table.positions, table.seed_of(bucket.signature))
    ]
    return table.published(found)


@dataclass(frozen=True)
class _Table:
    rows: pa.Table
    columns: RepublishedColumns

    @cached_property
    def attributes(self) -> tuple[CodedAttribute, ...]:
        hierarchies = self.columns.hierarchies
        chosen = ((name, self.rows.column(name).combine_chunks()) for name in self.columns.quasi)
        types = self.columns.types
        made = (
            attribute_of(name, values, hierarchies.get(name), kind_of_column(types, name)) for name, values in chosen
        )
        return tuple(each if each.name in self.columns.tight else show_as_bands(each) for each in made)

    @cached_property
    def part(self) -> UnitRows:
        return CodedTable(self.attributes, by_person=True).part(
            self.rows.select([*self.columns.quasi, self.columns.person])
        )

    @property
    def positions(self) -> list[np.ndarray]:
        return [np.append(each.positions[: each.last + 1], [np.nan] * each.categories) for each in self.attributes]

    @cached_property
    def single(self) -> Int64s:
        """Return the people who hold one sensitive value; other numbers of people count only these."""
        changes = np.diff(self.values, prepend=self.values[:1]) != 0
        changes[self.part.units[:-1]] = False
        return np.flatnonzero(np.add.reduceat(changes, self.part.units[:-1]) == 0)

    @cached_property
    def texts(self) -> list[str | None]:
        """Return the sensitive values, those of signatures too, in order and a missing one first."""
        both = pa.concat_arrays([self._counted, one_spelling(self._before)])
        return [*([None] if both.null_count else []), *sorted(pc.unique(both.drop_null()).to_pylist())]

    @cached_property
    def values(self) -> Int64s:
        """Return the number of the sensitive value of each row."""
        return np.array(pc.index_in(self._counted, pa.array(self.texts, pa.string())), np.int64)

    @cached_property
    def placed(self) -> Int32s:
        """Return where people are: by the least value of each attribute."""
        return self.part.placed()[self.single]

    @property
    def people(self) -> SignedPersons:
        first = self.part.units[:-1][self.single]
        number = {text: at for at, text in enumerate(self.texts)}
        signed = self.rows.column(BEFORE).take(pa.array(first)).to_pylist()
        known = {tuple(each): self._signature(each, number) for each in signed if each is not None}
        before = [None if each is None else known[tuple(each)] for each in signed]
        return SignedPersons(self.values[first], before, np.arange(first.size, dtype=np.uint64))

    def _signature(self, texts: Sequence[str | None], number: Mapping[str | None, int]) -> Signature:
        counted = one_spelling(pa.array(texts, pa.string())).to_pylist()
        return tuple(sorted({number[text] for text in counted}))

    @property
    def _sensitive(self) -> pa.Array:
        return self.rows.column(self.columns.sensitive).combine_chunks().cast(pa.string())

    @property
    def _before(self) -> pa.Array:
        return pc.list_flatten(self.rows.column(BEFORE)).combine_chunks().cast(pa.string())

    @cached_property
    def _counted(self) -> pa.Array:
        """Return the sensitive value of each row, in one spelling."""
        spelled = one_spelling(self._sensitive)
        return without_missing_words(spelled) if are_numbers(spelled) else spelled

    @cached_property
    def _spellings(self) -> dict[str | None, list[str]]:
        """Return how each value is written."""
        written = pc.unique(pa.concat_arrays([self._sensitive, self._before])).drop_null()
        found: dict[str | None, list[str]] = {}
        for text, own in zip(written.to_pylist(), one_spelling(written).to_pylist(), strict=True):
            found.setdefault(own, []).append(text)
        return {own: sorted(texts) for own, texts in found.items()}

    def seed_of(self, signature: Signature) -> int:
        """Draw, by the key, the places of counterfeits in a bucket."""
        values = ("" if self.texts[value] is None else f"={self.texts[value]}" for value in signature)
        return int(keyed_hash(self.columns.key, "places", *values)[:16], 16)

    def published(self, found: Sequence[tuple[Signature, Int64s]]) -> RepublishedRows:
        """Write rows class by class, in each by value, so that nothing states which are counterfeits."""
        people = [self.single[row[row != COUNTERFEIT]] for _, row in found]
        starts = np.cumsum([0, *map(len, people)]).astype(np.int64)
        order = np.concatenate([np.empty(0, np.int64), *people]).astype(np.int32)
        names, fakes = self._labels(order, starts), self._counterfeits(found)
        source, group = self._sources(found)
        taken = pa.array(source)
        shown = {
            name: names[name].take(pa.array(group))
            if name in names
            else pa.concat_arrays([self.rows.column(name).combine_chunks(), fakes[name]]).take(taken)
            for name in self.rows.column_names
            if name != BEFORE
        }
        made_up = len(fakes[self.columns.person])
        return RepublishedRows(
            rows=pa.table({**shown, CLASS: pa.array(group, pa.int64())}),
            classes=len(found),
            counterfeits=made_up,
            suppressed_rows=self.rows.num_rows - (len(source) - made_up),
            suppressed_persons=self.part.number - len(order),
        )

    def _labels(self, order: Int32s, starts: Int64s) -> dict[str, pa.DictionaryArray]:
        """Name what each class shows."""
        rows, bounds = rows_of(self.part, order, starts)
        shape = (len(starts) - 1, len(self.attributes))
        lows, highs = np.empty(shape, np.int32), np.empty(shape, np.int32)
        extras = np.empty(shape, np.int64)
        space = space_of(self.attributes)
        find_class_ranges(self.part.codes, rows, bounds, space.ends, lows, highs, extras)
        for at, attribute in enumerate(self.attributes):
            if attribute.tree is not None:
                widen_to_nodes(space, at, lows, highs)
            elif attribute.is_banded:
                lows[:, at], highs[:, at] = widened_to_bands(attribute, lows[:, at], highs[:, at])
        shown = name_partition((lows, highs, extras), self.attributes)
        return {attribute.name: each for attribute, each in zip(self.attributes, shown, strict=True)}

    def _counterfeits(self, found: Sequence[tuple[Signature, Int64s]]) -> dict[str, pa.Array]:
        """Make person and sensitive value of every counterfeit, in the order of classes."""
        named = self.rows.column(self.columns.person).cast(pa.string())
        first = self.part.units[:-1][self.single]
        people, values = [], []
        for signature, row in found:
            there = [named[int(first[person])].as_py() for person in row if person != COUNTERFEIT]
            for value, person in zip(signature, row, strict=True):
                if person == COUNTERFEIT:
                    text = self.texts[value]
                    name = keyed_hash(self.columns.key, "counterfeit", *there, "" if text is None else text)
                    people.append(name)
                    spellings = [] if text is None else self._spellings[text]
                    values.append(spellings[int(name[:15], 16) % len(spellings)] if spellings else None)
        kind = self.rows.schema.field(self.columns.sensitive).type
        return {
            self.columns.person: pa.array(people, pa.string()),
            self.columns.sensitive: pa.array(values, pa.string()).cast(kind),
        }

    def _sources(self, found: Sequence[tuple[Signature, Int64s]]) -> tuple[list[int], list[int]]:
        """Return which row is where, and its class; counterfeits are numbered after the table's rows."""
        source: list[int] = []
        group: list[int] = []
        fake = self.rows.num_rows
        for at, (_, row) in enumerate(found):
            for person in row:
                if person == COUNTERFEIT:
                    here, fake = range(fake, fake + 1), fake + 1
                else:
                    unit = self.single[person]
                    here = range(self.part.units[unit], self.part.units[unit + 1])
                source += here
                group += [at] * len(here)
        return source, group

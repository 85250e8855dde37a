"""Hashed attributes as a sparse matrix: a row per token, a column an attribute, every value 1."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from spark_deid.core.numerics.arrays import Bools, Float64s, Int32s, Int64s, UInt64s
from spark_deid.core.numerics.compilation import compiled, prefetch

U = np.uint64
Attributes = UInt64s
Columns = Int32s
AHEAD = 12
"""Tokens by which slots are fetched before they are checked."""


class AttributeIndex(NamedTuple):
    """Attributes by column, and the hash table that finds them: ``numbers`` is -1 where a slot has no column."""

    attributes: Attributes
    keys: Attributes
    numbers: Columns


@compiled
def _enter(attributes: Attributes, keys: Attributes, counts: Columns) -> int:
    """Count attributes ``[template, token]`` in an open-addressing table; return how many were new."""
    mask = U(len(keys) - 1)
    new = 0
    for f in range(attributes.shape[0]):
        before = U(0)
        slot = U(0)
        for i in range(attributes.shape[1]):
            if i + AHEAD < attributes.shape[1]:
                prefetch(keys, np.int64((attributes[f, i + AHEAD] >> U(8)) & mask))
            h = attributes[f, i]
            if h == U(0):
                continue
            # Neighbouring tokens often have one attribute of a template, so the slot found last is used again.
            if h != before:
                before = h
                slot = (h >> U(8)) & mask
                while keys[slot] != U(0) and keys[slot] != h:
                    slot = (slot + U(1)) & mask
                if keys[slot] == U(0):
                    keys[slot] = h
                    new += 1
            counts[slot] += 1
    return new


@compiled
def _move(keys: Attributes, counts: Columns, new_keys: Attributes, new_counts: Columns) -> None:
    mask = U(len(new_keys) - 1)
    for k in range(len(keys)):
        if keys[k] != U(0):
            slot = (keys[k] >> U(8)) & mask
            while new_keys[slot] != U(0):
                slot = (slot + U(1)) & mask
            new_keys[slot] = keys[k]
            new_counts[slot] = counts[k]


@compiled
def _find(attributes: Attributes, keys: Attributes, numbers: Columns, out: Columns) -> None:
    """Write the column of each attribute, -1 for none."""
    mask = U(len(keys) - 1)
    for f in range(attributes.shape[0]):
        before = U(0)
        number = -1
        for i in range(attributes.shape[1]):
            if i + AHEAD < attributes.shape[1]:
                prefetch(keys, np.int64((attributes[f, i + AHEAD] >> U(8)) & mask))
            h = attributes[f, i]
            if h == U(0):
                out[f, i] = -1
                continue
            # As in `_enter`: runs of equal attributes are looked up once.
            if h != before:
                before = h
                slot = (h >> U(8)) & mask
                while keys[slot] != U(0) and keys[slot] != h:
                    slot = (slot + U(1)) & mask
                number = numbers[slot] if keys[slot] == h else -1
            out[f, i] = number


@compiled
def _write(found: Columns, extra: Columns, width: int, out: Columns, lengths: Columns) -> int:
    """Write what is not -1 of ``found[template, token]`` and ``extra[token, k]``, token by token; return how much."""
    at = 0
    for i in range(found.shape[1]):
        begin = at
        for f in range(found.shape[0]):
            out[at] = found[f, i]
            # The value is always written and the place moves only if it counts: a jump per cell would cost more.
            at += found[f, i] >= 0
        for k in range(extra.shape[1]):
            if extra[i, k] >= 0:
                out[at] = extra[i, k] + width
                at += 1
        lengths[i] = at - begin
    return at


@compiled
def _copy_rows(starts: Columns, indices: Columns, chosen: Bools, into: Columns, out: Columns) -> None:
    row = 0
    for i in range(len(chosen)):
        if chosen[i]:
            begin, size = starts[i], starts[i + 1] - starts[i]
            into[row + 1] = into[row] + size
            for k in range(size):
                out[into[row] + k] = indices[begin + k]
            row += 1


def index_attributes(sequences: Sequence[Attributes], least: int) -> AttributeIndex:
    """Give a column to each attribute that at least ``least`` tokens have; equal sequences give equal columns."""
    keys, counts, used = np.zeros(1 << 12, np.uint64), np.zeros(1 << 12, np.int32), 0
    for attributes in sequences:
        size = len(keys)
        while size < 2 * (used + attributes.size):
            size *= 4
        if size > len(keys):
            larger, larger_counts = np.zeros(size, np.uint64), np.zeros(size, np.int32)
            _move(keys, counts, larger, larger_counts)
            keys, counts = larger, larger_counts
        used += _enter(attributes, keys, counts)
    frequent = (keys != 0) & (counts >= least)
    numbers = np.where(frequent, np.cumsum(frequent) - 1, -1).astype(np.int32)
    return AttributeIndex(keys[frequent], keys, numbers)


def attribute_matrix(sequences: Sequence[Attributes], index: AttributeIndex, extra: Columns, width: int) -> csr_matrix:
    """Return the matrix of ones with a row for each token of the sequences.

    ``extra[token, k]`` are columns besides the attributes', -1 for none, of which there are ``width``.
    """
    lengths = np.zeros(len(extra), np.int32)
    # As large as can be: pages that nothing is written to take no memory.
    indices = np.empty(sum(attributes.size for attributes in sequences) + extra.size + 1, np.int32)
    found = np.empty(max((attributes.size for attributes in sequences), default=0), np.int32)
    begin = size = 0
    for attributes in sequences:
        end = begin + attributes.shape[1]
        columns = found[: attributes.size].reshape(attributes.shape)
        _find(attributes, index.keys, index.numbers, columns)
        size += _write(columns, extra[begin:end], len(index.attributes), indices[size:], lengths[begin:end])
        begin = end
    starts = np.concatenate([np.zeros(1, np.int32), np.cumsum(lengths, dtype=np.int32)])
    return _of_ones(np.ones(size), indices[:size], starts, len(index.attributes) + width)


def rows_of(matrix: csr_matrix, chosen: Bools) -> csr_matrix:
    """Return the chosen rows of a matrix of ones; their values are a separate view."""
    starts = np.zeros(int(chosen.sum()) + 1, np.int32)
    indices = np.empty(int(np.diff(matrix.indptr)[chosen].sum()), np.int32)
    _copy_rows(matrix.indptr, matrix.indices, chosen, starts, indices)
    return _of_ones(matrix.data[: len(indices)], indices, starts, matrix.shape[1])


def used_columns(matrix: csr_matrix) -> tuple[csr_matrix, Int64s]:
    """Return a matrix of ones without its empty columns, and which columns it kept."""
    used = np.bincount(matrix.indices, minlength=matrix.shape[1]) > 0
    places = (np.cumsum(used) - 1).astype(np.int32)
    kept = np.flatnonzero(used)
    return _of_ones(matrix.data, places[matrix.indices], matrix.indptr, len(kept)), kept


def _of_ones(data: Float64s, indices: Columns, starts: Columns, width: int) -> csr_matrix:
    return csr_matrix((data, indices, starts), shape=(len(starts) - 1, width))

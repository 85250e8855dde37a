"""Hashed attributes as a sparse matrix: a row a token, a column an attribute."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from spark_deid.text.kernels.compilation import compiled

U = np.uint64
Attributes = NDArray[np.uint64]
Columns = NDArray[np.int32]


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
            h = attributes[f, i]
            if h == U(0):
                continue
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
            h = attributes[f, i]
            if h == U(0):
                out[f, i] = -1
                continue
            if h != before:
                before = h
                slot = (h >> U(8)) & mask
                while keys[slot] != U(0) and keys[slot] != h:
                    slot = (slot + U(1)) & mask
                number = numbers[slot] if keys[slot] == h else -1
            out[f, i] = number


def index_attributes(sequences: Sequence[Attributes], least: int) -> AttributeIndex:
    """Give a column to each attribute that at least ``least`` tokens have; equal sequences give equal columns."""
    keys, counts, used = np.zeros(1 << 12, np.uint64), np.zeros(1 << 12, np.int32), 0
    for attributes in sequences:
        size = len(keys)
        while size < 2 * (used + attributes.size):
            size *= 2
        if size > len(keys):
            larger, larger_counts = np.zeros(size, np.uint64), np.zeros(size, np.int32)
            _move(keys, counts, larger, larger_counts)
            keys, counts = larger, larger_counts
        used += _enter(attributes, keys, counts)
    frequent = (keys != 0) & (counts >= least)
    numbers = np.where(frequent, np.cumsum(frequent) - 1, -1).astype(np.int32)
    return AttributeIndex(keys[frequent], keys, numbers)


def attribute_matrix(sequences: Sequence[Attributes], index: AttributeIndex, extra: Columns, width: int) -> csr_matrix:
    """Return the matrix of zeros and ones with a row for each token of the sequences.

    ``extra[token, k]`` are columns besides the attributes', -1 for none, of which there are ``width``.
    """
    parts: list[Columns] = []
    lengths: list[NDArray[np.int64]] = []
    begin = 0
    for attributes in sequences:
        found = np.full((attributes.shape[0] + extra.shape[1], attributes.shape[1]), -1, np.int32)
        _find(attributes, index.keys, index.numbers, found[: attributes.shape[0]])
        more = extra[begin : begin + attributes.shape[1]].T
        found[attributes.shape[0] :] = np.where(more >= 0, more + len(index.attributes), -1)
        begin += attributes.shape[1]
        rows = np.ascontiguousarray(found.T)
        parts.append(rows[rows >= 0])
        lengths.append((rows >= 0).sum(1))
    indices = np.concatenate([np.zeros(0, np.int32), *parts])
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate([np.zeros(0, np.int64), *lengths]))])
    shape = (len(starts) - 1, len(index.attributes) + width)
    return csr_matrix((np.ones(len(indices)), indices, starts.astype(np.int32)), shape=shape)

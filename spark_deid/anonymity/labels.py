"""What several values of an attribute are shown as: ``[20-29]``, ``{a, b}``, a node of a hierarchy."""

import numpy as np
import pyarrow as pa

from spark_deid.anonymity.attribute import AttributeOrder, CodedAttribute
from spark_deid.anonymity.bands import band_texts
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.numerics.arrays import Int32s, Int64s
from spark_deid.ontology.hierarchy import ROOT

MISSING_WORD = "missing"
SET_BYTES = 1 << 29
"""What the sets that classes of one part show of a column may take; Arrow's text ends at 2 GiB."""
_SMALLEST_PLAIN = 1e-4


def name_ranges(attribute: CodedAttribute, lows: Int32s, highs: Int32s, extras: Int64s) -> pa.DictionaryArray:
    """Name ranges of codes; each equal name once.

    ``lows`` and ``highs`` are codes of values (0 where there are none); ``extras`` are bits of missing values and of
    categories among numbers or dates (``partition.Ranges``). Only missing ones stay missing. ``[20-29]`` is a range of
    numbers, ``[a..b]`` one of dates or of numbers below zero, ``{a, b}`` the values of a category from the first to the
    last, ``{90+, [80-89]}`` a range with categories.
    """
    keys = lows.astype(np.int64) * attribute.size + highs
    which, of_extras = np.unique(extras, return_inverse=True)
    distinct, inverse = np.unique(keys * len(which) + of_extras, return_inverse=True)
    keys, places = np.divmod(distinct, len(which))
    low, high = np.divmod(keys, attribute.size)
    names = _names(attribute, low, high, which[places].astype(np.int64))
    return pa.DictionaryArray.from_arrays(pa.array(inverse.astype(np.int32)), names)


def _names(attribute: CodedAttribute, lows: Int32s, highs: Int32s, extras: Int64s) -> pa.Array:
    missing = (extras & 1) == 1
    if attribute.kind is AttributeOrder.TREE:
        return pa.array([_node(attribute, *each) for each in zip(lows, highs, missing, strict=True)], pa.string())
    if attribute.kind is AttributeOrder.CATEGORY:
        texts = attribute.texts()
        _check_sizes(attribute.name, texts, lows, highs)
        return pa.array([_set(texts, *each) for each in zip(lows, highs, missing, strict=True)], pa.string())
    import pyarrow.compute as pc

    words = [MISSING_WORD, *attribute.values.slice(attribute.last).cast(pa.string()).to_pylist()]
    which, places = np.unique(extras, return_inverse=True)
    sets = pa.array([", ".join(_chosen(words, bits)) or None for bits in which.tolist()], pa.string())
    single = pa.array([_without_range(_chosen(words, bits)) for bits in which.tolist()], pa.string())
    ranges = _ranges(attribute, lows, highs)
    mixed = pc.binary_join_element_wise("{", sets.take(pa.array(places)), ", ", ranges, "}", "")
    return pc.coalesce(mixed, ranges, single.take(pa.array(places)))


def _chosen(words: list[str], bits: int) -> list[str]:
    return [word for at, word in enumerate(words) if bits >> at & 1]


def _without_range(words: list[str]) -> str | None:
    """Name values that no range has: missing ones stay missing if there are no others."""
    if words in ([], [MISSING_WORD]):
        return None
    return words[0] if len(words) == 1 else "{" + ", ".join(words) + "}"


def _ranges(attribute: CodedAttribute, lows: Int32s, highs: Int32s) -> pa.Array:
    """Name ranges of ordered values; null where there are none."""
    import pyarrow.compute as pc

    texts = [_texts(attribute, codes) for codes in (lows, highs)]
    if attribute.is_banded:
        ends = band_texts(attribute, lows, highs)
        texts = [pc.coalesce(*each) for each in zip(ends, texts, strict=True)]
    joined = pc.binary_join_element_wise("[", texts[0], _separator(attribute), texts[1], "]", "")
    return pc.if_else(pa.array(lows == highs), texts[0], joined)


def _texts(attribute: CodedAttribute, codes: Int32s) -> pa.Array:
    places = pa.array(codes - 1, mask=codes == 0)
    return attribute.values.take(places).cast(pa.string())


def _separator(attribute: CodedAttribute) -> str:
    """Return what stands between two ends: a hyphen, unless ends may have hyphens of their own."""
    if attribute.kind is not AttributeOrder.NUMBER:
        return ".."
    sizes = np.abs(attribute.positions[1:])
    small = sizes[sizes > 0].min(initial=1.0) < _SMALLEST_PLAIN and pa.types.is_floating(attribute.values.type)
    return ".." if small or (attribute.positions[1:] < 0).any() else "-"


def _set(texts: list[str], low: int, high: int, missing: bool) -> str | None:
    if low == 0:
        return None
    if low == high and not missing:
        return texts[low - 1]
    return "{" + ", ".join(([MISSING_WORD] if missing else []) + texts[low - 1 : high]) + "}"


def _check_sizes(name: str, texts: list[str], lows: Int32s, highs: Int32s) -> None:
    """Raise SparkDeidError where sets of values would take more than SET_BYTES."""
    ends = np.cumsum([0, 0, *(len(text.encode()) + 2 for text in texts)])
    if int((ends[highs + 1] - ends[np.maximum(lows, 1)]).sum()) > SET_BYTES:
        raise too_long(name, SET_BYTES)


def too_long(name: str, most: int) -> SparkDeidError:
    """Return the error of a column whose classes show sets of too many values."""
    return SparkDeidError(
        f"column {name}: the sets of values that classes publish need more than {most >> 20} MiB. Add a "
        "hierarchy for the column, or remove the column"
    )


def _node(attribute: CodedAttribute, low: int, high: int, missing: bool) -> str | None:
    assert attribute.tree is not None
    if low == 0:
        return None
    return attribute.tree.labels[0 if missing else attribute.tree.lowest(low, high)] or ROOT

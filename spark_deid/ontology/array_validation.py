"""Whether the arrays of an ontology's file can be read by compiled code, which checks no index itself.

A file from elsewhere, or one that was cut off, can hold any value.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from spark_deid.core.errors import ModelError
from spark_deid.core.numerics.arrays import Int32s, UInt8s
from spark_deid.ontology.array_files import NAMED, Arrays
from spark_deid.ontology.kernels.circles import has_circle

_COUNTS = ("word_counts", "sense_counts", "hypernym_counts", "gloss_counts")
_TYPES = {
    "text": "u1",
    "senses": "i4",
    "sense_keys": "u2",
    "lemmas": "i4",
    "ids": "u4",
    "hypernyms": "i4",
    "volumes": "i4",
    "glosses": "u2",
}
_CONTINUES = 0x80, 0xC0
"""The bits of a byte that goes on with a character in UTF-8, and those that are looked at."""


def check_arrays(path: str, arrays: Arrays, about: Mapping[str, str]) -> None:
    """Check all that readers of an ontology rely on: lengths, types, numbers in range, no circle of hypernyms.

    Raises ModelError, which says what of the file is damaged.
    """
    wrong = next((what for what, holds in _demands(arrays, about) if not holds), None)
    if wrong is not None:
        raise ModelError(f"{path}: damaged or made to harm: {wrong}; build it again with `spark-deid ontology build`")


def _demands(arrays: Arrays, about: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """Yield what is expected, and whether it holds; each may rely on those before."""
    yield "expected a name", isinstance(about, dict) and isinstance(about.get("name"), str)
    yield "expected other arrays", {*arrays} == {*_COUNTS, *_TYPES}
    yield "expected arrays of one dimension", all(each.ndim == 1 for each in arrays.values())
    yield "expected other types", all(arrays[name].dtype == kind for name, kind in _TYPES.items())
    yield "expected counts", all(arrays[name].dtype in (np.uint8, np.uint16) for name in _COUNTS)
    sums = {name: int(arrays[name].sum(dtype=np.int64)) for name in _COUNTS}
    words, lemmas, concepts = (len(arrays[name]) for name in _COUNTS[:3])
    text, senses = arrays["text"], arrays["senses"]
    yield "text: expected as many bytes as its words have", sums["word_counts"] == len(text)
    yield "word_counts: expected words", concepts > 0 and lemmas > 0 and bool(arrays["word_counts"].all())
    starts = np.cumsum(arrays["word_counts"], dtype=np.int64)[:-1]
    yield "text: expected UTF-8", _is_text(text) and not ((text[starts] & _CONTINUES[1]) == _CONTINUES[0]).any()
    yield "lemmas: expected a word for each form", words == lemmas + len(arrays["lemmas"])
    yield "lemmas: expected words", _are_below(arrays["lemmas"], lemmas)
    yield "senses: expected as many as are counted", sums["sense_counts"] == len(senses)
    yield "sense_counts: expected a sense for each word", bool(arrays["sense_counts"].all())
    yield "senses: expected concepts", _are_below(senses & ~NAMED, concepts)
    named = senses[senses >= NAMED] & ~NAMED
    yield "senses: expected a name for each concept", len(np.unique(named)) == concepts
    yield "sense_keys: expected one for each sense, or none", len(arrays["sense_keys"]) in (0, len(senses))
    yield "ids: expected one for each concept, or none", len(arrays["ids"]) in (0, concepts)
    yield "hypernyms: expected as many as are counted", sums["hypernym_counts"] == len(arrays["hypernyms"])
    yield "hypernyms: expected concepts", _are_below(arrays["hypernyms"], concepts)
    yield (
        "volumes: expected numbers from 1 on",
        len(arrays["volumes"]) <= concepts and bool((arrays["volumes"] > 0).all()),
    )
    yield "gloss_counts: expected one for each concept", len(arrays["gloss_counts"]) == concepts
    yield "glosses: expected as many as are counted", sums["gloss_counts"] == len(arrays["glosses"])
    ends = np.cumsum(arrays["hypernym_counts"], dtype=np.int64)
    yield "hypernyms: expected no circle", not has_circle(np.asarray(ends), np.array(arrays["hypernyms"]))


def _are_below(values: Int32s, most: int) -> bool:
    return not len(values) or (int(values.min()) >= 0 and int(values.max()) < most)


def _is_text(content: UInt8s) -> bool:
    try:
        content.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True

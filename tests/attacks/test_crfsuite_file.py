"""Model files of CRFsuite from elsewhere: refused, or read as weights within bounds; never astray in memory."""

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from spark_deid.core.errors import ModelError
from spark_deid.learners.array_validation import LARGEST
from spark_deid.learners.chain import ChainWeights, LabelledSequence
from spark_deid.learners.crfsuite import read_weights, write_weights
from spark_deid.learners.scoring import MAX_TAGS

NAMES = ("O", "B-A", "I-A")
FEATURES, TAGS, ATTRIBUTES = 28, 32, 36
"""Where the header names the places of its tables."""
FLIPS = 3000


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file that CRFsuite wrote itself."""
    draw = np.random.default_rng(0)
    sequences = []
    for _ in range(10):
        tags = draw.integers(0, len(NAMES), 6).astype(np.int32)
        attributes = (np.stack([tags + 1, draw.integers(1, 9, 6) + 50])).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C)
        sequences.append(LabelledSequence(attributes, tags))
    path = tmp_path_factory.mktemp("model") / "weights.crfsuite"
    write_weights(path, sequences, NAMES, {"c1": 0.0, "c2": 0.3, "max_iterations": 5}, 1)
    return path.read_bytes()


def number(data: bytes, place: int) -> int:
    value: int = struct.unpack_from("<I", data, place)[0]
    return value


def put(data: bytes, place: int, value: int) -> bytes:
    return data[:place] + struct.pack("<I", value) + data[place + 4 :]


def put_weight(data: bytes, value: float) -> bytes:
    place = number(data, FEATURES) + 12 + 12
    return data[:place] + struct.pack("<d", value) + data[place + 8 :]


def within_bounds(weights: ChainWeights) -> bool:
    size = len(weights.names)
    return (
        1 <= size <= MAX_TAGS
        and weights.transitions.shape == (size, size)
        and bool((np.abs(weights.transitions) <= LARGEST).all())
        and bool((np.abs(weights.weights) <= LARGEST).all())
        and len(weights.starts) == len(weights.keys) + 1
        and weights.starts[-1] == len(weights.weights) == len(weights.tags)
        and (not len(weights.tags) or int(weights.tags.max()) < size)
    )


def test_what_crfsuite_wrote_is_read(sound: bytes) -> None:
    weights = read_weights(sound)
    assert sorted(weights.names) == sorted(NAMES)
    assert within_bounds(weights)
    assert len(weights.weights) > 10


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(lambda d: b"", "begins with lCRF", id="nothing"),
        pytest.param(lambda d: b"lCRF", "begins with lCRF", id="a beginning alone"),
        pytest.param(lambda d: d + b"x", "a whole file", id="more than it says"),
        pytest.param(lambda d: d[:8] + b"FOMD" + d[12:], "a whole file", id="another kind"),
        pytest.param(lambda d: put(d, 12, 101), "version 100", id="another version"),
        pytest.param(lambda d: put(d, FEATURES, 2**32 - 1), "tables within", id="features beyond the end"),
        pytest.param(lambda d: put(d, TAGS, 2), "tables within", id="tags inside the header"),
        pytest.param(lambda d: put(d, ATTRIBUTES, len(d) - 4), "tables within", id="attributes at the end"),
        pytest.param(lambda d: put(d, ATTRIBUTES, number(d, FEATURES)), "a table of strings", id="another table"),
        pytest.param(lambda d: put(d, number(d, FEATURES) + 8, 2**31), "a table of features", id="many features"),
        pytest.param(lambda d: put(d, number(d, FEATURES) + 12, 2), "states and of trans", id="another feature"),
        pytest.param(lambda d: put(d, number(d, FEATURES) + 16, 10**6), "its tags and attr", id="no such source"),
        pytest.param(lambda d: put(d, number(d, FEATURES) + 20, 3), "its tags and attr", id="no such tag"),
        pytest.param(lambda d: put_weight(d, float("nan")), "finite", id="no number"),
        pytest.param(lambda d: put_weight(d, 1e300), "finite", id="a number too large"),
        pytest.param(lambda d: put(d, number(d, TAGS) + 16, 2**30), "places of its strings", id="many tags"),
        pytest.param(lambda d: put(d, number(d, TAGS) + 16, 0), "1 to", id="no tags"),
        pytest.param(lambda d: put(d, number(d, TAGS) + 20, 2**32 - 4), "places of its strings", id="tags elsewhere"),
        pytest.param(lambda d: put(d, number(d, TAGS) + 4, 2**32 - 4), "a table of strings", id="tags without end"),
    ],
)
def test_a_file_made_to_harm_is_refused(sound: bytes, change: Callable[[bytes], bytes], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        read_weights(change(sound))


def test_a_string_beyond_its_table_is_refused(sound: bytes) -> None:
    table = number(sound, ATTRIBUTES)
    places = table + number(sound, table + 20)
    record = table + number(sound, places)
    for harmed in (put(sound, places, 2**31), put(sound, record + 4, 2**31), put(sound, record + 4, 0)):
        with pytest.raises(ModelError, match="in their table"):
            read_weights(harmed)
    with pytest.raises(ModelError, match="hexadecimal digits"):
        read_weights(sound[: record + 8] + b"+" + sound[record + 9 :])


def test_a_file_cut_anywhere_is_refused_whatever_it_states_of_its_length(sound: bytes) -> None:
    for end in range(len(sound)):
        with pytest.raises(ModelError):
            read_weights(sound[:end])
        cut = put(sound[:end], 4, end) if end >= 8 else sound[:end]
        assert outcome(cut) in ("refused", "harmless")


def test_a_file_with_any_bytes_changed_is_refused_or_harmless(sound: bytes) -> None:
    draw = np.random.default_rng(1)
    found = set()
    for _ in range(FLIPS):
        harmed = bytearray(sound)
        for place in draw.integers(0, len(sound), int(draw.integers(1, 4))):
            harmed[place] = int(draw.choice([0, 1, 127, 128, 255, int(draw.integers(256))]))
        found.add(outcome(bytes(harmed)))
    assert found == {"refused", "harmless"}


def outcome(data: bytes) -> str:
    try:
        weights = read_weights(data)
    except ModelError:
        return "refused"
    return "harmless" if within_bounds(weights) else "astray"


def test_no_program_of_the_package_opens_a_file_with_crfsuites_own_reader() -> None:
    package = Path(__file__).parents[2] / "spark_deid"
    uses = [path.name for path in package.rglob("*.py") if "pycrfsuite" in path.read_text(encoding="utf-8")]
    assert uses == []

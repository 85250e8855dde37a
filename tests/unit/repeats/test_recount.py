import pickle
from io import BytesIO

import numpy as np
import obvious
import pytest
from pyspark.serializers import ChunkedStream, pickle_protocol

from spark_deid.core.edit import Edit, apply_edits
from spark_deid.repeats.recount.pieces import evidence, is_star, published_runs
from spark_deid.repeats.recount.table import Salt, Table, draw_salt, hash_runs
from spark_deid.repeats.settings import Unit


def test_runs_are_what_stands_between_replacements_wherever_they_look_alike() -> None:
    original = "see Quu at Anna [X] ★ end"
    edits = [Edit(4, 7, "suppress", "★"), Edit(11, 15, "suppress", "[NAME]")]
    published = apply_edits(original, edits)
    assert list(published_runs(published, edits, ("[X]",))) == ["see ", " at ", " ", " ", " end"]
    assert list(evidence(original, edits, ("[X]",))) == ["see Quu at ", " ", " ", " end"]


def test_a_changed_release_is_cut_where_its_edits_are() -> None:
    edits = [Edit(4, 7, "suppress", "★")]
    assert list(published_runs("see ★ but", edits, ())) == ["see ", " but"]
    assert list(published_runs("see Quu now", edits, ())) == ["see ", "uu now"]
    assert list(published_runs("se", edits, ())) == ["se"]


def test_stars_alone_are_stars() -> None:
    assert [is_star(text) for text in ("★", "★★", "", "[NAME]", "★a")] == [True, True, False, False, False]


def test_many_runs_travel_in_an_encrypted_broadcast() -> None:
    runs = hash_runs([f"run {number}" for number in range(20_000)], draw_salt())
    sent = BytesIO()
    sent.close = lambda: None  # type: ignore[method-assign]
    stream = ChunkedStream(sent, 8192)
    pickle.dump(runs, stream, pickle_protocol)
    stream.close()
    frames = BytesIO(sent.getvalue())
    sizes = iter(lambda: int.from_bytes(frames.read(4), "big", signed=True), -1)
    arrived = pickle.loads(b"".join(frames.read(size) for size in sizes))
    assert all(np.array_equal(*pair) and pair[0].dtype == pair[1].dtype for pair in zip(arrived, runs, strict=True))
    assert all(array.flags.writeable for array in arrived)


@pytest.mark.parametrize("unit", list(Unit))
def test_hashes_count_as_plain_counting_does(unit: Unit) -> None:
    random = np.random.default_rng(5)
    for _ in range(200):
        texts, _, owners = obvious.random_corpus(random, longest=12)
        texts = [text.replace("★", "") for text in texts]
        counts = obvious.count_substrings(texts, [[]] * len(texts), owners, unit)
        substrings = [*sorted(counts), "zz"]
        table = Table(hash_runs(substrings, salt := draw_salt()), salt, most=3)
        order = sorted(range(len(texts)), key=owners.__getitem__)
        owned = [-1 if unit is Unit.OCCURRENCE else owners[i] for i in order]
        table.add([texts[i] for i in order], owned)
        assert table.counts.tolist() == [min(3, counts.get(text, 0)) for text in substrings]


def test_hashes_depend_on_every_byte_and_on_the_salt() -> None:
    one, other = hash_runs(["ab", "ba", "a", "a\0"], Salt(1001, 1002)), hash_runs(["ab"], Salt(1003, 1004))
    assert len(set(one.first.tolist())) == len(set(one.second.tolist())) == 4
    assert one.first[0] != other.first[0]


def test_pieces_of_one_owner_count_once_across_calls() -> None:
    table = Table(hash_runs(["ab"], salt := draw_salt()), salt, most=9)
    table.add(["ab", "xab"], [0, 0])
    table.add(["ab", "ab"], [0, 1])
    assert table.counts.tolist() == [2]

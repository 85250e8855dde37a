import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.errors import EditError, UsageError
from spark_deid.core.hashing import fingerprint, keyed_hash, random_key, read_key, write_key
from spark_deid.core.tables import DOCUMENTS, ddl
from spark_deid.core.words import count_words


def test_edits_apply_in_any_order() -> None:
    edits = [Edit(4, 7, "suppress", "[B]"), Edit(0, 3, "suppress", "[A]")]
    assert apply_edits("Ann Lee 😀", edits) == "[A] [B] 😀"


@pytest.mark.parametrize(
    "edits", [[Edit(0, 3, "s", ""), Edit(2, 4, "s", "")], [Edit(2, 2, "s", "x")], [Edit(3, 9, "s", "x")]]
)
def test_overlapping_empty_and_outlying_edits_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(EditError):
        apply_edits("Ann Lee", edits)


def test_words_touched_by_an_interval_are_not_published() -> None:
    assert count_words("I am Ann Lee, 7.", [(6, 10)]) == (5, 3)
    assert count_words("", []) == (0, 0)
    assert count_words("a b c d", [(0, 5), (2, 3)]) == (4, 1)


def test_a_key_survives_its_file(tmp_path: Path) -> None:
    key = random_key()
    write_key(tmp_path / "k", key)
    assert read_key(tmp_path / "k") == key
    (tmp_path / "short").write_text("00" * 15)
    with pytest.raises(UsageError, match="at least 16 bytes, got 15"):
        read_key(tmp_path / "short")
    assert (tmp_path / "k").stat().st_mode & 0o777 == 0o600


def test_hashes_depend_on_the_key_and_on_the_order_of_parts() -> None:
    assert keyed_hash(b"a", "x", "y") != keyed_hash(b"b", "x", "y")
    assert keyed_hash(b"a", "x", "y") != keyed_hash(b"a", "y", "x")
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})


def test_schemas_are_written_in_ddl() -> None:
    assert ddl(DOCUMENTS) == "`doc_id` string, `subject_id` string, `text` string, `meta` map<string,string>"


@given(st.lists(st.tuples(st.integers(-2, 9), st.integers(-2, 9), st.sampled_from(["", "★", "[NAME]"])), max_size=4))
def test_edits_are_applied_as_one_after_the_other_from_behind(rows: list[tuple[int, int, str]]) -> None:
    text, edits = "Ann Lee", sorted({Edit(start, end, "x", new) for start, end, new in rows})
    disjoint = all(one.end <= other.start for one, other in itertools.pairwise(edits))
    if disjoint and all(0 <= edit.start < edit.end <= len(text) for edit in edits):
        expected = text
        for edit in reversed(edits):
            expected = expected[: edit.start] + edit.replacement + expected[edit.end :]
        assert apply_edits(text, edits[::-1]) == expected
    else:
        with pytest.raises(EditError, match=r"edit \[-?\d, -?\d\) overlaps another or leaves the text of 7 characters"):
            apply_edits(text, edits)

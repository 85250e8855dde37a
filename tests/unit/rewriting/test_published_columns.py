"""One class decides which columns are published, and how."""

import pytest

from spark_deid.core.document import Document
from spark_deid.core.hashing import keyed_hash
from spark_deid.core.span import Span
from spark_deid.rewriting.metadata import SUBJECT, Way
from spark_deid.rewriting.published_columns import PublishedColumns

KEY = b"k" * 32
DOCUMENT = Document("d", "text", "ann", (), {"ward": "7B", "sender": "Ann", "seen": "2024-01-02", "secret": "x"})


def find_ann(text: str) -> list[Span]:
    return [Span(0, 3, "NAME")] if text.startswith("Ann") else []


def test_only_named_columns_are_published_each_in_its_way() -> None:
    columns = PublishedColumns({"seen": "shift", "ward": "keep", "sender": "detect", "absent": "keep"}, False)
    values = columns.values_of(DOCUMENT, {"seen": "2024-03-01"}, key=KEY, finders=(find_ann,))
    assert list(values.items()) == [("seen", "2024-03-01"), ("ward", "7B"), ("sender", "[NAME]")]
    assert dict(columns.rewritten) == {"sender": "detect"}
    assert (columns.kept, columns.shifted) == (("ward", "absent"), ("seen",))


def test_dates_that_did_not_move_are_not_published() -> None:
    columns = PublishedColumns({"seen": "shift"}, False)
    assert columns.values_of(DOCUMENT, {"seen": None}, key=KEY, finders=()) == {}


@pytest.mark.parametrize("way", ["keep-identifying", "keyed", "detect"])
def test_a_person_is_keyed_with_keyed_ids_in_any_way(way: Way) -> None:
    columns = PublishedColumns({SUBJECT: way}, ids_are_keyed=True)
    assert columns.values_of(DOCUMENT, {}, key=KEY, finders=()) == {SUBJECT: keyed_hash(KEY, SUBJECT, "ann")}
    assert dict(columns.rewritten) == {}
    assert dict(columns.places) == {SUBJECT: SUBJECT}

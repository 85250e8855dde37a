"""The state of documents and labels is a fold over events."""

from itertools import count
from typing import Any

import pytest

from spark_deid.review.annotations import ReviewError, ReviewState, check_changes, undecided_spans
from spark_deid.review.statistics import review_statistics

NUMBERS = count(1)


def event(kind: str, *changes: dict[str, Any], doc: str = "d", by: str = "a1", **fields: Any) -> dict[str, Any]:
    number = next(NUMBERS)
    place = {"doc": doc, "text": "t", "changes": list(changes)} if kind not in ("labels", "merge") else {}
    return {"seq": number, "id": f"id-{number}", "kind": kind, "by": by, **place, **fields}


def added(span: str, start: int, end: int, label: str = "NAME") -> dict[str, Any]:
    return {"op": "add", "span": span, "start": start, "end": end, "label": label}


def accepted(start: int, end: int, label: str = "NAME") -> dict[str, Any]:
    return {**added(f"p:{start}-{end}-{label}", start, end, label), "op": "accept", "score": 0.9, "source": "round-1"}


def places(state: ReviewState, doc: str = "d") -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.label) for span in state.document(doc).ordered()]


def undone(event_of: dict[str, Any]) -> dict[str, Any]:
    return {**event("undo"), "undo_of": event_of["seq"], "doc": event_of.get("doc")}


def test_actions_change_spans_in_their_order() -> None:
    state = ReviewState(["NAME", "CITY"])
    state.add(event("add", added("a", 0, 3), added("b", 5, 9)))
    state.add(event("relabel", {"op": "relabel", "span": "a", "label": "CITY"}))
    state.add(event("resize", {"op": "resize", "span": "b", "start": 5, "end": 8}))
    assert places(state) == [(0, 3, "CITY"), (5, 8, "NAME")]
    state.add(event("delete", {"op": "delete", "span": "a"}))
    assert places(state) == [(5, 8, "NAME")]
    assert state.document("d").version == 4


def test_nested_spans_are_kept() -> None:
    state = ReviewState(["NAME"], [event("add", added("in", 2, 4), added("out", 0, 9), added("same", 0, 9))])
    assert places(state) == [(0, 9, "NAME"), (0, 9, "NAME"), (2, 4, "NAME")]


def test_undo_restores_each_state() -> None:
    events = [event("add", added("a", 0, 3)), event("accept", accepted(5, 7)), event("done")]
    state = ReviewState(["NAME"], events)
    last = state.last_action("a1")
    assert last == events[2]
    state.add(undone(events[2]))
    assert state.document("d").status == "open"
    state.add(undone(events[1]))
    assert places(state) == [(0, 3, "NAME")]
    assert undecided_spans([(5, 7, "NAME", 0.9, "r")], state.document("d"))
    state.add(undone(events[0]))
    assert places(state) == []
    assert state.last_action("a1") is None
    assert state.document("d").version == 6


def test_undo_is_of_one_person_and_needs_no_later_action_of_another() -> None:
    first = event("add", added("a", 0, 3))
    state = ReviewState(["NAME", "CITY"], [first])
    state.add(event("relabel", {"op": "relabel", "span": "a", "label": "CITY"}, by="a2"))
    assert state.last_action("a1") == first
    with pytest.raises(ReviewError, match="no-span"):
        state.without(first)


def test_a_predicted_span_that_was_decided_is_not_shown_again() -> None:
    predicted = [(0, 3, "NAME", 0.9, "r"), (5, 7, "NAME", 0.4, "r"), (9, 12, "NAME", 0.6, "r")]
    reject = {"op": "reject", "start": 5, "end": 7, "label": "NAME"}
    state = ReviewState(["NAME"], [event("accept", accepted(0, 3)), event("reject", reject)])
    assert undecided_spans(predicted, state.document("d")) == [predicted[2]]


def test_labels_can_be_renamed_merged_and_undone() -> None:
    merge = event("merge", label="PER", into="NAME")
    state = ReviewState(["PER"], [event("add", added("a", 0, 3, "PER")), merge])
    assert (state.labels, places(state)) == (("NAME",), [(0, 3, "NAME")])
    state.add(event("labels", labels=["CITY"]))
    state.add(event("merge", label="CITY", into="NAME"))
    assert state.labels == ("NAME",)
    assert state.label("PER") == state.label("CITY") == "NAME"
    state.add(undone(merge))
    assert list(state.labels) == ["PER", "NAME"]
    assert places(state) == [(0, 3, "PER")]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (added("a", 0, 11), "wrong-offsets"),
        (added("a", 3, 3), "wrong-offsets"),
        (added("a", -1, 3), "wrong-offsets"),
        ({**added("a", 0, 3), "start": True}, "wrong-offsets"),
        ({**added("a", 0, 3), "start": 0.0}, "wrong-offsets"),
        (added("a", 0, 3, "OTHER"), "unknown-label"),
        (added("a", 0, 3, "A B"), "unknown-label"),
        (added("", 0, 3), "no-span"),
        ({"op": "move"}, "unknown-change"),
        ({"op": "resize", "span": "a"}, "wrong-offsets"),
    ],
)
def test_wrong_changes_are_refused(change: dict[str, Any], code: str) -> None:
    with pytest.raises(ReviewError, match=code):
        check_changes([change], 10, ["NAME", "A B"])


def test_statistics_count_decisions_by_label() -> None:
    reject = {"op": "reject", "start": 5, "end": 7, "label": "CITY"}
    state = ReviewState(
        ["NAME", "CITY"],
        [
            event("add", added("a", 10, 12), active=30),
            event("accept", accepted(0, 3)),
            event("reject", reject),
            event("done", accepted(20, 22), active=90),
            event("skip", doc="e"),
        ],
    )
    found = review_statistics(state, frozenset({"d"}), 7)
    assert found["labels"]["NAME"] == {"accepted": 1, "accepted_by_done": 1, "rejected": 0, "added": 1}
    assert found["labels"]["CITY"]["rejected"] == 1
    assert (found["done"], found["skipped"], found["held_done"], found["minutes"]) == (1, 1, 1, 2.0)

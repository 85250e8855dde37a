"""Counts of the actions of a project, for its page."""

from collections import Counter
from typing import Any

from spark_deid.review.annotations import ACTIONS, ReviewState

IDLE = 60.0
"""Seconds without input after which a person is not active; the page counts only shorter gaps."""


def review_statistics(state: ReviewState, held: frozenset[str], documents: int) -> dict[str, Any]:
    """Return counts of documents and of decisions by label.

    Args:
        state: The state of the project.
        held: The keys of the held-back documents.
        documents: The number of documents of the input.

    Returns:
        Plain values: ``done``, ``skipped``, ``documents``, ``held_done``, ``minutes`` of activity per document that is
        done, and ``labels``: for each label the spans accepted one by one and by ``done``, rejected and added.
    """
    status = Counter(each.status for each in state.documents.values())
    held_done = sum(state.document(doc).status == "done" for doc in held)
    return {
        "documents": documents,
        "done": status["done"],
        "skipped": status["skip"],
        "held": len(held),
        "held_done": held_done,
        "minutes": _minutes(state),
        "labels": _by_label(state),
    }


def _minutes(state: ReviewState) -> float | None:
    """Return the active minutes per document that is done, None before the first."""
    done = {doc for doc, each in state.documents.items() if each.status == "done"}
    active = sum(event.get("active", 0.0) for event in state.actions() if event.get("doc") in done)
    return round(active / 60 / len(done), 2) if done else None


def _by_label(state: ReviewState) -> dict[str, dict[str, int]]:
    """Count decisions by the label of today."""
    counts: dict[str, Counter[str]] = {label: Counter() for label in state.labels}
    for event in state.actions():
        if event["kind"] not in ACTIONS:
            continue
        for change in event.get("changes", ()):
            if change["op"] == "accept":
                column = "accepted_by_done" if event["kind"] == "done" else "accepted"
            else:
                column = {"reject": "rejected", "add": "added"}.get(change["op"], "")
            if column:
                counts.setdefault(state.label(change["label"]), Counter())[column] += 1
    columns = ("accepted", "accepted_by_done", "rejected", "added")
    return {label: {column: count[column] for column in columns} for label, count in counts.items()}

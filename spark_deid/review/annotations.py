"""The state of documents and labels, as a fold over the events of a log. Offsets are code points."""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from spark_deid.core.labels import is_label
from spark_deid.review.event_log import Event

ACTIONS = ("add", "accept", "reject", "relabel", "resize", "delete", "done", "skip", "reopen", "discard", "realign")
"""The kinds of events that change one document."""
UNDO, LABELS, DRAW, MERGE, TRAIN = "undo", "labels", "draw", "merge", "train"


class ReviewError(ValueError):
    """An action that does not fit the state of its document; ``code`` is a word for the page."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class ReviewedSpan(NamedTuple):
    """A span that a person added or accepted; ``mark`` is the keyed hash of its text."""

    id: str
    start: int
    end: int
    label: str
    origin: str = ""
    mark: str = ""


_FIELDS: Mapping[str, tuple[str, ...]] = {"relabel": ("label",), "resize": ("start", "end", "mark"), "delete": ()}
"""The fields of a span that a change replaces; no fields remove the span."""
SpanPlace = tuple[int, int, str]
"""Start, end and label of a predicted span."""


@dataclass(frozen=True)
class DocumentState:
    """The annotations of one document.

    Attributes:
        status: ``open``, ``done`` or ``skip``.
        spans: Spans of people, by id.
        decided: Predicted spans that a person accepted, rejected or changed.
        text: The keyed hash of the text that the annotations belong to, empty without annotations.
        version: The number of events that changed the document.
    """

    status: str = "open"
    spans: Mapping[str, ReviewedSpan] = field(default_factory=dict)
    decided: frozenset[SpanPlace] = frozenset()
    text: str = ""
    version: int = 0

    def after(self, event: Event) -> "DocumentState":
        """Return the state after an event; raise ReviewError if the event does not fit."""
        spans, decided = dict(self.spans), set(self.decided)
        for change in event.get("changes", ()):
            _apply(spans, decided, change)
        kind = event["kind"]
        if kind == "discard":
            return DocumentState(version=self.version + 1)
        status = {"done": "done", "skip": "skip", "reopen": "open"}.get(kind, self.status)
        return replace(self, status=status, spans=spans, decided=frozenset(decided), text=event["text"])

    def ordered(self) -> list[ReviewedSpan]:
        """Return the spans in the order of the text, outer ones first."""
        return sorted(self.spans.values(), key=lambda span: (span.start, -span.end, span.label))


def _apply(spans: dict[str, ReviewedSpan], decided: set[SpanPlace], change: Mapping[str, Any]) -> None:
    """Apply one change to the spans of a document."""
    op = change["op"]
    if op in ("accept", "reject"):
        decided.add((change["start"], change["end"], change["label"]))
    if op in ("add", "accept"):
        if change["span"] in spans:
            raise ReviewError("span-exists")
        origin = change.get("source", "") if op == "accept" else ""
        place = (change["start"], change["end"], change["label"])
        spans[change["span"]] = ReviewedSpan(change["span"], *place, origin=origin, mark=change.get("mark", ""))
    elif op in _FIELDS:
        span = spans.pop(change["span"], None)
        if span is None:
            raise ReviewError("no-span")
        if names := _FIELDS[op]:
            spans[span.id] = span._replace(**{name: change[name] for name in names if name in change})


def check_changes(changes: Sequence[Mapping[str, Any]], length: int, labels: Iterable[str]) -> None:
    """Raise ReviewError for changes outside the text, with an unknown label or of an unknown kind."""
    known = set(labels)
    for change in changes:
        if change.get("op") not in ("add", "accept", "reject", "relabel", "resize", "delete"):
            raise ReviewError("unknown-change")
        if change["op"] in ("relabel", "resize", "delete", "add", "accept") and not _is_id(change.get("span")):
            raise ReviewError("no-span")
        if "start" in change or "end" in change or change["op"] in ("add", "accept", "reject", "resize"):
            start, end = change.get("start"), change.get("end")
            if not (type(start) is int and type(end) is int and 0 <= start < end <= length):
                raise ReviewError("wrong-offsets")
        if change["op"] in ("add", "relabel", "accept", "reject"):
            label = change.get("label")
            is_known = label in known or change["op"] == "reject"
            if not isinstance(label, str) or not is_label(label) or not is_known:
                raise ReviewError("unknown-label")


def _is_id(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 100


class ReviewState:
    """All documents, labels and statistics of a project, kept up to date with its log."""

    def __init__(self, labels: Iterable[str], events: Iterable[Event] = ()) -> None:
        self._first = tuple(labels)
        self._events: list[Event] = []
        self._by_document: defaultdict[str, list[Event]] = defaultdict(list)
        self._documents: dict[str, DocumentState] = {}
        self._undone: set[int] = set()
        self._labels: list[str] = list(dict.fromkeys(labels))
        self._renamed: dict[str, str] = {}
        self.held_below: int | None = None
        for event in events:
            self.add(event)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of the project in order."""
        return tuple(self._labels)

    @property
    def documents(self) -> Mapping[str, DocumentState]:
        """Return the state of each document with an event."""
        return self._documents

    def document(self, doc: str) -> DocumentState:
        """Return the state of a document, with the labels of today."""
        return self._documents.get(doc, DocumentState())

    def label(self, name: str) -> str:
        """Return the label of today for a label of an event or of a model."""
        return self._renamed.get(name, name)

    def add(self, event: Event) -> None:
        """Add an event; raise ReviewError if it does not fit, and change nothing then."""
        kind = changed = event["kind"]
        if kind in ACTIONS:
            self._add_action(event)
        elif kind == UNDO:
            changed = self._undo(event)
        elif kind == DRAW:
            self.held_below = int(event["below"], 16)
        self._events.append(event)
        if changed in (LABELS, MERGE):
            self._relabel()

    def check(self, event: Event) -> None:
        """Raise ReviewError if an action does not fit the state of its document."""
        self.document(event["doc"]).after(event)

    def last_action(self, annotator: str) -> Event | None:
        """Return the last event of a person that can be undone."""
        kinds = {*ACTIONS, LABELS, MERGE}
        return next(
            (
                event
                for event in reversed(self._events)
                if event["kind"] in kinds and event["by"] == annotator and event["seq"] not in self._undone
            ),
            None,
        )

    def actions(self) -> Iterator[Event]:
        """Yield the events that are not undone."""
        return (event for event in self._events if event["seq"] not in self._undone and event["kind"] != UNDO)

    def _add_action(self, event: Event) -> None:
        doc = event["doc"]
        before = self.document(doc)
        version = len(self._by_document[doc]) + 1
        self._documents[doc] = replace(self._today(before.after(event)), version=version)
        self._by_document[doc].append(event)

    def _undo(self, event: Event) -> str:
        """Fold the document of an undone event again without it; return the kind of that event."""
        undone = next((each for each in reversed(self._events) if each["seq"] == event["undo_of"]), None)
        if undone is None or undone["seq"] in self._undone:
            raise ReviewError("nothing-to-undo")
        doc = undone.get("doc")
        if doc is not None:
            self._by_document[doc].append(event)
            self._documents[doc] = self.without(undone)
        self._undone.add(undone["seq"])
        return str(undone["kind"])

    def without(self, event: Event) -> DocumentState:
        """Return the state of an event's document without the event; raise ReviewError if a later one needs it."""
        return self._folded(event["doc"], {*self._undone, event["seq"]})

    def _folded(self, doc: str, undone: Container[int]) -> DocumentState:
        """Return the state of a document from its events that are not undone."""
        state = DocumentState()
        for each in self._by_document[doc]:
            if each["kind"] != UNDO and each["seq"] not in undone:
                state = state.after(each)
        return replace(self._today(state), version=len(self._by_document[doc]))

    def _relabel(self) -> None:
        """Read the events of labels again, and give every span its label of today."""
        names, renamed = list(dict.fromkeys(self._first)), dict[str, str]()
        for event in self._events:
            if event["seq"] in self._undone:
                continue
            if event["kind"] == LABELS:
                names = [*names, *(name for name in event["labels"] if name not in names)]
            elif event["kind"] == MERGE:
                old, new = event["label"], event["into"]
                names = [new if name == old else name for name in names]
                names = list(dict.fromkeys(names))
                renamed = {name: new if into == old else into for name, into in renamed.items()} | {old: new}
                renamed.pop(new, None)
        changed, self._labels, self._renamed = renamed != self._renamed, names, renamed
        if changed:
            self._documents = {doc: self._folded(doc, self._undone) for doc in self._documents}

    def _today(self, state: DocumentState) -> DocumentState:
        """Return a state whose spans have the labels of today."""
        if not self._renamed:
            return state
        spans = {key: span._replace(label=self.label(span.label)) for key, span in state.spans.items()}
        return replace(state, spans=spans)


def undecided_spans(
    predicted: Iterable[tuple[int, int, str, float | None, str]], state: DocumentState
) -> list[tuple[int, int, str, float | None, str]]:
    """Return the predicted spans of a document that no person decided about, and that no span of a person equals."""
    known = {*state.decided, *((span.start, span.end, span.label) for span in state.spans.values())}
    return [each for each in predicted if each[:3] not in known]

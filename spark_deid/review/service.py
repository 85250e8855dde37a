"""The actions and questions of the page, without HTTP: documents, annotations, labels, statistics, predictions."""

import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.review.annotations import (
    ACTIONS,
    DRAW,
    LABELS,
    MERGE,
    TRAIN,
    UNDO,
    DocumentState,
    ReviewError,
    ReviewState,
    check_changes,
    undecided_spans,
)
from spark_deid.review.document_queue import ORDERS, DocumentQueue, disagreement, uncertainty
from spark_deid.review.event_log import Event, EventLog
from spark_deid.review.labelled import LabelledDocuments, labelled_documents
from spark_deid.review.measuring import layer_figures
from spark_deid.review.predicting import (
    LayerName,
    PredictedSpan,
    PredictionJob,
    PredictionLayers,
    PredictionTask,
    layer_of_model,
    layer_of_plan,
    start_thread,
)
from spark_deid.review.project import MODELS, PLACE, PREDICTIONS, ReviewProject
from spark_deid.review.statistics import review_statistics
from spark_deid.review.texts import ReviewTexts, occurrences, realign_spans
from spark_deid.review.training import LEAST, TrainingJob

Json = dict[str, Any]
MOST_ACTIVE = 3_600.0
FIRST_WAIT = 1.5
"""Seconds that the first document waits for the whole input, so that its order is by chance."""
INPUT_LAYER = LayerName("input", "")


class ReviewService:
    """A project that one process owns; methods return plain values, and raise ReviewError for a wrong request."""

    def __init__(self, project: ReviewProject, log: EventLog) -> None:
        self.project, self.log = project, log
        self.state = ReviewState(project.settings.labels, log.events)
        self.texts = ReviewTexts(project.settings, project.key)
        self.layers = PredictionLayers(project.folder / PREDICTIONS)
        self._lock = threading.RLock()
        self._queue: DocumentQueue | None = None
        self._is_queued = threading.Event()
        self._held: frozenset[str] = frozenset()
        self._places: dict[LayerName, Mapping[str, str]] = {}
        self._jobs: dict[LayerName, PredictionJob] = {}
        self._jobs_lock = threading.Lock()
        """Held for changes of the jobs, which their own threads make too."""
        self._is_closed = False
        self._training: TrainingJob | None = None
        self._training_message = ""
        self.errors: dict[str, str] = {}

    # The start and the end.

    def start(self) -> None:
        """Read the input and start the predictions in the background."""
        self.texts.start()
        start_thread(self._start_queue, "review-prepare")

    def close(self) -> None:
        """End the processes of models."""
        with self._lock, self._jobs_lock:
            self._is_closed = True
            jobs = list(self._jobs.values())
        for job in jobs:
            job.stop()
        if self._training is not None:
            self._training.stop()

    def _start_queue(self) -> None:
        """Prepare the queue; a project that is closed meanwhile gets no further events."""
        try:
            self._prepare()
        except ReviewError:
            if not self._is_closed:
                raise
        finally:
            self._is_queued.set()

    def _prepare(self) -> None:
        """Draw the held-back documents when the input is read, and only then start predictions."""
        self.texts.read.wait()
        with self._lock:
            if self.state.held_below is None and self.texts.documents():
                self._append("draw", "system", {"kind": DRAW, "below": f"{self.texts.held_limit():x}"})
            below = self.state.held_below or 0
            self._held = frozenset(doc for doc in self.texts.documents() if self.texts.held_rank(doc) < below)
            self._queue = DocumentQueue([(self.texts.rank(doc), doc) for doc in self.texts.documents()])
            self._is_queued.set()
        self._add_labels({span.label for doc in self.texts.documents() for span in self._document(doc).spans})
        for name in self.project.settings.models:
            self._open_layer(partial(layer_of_model, name), {"model": name})
        if plan := self.project.settings.plan:
            self._open_layer(partial(layer_of_plan, plan), {"plan": plan})
        for folder in sorted((self.project.folder / MODELS).glob("*/"), key=lambda path: (len(path.name), path.name)):
            self._open_layer(partial(layer_of_model, str(folder)), {"model": str(folder)})
        self.predict()

    def _open_layer(self, digest: Callable[[], LayerName], place: Mapping[str, str]) -> None:
        try:
            layer = digest()
            self.layers.open(layer)
            self._places[layer] = place
        except Exception as error:  # a model folder that is gone stops no annotation
            self.errors[next(iter(place.values()))] = f"cannot open this model ({type(error).__name__})"

    def predict(self) -> None:
        """Start a process for each layer that lacks documents."""
        with self._jobs_lock:
            for layer, place in list(self._places.items()):
                if layer not in self._jobs and not self._is_closed:
                    job = PredictionJob(place, partial(self._predicted, layer))
                    self._jobs[layer] = job
                    start_thread(partial(self._run, layer, job), "review-predict")

    def _run(self, layer: LayerName, job: PredictionJob) -> None:
        job.run(self._tasks(layer))
        with self._jobs_lock:
            self._jobs.pop(layer, None)
        if job.error:
            self.errors[layer.name] = job.error

    def _tasks(self, layer: LayerName) -> Any:
        assert self._queue is not None
        for doc in list(self._queue.documents):
            if not self.layers.has(layer, doc, self.texts.digest(doc)):
                yield PredictionTask(doc, self.texts.digest(doc), self._document(doc).text)

    def _predicted(self, layer: LayerName, task: PredictionTask, spans: Sequence[Sequence[Any]]) -> None:
        with self._lock:
            self.layers.add(layer, task.doc, task.digest, [(*span,) for span in spans])
            self._add_labels({span[2] for span in spans})

    def _add_labels(self, found: set[str]) -> None:
        with self._lock:
            if new := sorted(label for label in found if self.state.label(label) not in self.state.labels):
                self._append(f"labels {'+'.join(new)}"[:90], "system", {"kind": LABELS, "labels": new})

    def start_predictions(self) -> Json:
        """Start the processes of models that were stopped or failed."""
        self.errors.clear()
        self.predict()
        return self.project_status("")

    def stop_predictions(self) -> Json:
        """End the processes of models; the spans found so far remain."""
        with self._jobs_lock:
            jobs = list(self._jobs.values())
        for job in jobs:
            job.stop()
        return self.project_status("")

    # Questions.

    def project_status(self, annotator: str) -> Json:
        """Return labels, progress of the background, and the last place."""
        status = self.texts.status()
        with self._lock:
            return {
                "annotator": annotator,
                "labels": list(self.state.labels),
                "orders": [order for order in ORDERS if order != "disagreement" or len(self.layers.layers) > 1],
                "layers": [self._layer_status(layer) for layer in self.layers.layers],
                "input": status._asdict(),
                "errors": self.errors,
                "training": {"is_running": self._training is not None, "message": self._training_message},
                "place": self._place(),
                "last": self.log.last,
            }

    def statistics(self) -> Json:
        """Return counts of documents and decisions."""
        with self._lock:
            return review_statistics(self.state, self._held, self.texts.status().documents)

    def _layer_status(self, layer: LayerName) -> Json:
        return {"name": layer.name, "done": self.layers.count(layer), "is_running": layer in self._jobs}

    def next_document(self, order: str) -> Json:
        """Return the next document of an order and the reason, ``doc`` None if all are done."""
        if order not in ORDERS:
            raise ReviewError("unknown-order")
        self._is_queued.wait(FIRST_WAIT)
        with self._lock:
            if self._queue is None:
                still_open = (doc for doc in self.texts.documents() if self.state.document(doc).status == "open")
                return {"doc": next(still_open, None), "reason": "first"}
            found = self._queue.next(
                order,
                is_open=lambda doc: self.state.document(doc).status == "open",
                is_held=self._held.__contains__,
                score=self._disagreement if order == "disagreement" else self._uncertainty,
                turn=sum(each.status == "done" for each in self.state.documents.values()),
            )
        return {"doc": found.doc, "reason": found.reason} if found else {"doc": None, "reason": "done"}

    def document(self, doc: str) -> Json:
        """Return the text and the annotations of a document; a held-back one has no predictions."""
        document = self._document(doc)
        with self._lock:
            return {
                "doc": doc,
                "name": document.doc_id,
                "text": document.text,
                "digest": self.texts.digest(doc),
                "held": doc in self._held,
                **self._annotations(doc),
            }

    def annotations(self, doc: str) -> Json:
        """Return the annotations of a document."""
        self._document(doc)
        with self._lock:
            return self._annotations(doc)

    def _annotations(self, doc: str) -> Json:
        state = self.state.document(doc)
        shown = self._predictions(doc)
        return {
            "version": state.version,
            "status": state.status,
            "frozen": self._is_frozen(doc, state),
            "spans": [[span.id, span.start, span.end, span.label, span.origin] for span in state.ordered()],
            "predicted": [list(span) for span in undecided_spans(shown or (), state)],
            "is_predicted": shown is not None,
        }

    def _is_frozen(self, doc: str, state: DocumentState) -> bool:
        return bool(state.text) and state.text != self.texts.digest(doc)

    def _predictions(self, doc: str) -> list[PredictedSpan] | None:
        """Return the predicted spans that may be shown, None without any layer that has read the document."""
        if doc in self._held or self._queue is None:
            return None
        found = self._read_by_last_layer(doc)
        own: list[PredictedSpan] = [(s.start, s.end, s.label, None, "input") for s in self._document(doc).spans]
        if found is None and not own:
            return None
        spans = {self._today(span)[:3]: self._today(span) for span in (*own, *(found or ()))}
        return [spans[place] for place in sorted(spans)]

    def _today(self, span: PredictedSpan) -> PredictedSpan:
        """Return a span with the label of today."""
        start, end, label, score, source = span
        return start, end, self.state.label(label), score, source

    def _read_by_last_layer(self, doc: str) -> tuple[PredictedSpan, ...] | None:
        digest = self.texts.digest(doc)
        read = (self.layers.spans(layer, doc, digest) for layer in reversed(self.layers.layers))
        return next((spans for spans in read if spans is not None), None)

    def _uncertainty(self, doc: str) -> float | None:
        found = self._read_by_last_layer(doc)
        return None if found is None else uncertainty([span[3] for span in found])

    def _disagreement(self, doc: str) -> float | None:
        digest = self.texts.digest(doc)
        both = [self.layers.spans(layer, doc, digest) for layer in self.layers.layers[-2:]]
        known = [[self._today(span)[:3] for span in spans] for spans in both if spans is not None]
        return disagreement(*known) if len(known) == 2 else None

    def figures(self) -> Json:
        """Return the figures of each layer from the held-back documents that are done, and the training documents."""
        with self._lock:
            found = labelled_documents(self.state, self.texts, self.log.last)
            layers = [
                {"name": layer.name, **layer_figures(found.held, self._held_predictions(layer, found.held))}
                for layer in self.layers.layers
            ]
        return {"layers": layers, "training": len(found.training), "held": len(found.held), "least": LEAST}

    def _held_predictions(self, layer: LayerName, documents: Sequence[Document]) -> dict[str, list[Span]]:
        """Return the predicted spans of held-back documents by id, which only figures read."""
        predicted = {}
        for each in documents:
            doc = self.texts.key_of(each.doc_id)
            spans = self.layers.spans(layer, doc, self.texts.digest(doc))
            if spans is not None:
                predicted[each.doc_id] = [Span(*self._today(span)) for span in spans]
        return predicted

    def start_training(self, annotator: str) -> Json:
        """Train a model on the documents that are done and not held back, in a separate process."""
        with self._lock:
            found = labelled_documents(self.state, self.texts, self.log.last)
            if self._training is not None:
                raise ReviewError("training-runs")
            if len(found.training) < LEAST:
                raise ReviewError("few-documents")
            folder = self.project.folder / MODELS
            folder.mkdir(mode=0o700, exist_ok=True)
            number = 1 + max((int(path.name) for path in folder.iterdir() if path.name.isdigit()), default=0)
            job = self._training = TrainingJob(folder / str(number), self._follow_training)
            self._training_message = "training starts"
        start_thread(partial(self._train, annotator, job, found), "review-train")
        return self.project_status(annotator)

    def _follow_training(self, message: str) -> None:
        self._training_message = message

    def _train(self, annotator: str, job: TrainingJob, found: LabelledDocuments) -> None:
        is_done = job.run(found.training, self.state.labels)
        self._training_message = job.error or ("training was cancelled" if job.is_stopped else "")
        if is_done:
            layer = layer_of_model(str(job.output))
            fields = {"kind": TRAIN, "model": layer.digest, "documents": len(found.training), "last": found.last}
            self._append(f"train {layer.digest}", annotator, fields)
            self._open_layer(lambda: layer, {"model": str(job.output)})
        self._training = None
        self.predict()

    def stop_training(self) -> Json:
        """End the training; no model folder remains."""
        if self._training is not None:
            self._training.stop()
        return {}

    def find_occurrences(self, doc: str, start: int, end: int) -> Json:
        """Return the places of a passage in its document, and the number of its places in all documents."""
        text = self._document(doc).text
        if not 0 <= start < end <= len(text):
            raise ReviewError("wrong-offsets")
        return {"places": occurrences(text, start, end)}

    def documents_of(self, status: str) -> Json:
        """Return the documents of a status with their names, for a list on the page."""
        with self._lock:
            found = [doc for doc, state in self.state.documents.items() if state.status == status]
        known = [(doc, self.texts.get(doc)) for doc in found]
        return {"documents": [{"doc": doc, "name": each.doc_id} for doc, each in known if each is not None]}

    # Actions.

    def act(self, annotator: str, given: Mapping[str, Any]) -> Json:
        """Append an action on one document after it was checked; return its number and the state's version."""
        doc, kind, event_id = given.get("doc"), given.get("kind"), given.get("id")
        if not isinstance(event_id, str) or not 8 <= len(event_id) <= 100:
            raise ReviewError("wrong-id")
        if kind not in ACTIONS or not isinstance(doc, str):
            raise ReviewError("unknown-action")
        document = self._document(doc)
        changes = given.get("changes", [])
        if not isinstance(changes, list) or not all(isinstance(each, dict) for each in changes):
            raise ReviewError("unknown-change")
        with self._lock:
            if known := self.log.find(event_id):
                return self._saved(doc, known)
            state = self.state.document(doc)
            self._check_current(doc, state, given)
            check_changes(changes, len(document.text), self.state.labels)
            marked = [self._marked(document.text, change) for change in changes]
            fields: Json = {"kind": kind, "doc": doc, "text": self.texts.digest(doc), "changes": marked}
            fields |= self._extras(given)
            self.state.check({"seq": 0, "id": event_id, "by": annotator, **fields})
            event = self._append(event_id, annotator, fields)
            if kind == "reopen" and self._queue is not None:
                self._queue.reopen()
            return self._saved(doc, event)

    def _check_current(self, doc: str, state: DocumentState, given: Mapping[str, Any]) -> None:
        if given.get("digest") != self.texts.digest(doc):
            raise ReviewError("text-changed")
        if given.get("version") != state.version:
            raise ReviewError("stale")
        if self._is_frozen(doc, state) and given["kind"] not in ("discard", "realign"):
            raise ReviewError("frozen")

    def _extras(self, given: Mapping[str, Any]) -> Json:
        """Return the active seconds and the note of an action."""
        extras: Json = {}
        active = given.get("active", 0)
        if isinstance(active, int | float) and 0 < active <= MOST_ACTIVE:
            extras["active"] = round(float(active), 1)
        note = given.get("note")
        if isinstance(note, str) and note:
            extras["note"] = note[:10_000]
        return extras

    def _marked(self, text: str, change: Mapping[str, Any]) -> Json:
        """Return the known fields of a change, with the keyed hash of its passage."""
        names = ("op", "span", "start", "end", "label", "score", "source")
        kept = {name: change[name] for name in names if name in change}
        if "start" in kept and kept["op"] in ("add", "accept", "resize"):
            kept["mark"] = self.texts.mark(text[kept["start"] : kept["end"]])
        return kept

    def realign(self, annotator: str, event_id: str, doc: str) -> Json:
        """Move the spans of a changed text to passages with the same keyed hash; the others are removed and counted."""
        document = self._document(doc)
        with self._lock:
            state = self.state.document(doc)
            if not self._is_frozen(doc, state):
                raise ReviewError("not-frozen")
            spans = state.ordered()
            places = realign_spans(self.texts, document.text, [(each.start, each.end, each.mark) for each in spans])
            changes: list[Json] = []
            for span, place in zip(spans, places, strict=True):
                if place is None:
                    changes.append({"op": "delete", "span": span.id})
                else:
                    changes.append({"op": "resize", "span": span.id, "start": place[0], "end": place[1]})
            fields = {"kind": "realign", "doc": doc, "text": self.texts.digest(doc), "changes": changes}
            event = self._append(event_id, annotator, fields)
            return {**self._saved(doc, event), "removed": sum(place is None for place in places)}

    def undo(self, annotator: str, event_id: str) -> Json:
        """Undo the last action of a person, on any document; ``doc`` is None for an action on labels."""
        with self._lock:
            if known := self.log.find(event_id):
                return {"doc": known.get("doc"), "seq": known["seq"]}
            last = self.state.last_action(annotator)
            if last is None:
                raise ReviewError("nothing-to-undo")
            fields: Json = {"kind": UNDO, "undo_of": last["seq"]}
            if "doc" in last:
                fields["doc"] = last["doc"]
                self.state.without(last)
            event = self._append(event_id, annotator, fields)
            if self._queue is not None:
                self._queue.reopen()
            return {"doc": last.get("doc"), "seq": event["seq"], "kind": last["kind"]}

    def add_label(self, annotator: str, event_id: str, label: str) -> Json:
        """Add a label to the project."""
        check_changes([{"op": "relabel", "span": "-", "label": label}], 0, [label])
        with self._lock:
            self._append(event_id, annotator, {"kind": LABELS, "labels": [label]})
        return {"labels": list(self.state.labels)}

    def preview_label(self, label: str, into: str) -> Json:
        """Return what a new name of a label would change: spans, documents, and whether labels merge."""
        with self._lock:
            counts = [
                sum(span.label == label for span in each.spans.values()) for each in self.state.documents.values()
            ]
            is_merge = into in self.state.labels
        return {"spans": sum(counts), "documents": sum(map(bool, counts)), "is_merge": is_merge}

    def merge_label(self, annotator: str, event_id: str, label: str, into: str) -> Json:
        """Rename a label, or merge it into another one."""
        check_changes([{"op": "relabel", "span": "-", "label": into}], 0, [into])
        with self._lock:
            if label not in self.state.labels or label == into:
                raise ReviewError("unknown-label")
            self._append(event_id, annotator, {"kind": MERGE, "label": label, "into": into})
        return {"labels": list(self.state.labels)}

    def keep_place(self, place: Mapping[str, Any]) -> Json:
        """Keep document, caret and order, so that the next start shows them; a full disk loses only this."""
        kept = {name: place[name] for name in ("doc", "caret", "order", "keys") if name in place}
        path = self.project.folder / PLACE
        with suppress(OSError), self._lock:
            scratch = path.with_suffix(".new")
            with open(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as stream:
                json.dump(kept, stream)
            scratch.replace(path)
        return {}

    def _place(self) -> Json:
        try:
            place = json.loads((self.project.folder / PLACE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return place if isinstance(place, dict) else {}

    def _append(self, event_id: str, annotator: str, fields: Json) -> Event:
        """Append an event to the log, and only then to the state."""
        if self._is_closed:
            raise ReviewError("closed")
        if known := self.log.find(event_id):
            return known
        event = self.log.append(event_id, {"at": round(time.time(), 3), "by": annotator, **fields})
        self.state.add(event)
        return event

    def _saved(self, doc: str, event: Event) -> Json:
        return {"seq": event["seq"], "at": event["at"], "version": self.state.document(doc).version}

    def _document(self, doc: str) -> Document:
        document = self.texts.get(doc)
        if document is None:
            raise ReviewError("no-document")
        return document

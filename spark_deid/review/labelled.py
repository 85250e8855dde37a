"""The labelled documents of a project: those that a person called done, held-back ones separately."""

import json
import os
from pathlib import Path
from typing import NamedTuple

from spark_deid.core.document import Document
from spark_deid.core.errors import CorpusError, UsageError
from spark_deid.core.span import Span
from spark_deid.review.annotations import ReviewState
from spark_deid.review.project import ReviewProject
from spark_deid.review.texts import ReviewTexts

TRAINING, HELD = "train.jsonl", "held-out.jsonl"


class LabelledDocuments(NamedTuple):
    """Documents to train on and held-back ones, with the last event that they contain.

    ``changed`` counts documents whose text differs from the one that was annotated, ``missing`` those that the input
    no longer has. Neither is among the documents.
    """

    training: tuple[Document, ...]
    held: tuple[Document, ...]
    last: int
    changed: int
    missing: int


def labelled_documents(state: ReviewState, texts: ReviewTexts, last: int) -> LabelledDocuments:
    """Return the documents that are done, with the spans of people."""
    training: list[Document] = []
    held: list[Document] = []
    changed = missing = 0
    for doc, each in state.documents.items():
        if each.status != "done":
            continue
        document = texts.get(doc)
        if document is None:
            missing += 1
        elif each.text != texts.digest(doc):
            changed += 1
        else:
            spans = tuple(Span(span.start, span.end, span.label, None, "review") for span in each.ordered())
            is_held = state.held_below is not None and texts.held_rank(doc) < state.held_below
            (held if is_held else training).append(document._replace(spans=spans))
    return LabelledDocuments(tuple(training), tuple(held), last, changed, missing)


def export_labels(project: ReviewProject, output: Path) -> LabelledDocuments:
    """Write the documents that are done into a new private folder as JSON lines, also while the server runs.

    Args:
        project: The project.
        output: A new folder. ``train.jsonl`` has the documents to train on, ``held-out.jsonl`` the held-back ones.

    Returns:
        The documents.

    Raises:
        UsageError: The folder exists, or cannot be written.
        CorpusError: The input cannot be read, or no document is done.
    """
    log = project.read_log()
    texts = ReviewTexts(project.settings, project.key)
    texts.start()
    texts.read.wait()
    if problem := texts.status().error:
        raise CorpusError(problem)
    found = labelled_documents(ReviewState(project.settings.labels, log.events), texts, len(log.events))
    if not found.training and not found.held:
        raise CorpusError(f"{project.folder}: expected at least one document that is done. Press D on the page")
    try:
        output.mkdir(mode=0o700, parents=True)
        for name, documents in ((TRAINING, found.training), (HELD, found.held)):
            if documents:
                _write(output / name, documents)
    except FileExistsError:
        raise UsageError(f"--export {output}: already exists. Choose a new folder") from None
    except OSError as error:
        raise UsageError(f"--export {output}: cannot write this folder ({error.strerror})") from None
    return found


def _write(path: Path, documents: tuple[Document, ...]) -> None:
    """Write documents with the source of each span, for their owner only (mode 0600)."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        for each in documents:
            spans = [{"start": s.start, "end": s.end, "label": s.label, "source": s.source} for s in each.spans]
            subject = {} if each.subject_id is None else {"subject_id": each.subject_id}
            row = {"doc_id": each.doc_id, "text": each.text, **subject, "spans": spans}
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")

"""The documents of a project's input, read in the background and kept in memory only."""

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from spark_deid.core.document import Document
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.hashing import keyed_hash, keyed_number
from spark_deid.corpus.local import read_documents, read_first_records
from spark_deid.review.project import ProjectSettings

_SPACED = r"[^\W\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
"""Word characters of scripts that write spaces between words: not Thai, kana, Chinese characters and Hangul."""
LEAST_HELD, HELD_PART = 20, 5
"""Held-back documents: at least 20 where the input has 40, or one in five."""


class CorpusStatus(NamedTuple):
    """The documents read so far, whether that is all, the rejects by reason, and the error of a failed reading."""

    documents: int
    is_whole: bool
    rejects: Mapping[str, int]
    unlabelled: int
    error: str = ""


@dataclass
class ReviewTexts:
    """The documents of an input by opaque keys; addresses, logs and events contain keys, never ids or text."""

    settings: ProjectSettings
    key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        self._documents: dict[str, Document] = {}
        self._digests: dict[str, str] = {}
        self._rejects: Mapping[str, int] = {}
        self._unlabelled = 0
        self._error = ""
        self.read = threading.Event()

    def start(self) -> None:
        """Read the first document now, and the others in a thread.

        Raises UsageError for a remote input and for Delta, CorpusError if the input cannot be listed.
        """
        first = read_first_records(self.settings.input, self.settings.format, 1, options=self.settings.options)
        if first is None:
            raise SparkDeidError(
                f"{self.settings.input}: expected a local input that is not a Delta table. Convert it first: "
                "spark-deid convert --from delta --to jsonl"
            )
        self._add(first.reading.documents)
        threading.Thread(target=self._read_all, name="review-input", daemon=True).start()

    def _read_all(self) -> None:
        try:
            reading = read_documents(self.settings.input, self.settings.format, options=self.settings.options)
            self._add(reading.documents)
            self._rejects = reading.inventory.rejects
            self._unlabelled = len(reading.unlabelled)
        except SparkDeidError as error:
            self._error = str(error)
        except Exception as error:  # its message may quote text
            self._error = f"{self.settings.input}: cannot read this input ({type(error).__name__})"
        finally:
            self.read.set()

    def _add(self, documents: tuple[Document, ...]) -> None:
        # One assignment: other threads see the documents before it or after it.
        self._documents = {self.key_of(each.doc_id): each for each in documents}

    def documents(self) -> list[str]:
        """Return the keys of the documents read so far, in the order of the input."""
        return list(self._documents)

    def key_of(self, doc_id: str) -> str:
        """Return the key of a document id."""
        return keyed_hash(self.key, "document", doc_id)

    def get(self, key: str) -> Document | None:
        """Return a document, None for an unknown key."""
        return self._documents.get(key)

    def digest(self, key: str) -> str:
        """Return the keyed hash of a document's text; a plain hash would let anyone test candidate texts."""
        if key not in self._digests:
            self._digests[key] = keyed_hash(self.key, "text", self._documents[key].text)
        return self._digests[key]

    def mark(self, text: str) -> str:
        """Return the keyed hash of the text of a span."""
        return keyed_hash(self.key, "span", text)[:16]

    def status(self) -> CorpusStatus:
        """Return what was read so far."""
        return CorpusStatus(len(self._documents), self.read.is_set(), self._rejects, self._unlabelled, self._error)

    def rank(self, key: str) -> int:
        """Return the place of a document in an order by chance that no one chooses."""
        return keyed_number(self.key, "order", key)

    def held_rank(self, key: str) -> int:
        """Return the number by which held-back documents are chosen."""
        return keyed_number(self.key, "held", key)

    def held_limit(self) -> int:
        """Return the number below which documents are held back: at least 20 of 40 documents, or one in five."""
        ranks = sorted(map(self.held_rank, self._documents))
        count = max(-(-len(ranks) // HELD_PART), min(LEAST_HELD, len(ranks) // 2))
        return ranks[count] if count < len(ranks) else 1 << 128


def occurrences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the places of a string in its text, as whole words in scripts with spaces.

    >>> occurrences("Ann, Anna and Ann", 0, 3)
    [(0, 3), (14, 17)]
    """
    wanted = text[start:end]
    before = f"(?<!{_SPACED})" if re.match(_SPACED, wanted) else ""
    after = f"(?!{_SPACED})" if re.search(rf"{_SPACED}\Z", wanted) else ""
    return [found.span() for found in re.finditer(before + re.escape(wanted) + after, text)]


def realign_spans(
    texts: ReviewTexts, text: str, spans: list[tuple[int, int, str]], reach: int = 20_000
) -> list[tuple[int, int] | None]:
    """Return the new place of each span in a changed text: the nearest passage of its length with its keyed hash.

    Args:
        texts: The texts, whose key makes the hashes.
        text: The changed text.
        spans: Start, end and keyed hash of each span, in order.
        reach: The code points before and after the expected place that are searched.

    Returns:
        Start and end of each, None for spans that are not found.
    """
    found: list[tuple[int, int] | None] = []
    shift = 0
    for start, end, mark in spans:
        length, expected = end - start, start + shift
        last = len(text) - length
        place = None
        for distance in range(reach):
            near = [each for each in {expected - distance, expected + distance} if 0 <= each <= last]
            place = next((each for each in near if texts.mark(text[each : each + length]) == mark), None)
            if place is not None:
                break
        if place is not None:
            shift = place - start
        found.append(None if place is None else (place, place + length))
    return found

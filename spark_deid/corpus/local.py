"""Reading small labelled input in one process, without Spark, by the parsers that Spark's workers use."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from spark_deid.core.document import Document, RejectedInput
from spark_deid.core.errors import CorpusError, FormatError, UsageError
from spark_deid.corpus.format import CorpusFormat
from spark_deid.corpus.formats import NO_OPTIONS, find_format
from spark_deid.corpus.inventory import FileInventory
from spark_deid.corpus.items import InputListing, list_items, unlabelled_ids
from spark_deid.corpus.reading import CorpusRecord, is_cut, is_torn, read_first, read_item
from spark_deid.storage.files import is_remote, local_path

# ``detail`` takes the source of the record that is kept.
DUPLICATE = FormatError("duplicate-id", "same doc_id as %s, which was read first")


@dataclass(frozen=True)
class LocalReading:
    """What an input held, in order of path and record; ``unlabelled`` lack their file of annotations."""

    documents: tuple[Document, ...]
    rejects: tuple[RejectedInput, ...]
    inventory: FileInventory
    unlabelled: frozenset[str] = frozenset()


class FirstRecords(NamedTuple):
    """The first records of an input, and whether it has no further ones."""

    reading: LocalReading
    is_whole: bool


def read_first_records(
    path: str, format: str, count: int, *, options: Mapping[str, str] = NO_OPTIONS
) -> FirstRecords | None:
    """Read the first ``count`` records of a local input; None for a remote one and for Delta, which Spark reads.

    Raises CorpusError for an input that can't be listed.
    """
    kernel = find_format(format, options)
    if is_remote(path) or not kernel.suffixes:
        return None
    listing = list_items(path, kernel)
    first = list(islice((record for item in listing.items for record in read_first(item, kernel)), count + 1))
    is_whole = len(first) <= count and not any(is_cut(item, kernel) for item in listing.items)
    return FirstRecords(_reading(listing, kernel, first[:count]), is_whole)


def read_documents(path: str, format: str, *, options: Mapping[str, str] = NO_OPTIONS) -> LocalReading:
    """Read an input into memory.

    Raises CorpusError where nothing in it is readable, and UsageError for Delta, which Spark alone reads.
    """
    kernel = find_format(format, options)
    if not kernel.suffixes:
        raise UsageError("format: a Delta table can only be read with Spark")
    listing = list_items(path, kernel)
    reading = _reading(listing, kernel, list(_records(listing, kernel)))
    if not reading.documents:
        raise CorpusError(
            nothing_readable(path, format, reading.inventory) + _first_reject_notice(path, reading.rejects)
        )
    return reading


def _reading(listing: InputListing, format: CorpusFormat, read: list[CorpusRecord]) -> LocalReading:
    records = list(_first_of_each_id(_whole(read)))
    return LocalReading(
        tuple(r.outcome for r in records if isinstance(r.outcome, Document)),
        tuple(r.outcome for r in records if isinstance(r.outcome, RejectedInput)),
        _inventory(listing, records),
        unlabelled_ids(listing.items, format),
    )


def nothing_readable(path: str, format: str, inventory: FileInventory) -> str:
    """Say what an input held instead of documents, in counts."""
    rejects = ", ".join(f"{count} {reason}" for reason, count in sorted(inventory.rejects.items())) or "none"
    ignored = ", ".join(f"{count} of {suffix}" for suffix, count in sorted(inventory.ignored.items())) or "none"
    return (
        f"{path}: expected readable files of format {format}. Files: {inventory.files}, rejects: {rejects}, "
        f"files with other suffixes: {ignored}, hidden names: {inventory.hidden}"
    )


def _first_reject_notice(path: str, rejects: tuple[RejectedInput, ...]) -> str:
    """Say what was expected of the first reject, since no table of rejects is written that would.

    Where it stands is told of a file that is named itself: other files' names can be those of persons.
    """
    if not rejects:
        return ""
    source = f"{rejects[0].source}: " if os.path.isfile(local_path(path)) else ""
    return f"; of the first: {source}{rejects[0].detail}"


def _records(listing: InputListing, format: CorpusFormat) -> Iterator[CorpusRecord]:
    for item in listing.items:
        yield from read_item(item, format)


def _whole(records: list[CorpusRecord]) -> Iterator[CorpusRecord]:
    """Drop the documents of torn files, whose rejects represent them."""
    torn = {record.name for record in records if is_torn(record)}
    return (record for record in records if record.name not in torn or isinstance(record.outcome, RejectedInput))


def _first_of_each_id(records: Iterable[CorpusRecord]) -> Iterator[CorpusRecord]:
    first: dict[str, str] = {}
    for record in records:
        if isinstance(record.outcome, Document):
            taken = first.setdefault(record.outcome.doc_id, record.source)
            if taken != record.source:
                record = CorpusRecord(record.name, record.number, record.source, _duplicate(record.source, taken))
        yield record


def _duplicate(source: str, first: str) -> RejectedInput:
    return RejectedInput(source, DUPLICATE.reason, DUPLICATE.detail % first)


def _inventory(listing: InputListing, records: Iterable[CorpusRecord]) -> FileInventory:
    records = list(records)
    documents = [r.outcome for r in records if isinstance(r.outcome, Document)]
    rejects: Counter[str] = Counter()
    rejected = [r.outcome for r in records if isinstance(r.outcome, RejectedInput)]
    for reject in rejected:
        rejects[reject.reason] += 1 if reject.records is None else reject.records
    return FileInventory(
        files=listing.files,
        bytes=listing.bytes,
        hidden=listing.hidden,
        ignored=listing.ignored,
        skipped=listing.skipped,
        documents=len(documents),
        rejects=rejects,
        unknown_rejects=sum(reject.records is None for reject in rejected),
        documents_with_subject=sum(document.subject_id is not None for document in documents),
        annotations=sum(len(document.spans) for document in documents),
        whitespace_annotations=sum(record.whitespace for record in records),
        utf16_annotations=sum(record.utf16 for record in records),
        mended_annotations=sum(record.mended for record in records),
        relabelled_annotations=sum(record.relabelled for record in records),
        attachments=sum(record.left_out for record in records),
        base64_values=sum(record.base64 for record in records),
    )

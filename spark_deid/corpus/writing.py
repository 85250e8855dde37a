"""Writing one partition's documents as files of a format."""

from collections.abc import Iterable, Iterator
from itertools import chain

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.storage.files import private_file

_LONGEST_NAME = 240  # bytes: file systems take 255, a suffix and ``.gz`` have to fit


def write_part(documents: Iterable[Document], base: str, format: CorpusFormat, part: int) -> int:
    """Write documents below a folder and return how many.

    One file a document, named by its id, where the format has one; else ``part-<number>``, and none for no document.
    Files and folders are their owner's only. Raises FormatError for a document that the format can't hold, or whose
    file name another one has, and OSError.
    """
    if format.unit is ParserUnit.DOCUMENT:
        return sum(_write_document(document, base, format) for document in documents)
    remaining = iter(documents)
    first = next(remaining, None)
    if first is None:
        return 0
    counted = _Counted(chain([first], remaining))
    with private_file(f"{base}/part-{part:05d}{format.suffixes[0]}") as stream:
        for block in _blocks(counted, format):
            stream.write(block)
    return counted.count


def checked_name(doc_id: str) -> str:
    """Return an id that is safe as a relative path, and that a reader would not skip as hidden.

    Raises FormatError "unsafe-id".
    """
    parts = doc_id.split("/")
    fits = all(part and part[0] not in "._" and len(part.encode("utf-8")) <= _LONGEST_NAME for part in parts)
    if not fits or any(ord(c) < 32 or 127 <= ord(c) < 160 for c in doc_id):
        raise FormatError(
            "unsafe-id",
            f"{doc_id!r}: as a file name expected a relative path without '..', hidden parts and control characters",
        )
    return doc_id


class _Counted:
    """Count the documents that pass."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = documents
        self.count = 0

    def __iter__(self) -> Iterator[Document]:
        for document in self._documents:
            self.count += 1
            yield document


def _write_document(document: Document, base: str, format: CorpusFormat) -> int:
    assert format.render_document is not None
    name = checked_name(document.doc_id)
    for suffix, data in format.render_document(document).items():
        try:
            with private_file(f"{base}/{name}{suffix}") as stream:
                stream.write(data)
        except FileExistsError:
            raise FormatError(
                "unsafe-id", f"{document.doc_id!r}: another document was written under the same file name"
            ) from None
    return 1


def _blocks(documents: Iterable[Document], format: CorpusFormat) -> Iterator[bytes]:
    if format.unit is ParserUnit.LINE:
        assert format.render_line is not None
        for document in documents:
            yield f"{format.render_line(document)}\n".encode()
        return
    assert format.render_file is not None
    yield format.render_file(documents)

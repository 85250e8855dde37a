"""What is to be read: files, or ranges of large ones, found by listing and not by opening."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spark_deid.core.errors import CorpusError
from spark_deid.core.plurals import make_printable
from spark_deid.corpus.format import CorpusFormat, ParserUnit
from spark_deid.storage.files import MOST_NAMED, FileEntry, FolderWalk, fault_of, list_existing, walk

RANGE_BYTES = 32 << 20
OUTSIDE = "outside"
_LEADS_OUT = (
    "expected {} inside the input, but this link leads elsewhere. Copy the target into the input, or use it as "
    "the input"
)
_GZ = ".gz"
_NO_SUFFIX = "(none)"
_OTHER_SUFFIX = "(other)"
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}")


class InputItem(NamedTuple):
    """A file to read, or a part of one, or an input that is rejected before it is opened.

    ``name`` is the path below the input's base: the source of its records. ``begin`` and ``end`` are bytes of a file
    of lines; ``before`` counts the records before ``begin``. ``reason`` is None for what can be read; ``records`` is
    the number of records that a reject can represent, None if it is unknown.
    """

    path: str
    name: str
    size: int
    doc_id: str
    companion: str | None = None
    begin: int = 0
    end: int = -1
    before: int = 0
    reason: str | None = None
    detail: str = ""
    records: int | None = 1


@dataclass(frozen=True)
class InputListing:
    """The items of an input in order of their names, the skipped files, and the version of a Delta table.

    ``skipped`` are the first names of the files that ``ignored`` and ``hidden`` count.
    """

    items: tuple[InputItem, ...]
    hidden: int
    ignored: Mapping[str, int]
    files: int
    bytes: int
    delta_version: int | None = None
    skipped: tuple[str, ...] = ()


def list_items(path: str, format: CorpusFormat) -> InputListing:
    """List what a file, a folder or a glob holds for a format; opens nothing.

    A file that is named itself is read with any suffix; elsewhere other suffixes are counted and skipped.
    Raises CorpusError for a storage that can't be listed.
    """
    try:
        found = walk(path)
        wanted, companions, others = _sort(found.files, format, take_any=found.one)
        items = [*_documents(wanted, companions, format), *_not_entered(found)]
    except OSError as error:
        raise CorpusError(f"{path}: can't be listed ({fault_of(error)})") from error
    skipped = sorted(entry.name for entry in others)
    ignored = Counter(map(_suffix, skipped))
    return InputListing(
        tuple(sorted(items, key=lambda item: item.name)),
        found.hidden,
        ignored,
        len(wanted) + len(companions),
        sum(max(entry.size, 0) for entry in (*wanted, *companions)),
        skipped=tuple(make_printable(_printable(name)) for name in [*skipped, *found.hidden_names][:MOST_NAMED]),
    )


def unlabelled_ids(items: Iterable[InputItem], format: CorpusFormat) -> frozenset[str]:
    """Return the ids of files that have no file of annotations beside them, in a format that puts them there."""
    if not format.companions:
        return frozenset()
    return frozenset(item.doc_id for item in items if item.companion is None and item.reason is None)


def with_ranges(items: Iterable[InputItem], format: CorpusFormat, size: int = RANGE_BYTES) -> tuple[InputItem, ...]:
    """Cut plain files of lines into ranges of about ``size`` bytes; a range owns the records that begin in it."""
    return tuple(part for item in items for part in _ranges(item, format, size))


def _ranges(item: InputItem, format: CorpusFormat, size: int) -> Iterator[InputItem]:
    if (
        format.unit not in (ParserUnit.LINE, ParserUnit.BLOCK)
        or item.reason
        or is_packed(item.path)
        or item.size <= size
    ):
        yield item
        return
    for begin in range(0, item.size, size):
        end = min(begin + size, item.size)
        yield item._replace(begin=begin, end=end, size=end - begin)


def is_packed(name: str) -> bool:
    """Return whether a file of this name is unpacked as gzip.

    >>> is_packed("A.TXT.GZ"), is_packed("a.txt")
    (True, False)
    """
    return name[-len(_GZ) :].lower() == _GZ


def without_suffix(name: str, suffixes: Iterable[str]) -> str | None:
    """Return a name without ``.gz`` and the longest of the suffixes, in any case; None if it has no suffix of them.

    >>> without_suffix("A.CONLL.TXT.gz", (".txt", ".conll.txt"))
    'A'
    """
    plain = _unpacked_name(name)
    lower = plain.lower()
    if len(lower) != len(plain):  # of few letters the lowercase form is longer
        lower = plain
    for suffix in sorted(suffixes, key=len, reverse=True):
        if lower.endswith(suffix) and not lower.endswith(f"/{suffix}") and lower != suffix:
            return plain[: -len(suffix)]
    return None


def _unpacked_name(name: str) -> str:
    return name[: -len(_GZ)] if is_packed(name) else name


def _sort(
    files: Iterable[FileEntry], format: CorpusFormat, *, take_any: bool
) -> tuple[list[FileEntry], list[FileEntry], list[FileEntry]]:
    wanted: list[FileEntry] = []
    companions: list[FileEntry] = []
    others: list[FileEntry] = []
    for entry in files:
        if without_suffix(entry.name, format.companions) is not None:
            companions.append(entry)
        elif take_any or without_suffix(entry.name, format.suffixes) is not None:
            wanted.append(entry)
        else:
            others.append(entry)
    return wanted, companions, others


def _suffix(name: str) -> str:
    """Return what messages may reveal a name: what looks like a suffix, for names can be those of people."""
    plain = _unpacked_name(name)
    suffix = os.path.splitext(plain)[1].lower() or _NO_SUFFIX
    is_public = suffix == _NO_SUFFIX or _SUFFIX.fullmatch(suffix)
    return (suffix if is_public else _OTHER_SUFFIX) + (_GZ if plain != name else "")


def _documents(
    wanted: Sequence[FileEntry], companions: Iterable[FileEntry], format: CorpusFormat
) -> Iterator[InputItem]:
    companion_of = _by_id(companions, format)
    separate = _find_companions([entry for entry in wanted if _id(entry, format) not in companion_of], format)
    taken: set[str] = set()
    for entry in wanted:
        doc_id = _id(entry, format)
        companion = companion_of.get(doc_id) or separate.get(entry.path)
        taken.add(doc_id)
        item = InputItem(entry.path, entry.name, entry.size, doc_id, companion.path if companion else None)
        checked = _checked(item, companion, leads_out=entry.leads_out)
        is_counted = format.unit is ParserUnit.DOCUMENT or checked.reason in (None, "empty")
        yield checked if is_counted else checked._replace(records=None)
    chosen = {entry.name for entry in companion_of.values()}
    for entry in companions:
        doc_id = without_suffix(entry.name, format.companions) or entry.name
        if doc_id not in taken:
            yield _rejected(entry, doc_id, "no-text", f"expected {format.suffixes[0]} beside it")
        elif entry.name not in chosen:
            yield _rejected(entry, doc_id, "duplicate-id", "expected one file of annotations, another is read")


def _id(entry: FileEntry, format: CorpusFormat) -> str:
    return without_suffix(entry.name, format.suffixes) or _unpacked_name(entry.name)


def _by_id(companions: Iterable[FileEntry], format: CorpusFormat) -> dict[str, FileEntry]:
    found: dict[str, FileEntry] = {}
    for entry in companions:
        found.setdefault(without_suffix(entry.name, format.companions) or entry.name, entry)
    return found


def _find_companions(wanted: Iterable[FileEntry], format: CorpusFormat) -> dict[str, FileEntry]:
    """Look beside files, for an input whose glob or name leaves companions out; by the paths of the files."""
    candidates = {entry.path: _candidates(entry, format) for entry in wanted} if format.companions else {}
    found = list_existing(path for paths in candidates.values() for path in paths)
    chosen = {path: next((found[each] for each in paths if each in found), None) for path, paths in candidates.items()}
    return {path: entry for path, entry in chosen.items() if entry}


def _candidates(entry: FileEntry, format: CorpusFormat) -> list[str]:
    stem = entry.path[: len(entry.path) - len(entry.name)] + _id(entry, format)
    suffixes = [f"{suffix}{gz}" for suffix in format.companions for gz in ("", _GZ)]
    return [f"{stem}{each}" for suffix in suffixes for each in (suffix, suffix.upper())]


def _not_entered(found: FolderWalk) -> Iterator[InputItem]:
    for name in found.closed:
        yield _folder(name, "unreadable", "the folder can't be listed")
    for name in found.outside:
        yield _folder(name, OUTSIDE, _LEADS_OUT.format("a folder"))


def _folder(name: str, reason: str, detail: str) -> InputItem:
    return InputItem("", _printable(name), 0, "", reason=reason, detail=detail, records=None)


def _checked(item: InputItem, companion: FileEntry | None, *, leads_out: bool) -> InputItem:
    name = _printable(item.name)
    if name != item.name:
        return InputItem("", name, 0, "", reason="unreadable", detail="expected a file name in UTF-8")
    if leads_out:
        return item._replace(path="", size=0, reason=OUTSIDE, detail=_LEADS_OUT.format("a file"))
    if companion and companion.leads_out:
        return item._replace(companion=None, reason=OUTSIDE, detail=_LEADS_OUT.format("a file of annotations"))
    if item.size < 0:
        return item._replace(size=0, reason="unreadable", detail="expected a regular file")
    if companion and companion.size < 0:
        return item._replace(reason="unreadable", detail="expected its file of annotations to be a regular file")
    if item.size == 0:
        return item._replace(reason="empty", detail="expected at least one byte")
    return item


def _rejected(entry: FileEntry, doc_id: str, reason: str, detail: str) -> InputItem:
    return InputItem("", _printable(entry.name), 0, "", reason=reason, detail=detail)


def _printable(name: str) -> str:
    """Return a file name that Arrow can carry; bytes that are not UTF-8 are written out."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")

"""The facts of a release besides its documents, and which removed text in them would be a leak.

Nothing of the input belongs into names of folders and files, the strings of manifest and report, the log of the table,
what its files hold besides rows, and files of no known kind.
"""

import ast
import gzip
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path, PurePath, PurePosixPath
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq

from spark_deid.detection.registry import DETECTORS
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.release.commit import DOCUMENTS, MANIFEST, REPORT, TABLE
from spark_deid.report.sections import REPORT_SECTIONS
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.storage.delta_log import FIRST_COMMIT, LOG
from spark_deid.storage.folder import StorageFolder
from spark_deid.text.base_letters import other_spellings, same_letters
from spark_deid.text.gazetteer import COMMON, GIVEN, SURNAME, facts_of

LEAST = 6
"""Minimum length of removed text that is searched for: shorter pieces are anywhere by chance."""
MOST_UNPACKED = 64 << 20
NAMES, ENTRY, OTHERS = "names of files", "the log of its table", "other files"
Texts = Mapping[str, str]
"""Stated facts, by the place where they occur."""
_OWN_NAME = re.compile(r"(\.?part-)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.snappy\.parquet(?:\.crc)?)")
_OWN_VALUE = re.compile(r"[0-9a-f]{32}|[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NUMBER = re.compile(r"(?<![\w,.])[0-9]{1,3}(?:,[0-9]{3})+(?![\w,])")
_RANGE = re.compile(r"[0-9,]+ (?:to [0-9,]+|or more|and more)")
"""How pages and manifests name a range of numbers, such as the lengths of a row of bars."""
_APART = ("versions", "times")
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"
_WORD = re.compile(r"\w+")
_USUAL = 2


def texts_about(release: Path, entry: bytes | None = None) -> Texts:
    """Return all that a local release states besides its documents.

    ``entry`` is the entry of its table's log, or those of its tables', where they are yet to be written. Numbers,
    times, versions, digests, and the names that this package makes up are omitted.
    """
    paths = sorted(release.rglob("*"))
    files = ((path.relative_to(release).as_posix(), path) for path in paths if path.is_file() and not path.is_symlink())
    names = (path.relative_to(release).as_posix() for path in paths)
    return _texts(names, ((name, path.read_bytes()) for name, path in files), entry)


def texts_far_away(release: StorageFolder, entry: bytes | None = None) -> Texts:
    """Return what a release on another storage states by its manifest, report, log and names; see ``texts_about``."""
    names = list(release.names())
    record = {name: release.read(name) for name in (MANIFEST, REPORT)}
    for place in (DOCUMENTS, TABLE):
        table = release.child(place)
        names += (f"{place}/{name}" for name in table.names())
        record[f"{place}/{LOG}/{FIRST_COMMIT}"] = table.child(LOG).read(FIRST_COMMIT)
    return _texts(names, ((name, content) for name, content in record.items() if content is not None), entry)


def _texts(names: Iterable[str], files: Iterable[tuple[str, bytes]], entry: bytes | None) -> Texts:
    found: dict[str, list[str]] = {}
    if entry is not None:
        found[ENTRY] = list(_lines(entry))
    for name in names:
        shown = _OWN_NAME.sub(r"\1\2", unquote(name))
        found.setdefault(NAMES, []).append(shown.replace(f"{LOG}/{FIRST_COMMIT}", LOG))
    for name, content in files:
        found.setdefault(_PLACES.get(name, OTHERS), []).extend(_strings(PurePosixPath(name), content))
    return {place: "\0".join(texts) for place, texts in found.items()}


_PLACES = {
    MANIFEST: MANIFEST,
    REPORT: REPORT,
    f"{DOCUMENTS}/{LOG}/{FIRST_COMMIT}": ENTRY,
    f"{TABLE}/{LOG}/{FIRST_COMMIT}": ENTRY,
}


def residual_pieces(removed: Iterable[str], texts: Texts, apart: Iterable[str] = ()) -> set[tuple[str, str]]:
    """Return the removed pieces that are in texts, each with where.

    Pieces that are there in another case only, by their base letters only, or with umlauts as two letters
    (``text.base_letters``), do so where they are whole words, no common ones when written small, and not what every
    release states it.

    >>> sorted(residual_pieces(["Ann Lee", "Bob"], {"report": "by Ann Lee and Bob", "path": "of-ann-lee/ann lee.txt"}))
    [('Ann Lee', 'path'), ('Ann Lee', 'report')]
    """
    known = tuple(map(same_letters, apart))
    folded = {place: same_letters(text) for place, text in texts.items()}
    begins = {text[i : i + LEAST] for text in folded.values() for i in range(len(text) - LEAST + 1)}
    likely = [(piece, spelled) for piece in removed for spelled in _spellings(piece) if _may_stand(spelled, begins)]
    return {
        (piece, place)
        for piece, spelled in likely
        for place, text in texts.items()
        if piece in text or _stands_in_other_letters(same_letters(spelled), folded[place], known)
    }


def _spellings(piece: str) -> Iterator[str]:
    """Yield a piece and its other spellings, as far as they are long enough to be searched for."""
    return (each for each in (piece, *other_spellings(piece)) if len(each) >= LEAST)


def _may_stand(piece: str, begins: set[str]) -> bool:
    """Return whether a piece can be in texts of which the first letters are known; of shorter ones nothing is."""
    begin = same_letters(piece)[:LEAST]
    return begin in begins or len(begin) < LEAST


def _stands_in_other_letters(piece: str, text: str, known: tuple[str, ...]) -> bool:
    return piece in text and stands_whole(piece, text) and not (is_common(piece) or _is_own_in_any_case(piece, known))


def stands_whole(piece: str, text: str) -> bool:
    """Return whether a piece is in a text and neither begins nor ends there inside of a word.

    >>> stands_whole("00 doc", "300 documents"), stands_whole("00 doc", "a 00 doc.")
    (False, True)
    """
    return re.search(rf"(?<![^\W_]){re.escape(piece)}(?![^\W_])", text) is not None


def is_common(piece: str) -> bool:
    """Return whether a piece of text consists of common words only, and so reveals no one.

    Common is a word that general text (``text.gazetteer``) has more often with a small first letter than with a capital
    one, unless it is written with a capital one here and is a given name or a surname too; and a word that is written
    with lowercase letters here and is in a dictionary.

    >>> is_common("the hospital"), is_common("Quincy Zimt"), is_common("123456")
    (True, False, False)
    """
    words = _WORD.findall(piece)
    return all(map(_is_common, words))


@cache
def _is_common(word: str) -> bool:
    facts = facts_of(word)
    usual = facts >> COMMON & 3
    is_name = bool(facts >> GIVEN & 3 or facts >> SURNAME & 1)
    return usual > 0 if word.islower() else usual == _USUAL and not is_name


def is_own(piece: str, apart: Iterable[str]) -> bool:
    """Tell whether a piece of text is one that pages and manifests of every release hold, or a part of words apart."""
    return piece in _own_words() or any(piece in word for word in apart)


def _is_own_in_any_case(piece: str, apart: tuple[str, ...]) -> bool:
    return piece in _own_words_folded() or any(piece in word for word in apart)


def _strings(name: PurePath, content: bytes) -> Iterator[str]:
    """Yield what a file states; of a file of rows what it holds besides them."""
    if content.startswith(_GZIP):
        yield from _strings(name.with_suffix("") if name.suffix == ".gz" else name, _unpacked(content))
    elif content.startswith(_PARQUET):
        yield from _of_parquet(content, rows=LOG in name.parts)
    elif name.name == MANIFEST:
        yield from _of_value(_loaded(content), apart=_APART)
    elif name.suffix == ".json":
        yield from _lines(content)
    elif name.suffix == ".html":
        yield from _of_page(content)
    else:
        yield from _decoded(content)


def _unpacked(content: bytes) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            return packed.read(MOST_UNPACKED)
    except (OSError, EOFError):
        return content[len(_GZIP) :]


def _decoded(content: bytes) -> Iterator[str]:
    """Yield bytes as UTF-8, and as UTF-16 from either byte on, in either order."""
    yield content.decode("utf-8", "replace")
    for order in ("utf-16-le", "utf-16-be"):
        for first in (0, 1):
            yield content[first:].decode(order, "replace")


def _lines(content: bytes) -> Iterator[str]:
    """Yield the strings of lines of JSON; lines that are not JSON are yielded as they occur."""
    for line in content.splitlines():
        value = _loaded(line)
        yield from _decoded(line) if value is None else _of_value(value)


def _loaded(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _of_value(value: object, apart: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield the strings of a JSON value, names of fields too; JSON in strings is read as such."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            if name not in apart:
                yield str(name)
                yield from _of_value(each)
    elif isinstance(value, list):
        for each in value:
            yield from _of_value(each)
    elif isinstance(value, str):
        inner = _loaded(value.encode("utf-8", "surrogatepass")) if value[:1] in ("{", "[", '"') else None
        if inner is None:
            yield "" if _OWN_VALUE.fullmatch(value) or _RANGE.fullmatch(value) else _OWN_NAME.sub(r"\1\2", value)
        else:
            yield from _of_value(inner)


class _Page(HTMLParser):
    """Gather what a page shows and what its attributes hold; styles are this package's."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._styled = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._styled = tag == "style"
        self.texts += [value for _, value in attrs if value]

    def handle_endtag(self, tag: str) -> None:
        self._styled = False

    def handle_data(self, data: str) -> None:
        if not self._styled and not _RANGE.fullmatch(data.strip()):
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.texts.append(data)


def _of_page(content: bytes) -> Iterator[str]:
    page = _Page()
    page.feed(content.decode("utf-8", "replace"))
    page.close()
    yield from (_NUMBER.sub("", text) for text in page.texts)
    yield _NUMBER.sub("", " ".join("".join(page.texts).split()))


def _of_parquet(content: bytes, *, rows: bool) -> Iterator[str]:
    """Yield what a Parquet file says besides its rows, or with them: names, metadata, statistics, indexes, filters."""
    try:
        file = pq.ParquetFile(io.BytesIO(content))
        metadata = file.metadata
    except pa.ArrowException:
        yield from _decoded(content)
        return
    kept = sorted(_chunks(metadata))
    begins, ends = [0, *(end for _, end in kept)], [*(start for start, _ in kept), len(content)]
    for begin, end in zip(begins, ends, strict=True):
        piece = content[begin:end]
        for value in (metadata.metadata or {}).values():
            piece = piece.replace(value, b"")
        yield piece.decode("utf-8", "replace")
    for name, value in (metadata.metadata or {}).items():
        if name != b"ARROW:schema":  # the schema again, packed
            yield from _of_value([name.decode("utf-8", "replace"), value.decode("utf-8", "replace")])
    yield from map(str, file.schema_arrow.names)
    if rows:
        yield from _of_value(file.read().to_pylist(maps_as_pydicts="lossy"))


def _chunks(metadata: pq.FileMetaData) -> Iterator[tuple[int, int]]:
    for group in range(metadata.num_row_groups):
        for number in range(metadata.num_columns):
            column = metadata.row_group(group).column(number)
            starts = (column.dictionary_page_offset, column.data_page_offset)
            start = min(each for each in starts if each is not None)
            yield start, start + column.total_compressed_size


@cache
def _own_words() -> str:
    """Return the texts of this package's pages, and the strings of its code that writes manifests and reports."""
    package = Path(str(resources.files("spark_deid")))
    pages = [page.read_text(encoding="utf-8") for page in sorted(package.rglob("templates/*"))]
    code = {path for name in _WRITERS for path in (package / name).rglob("*.py")} | {*_kinds(package)}
    return "\0".join([*pages, *(text for path in sorted(code) for text in _constants(path))])


@cache
def _own_words_folded() -> str:
    return same_letters(_own_words())


_WRITERS = ("report", "release", "guarantees", "detection", "rewriting", "plan", "pipeline", "storage", "anonymity")


def _kinds(package: Path) -> Iterator[Path]:
    """Yield the files of the kinds of this package, which state what manifests and reports reveal them."""
    for built_in in (each.built_in for each in (DETECTORS, TECHNIQUES, GUARANTEES, REPORT_SECTIONS)):
        for place in built_in.values():
            module = place.partition(":")[0].split(".")[1:]
            yield package.joinpath(*module).with_suffix(".py")


def _constants(path: Path) -> Iterator[str]:
    """Yield the string constants of a file of code, without its documentation."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    results = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in results:
            yield node.value

"""Opening, listing and writing files: plain paths through the system, ``s3://`` and its like through pyarrow."""

import errno
import filecmp
import glob
import hashlib
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from stat import S_ISREG
from threading import get_ident
from typing import BinaryIO, NamedTuple, cast
from urllib.parse import unquote

import pyarrow as pa
from pyarrow import fs

from spark_deid.storage.s3 import is_s3, open_s3

_MAGIC = re.compile(r"[*?\[]")
_LONGEST_DRAFT = 160  # bytes
_REMOTE = re.compile(r"(?!file:)[A-Z][A-Z0-9+.-]+:/", re.IGNORECASE)
_FILE = re.compile(r"file:(?://[^/]*(?=/))?", re.IGNORECASE)


_OF_AWS = re.compile(r"AWS Error ([A-Z_]+)")


class FileEntry(NamedTuple):
    """A file: the path that opens it, its path below the input's base, and its bytes; -1 where it is not regular.

    ``leads_out`` tells of a link to what lies outside the base.
    """

    path: str
    name: str
    size: int
    leads_out: bool = False


class FolderWalk(NamedTuple):
    """What a walk met: files, hidden names, and names of folders that can't be listed; ``one`` is set for a file.

    ``outside`` are the names of links to folders outside the base, which are not entered. ``hidden_names`` are the
    first MOST_NAMED hidden names.
    """

    files: tuple[FileEntry, ...]
    hidden: int = 0
    closed: tuple[str, ...] = ()
    one: bool = False
    outside: tuple[str, ...] = ()
    hidden_names: tuple[str, ...] = ()


MOST_NAMED = 20
"""How many skipped files are named."""


def is_remote(path: str) -> bool:
    """Tell whether a path is a URI of another storage than this machine's.

    >>> is_remote("s3a://bucket/x"), is_remote("dbfs:/x"), is_remote("file:///x"), is_remote("corpus:v1")
    (True, True, False, False)
    """
    return _REMOTE.match(path) is not None


def local_path(path: str) -> str:
    """Return a ``file:`` URI as a plain path, and any other path as it is.

    >>> local_path("file:///data/my%20notes"), local_path("/data/my%20notes")
    ('/data/my notes', '/data/my%20notes')
    """
    head = _FILE.match(path)
    return unquote(path[head.end() :]) if head else path


def absolute_path(path: str) -> str:
    """Return a path that workers with another working directory can open."""
    return path if is_remote(path) else os.path.abspath(local_path(path))


def fault_of(error: OSError) -> str:
    """Say what failed in the system's words, or by S3's code of it, and nothing of the path."""
    code = _OF_AWS.search(str(error))
    return error.strerror or (f"S3: {code[1]}" if code else type(error).__name__)


def open_file(path: str) -> BinaryIO:
    """Open a file for reading. Raises OSError."""
    if not is_remote(path):
        return open(path, "rb")
    system, inner = _remote(path)
    return cast(BinaryIO, io.BufferedReader(system.open_input_file(inner)))


@contextmanager
def private_file(path: str) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name only when it is whole; make its folder.

    Local files and folders are their owner's alone (modes 0600 and 0700). Raises FileExistsError where another file has
    the name, on file systems that take names for one another as well; one of the same content may be there.
    """
    if is_remote(path):
        system, inner = _remote(path)
        with system.open_output_stream(inner) as stream:
            yield cast(BinaryIO, stream)
        return
    folder, name = os.path.split(path)
    _make_folders(folder)
    draft = os.path.join(folder, f".{_cut(name)}.{os.getpid()}-{get_ident()}.draft")
    try:
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
            yield stream
        if os.path.lexists(path) and not filecmp.cmp(draft, path, shallow=False):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        os.replace(draft, path)
    except BaseException:
        if os.path.exists(draft):
            os.unlink(draft)
        raise


def _cut(name: str) -> str:
    """Return a name cut to bytes that leave room for more in a file name, with a hash if it is cut.

    >>> _cut("notes.csv"), len(_cut("é" * 250).encode())
    ('notes.csv', 169)
    """
    data = os.fsencode(name)
    if len(data) <= _LONGEST_DRAFT:
        return name
    return f"{data[:_LONGEST_DRAFT].decode('utf-8', 'ignore')}-{hashlib.sha256(data).hexdigest()[:8]}"


def _make_folders(folder: str) -> None:
    """Make a folder and those above it; each that is new is for its owner alone."""
    if folder and not os.path.isdir(folder):
        _make_folders(os.path.dirname(folder))
        with suppress(FileExistsError):
            os.mkdir(folder, mode=0o700)


def make_private(path: str) -> None:
    """Make a local folder that its owner alone may enter (mode 0700); remote ones are left as they are."""
    if is_remote(path):
        return
    folder = absolute_path(path)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.chmod(folder, 0o700)


def holds_files(path: str) -> bool:
    """Tell whether a path is a file or a folder that is not empty."""
    if is_remote(path):
        system, inner = _remote(path)
        return bool(system.get_file_info(fs.FileSelector(inner, allow_not_found=True)))
    return os.path.isfile(path) or (os.path.isdir(path) and any(os.scandir(path)))


def walk(path: str) -> FolderWalk:
    """List a file, the files below a folder, or what a glob (``*``, ``?``, ``[...]``, ``**``) matches.

    Names below the base that begin with ``.`` or ``_`` are hidden: counted and not entered. A path that exists is no
    glob, whatever its characters. Links are followed to what lies below the base, too; the base itself and a file that
    is named may be links to anywhere. Nothing found gives an empty walk.
    """
    if is_remote(path):
        system, inner = _remote(path)
        return walk_remote(system, inner, path[: len(path) - len(inner)] if path.endswith(inner) else "")
    path = absolute_path(path)
    if os.path.isdir(path):
        return _gather([path], path)
    if os.path.exists(path):
        return FolderWalk((_entry(path, os.path.dirname(path)),), one=True)
    if not _MAGIC.search(path):
        return FolderWalk(())
    return _gather(glob.glob(path, recursive=True, include_hidden=True), glob_base(path))


def yield_sizes(path: str) -> Iterator[int]:
    """Yield the bytes of files below a local path or a glob, one after the other, for an estimate that stops early.

    Unlike ``walk`` this passes over what can't be seen and linked folders, counts hidden files, and may give a file
    twice for a glob with ``**``.
    """
    path = absolute_path(path)
    tops = [path] if os.path.lexists(path) else glob.iglob(path, recursive=True, include_hidden=True)
    for top in tops:
        yield max(_entry(top, "").size, 0)
        for folder, _, names in os.walk(top):
            yield from (max(_entry(os.path.join(folder, name), "").size, 0) for name in names)


def list_existing(paths: Iterable[str]) -> dict[str, FileEntry]:
    """Return the entries of those paths that exist; a remote folder is listed once. Raises OSError."""
    paths = list(paths)
    remote = {path for path in paths if is_remote(path)}
    found = {path: _entry(path, "") for path in paths if path not in remote and os.path.lexists(path)}
    for folder in sorted({os.path.dirname(path) for path in remote}):
        system, inner = _remote(folder)
        found |= {path: entry for path, entry in _list_remote(system, inner, folder).items() if path in remote}
    return found


def _list_remote(system: fs.FileSystem, inner: str, folder: str) -> dict[str, FileEntry]:
    infos = system.get_file_info(fs.FileSelector(inner, allow_not_found=True))
    paths = {f"{folder}/{info.base_name}": info for info in infos if info.type == fs.FileType.File}
    return {path: FileEntry(path, path, info.size) for path, info in paths.items()}


def glob_base(path: str) -> str:
    """Return the folder before a glob's first wildcard.

    >>> glob_base("/data/2*/notes")
    '/data'
    """
    match = _MAGIC.search(path)
    return os.path.dirname(path[: match.start()] if match else path)


def is_hidden(name: str) -> bool:
    """Tell whether a relative path has a part that begins with ``.`` or ``_``."""
    return any(part[:1] in "._" for part in name.split("/") if part)


def _remote(path: str) -> tuple[fs.FileSystem, str]:
    """Return the storage of a URI and the path in it. Raises OSError, and UsageError for settings of S3."""
    try:
        system, inner = open_s3(path) if is_s3(path) else fs.FileSystem.from_uri(path)
    except pa.ArrowException as error:
        raise OSError(errno.EINVAL, "expected a storage that pyarrow knows") from error
    return system, inner


def _gather(paths: list[str], base: str) -> FolderWalk:
    files: dict[str, FileEntry] = {}
    hidden: set[str] = set()
    closed: set[str] = set()
    outside: set[str] = set()
    seen: set[tuple[int, int]] = set()
    real, real_base = partial(_real_path, {}), os.path.realpath(base)
    waiting = sorted(paths, reverse=True)
    while waiting:
        path = waiting.pop()
        name = os.path.relpath(path, base)
        if name != "." and is_hidden(name):
            hidden.add(path)
        elif not os.path.isdir(path):
            files[path] = _entry(path, base)
        elif not _is_below(real(path), real_base):
            outside.add(name)
        elif not _mark(path, seen):
            continue
        else:
            waiting.extend(_children(path, name, base, files, hidden, closed))
    reals = {path: real(path) for path in files}
    inside = {path: place for path, place in reals.items() if _is_below(place, real_base)}
    files |= {path: files[path]._replace(leads_out=True) for path in reals.keys() - inside.keys()}
    doubles = _doubles(inside, base, real_base)
    entries = sorted((entry for path, entry in files.items() if path not in doubles), key=lambda e: e.name)
    skipped = sorted(os.path.relpath(path, base) for path in hidden | doubles)
    return FolderWalk(
        tuple(entries),
        len(skipped),
        tuple(sorted(closed)),
        outside=tuple(sorted(outside)),
        hidden_names=tuple(skipped[:MOST_NAMED]),
    )


def lead_out(base: str, paths: Iterable[str]) -> int:
    """Count the local paths below a base that links bring out of it; those that do not lie below it are no matter."""
    real, real_base = partial(_real_path, {}), os.path.realpath(base)
    return sum(_is_below(path, base) and not _is_below(real(path), real_base) for path in paths)


def _real_path(folders: dict[str, str], path: str) -> str:
    """Follow the links of a path; ``folders`` keeps where folders lead."""
    if os.path.islink(path):
        return os.path.realpath(path)
    folder, name = os.path.split(path)
    if folder not in folders:
        folders[folder] = os.path.realpath(folder)
    return os.path.join(folders[folder], name)


def _is_below(path: str, base: str) -> bool:
    return os.path.join(path, "").startswith(os.path.join(base, ""))


def _doubles(reals: Mapping[str, str], base: str, real_base: str) -> set[str]:
    """Return the links that lead to a file which is met anyway, by its own name or by an earlier link.

    ``reals`` are paths and where they lead; a link may stand anywhere on the way.
    """
    linked = sorted(path for path, real in reals.items() if path[len(base) :] != real[len(real_base) :])
    met = {reals[path] for path in reals.keys() - {*linked}} if linked else set()
    doubles: set[str] = set()
    for path in linked:
        doubles.update([path] if reals[path] in met else ())
        met.add(reals[path])
    return doubles


def linked_folders(path: str) -> Iterator[str]:
    """Yield where links to folders lead that are met below a local folder; hidden ones are passed over."""
    seen: set[tuple[int, int]] = set()
    waiting = [absolute_path(path)]
    while waiting:
        folder = waiting.pop()
        try:
            if not _mark(folder, seen):
                continue
            found = [entry for entry in os.scandir(folder) if entry.name[0] not in "._" and _is_folder(entry)]
        except OSError:
            continue
        yield from (os.path.realpath(entry.path) for entry in found if entry.is_symlink())
        waiting.extend(entry.path for entry in found)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Tell whether an entry is a folder, or a link to one; a link that leads round is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def _mark(path: str, seen: set[tuple[int, int]]) -> bool:
    """Note a folder; False where a link has led to it before."""
    status = os.stat(path)
    key = (status.st_dev, status.st_ino)
    if key in seen:
        return False
    seen.add(key)
    return True


def _children(
    path: str, name: str, base: str, files: dict[str, FileEntry], hidden: set[str], closed: set[str]
) -> list[str]:
    folders: list[str] = []
    try:
        entries = list(os.scandir(path))
    except OSError:
        closed.add(name)
        return folders
    for entry in entries:
        if entry.name[0] in "._":
            hidden.add(entry.path)
        elif _is_folder(entry):
            folders.append(entry.path)
        else:
            files[entry.path] = _entry(entry.path, base)
    return folders


def _entry(path: str, base: str) -> FileEntry:
    name = path[len(base) :].lstrip("/") if path.startswith(base) else os.path.relpath(path, base)
    try:
        status = os.stat(path)
    except OSError:
        return FileEntry(path, name, -1)
    return FileEntry(path, name, status.st_size if S_ISREG(status.st_mode) else -1)


def walk_remote(system: fs.FileSystem, inner: str, scheme: str) -> FolderWalk:
    """Walk a folder of a file system that ``open_remote`` gives; paths are named with its scheme."""
    info = system.get_file_info(inner)
    if info.type == fs.FileType.File:
        return FolderWalk((FileEntry(scheme + info.path, info.base_name, info.size),), one=True)
    is_folder = info.type == fs.FileType.Directory
    base = inner.rstrip("/") if is_folder else glob_base(inner)
    pattern = re.compile(".*" if is_folder else _regex(inner), re.DOTALL)
    found = system.get_file_info(fs.FileSelector(base, recursive=True, allow_not_found=True))
    matching = [i for i in found if i.type == fs.FileType.File and pattern.fullmatch(i.path)]
    entries = [FileEntry(scheme + i.path, i.path[len(base) :].lstrip("/"), i.size) for i in matching]
    visible = sorted((e for e in entries if not is_hidden(e.name)), key=lambda e: e.name)
    hidden = sorted(entry.name for entry in entries if is_hidden(entry.name))
    return FolderWalk(tuple(visible), len(hidden), hidden_names=tuple(hidden[:MOST_NAMED]))


def _regex(pattern: str) -> str:
    """Translate a glob over whole paths; a folder that matches brings all that is below it."""
    steps = re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]]+\])", pattern)
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = [words.get(s) or (s.replace("[!", "[^") if re.fullmatch(r"\[[^\]]+\]", s) else re.escape(s)) for s in steps]
    return "".join(parts) + "(?:/.*)?"

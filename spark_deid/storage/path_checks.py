"""Whether input, workspace and release lie apart."""

import glob
import os
import posixpath
import re
from fnmatch import fnmatchcase
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from spark_deid.core.errors import UsageError
from spark_deid.storage.files import is_remote, linked_folders, local_path
from spark_deid.storage.folder import real_path

_S3 = re.compile("^s3[an]$")
_WILDCARD = re.compile(r"[*?\[{]")


class _Part(NamedTuple):
    name: str
    is_pattern: bool = False

    @property
    def spans_folders(self) -> bool:
        """Tell whether this may stand for several components: ``**``, or braces around a slash."""
        return self.is_pattern and ("**" in self.name or self.name.count("{") != self.name.count("}"))


def check_disjoint(input_path: str | Path, workspace: str | Path, release: str | Path) -> None:
    """Check that none of the three places contains another; symbolic links are followed.

    The input may be a file, a folder or a glob; the others are taken as they stand.

    Raises UsageError, which names the two places.
    """
    places = {"input": input_path, "workspace": workspace, "release": release}
    parts = {name: _split(path, may_be_glob=name == "input") for name, path in places.items()}
    for name in ("workspace", "release"):
        _check_links(input_path, places[name], name)
    for one, other in combinations(places, 2):
        if _may_meet(parts[one], parts[other]):
            raise UsageError(
                f"{one} ({places[one]}) and {other} ({places[other]}): expected separate folders, but one "
                "contains the other"
            )


def check_outside(input_path: str | Path, output: str | Path, *, name: str = "input") -> None:
    """Check that an output does not lie in the input, which errors call by a name, nor the input in it.

    Raises UsageError, which names the two places.
    """
    _check_links(input_path, output, "output")
    one, other = _split(input_path, may_be_glob=True), _split(output, may_be_glob=False)
    if _may_meet(one, other):
        raise UsageError(
            f"{name} ({input_path}) and output ({output}): expected separate folders, but one contains the other"
        )


def _check_links(input_path: str | Path, place: str | Path, name: str) -> None:
    """Check that no link below an input folder leads to where something is written, above it or into it."""
    if is_remote(str(input_path)) or is_remote(str(place)) or not os.path.isdir(local_path(str(input_path))):
        return
    written = _split(place, may_be_glob=False)
    for target in linked_folders(str(input_path)):
        if _may_meet(_split(target, may_be_glob=False), written):
            raise UsageError(
                f"input ({input_path}) and {name} ({place}): expected separate folders, but a link inside the "
                f"input leads to {target}"
            )


def _split(path: str | Path, *, may_be_glob: bool) -> tuple[_Part, ...]:
    """Split a path into components: of a glob, links are followed up to the first component with a wildcard."""
    remote = is_remote(str(path))
    names = _remote_names(str(path)) if remote else real_path(path).parts
    if not may_be_glob or (not remote and os.path.exists(real_path(path))):
        return tuple(map(_Part, names))
    first = next((i for i, name in enumerate(names) if _WILDCARD.search(name)), len(names))
    return (*map(_Part, names[:first]), *(_Part(name, True) for name in names[first:]))


def _remote_names(path: str) -> tuple[str, ...]:
    scheme, _, address = path.partition(":")
    return (_S3.sub("s3", scheme.lower()), *posixpath.normpath(address).lstrip("/").split("/"))


def _may_meet(one: tuple[_Part, ...], other: tuple[_Part, ...]) -> bool:
    """Tell whether one path may be the other or lie in it; what spans folders may stand for anything below."""
    for a, b in zip(one, other, strict=False):
        if a.spans_folders or b.spans_folders:
            return True
        if not _may_be_same(a, b):
            return False
    return True


def _may_be_same(one: _Part, other: _Part) -> bool:
    """Tell whether two components may name the same; alternatives in braces may name anything."""
    if one.is_pattern and other.is_pattern:
        return True
    if one.is_pattern or other.is_pattern:
        name, pattern = (other.name, one.name) if one.is_pattern else (one.name, other.name)
        return "{" in pattern or fnmatchcase(name, pattern)
    return one.name == other.name


# Whether what is to be read is there, and what is to be written can be.


_TABLE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*){1,2}")
"""How ``schema.table`` and ``catalog.schema.table`` look, and names of files too."""


def names_table(path: str) -> bool:
    """Return whether a path that names nothing looks like a schema or a table of a catalog."""
    return _TABLE.fullmatch(path) is not None and not os.path.exists(path)


def check_no_table(path: str, name: str) -> None:
    """Refuse a workspace or release (``name``) that looks like something of a catalog; raises UsageError."""
    if names_table(path) and (name == "workspace" or path.count(".") == 2):
        raise UsageError(
            f"{path} looks like a schema or a table of a catalog, and a {name} is a folder for now; write ./{path} for "
            "a folder of this name"
        )


def check_present(place: str | Path) -> None:
    """Refuse a local path, or a glob, that names nothing; raises UsageError. Remote places are not checked."""
    path = str(place)
    if is_remote(path) or os.path.exists(local_path(path)) or "{" in path:
        return
    if not set("*?[") & set(path):
        raise UsageError(f"{path}: there is no such file or folder")
    if next(glob.iglob(local_path(path), recursive=True, include_hidden=True), None) is None:
        raise UsageError(f"{path}: no file or folder matches this glob")


def check_creatable(place: str | Path) -> None:
    """Refuse a local folder that can't be made or written to; raises UsageError. Remote places are not checked."""
    if is_remote(str(place)):
        return
    path = Path(local_path(str(place))).absolute()
    above = next(each for each in (path, *path.parents) if os.path.lexists(each))
    if not os.path.exists(above):
        raise UsageError(f"{place}: {above} is a link to nothing, and no folder can be made there; name another")
    if not os.path.isdir(above):
        raise UsageError(f"{place}: {above} is a file, and no folder can be made there; name another")
    if not os.access(above, os.W_OK | os.X_OK):
        raise UsageError(f"{place}: {above} can't be written to; name another folder, or change who may write there")

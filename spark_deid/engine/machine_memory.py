"""The memory that this process may use: the machine's, or less in a container."""

from collections.abc import Iterator
from pathlib import Path

import psutil

_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUP = Path("/proc/self/cgroup")
_PAIRS = (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes"))
"""Files of the limit and of the use of memory, of version 2 and of version 1."""


def available_memory() -> int:
    """Return the bytes that this process can still use: those free on the machine, or up to its cgroups' limits."""
    return max(0, min([psutil.virtual_memory().available, *_free_in_cgroups()]))


def _free_in_cgroups() -> Iterator[int]:
    """Give the bytes up to the limit of each cgroup of this process that has one."""
    for folder in _cgroup_folders():
        for limit_name, use_name in _PAIRS:
            limit, use = _number(folder / limit_name), _number(folder / use_name)
            if limit is not None and use is not None:
                yield limit - use + _reclaimable(folder)


def _cgroup_folders() -> Iterator[Path]:
    """Give the folders of this process's cgroups and of those above them."""
    try:
        lines = _OWN_CGROUP.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root = _CGROUPS / "memory" if controllers else _CGROUPS
        own = root / path.lstrip("/")
        yield from (folder for folder in (own, *own.parents) if folder.is_relative_to(root))


def _number(path: Path) -> int | None:
    """Return the number in a file; None if there is no file or no limit."""
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _reclaimable(folder: Path) -> int:
    """Return the bytes of cached files, which the kernel frees when memory is short."""
    try:
        fields = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        return int(fields.get("inactive_file", 0))
    except (OSError, ValueError):
        return 0

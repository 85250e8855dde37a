"""What every use case checks and tells of its input and output."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_deid.core.errors import UsageError
from spark_deid.corpus.formats import FORMATS
from spark_deid.storage.files import is_remote, local_path

if TYPE_CHECKING:
    from spark_deid.corpus.local import LocalReading

Progress = Callable[[str], None]
Figures = dict[str, Any]


def format_names() -> tuple[str, ...]:
    """Return the names of the formats."""
    return tuple(FORMATS)


def check_format(*names: str) -> None:
    """Raise UsageError for a name that is no format's."""
    for name in names:
        if name not in FORMATS:
            raise UsageError(f"format {name!r}: expected one of {', '.join(FORMATS)}")


def check_new(place: str) -> None:
    """Raise UsageError where a local place already holds something."""
    path = Path(local_path(place))
    if not is_remote(place) and path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{place}: already holds something; name a new or an empty folder")


def check_input(path: str) -> None:
    """Refuse a local path that names nothing, before anything is started."""
    if not is_remote(path) and not set("*?[{") & set(path) and not Path(local_path(path)).exists():
        raise UsageError(f"{path}: there is no such file or folder")


def check_output(source: str, target: str) -> None:
    """Raise UsageError where there is no input, or its output would lie in it or in something that is there."""
    from spark_deid.storage.disjoint_paths import check_outside

    check_input(source)
    check_outside(source, target)
    check_new(target)


def tell_losses(rejects: Mapping[str, int], passed_over: int, progress: Progress, *, where: str = "") -> None:
    """Say what of an input was not taken, and why."""
    if rejects:
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(rejects.items()))
        progress(f"warning: {sum(rejects.values())} inputs were rejected: {reasons}{f'; see {where}' if where else ''}")
    if passed_over:
        progress(f"warning: {passed_over} files were passed over, for their suffixes or hidden names")


def read_labelled(path: str, name: str, progress: Progress) -> "LocalReading":
    """Read a labelled corpus on the driver, and say what of it was not taken."""
    from spark_deid.corpus.local import read_documents

    progress(f"read {path}")
    reading = read_documents(path, name)
    tell_losses(reading.inventory.rejects, reading.inventory.passed_over, progress)
    return reading

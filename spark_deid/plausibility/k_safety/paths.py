"""Values of a table and the labels above them, by column: what terms a text may share with a record."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from spark_deid.core.errors import UsageError
from spark_deid.ontology.sources import arx
from spark_deid.plausibility.k_safety.settings import EraseSettings
from spark_deid.plausibility.k_safety.words import key_of

Labels: TypeAlias = tuple[str, ...]
"""A value and the labels above it, the lowest first, without those that no text can hold, such as ``*``."""
Paths: TypeAlias = Mapping[str, Labels]
"""The labels of each value of a column."""


def read_paths(folder: str, columns: Iterable[str]) -> dict[str, Paths]:
    """Read ``COLUMN.csv`` of those columns that have one in a folder, in ARX's form.

    Raises UsageError, which names file and line, for a file that is none, and where no column has one.
    """
    if not folder:
        return {}
    files = {column: Path(folder) / f"{column}.csv" for column in columns}
    found = {column: _read(path) for column, path in files.items() if path.is_file()}
    if not found:
        raise UsageError(f"{folder}: expected a file COLUMN.csv for one of the columns {', '.join(files)}")
    return found


def check_paths(settings: EraseSettings) -> None:
    """Read the hierarchies of a plan, whatever the columns of its table are; raises UsageError.

    The table may lie beside them.
    """
    if settings.hierarchies:
        others = (path for path in Path(settings.hierarchies).glob("*.csv") if not path.samefile(settings.table))
        read_paths(settings.hierarchies, settings.columns or tuple(sorted(path.stem for path in others)))


def _read(path: Path) -> Paths:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: can't be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: expected UTF-8, byte {error.start} is none") from error
    lines = arx.parse(text)
    if wrong := [fault.message for fault in arx.faults(lines) if fault.is_grave]:
        raise UsageError("\n".join(f"{path}: {each}" for each in wrong))
    return {line[0]: labels_of(line) for line in lines if any(line)}


def labels_of(line: Iterable[str]) -> Labels:
    """Return the labels that a text can hold, one that stands on several levels once, where it stands last.

    >>> labels_of(("02139", "021**", "021**", "*"))
    ('02139', '021**')
    """
    kept = {key: label for label in line if (key := key_of(label))}
    order = list(dict.fromkeys(key for label in reversed(tuple(line)) if (key := key_of(label))))
    return tuple(kept[key] for key in reversed(order))

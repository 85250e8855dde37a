"""Plans that come with the package: a name in place of a plan's file."""

from itertools import takewhile
from pathlib import Path

from spark_deid.core.error_wording import NotOneOf
from spark_deid.core.errors import UsageError
from spark_deid.storage.files import is_remote

_FOLDER = Path(__file__).parent / "data"
SUFFIX = ".yaml"


def shipped_plans() -> tuple[str, ...]:
    """Return the names of the plans that come with the package, sorted.

    >>> "names" in shipped_plans()
    True
    """
    return tuple(sorted(path.name.removesuffix(SUFFIX) for path in _FOLDER.glob(f"*{SUFFIX}")))


def shipped_plan(name: str) -> Path:
    """Return the file of a plan that comes with the package; raises UsageError for another name."""
    if name not in shipped_plans():
        raise UsageError(f"plan {NotOneOf(name, shipped_plans())}")
    return _FOLDER / f"{name}{SUFFIX}"


def plan_file(place: str | Path) -> Path:
    """Return the file of a plan that is named by its path, or by the name of one that comes with the package.

    A file that is there goes before a name.
    """
    path, name = Path(place), str(place)
    if not path.is_file() and not is_remote(name) and name in shipped_plans():
        return shipped_plan(name)
    return path


def describe_plan(name: str) -> str:
    """Return the first sentence of the comment that a plan of the package begins with.

    >>> describe_plan("patterns")
    'Sanitize a corpus with patterns only: no model, no training.'
    """
    comment = takewhile(lambda line: line.startswith("#"), shipped_plan(name).read_text(encoding="utf-8").splitlines())
    first, _, _ = " ".join(line.lstrip("# ") for line in comment).partition(". ")
    return f"{first.partition('.   ')[0].rstrip('.')}."

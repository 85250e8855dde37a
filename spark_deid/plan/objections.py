"""What several checks object to, all of it at once."""

from collections.abc import Callable, Iterable, Iterator

from pydantic import ValidationError

from spark_deid.core.error_wording import explain_error
from spark_deid.core.errors import SparkDeidError


def objections(checks: Iterable[Callable[[], object]]) -> Iterator[str]:
    """Make every check; yield the lines of what those say that fail, each line once."""
    seen: set[str] = set()
    for check in checks:
        lines = [line for line in _lines(check) if line not in seen]
        seen.update(lines)
        yield from lines


def _lines(check: Callable[[], object]) -> list[str]:
    try:
        check()
    except SparkDeidError as error:
        return str(error).splitlines()
    except ValidationError as error:
        return [line for each in error.errors() for line in explain_error(each).splitlines()]
    return []

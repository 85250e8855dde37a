"""Settings of a table's recoding to compare: models with several numbers each, by several algorithms."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.recodings import offered_names, recoding_for
from spark_deid.core.errors import UsageError


class TableSetting(NamedTuple):
    """Models, such as ``k=5,l=2``, and the algorithm that is to satisfy them."""

    model: str
    algorithm: str


def list_settings(models: str, algorithms: Sequence[str], always: str = "") -> tuple[TableSetting, ...]:
    """Return every combination of numbers and algorithms, each once.

    Args:
        models: Models with their numbers, such as ``k=5,10,20``.
        algorithms: Names of algorithms.
        always: Models that every setting has, such as ``l=2``.

    Returns:
        The settings, by algorithm and then by model.

    Raises:
        UsageError: A model, a number or an algorithm is wrong.

    >>> [setting.model for setting in list_settings("k=5,10", ["mondrian"], "l=2")]
    ['k=5,l=2', 'k=10,l=2']
    """
    known = offered_names()
    if strangers := [name for name in algorithms if name not in known]:
        raise UsageError(f"--algorithm: expected some of {', '.join(known)}, got {', '.join(strangers)}")
    fixed = [part.strip() for part in always.split(",") if part.strip()]
    named = [",".join((*parts, *fixed)) for parts in product(*_numbers_of(models))]
    found: dict[tuple[str, str], TableSetting] = {}
    for algorithm in algorithms:
        for text in named:
            read = read_models(text)
            found.setdefault((str(read), recoding_for(read, algorithm)), TableSetting(str(read), algorithm))
    return tuple(found.values())


def _numbers_of(models: str) -> list[list[str]]:
    """Return the demands of each model, in the order of the text. A number without a name has that before it."""
    demands: dict[str, list[str]] = {}
    name = ""
    for part in (part.strip() for part in models.split(",") if part.strip()):
        before, equals, number = part.rpartition("=")
        name = before.strip() if equals else name
        if not name:
            raise UsageError(f"--compare: expected models with their numbers, as in k=5,10,20, got {models!r}")
        demands.setdefault(name, []).append(f"{name}={number.strip()}")
    if not demands:
        raise UsageError("--compare: expected models with their numbers, as in k=5,10,20")
    return [*demands.values()]

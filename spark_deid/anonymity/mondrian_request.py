"""What is asked of Mondrian, and rows by person: models that cuts can keep, how quasi-identifiers are shown."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_deid.anonymity.claim import PrivacyClaim, check_claim
from spark_deid.anonymity.model_kind import ModelNeeds
from spark_deid.anonymity.partition import RecodingMode
from spark_deid.core.errors import CorpusError, UsageError
from spark_deid.core.hashing import keyed_hash
from spark_deid.numerics.arrays import Int64s, UInt64s

Modes = Mapping[str, RecodingMode]


def check_mondrian(claim: PrivacyClaim) -> None:
    """Raise UsageError where a claim is not whole, or asks for what Mondrian can't keep."""
    unkept = [each.parameters for each in claim.models.demands if each.kind.recoding]
    of_population = [each.name for each in claim.models.demands if ModelNeeds.POPULATION in each.kind.needs]
    if of_population:
        raise UsageError(f"--model {', '.join(of_population)}: Mondrian can't keep it; expected --algorithm incognito")
    if unkept:
        raise UsageError(f"--model {', '.join(unkept)}: Mondrian can't keep it")
    check_claim(claim)


def read_recoding(text: str, quasi: Sequence[str]) -> Modes:
    """Read how quasi-identifiers are shown: one mode for all, or ``column=mode`` with commas between.

    Raises UsageError.

    >>> {name: mode.value for name, mode in read_recoding("age=region", ("age", "zip")).items()}
    {'age': 'region', 'zip': 'bands'}
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) == 1 and "=" not in parts[0]:
        return dict.fromkeys(quasi, _mode(parts[0]))
    given = {part.partition("=")[0].strip(): part.partition("=")[2].strip() for part in parts}
    unknown = sorted(set(given) - set(quasi))
    if unknown:
        raise UsageError(f"--recoding: {', '.join(unknown)}: expected quasi-identifiers, as in {quasi[0]}=region")
    return {name: _mode(given.get(name, RecodingMode.BANDS.value)) for name in quasi}


def _mode(text: str) -> RecodingMode:
    try:
        return RecodingMode(text)
    except ValueError:
        modes = ", ".join(mode.value for mode in RecodingMode)
        raise UsageError(f"--recoding: expected one of {modes}, or column=mode, got {text!r}") from None


def warning_of_ends(option: str, recoding: Mapping[str, str]) -> str | None:
    """Say of which attributes, shown by these modes, the ends of ranges are values of persons; None where of none.

    >>> warning_of_ends("--recoding", {"age": "tight", "zip": "bands"})[:44]
    '--recoding: ends of the ranges of age (tight'
    """
    named = [f"{name} ({mode})" for name, mode in recoding.items() if mode != RecodingMode.BANDS.value]
    if not named:
        return None
    return (
        f"{option}: ends of the ranges of {', '.join(named)} are values of persons; bands, the default, end at borders"
        " that no data made"
    )


def modes_of(claim: PrivacyClaim, recoding: Modes) -> dict[str, RecodingMode]:
    """Return how each quasi-identifier is shown."""
    return {name: recoding.get(name, RecodingMode.BANDS) for name in claim.quasi}


def rows_by_person(persons: pa.Array | None, rows: int) -> tuple[Int64s, Int64s, Sequence[object]]:
    """Return rows in an order that has each person's together, where each person begins, and the persons' names.

    Without persons every row is one, named by its number. Raises CorpusError for rows that name no person.
    """
    if persons is None:
        return np.arange(rows), np.arange(rows + 1), range(rows)
    if persons.null_count:
        raise CorpusError(f"{persons.null_count} rows name no person; expected one in every row")
    encoded = pc.cast(persons, pa.string()).dictionary_encode()
    indices = encoded.indices.to_numpy(zero_copy_only=False)
    order = np.argsort(indices, kind="stable")
    units = np.append(0, np.cumsum(np.bincount(indices, minlength=len(encoded.dictionary))))
    return order, units.astype(np.int64), encoded.dictionary.to_pylist()


def ties_of(key: bytes, names: Iterable[object]) -> UInt64s:
    """Return a number for each person that only the key's holder can tell."""
    return np.array([int(keyed_hash(key, "tie", str(name))[:16], 16) for name in names], np.uint64)

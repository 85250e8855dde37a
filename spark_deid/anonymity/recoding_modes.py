"""How the quasi-identifiers of a table are shown, and what Mondrian can keep."""

from collections.abc import Mapping, Sequence
from enum import Enum

from spark_deid.anonymity.claim import PrivacyClaim, check_claim
from spark_deid.anonymity.model_options import ModelNeeds
from spark_deid.core.errors import UsageError


class RecodingMode(Enum):
    """What a class's values are shown as.

    A range from border to border of a grid that no data made (see ``bands``), the box that cuts made, or the least
    range that has them: the ends of the last two are values of the table.
    """

    BANDS = "bands"
    REGION = "region"
    TIGHT = "tight"


Modes = Mapping[str, RecodingMode]


def check_mondrian(claim: PrivacyClaim) -> None:
    """Raise UsageError where a claim is not whole, or asks for what Mondrian can't keep."""
    unkept = [each.parameters for each in claim.models.demands if each.kind.recoding]
    of_population = [each.name for each in claim.models.demands if ModelNeeds.POPULATION in each.kind.needs]
    if of_population:
        raise UsageError(f"--model {', '.join(of_population)}: not available with Mondrian. Set --algorithm incognito")
    if unkept:
        raise UsageError(f"--model {', '.join(unkept)}: not available with Mondrian")
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
    """State for which attributes, shown by these modes, the ends of ranges are values of people; None where of none.

    >>> warning_of_ends("--recoding", {"age": "tight", "zip": "bands"})[:32]
    '--recoding: the bounds of the pu'
    """
    named = [f"{name} ({mode})" for name, mode in recoding.items() if mode != RecodingMode.BANDS.value]
    if not named:
        return None
    return (
        f"{option}: the bounds of the published ranges of {', '.join(named)} are values of people. The "
        "default, bands, uses bounds that do not depend on the data"
    )


def modes_of(claim: PrivacyClaim, recoding: Modes) -> dict[str, RecodingMode]:
    """Return how each quasi-identifier is shown."""
    return {name: recoding.get(name, RecodingMode.BANDS) for name in claim.quasi}

"""How decisions are looked at, by whoever counts what is wrong with them."""

from typing import NamedTuple

from spark_deid.guarantees.allowed import AllowedTexts
from spark_deid.guarantees.coverage import Placeholders


class CheckSettings(NamedTuple):
    """How decisions are looked at: who is exempt from editing, and which techniques write placeholders.

    ``listed`` are words of the input that stand for what was removed before, which may be put back; ``recounted`` are
    techniques whose replacements a guarantee of the plan looks at, and ``allowed`` the terms that it spares.
    """

    exempt: tuple[str, ...]
    placeholders: Placeholders
    scored: bool = False
    listed: tuple[str, ...] = ()
    recounted: tuple[str, ...] = ()
    allowed: AllowedTexts = AllowedTexts()

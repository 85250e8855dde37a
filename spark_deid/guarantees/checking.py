"""How decisions are looked at, by whoever counts what is wrong with them."""

from typing import NamedTuple

from spark_deid.guarantees.allowed import AllowedTexts
from spark_deid.guarantees.coverage import Placeholders


class CheckSettings(NamedTuple):
    """How decisions are looked at: who is exempt from editing, and which techniques write placeholders.

    ``listed`` are words of the input that stand for what was removed before, which may be put back; ``recounted`` are
    techniques whose replacements a guarantee of the plan looks at. ``allowed`` are the terms that it spares, and
    ``staying`` the labels of sensitive attributes that it leaves in the texts.
    """

    exempt: tuple[str, ...]
    placeholders: Placeholders
    scored: bool = False
    listed: tuple[str, ...] = ()
    recounted: tuple[str, ...] = ()
    allowed: AllowedTexts = AllowedTexts()
    staying: frozenset[str] = frozenset()

    def must_be_edited(self, text: str, start: int, end: int, label: str, source: str) -> bool:
        """Tell whether a span must be edited, of a source that is not exempt.

        >>> CheckSettings((), {}, staying=frozenset({"ILL"})).must_be_edited("flu", 0, 3, "ILL", "gold")
        False
        """
        return label not in self.staying and not self.allowed.is_spared(text, start, end, source, label)

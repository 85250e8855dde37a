"""The way in which decisions are read by all counters of their faults."""

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from spark_deid.guarantees.coverage import Placeholders

# Which spans a plan spares, as the check of every release sees it: by its own comparison of text with listed terms.


_SPARED = "/allowed"
_ENDS = re.compile(r"^[\W_]+|[\W_]+$")


class AllowedTexts(NamedTuple):
    """The terms that a plan spares, without spaces: in any case, and as they are written."""

    folded: frozenset[str] = frozenset()
    exact: frozenset[str] = frozenset()
    dated: frozenset[str] = frozenset()
    """Labels whose dates move, so that none can remain; ``*`` is every label that ``rule_labels`` lacks."""
    rule_labels: frozenset[str] = frozenset()

    def is_spared(self, text: str, start: int, end: int, source: str, label: str = "") -> bool:
        """Return whether a span is spared by its source, is a listed term as a whole, and is not a date that moves.

        >>> AllowedTexts(folded=frozenset({"may"})).is_spared("In MAY Smith", 3, 6, "model/allowed")
        True
        """
        if not source.endswith(_SPARED) or self._moves(label):
            return False
        shown = _bare(text[start:end])
        return shown in self.exact or _bare(shown.casefold()) in self.folded

    def _moves(self, label: str) -> bool:
        names = {label} if label in self.rule_labels else {label, label.upper(), "*"}
        return not names.isdisjoint(self.dated)


def allowed_texts(lists: Iterable[tuple[Iterable[str], bool]]) -> AllowedTexts:
    """Return what lists spare: terms, and whether their case counts."""
    folded: set[str] = set()
    exact: set[str] = set()
    for terms, match_case in lists:
        if match_case:
            exact.update(map(_bare, terms))
        else:
            folded.update(_bare(_bare(term).casefold()) for term in terms)
    return AllowedTexts(frozenset(folded), frozenset(exact))


def _bare(text: str) -> str:
    """Return a text without spaces, and without marks at its ends."""
    return _ENDS.sub("", "".join(unicodedata.normalize("NFKC", text).split()))


class CheckSettings(NamedTuple):
    """How decisions are checked: detectors that are exempt from editing, and techniques that write placeholders.

    ``listed`` are words of the input that replace text that was removed before, and may be put back. ``recounted`` are
    techniques whose replacements a guarantee of the plan checks. ``allowed`` are the terms that it spares, and
    ``staying`` the labels of sensitive attributes that it leaves in the texts. If it ``keeps_syntax``, JSON, HL7 and
    CSV must parse.
    """

    exempt: tuple[str, ...]
    placeholders: Placeholders
    scored: bool = False
    listed: tuple[str, ...] = ()
    recounted: tuple[str, ...] = ()
    allowed: AllowedTexts = AllowedTexts()
    staying: frozenset[str] = frozenset()
    keeps_syntax: bool = True

    def must_be_edited(self, text: str, start: int, end: int, label: str, source: str) -> bool:
        """Return whether a span must be edited. Its source is not exempt.

        >>> CheckSettings((), {}, staying=frozenset({"ILL"})).must_be_edited("flu", 0, 3, "ILL", "gold")
        False
        """
        return label not in self.staying and not self.allowed.is_spared(text, start, end, source, label)

"""Which spans a plan spares, as the check of every release sees it: by its own comparison of text with listed terms."""

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

_SPARED = "/allowed"
_ENDS = re.compile(r"^[\W_]+|[\W_]+$")


class AllowedTexts(NamedTuple):
    """The terms that a plan spares, without spaces: in any case, and as they are written."""

    folded: frozenset[str] = frozenset()
    exact: frozenset[str] = frozenset()

    def is_spared(self, text: str, start: int, end: int, source: str) -> bool:
        """Tell whether a span says that it is spared, and is a listed term as a whole.

        >>> AllowedTexts(folded=frozenset({"may"})).is_spared("In MAY Smith", 3, 6, "model/allowed")
        True
        """
        if not source.endswith(_SPARED):
            return False
        shown = _bare(text[start:end])
        return shown in self.exact or _bare(shown.casefold()) in self.folded


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

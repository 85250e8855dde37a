"""What a release shows of a document, and what of the corpus may count as evidence for it."""

import re
from collections.abc import Iterable, Iterator, Sequence

from spark_deid.core.edit import Edit
from spark_deid.core.rare import STAR


def is_star(replacement: str) -> bool:
    """Tell whether a replacement stands for rare text: one star, or one for each character."""
    return bool(replacement) and not replacement.strip(STAR)


def published_runs(published: str, edits: Iterable[Edit], apart: Sequence[str]) -> Iterator[str]:
    """Yield what a released text shows between replacements, by the edits' places and not by their looks.

    A text that was changed after its edits is cut at the same places, so that what was changed is counted as it is.
    Listed words in ``apart`` and stars end a run as well.
    """
    position = shift = 0
    for edit in sorted(edits):
        start = edit.start + shift
        yield from _without(published[position:start], apart)
        position = start + len(edit.replacement)
        shift = position - edit.end
    yield from _without(published[position:], apart)


def evidence(original: str, edits: Iterable[Edit], apart: Sequence[str]) -> Iterator[str]:
    """Yield the pieces of an original in which runs are counted: what edits replace by other than stars is none."""
    position = 0
    for edit in sorted(edits):
        if not is_star(edit.replacement):
            yield from _without(original[position : edit.start], apart)
            position = edit.end
    yield from _without(original[position:], apart)


def _without(text: str, apart: Sequence[str]) -> Iterator[str]:
    words = sorted((STAR, *apart), key=len, reverse=True)
    yield from filter(None, re.split("|".join(map(re.escape, words)), text))

"""Tags of tokens, as CoNLL files have them: IOB1, IOB2 and BIOES, read by one rule."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

_TAG = re.compile(r"([BIES])-(\S.*)", re.DOTALL)
OUTSIDE = "O"
# UNER's English EWT tags the first token of every document so.
_ARTEFACT = "B-O"


class LabelledRun(NamedTuple):
    """Tokens ``first`` to ``last``, both included, that bear one label."""

    first: int
    last: int
    label: str


def is_tag(tag: str) -> bool:
    """Tell whether a tag is ``O`` or one of B, I, E, S with a hyphen and a label."""
    return tag == OUTSIDE or _TAG.fullmatch(tag) is not None


def read_chunks(tags: Sequence[str]) -> tuple[LabelledRun, ...]:
    """Return what the tags of one sentence mark, whichever of the three schemes they follow.

    An I or E that continues nothing begins a chunk, as in IOB1. Raises ValueError for what is not a tag.

    >>> read_chunks(["I-PER", "I-PER", "O", "S-LOC"])
    (LabelledRun(first=0, last=1, label='PER'), LabelledRun(first=3, last=3, label='LOC'))
    """
    return tuple(_chunks(tags))


def _chunks(tags: Iterable[str]) -> Iterator[LabelledRun]:
    begun: LabelledRun | None = None
    for index, tag in enumerate(tags):
        prefix, label = _split(tag)
        continues = begun is not None and prefix in "IE" and begun.label == label
        if begun is not None and not continues:
            yield begun
            begun = None
        if label:
            begun = LabelledRun(index if begun is None else begun.first, index, label)
        if begun is not None and prefix in "ES":
            yield begun
            begun = None
    if begun is not None:
        yield begun


def _split(tag: str) -> tuple[str, str]:
    if tag in (OUTSIDE, _ARTEFACT):
        return OUTSIDE, ""
    match = _TAG.fullmatch(tag)
    if match is None:
        raise ValueError("expected O, or B, I, E or S with a label")
    return match[1], match[2]

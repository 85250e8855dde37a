"""Which documents hold removed text in what of them is published, once it is known what text that is."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from spark_deid.core.hashing import keyed_hash
from spark_deid.release.metadata_leaks import is_common

if TYPE_CHECKING:
    from spark_deid.release.piece_search import LeakNeedles, Strings

MOST_NAMED = 20
"""How many documents are named at most."""
_TOGETHER = 256
"""How many documents are looked through at once, before those of them that hold something are one by one."""


class ResidualDocuments(NamedTuple):
    """How many documents hold removed text, and the ids of the first of them, as they were read or are released."""

    documents: int
    ids: tuple[str, ...] = ()


def documents_with(pieces: pa.StringArray, published: Iterable[tuple[Sequence[str], "Strings"]]) -> ResidualDocuments:
    """Count the documents whose published text holds one of some pieces, as the leak scan looks for them.

    ``published`` has ids, and a text each.
    """
    from spark_deid.release.piece_search import needles_of

    needles, holding = needles_of(pieces), 0
    named: list[str] = []
    for ids, texts in published:
        for first in range(0, len(ids), _TOGETHER):
            together = texts[first : first + _TOGETHER]
            if _holds(needles, together):
                found = [first + at for at in range(len(together)) if _holds(needles, together[at : at + 1])]
                named += [ids[at] for at in found[: MOST_NAMED - len(named)]]
                holding += len(found)
    return ResidualDocuments(holding, tuple(named))


def _holds(needles: "LeakNeedles", texts: "Strings") -> bool:
    """Tell whether some text holds a piece that is no common word as it is written there."""
    from spark_deid.release.kernels.matching import SAME_CASE

    hits = needles.nothing()
    needles.look(texts, hits)
    found = ((needles.pieces[number].as_py(), hits[number]) for number in np.flatnonzero(hits).tolist())
    return any(not is_common(piece if hit == SAME_CASE else piece.lower()) for piece, hit in found)


def of_all_parts(found: Iterable[Mapping[str, ResidualDocuments]]) -> Mapping[str, ResidualDocuments]:
    """Return what was counted of the parts of a corpus together, by where; parts hold documents of their own.

    >>> of_all_parts([{"texts": ResidualDocuments(1, ("a",))}, {"texts": ResidualDocuments(2, ("b", "c"))}])
    {'texts': ResidualDocuments(documents=3, ids=('a', 'b', 'c'))}
    """
    whole: dict[str, ResidualDocuments] = {}
    for part in found:
        for place, each in part.items():
            before = whole.get(place, ResidualDocuments(0))
            named = (*before.ids, *each.ids)[:MOST_NAMED]
            whole[place] = ResidualDocuments(before.documents + each.documents, named)
    return dict(sorted(whole.items()))


def as_released(found: Mapping[str, ResidualDocuments], key: bytes | None) -> Mapping[str, ResidualDocuments]:
    """Name documents as a release does: by hashes with a key, where there is one."""
    if key is None:
        return found
    return {
        place: each._replace(ids=tuple(keyed_hash(key, "doc_id", name) for name in each.ids))
        for place, each in found.items()
    }


def without_ids(found: Mapping[str, ResidualDocuments]) -> Mapping[str, ResidualDocuments]:
    """Count documents without naming any."""
    return {place: ResidualDocuments(each.documents) for place, each in found.items()}

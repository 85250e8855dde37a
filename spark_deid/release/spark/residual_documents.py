"""Which documents hold removed text in what of them is published, once it is known what text that is."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from spark_deid.core.hashing import keyed_hash
from spark_deid.release.kernels.matching import ANOTHER_CASE, SAME_CASE
from spark_deid.release.metadata_leaks import is_common
from spark_deid.release.piece_search import needles_of

if TYPE_CHECKING:
    from spark_deid.release.piece_search import Strings

MOST_NAMED = 20
"""Maximum number of documents that are named."""
FoundPassages = Mapping[str, tuple[str, ...]]
"""Text that was removed elsewhere, in lowercase or as it was, by the id of a document that still shows it. For the
workspace only."""


class ResidualDocuments(NamedTuple):
    """How many documents hold removed text, and the least of their ids in order, as they were read or are released."""

    documents: int
    ids: tuple[str, ...] = ()


def documents_with(pieces: pa.StringArray, published: Iterable[tuple[Sequence[str], "Strings"]]) -> ResidualDocuments:
    """Count the documents whose published text holds one of some pieces, as the leak scan looks for them.

    ``published`` has texts and the id of the document of each, all those of a document at once. The least ids are
    named.
    """
    needles, holding = needles_of(pieces), 0
    least = np.array([_least_that_tells(piece) for piece in pieces.to_pylist()], np.uint8)
    named: list[str] = []
    for ids, texts in published:
        found = {ids[at] for at in np.flatnonzero(needles.texts_holding(texts, least)).tolist()}
        named = sorted({*named, *found})[:MOST_NAMED]
        holding += len(found)
    return ResidualDocuments(holding, tuple(named))


def passages_in(
    pieces: pa.StringArray, ids: Iterable[str], published: Iterable[tuple[Sequence[str], "Strings"]]
) -> FoundPassages:
    """Return the pieces that the published texts of some documents contain, by the id of the document."""
    needles, wanted, found = needles_of(pieces), frozenset(ids), dict[str, set[str]]()
    for names, texts in published:
        for at, name in enumerate(names):
            if name in wanted:
                text = texts[at]
                numbers = needles.find([text if isinstance(text, str) else text.as_py()])
                found.setdefault(name, set()).update(pieces[number].as_py() for number in numbers)
    return {name: tuple(sorted(words)) for name, words in found.items()}


def first_passages(found: Iterable[FoundPassages]) -> FoundPassages:
    """Join the passages of several sources, and keep the first documents by id.

    >>> first_passages([{"b": ("Ann",)}, {"a": ("Lee",), "b": ("Ann", "Eve")}])
    {'a': ('Lee',), 'b': ('Ann', 'Eve')}
    """
    joined: dict[str, set[str]] = {}
    for part in found:
        for name, words in part.items():
            joined.setdefault(name, set()).update(words)
    return {name: tuple(sorted(joined[name])) for name in sorted(joined)[:MOST_NAMED]}


def _least_that_tells(piece: str) -> int:
    """Return how a piece must stand to be no common word, as ``RemovedTextIndex.texts_holding`` takes it."""
    if not is_common(piece.lower()):
        return ANOTHER_CASE
    return SAME_CASE + 1 if is_common(piece) else SAME_CASE


def of_all_parts(found: Iterable[Mapping[str, ResidualDocuments]]) -> Mapping[str, ResidualDocuments]:
    """Return what was counted of the parts of a corpus together, by where; parts hold documents of their own.

    >>> of_all_parts([{"texts": ResidualDocuments(1, ("c",))}, {"texts": ResidualDocuments(2, ("a", "b"))}])
    {'texts': ResidualDocuments(documents=3, ids=('a', 'b', 'c'))}
    """
    whole: dict[str, ResidualDocuments] = {}
    for part in found:
        for place, each in part.items():
            before = whole.get(place, ResidualDocuments(0))
            named = sorted((*before.ids, *each.ids))[:MOST_NAMED]
            whole[place] = ResidualDocuments(before.documents + each.documents, tuple(named))
    return dict(sorted(whole.items()))


def as_released(found: Mapping[str, ResidualDocuments], key: bytes | None) -> Mapping[str, ResidualDocuments]:
    """Name documents as a release does: by hashes with a key, where there is one, whose order tells none of ids."""
    if key is None:
        return found
    return {
        place: each._replace(ids=tuple(sorted(keyed_hash(key, "doc_id", name) for name in each.ids)))
        for place, each in found.items()
    }


def without_ids(found: Mapping[str, ResidualDocuments]) -> Mapping[str, ResidualDocuments]:
    """Count documents without naming any."""
    return {place: ResidualDocuments(each.documents) for place, each in found.items()}

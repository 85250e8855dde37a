"""Rows of words, many at a time: one look-up costs as much as that of hundreds together."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from spark_deid.private_training.embeddings.store import open_store

_REMEMBERED = 1 << 16  # words


def rows_of(store: str, words: Iterable[str]) -> Mapping[str, int]:
    """Return the rows of words by any of their spellings, ABSENT where there is none, with others looked up before.

    It has these words until it is called again.
    """
    known, wanted = _known(store), set(words)
    lacking = [*wanted.difference(known)]
    if lacking and len(known) + len(lacking) > _REMEMBERED:
        known.clear()
        lacking = [*wanted]
    if lacking:
        known.update(zip(lacking, open_store(store).resolve(lacking).tolist(), strict=True))
    return known


@lru_cache(maxsize=4)
def _known(store: str) -> dict[str, int]:
    return {}

"""Divide documents into folds: the documents of one person stay together."""

from collections.abc import Sequence

from spark_deid.core.hashing import keyed_hash


def assign_folds(groups: Sequence[str], folds: int, seed: int) -> tuple[int, ...]:
    """Return the fold of each document, by its group (its subject, or itself), whatever the order of documents.

    Groups are dealt out in the order of a keyed hash, so folds differ by at most one group; no more folds are made
    than there are groups.

    >>> assign_folds(["a", "b", "a", "c"], 2, seed=0)
    (0, 0, 0, 1)
    """
    key = seed.to_bytes(16, "little", signed=True)
    ordered = sorted(set(groups), key=lambda group: (keyed_hash(key, "fold", group), group))
    place = {group: index % folds for index, group in enumerate(ordered)}
    return tuple(place[group] for group in groups)

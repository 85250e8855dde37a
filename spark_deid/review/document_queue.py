"""The order in which a project shows its documents."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

ORDERS = ("chance", "uncertainty", "disagreement")
HELD_TURN = 5
"""Every fifth document of an order by models is a held-back one, in their order by chance."""


class QueuedDocument(NamedTuple):
    """The next document, and the reason why it is next: an order, or ``held`` for a held-back one."""

    doc: str
    reason: str


class DocumentQueue:
    """The documents in their order by chance; other orders choose among those that a model has read.

    Args:
        ranks: The keys of the documents with their places in the order by chance.
    """

    def __init__(self, ranks: Sequence[tuple[int, str]]) -> None:
        self._chance = [doc for _, doc in sorted(ranks)]
        self._finished = 0

    def __len__(self) -> int:
        return len(self._chance)

    @property
    def documents(self) -> Sequence[str]:
        """Return the keys in the order by chance."""
        return self._chance

    def next(
        self,
        order: str,
        *,
        is_open: Callable[[str], bool],
        is_held: Callable[[str], bool],
        score: Callable[[str], float | None],
        turn: int,
    ) -> QueuedDocument | None:
        """Return the next open document, None if all are done or skipped.

        Args:
            order: One of ``ORDERS``.
            is_open: Returns whether a document is neither done nor skipped.
            is_held: Returns whether a document is held back.
            score: Returns the uncertainty or disagreement of a document, None while it is unknown. Held-back documents
                are never ordered by it.
            turn: The number of documents done so far.

        Returns:
            The document and the reason.
        """
        by_chance = self._by_chance(is_open)
        if by_chance is None:
            return None
        if order == "chance":
            return QueuedDocument(by_chance, "held" if is_held(by_chance) else "chance")
        if turn % HELD_TURN == HELD_TURN - 1:
            held = next((doc for doc in self._chance if is_held(doc) and is_open(doc)), None)
            if held is not None:
                return QueuedDocument(held, "held")
        scored = (
            (value, doc)
            for doc in self._chance
            if not is_held(doc) and is_open(doc) and (value := score(doc)) is not None
        )
        best = max(scored, default=None, key=lambda each: each[0])
        if best is not None:
            return QueuedDocument(best[1], order)
        return QueuedDocument(by_chance, "held" if is_held(by_chance) else "chance")

    def _by_chance(self, is_open: Callable[[str], bool]) -> str | None:
        """Return the first open document; those before it are skipped the next time."""
        while self._finished < len(self._chance) and not is_open(self._chance[self._finished]):
            self._finished += 1
        return self._chance[self._finished] if self._finished < len(self._chance) else None

    def reopen(self) -> None:
        """Start again at the first document: one that was done is open again."""
        self._finished = 0


def uncertainty(scores: Sequence[float | None]) -> float:
    """Return the expected number of wrong spans of a document per square root of its spans.

    >>> uncertainty([1.0, 1.0]), uncertainty([0.5]) > uncertainty([0.9])
    (0.0, True)
    """
    doubts = [1 - abs(2 * score - 1) for score in scores if score is not None]
    return float(sum(doubts) / math.sqrt(max(len(doubts), 1)))


def disagreement(one: Sequence[tuple[int, int, str]], other: Sequence[tuple[int, int, str]]) -> float:
    """Return the number of spans that only one of two models finds.

    >>> disagreement([(0, 2, "A")], [(0, 2, "A"), (3, 4, "A")])
    1.0
    """
    return float(len(set(one) ^ set(other)))

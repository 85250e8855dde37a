"""Choices that are judged by what they were not chosen on: of a part, by what came of the other parts."""

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, NamedTuple, TypeVar

Choice = TypeVar("Choice")


class NestedChoice(NamedTuple, Generic[Choice]):
    """What is best by all parts, and for each part what is best by the others."""

    overall: Choice
    by_part: Mapping[int, Choice]


def choose_nested(parts: Iterable[int], best: Callable[[frozenset[int]], Choice]) -> NestedChoice[Choice]:
    """Choose for each part by the others alone, and once by all; ``best`` is given the parts that count.

    A single part has no others, and what is chosen is what is best by itself.

    >>> choose_nested([0, 0, 1, 2], lambda counted: max(counted))
    NestedChoice(overall=2, by_part={0: 2, 1: 2, 2: 1})
    """
    every = frozenset(parts)
    if len(every) == 1:
        overall = best(every)
        return NestedChoice(overall, dict.fromkeys(every, overall))
    return NestedChoice(best(every), {part: best(every - {part}) for part in sorted(every)})

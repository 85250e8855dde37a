"""Fields of forms ("Result: negative"): all answers of a field are hidden if one of them is rare."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from spark_deid.core.span import merge_places
from spark_deid.repeats.text import Interval

LEAST_USES = 2
"""The mean number of uses of an answer from which a field has few answers."""
_FIELD = re.compile(
    r"(?:(?P<first>[^\W_]+)[^\w\n:=?;|]{1,3})?(?P<last>[^\W_]+)[ \t]*[:=?][ \t]*"
    r"(?P<answer>[^\s:=?;|,.][^\n;|]{0,200}?)(?=[ \t]*[.,;|]?[ \t]*(?:\n|$)|[.,][ \t]|[ \t]*[;|])"
)


class FieldAnswer(NamedTuple):
    """Where an answer is, the name of its field, and the answer as it is compared."""

    start: int
    end: int
    field: str
    answer: str


def find_answers(text: str) -> Iterator[FieldAnswer]:
    """Yield the answers of fields. The last two words before a colon, an equals sign or a question mark name a field.

    An answer ends with its line or its clause.

    >>> [(each.field, each.answer) for each in find_answers("HIV test Result: Negative. Seen again")]
    [('test result', 'negative')]
    """
    for match in _FIELD.finditer(text):
        field = " ".join(word.lower() for word in (match["first"], match["last"]) if word)
        yield FieldAnswer(*match.span("answer"), field, match["answer"].casefold())


def rare_answers(text: str, hidden: Sequence[Interval]) -> Iterator[tuple[FieldAnswer, bool]]:
    """Yield the answers of a text, and whether hidden runs touch them. Runs are in order."""
    for each in find_answers(text):
        yield each, any(start < each.end and each.start < end for start, end in hidden)


def answers_of(text: str, fields: Collection[str]) -> list[Interval]:
    """Return the places of all answers of some fields, in order."""
    return merge_places((each.start, each.end) for each in find_answers(text) if each.field in fields)


def has_few_answers(uses: int, answers: int) -> bool:
    """Return whether a field has few answers, by the number of its uses and of its different answers.

    >>> has_few_answers(400, 2), has_few_answers(400, 390)
    (True, False)
    """
    return uses >= LEAST_USES * answers

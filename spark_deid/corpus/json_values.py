"""JSON as annotation tools export it: parse it, and look into it without trusting its shape."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NoReturn, TypeVar

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError
from spark_deid.corpus.checks import checked_record

Object = Mapping[str, object]
_Value = TypeVar("_Value")
_DECODER = json.JSONDecoder()
_BETWEEN = re.compile(r"[\s,]*")


class RepeatedKeyError(FormatError):
    """An object that states a key twice, however it is escaped: of two values readers would lose one in silence."""

    def __init__(self, key: str) -> None:
        super().__init__("malformed", "expected each key of an object once")
        self.key = key


def parse_json(text: str) -> object:
    """Parse JSON; raise FormatError "malformed" for anything else, NaN, infinity and a key stated twice among it."""
    try:
        value: object = json.loads(text, parse_constant=refuse_constant, object_pairs_hook=_said_once)
    except (ValueError, RecursionError):
        raise FormatError("malformed", "expected JSON") from None
    return value


def count_values(text: str) -> int:
    """Count the values of JSON that follow one another in a text, elements of lists too; what remains is one more.

    >>> count_values('{"a": 1}\\r{"a": 2}'), count_values('[{"a": 1}, {"a": 2}]'), count_values('{"a": 1}{"a"')
    (2, 2, 2)
    """
    position = count = 0
    while position < len(text):
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            return count + 1
        count += len(value) if isinstance(value, list) else 1
        position = _BETWEEN.match(text, end).end()  # type: ignore[union-attr]
    return max(count, 1)


def _said_once(pairs: list[tuple[str, object]]) -> Object:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise RepeatedKeyError(next(key for key, number in Counter(key for key, _ in pairs).items() if number > 1))
    return found


def json_records(text: str) -> Iterator[object]:
    """Give the records of a list, of a single object, or of lines of JSON; a torn line becomes a FormatError.

    Raises FormatError "malformed" where a list is torn or the text is nothing of these.
    """
    stripped = text.strip()
    if stripped.startswith("["):
        records = parse_json(stripped)
        yield from records if isinstance(records, list) else ()
        return
    try:
        record = parse_json(stripped)
    except FormatError:
        if "\n" not in stripped:
            raise
    else:
        yield record
        return
    for line in stripped.split("\n"):
        if line.strip():
            yield parse_or_error(parse_json, line)


def parse_records(text: str, source: str, parse: Callable[[Object, str], Document]) -> Iterator[Document | FormatError]:
    """Make a document of every record; what can't be made one becomes a FormatError in its place."""
    for number, record in enumerate(json_records(text), start=1):
        if isinstance(record, FormatError):
            yield record
        elif not isinstance(record, dict):
            yield FormatError("malformed", "expected a JSON object")
        else:
            yield parse_or_error(partial(parse, record), f"{source}#{number}")


def read_objects(value: object, what: str) -> list[Object]:
    """Return a list of objects, empty for None; raise FormatError "bad-annotation" for anything else."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise FormatError("bad-annotation", f"expected {what} to be a list of objects")
    return value


def check_decoded(value: object) -> object:
    """Return a value of a file that ``decode_records`` read; raise FormatError where it has a byte that isn't UTF-8."""
    return checked_record(value) if isinstance(value, str) else value


def optional_string(value: object, where: str) -> str | None:
    """Return a string or None; raise FormatError "bad-annotation" for anything else."""
    if value is not None and not isinstance(value, str):
        raise FormatError("bad-annotation", f"{where}: expected its text to be a string")
    return value


def optional_id(value: object) -> str | None:
    """Return the id of an annotation: a string, an integer in digits, None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value else None


def parse_or_error(parse: Callable[[str], _Value], argument: str) -> _Value | FormatError:
    """Call a parser; return the FormatError that it raises."""
    try:
        return parse(argument)
    except FormatError as error:
        return error


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and infinity, which JSON has not."""
    raise ValueError(name)

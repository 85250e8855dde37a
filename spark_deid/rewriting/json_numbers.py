"""Write quotes around the replacement of a number of JSON, so that the text still parses."""

import re
from collections.abc import Sequence

from spark_deid.core.edit import LabelledEdit
from spark_deid.rewriting.suppress import SUPPRESS
from spark_deid.text.segments.json_values import json_pieces

_QUOTE = '"'
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")


def quoting_edits(text: str, edits: Sequence[LabelledEdit]) -> list[LabelledEdit]:
    """Return edits that write a quote before and after each number of JSON that became text.

    ``edits`` are disjoint and in order. A quote is written with the character next to the number,
    because an edit replaces at least one character.

    >>> hidden = [LabelledEdit(8, 18, "suppress", "[PHONE]", "PHONE")]
    >>> [edit[:4] for edit in quoting_edits('{"tel": 3025550142}', hidden)]
    [(7, 8, 'suppress', ' "'), (18, 19, 'suppress', '"}')]
    """
    if not ("{" in text or "[" in text) or not any(_may_be_number(text, edit) for edit in edits):
        return []
    numbers = {value[:2] for piece in json_pieces(text) for value in piece.values if not value.is_string}
    taken = {edit.start for edit in edits} | {edit.end - 1 for edit in edits}
    opening: dict[int, str] = {}
    closing: dict[int, str] = {}
    for edit in edits:
        if (edit.start, edit.end) in numbers and not _NUMBER.fullmatch(edit.replacement) and edit.end < len(text):
            opening[edit.start - 1] = edit.label
            closing[edit.end] = edit.label
    return [
        LabelledEdit(
            place,
            place + 1,
            SUPPRESS,
            _QUOTE * (place in closing) + text[place] + _QUOTE * (place in opening),
            (closing | opening)[place],
        )
        for place in sorted(opening.keys() | closing.keys())
        if place not in taken
    ]


def _may_be_number(text: str, edit: LabelledEdit) -> bool:
    return text[edit.end - 1].isdigit() and edit.end < len(text) and text[edit.end] in ",]} \t\r\n"

"""Python's regular expressions by another machine, which counts what it does; it takes no part in the package.

It does what Python's does, going back to the last choice from where it fails, and counts each instruction and each
character it looks at.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

_parse = import_module("re._parser").parse
_MANY = int(import_module("re._constants").MAXREPEAT)
_SINGLE = ("LITERAL", "NOT_LITERAL", "IN", "ANY")

Groups = dict[int, tuple[int, int]]
Check = Callable[[str], bool]


@dataclass
class Steps:
    """How many steps were taken so far."""

    taken: int = 0


class Machine:
    """Instructions for an expression, and a run of them that goes back to the last choice where it fails."""

    def __init__(self, expression: re.Pattern[str]) -> None:
        self.code = _compiled(_parse(expression.pattern, expression.flags), expression.flags)

    def first(self, text: str, begin: int, last: int, end: int, steps: Steps) -> tuple[int, int] | None:
        """Return the first match that begins from ``begin`` to ``last``; not one of it is at ``end`` or behind."""
        text = str.__getitem__(text, slice(end)) if end < len(text) else str(text)
        for start in range(begin, min(last, len(text)) + 1):
            found = _run(self.code, text, start, {}, steps)
            if found:
                return start, found[0]
        return None


def _compiled(items: Any, flags: int) -> list[tuple[Any, ...]]:
    code: list[tuple[Any, ...]] = []
    for operator, argument in items:
        code += _instructions(str(operator), argument, flags)
    return code


def _instructions(operator: str, argument: Any, flags: int) -> list[tuple[Any, ...]]:
    """Translate one node of a parsed expression; jumps are relative."""
    match operator:
        case "LITERAL" | "NOT_LITERAL" | "IN" | "ANY":
            return [("run", _check(operator, argument, flags), 1, 1)]
        case "BRANCH":
            return _branches([_compiled(branch, flags) for branch in argument[1]])
        case "SUBPATTERN":
            group, more, fewer, items = argument
            inner = _compiled(items, (flags | more) & ~fewer)
            return inner if group is None else [("begin", group), *inner, ("end", group)]
        case "MAX_REPEAT":
            return _repeated(*argument, flags=flags)
        case "POSSESSIVE_REPEAT":
            return [("atomic", _repeated(*argument, flags=flags))]
        case "ATOMIC_GROUP":
            return [("atomic", _compiled(argument, flags))]
        case "ASSERT" | "ASSERT_NOT":
            direction, items = argument
            width = items.getwidth()[0] if direction < 0 else 0
            return [("look", _compiled(items, flags), width, operator == "ASSERT")]
        case "AT":
            return [("at", str(argument))]
        case "GROUPREF":
            return [("again", argument)]
    raise NotImplementedError(operator)


def _branches(branches: list[list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    *others, last = branches
    code = last
    for branch in reversed(others):
        code = [("choose", len(branch) + 2), *branch, ("jump", len(code) + 1), *code]
    return code


def _repeated(fewest: Any, most: Any, items: Any, *, flags: int) -> list[tuple[Any, ...]]:
    if len(items) == 1 and str(items[0][0]) in _SINGLE:
        return [("run", _check(str(items[0][0]), items[0][1], flags), int(fewest), int(most))]
    turn = _compiled(items, flags)
    code = turn * int(fewest)
    if int(most) == _MANY:
        return [*code, ("choose", len(turn) + 2), *turn, ("jump", -len(turn) - 1)]
    optional: list[tuple[Any, ...]] = []
    for _ in range(int(most) - int(fewest)):
        optional = [("choose", len(turn) + len(optional) + 1), *turn, *optional]
    return code + optional


def _check(operator: str, argument: Any, flags: int) -> Check:
    """Return what states whether a character is one of those that a node represents; each is asked about once."""
    known: dict[str, bool] = {}
    members = argument if operator == "IN" else [(operator.removeprefix("NOT_"), argument)]
    negated = operator.startswith("NOT_") or str(members[0][0]) == "NEGATE"

    def check(character: str) -> bool:
        if character not in known:
            forms = {character, character.lower(), character.upper()} if flags & re.IGNORECASE else {character}
            known[character] = any(_is_in(form, members) for form in forms) != negated
        return known[character]

    return check


def _is_in(character: str, members: Any) -> bool:
    for kind, argument in members:
        match str(kind):
            case "LITERAL":
                found = ord(character) == argument
            case "RANGE":
                found = len(character) == 1 and argument[0] <= ord(character) <= argument[1]
            case "ANY":
                found = character != "\n"
            case "CATEGORY":
                found = re.match(_CATEGORIES[str(argument)], character) is not None
            case _:
                found = False
        if found:
            return True
    return False


_CATEGORIES = {
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_SPACE": r"\s",
}
_PLACES = {"AT_BOUNDARY": re.compile(r"\b"), "AT_END": re.compile(r"$")}


def _run(code: list[tuple[Any, ...]], text: str, place: int, groups: Groups, steps: Steps) -> tuple[int, Groups] | None:
    """Follow the instructions from a place; return where they end and the groups, or None."""
    at = 0
    choices: list[tuple[int, int, int, Groups]] = []
    while True:
        steps.taken += 1
        if at == len(code):
            return place, groups
        kind, *rest = code[at]
        matched = True
        match kind:
            case "run":
                check, fewest, most = rest
                end, last = place, min(len(text), place + most)
                while end < last and check(text[end]):
                    end += 1
                steps.taken += end - place
                matched = end - place >= fewest
                if matched and end > place + fewest:
                    choices.append((at + 1, place + fewest, end - 1, groups))
                place, at = end, at + 1
            case "choose":
                choices.append((at + rest[0], place, place, groups))
                at += 1
            case "jump":
                at += rest[0]
            case "begin" | "end":
                groups = {**groups, rest[0]: (place, place) if kind == "begin" else (groups[rest[0]][0], place)}
                at += 1
            case "atomic":
                found = _run(rest[0], text, place, groups, steps)
                matched = found is not None
                place, groups = found or (place, groups)
                at += 1
            case "look":
                begin = place - rest[1]
                found = _run(rest[0], text, begin, groups, steps) if begin >= 0 else None
                matched = (found is not None) == rest[2]
                groups = found[1] if found and rest[2] else groups
                at += 1
            case "again":
                begin, end = groups.get(rest[0], (0, -1))
                matched = begin <= end and text.startswith(text[begin:end], place)
                place += end - begin
                at += 1
            case "at":
                matched = _PLACES[rest[0]].match(text, place) is not None
                at += 1
        if not matched:
            if not choices:
                return None
            at, least, place, groups = choices.pop()
            if place > least:
                choices.append((at, least, place - 1, groups))

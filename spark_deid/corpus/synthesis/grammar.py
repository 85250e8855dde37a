"""Grammars of synthesized text: rules with alternatives, kept as data files of our own.

A file is a list of rules. ``[name]`` opens a rule; each further line is one alternative; lines that begin with ``#``
are comments. In an alternative ``\\n`` is a line break and braces hold what is filled in:

- ``{name}``: an alternative of the rule of this name, or the slot of this name;
- ``{?name}``: the same in half of the cases, else nothing;
- ``{name*2-4}`` and ``{name+2-4}``: two to four alternatives of a rule, each once before any comes again, joined by
  spaces or by line breaks;
- ``{ORGANIZATION: the Pentagon}``: the text after the colon, with a label;
- ``{#60-110}`` and ``{#35.5-39.9}``: a number between the two.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.resources import files
from typing import NamedTuple

from spark_deid.core.errors import UsageError
from spark_deid.corpus.synthesis.scene import DocumentScene
from spark_deid.corpus.synthesis.slots import SLOTS, SceneSlot


class OptionalStep(NamedTuple):
    """A step that is taken in half of the cases."""

    step: "GrammarRule | SceneSlot"


class RepeatStep(NamedTuple):
    """Several alternatives of a rule."""

    rule: "GrammarRule"
    least: int
    most: int
    joint: str


class NumberStep(NamedTuple):
    """A number between two others, with that many decimals."""

    least: float
    most: float
    decimals: int


@dataclass(slots=True, eq=False)
class GrammarRule:
    """Alternatives, each a sequence of steps: literal text, slots, other rules, numbers, repetitions."""

    name: str
    alternatives: tuple[tuple["Step", ...], ...] = ()


Step = str | SceneSlot | GrammarRule | OptionalStep | RepeatStep | NumberStep

_OPENING = re.compile(r"\[(\w+)\]")
_BRACES = re.compile(r"\{([^{}]+)\}")
_LABELLED = re.compile(r"([A-Z]+): (.+)")
_NUMBER = re.compile(r"#([0-9.]+)-([0-9.]+)")
_REPEAT = re.compile(r"(\w+)([*+])([0-9]+)-([0-9]+)")
_JOINTS = {"*": " ", "+": "\n"}


@lru_cache(maxsize=4)
def load_grammar(language: str) -> Mapping[str, GrammarRule]:
    """Read the grammar of a language that comes with the package: all files of its folder, as one."""
    folder = files("spark_deid.corpus.synthesis").joinpath("data", language)
    parts = sorted((part for part in folder.iterdir() if part.name.endswith(".txt")), key=lambda part: part.name)
    return parse_grammar({f"{language}/{part.name}": part.read_text(encoding="utf-8") for part in parts})


def parse_grammar(parts: Mapping[str, str]) -> Mapping[str, GrammarRule]:
    """Parse a grammar from texts by the names of their files; what several state about a rule is taken together.

    Raises UsageError with file and line where it names what does not exist.
    """
    lines = [
        (f"{source}:{number}", line)
        for source, text in parts.items()
        for number, line in enumerate(text.splitlines(), 1)
        if line and not line.startswith("#")
    ]
    rules = {match[1]: GrammarRule(match[1]) for _, line in lines if (match := _OPENING.fullmatch(line))}
    alternatives: dict[str, list[tuple[Step, ...]]] = {name: [] for name in rules}
    current = ""
    for place, line in lines:
        if opening := _OPENING.fullmatch(line):
            current = opening[1]
        elif not current:
            raise UsageError(f"{place}: expected [rule] before the first alternative")
        else:
            alternatives[current].append(_steps(line.replace("\\n", "\n"), rules, place))
    for name, rule in rules.items():
        if not alternatives[name]:
            raise UsageError(f"{', '.join(parts)}: rule [{name}] has no alternative")
        rule.alternatives = tuple(alternatives[name])
    return rules


def _steps(line: str, rules: Mapping[str, GrammarRule], place: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    for index, part in enumerate(_BRACES.split(line)):
        if index % 2:
            steps.append(_filled(part, rules, place))
        elif part:
            steps.append(part)
    return tuple(steps)


def _filled(content: str, rules: Mapping[str, GrammarRule], place: str) -> Step:
    if labelled := _LABELLED.fullmatch(content):
        return SceneSlot(labelled[1], partial(_literal, text=labelled[2]))
    if number := _NUMBER.fullmatch(content):
        decimals = len(number[2].partition(".")[2])
        return NumberStep(float(number[1]), float(number[2]), decimals)
    if repeat := _REPEAT.fullmatch(content):
        if repeat[1] not in rules:
            raise UsageError(f"{place}: {{{content}}} repeats what is not a rule")
        return RepeatStep(rules[repeat[1]], int(repeat[3]), int(repeat[4]), _JOINTS[repeat[2]])
    if content.startswith("?"):
        return OptionalStep(_named(content[1:], rules, place))
    return _named(content, rules, place)


def _literal(_: DocumentScene, *, text: str) -> str:
    return text


def _named(name: str, rules: Mapping[str, GrammarRule], place: str) -> GrammarRule | SceneSlot:
    if name in rules:
        return rules[name]
    if name in SLOTS:
        return SLOTS[name]
    raise UsageError(f"{place}: {{{name}}} is neither a rule nor a slot")

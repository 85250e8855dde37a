"""Mutants as data: the name of a function, an expression in it, and the faulty expression that replaces it."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml

FOLDER = Path(__file__).parent
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")
CLOSING = frozenset(")]}")


@dataclass(frozen=True)
class CodeChange:
    """One expression that is replaced: ``name`` is dotted, ends a qualified name and needs no module."""

    name: str
    old: str
    new: str


@dataclass(frozen=True)
class CodeMutant:
    """A fault of the changed code, the test files that must notice it, and the changes."""

    name: str
    fault: str
    tests: tuple[str, ...]
    changes: tuple[CodeChange, ...]


class CodePlace(NamedTuple):
    """A part of a file, as offsets."""

    path: Path
    start: int
    end: int


class MutantMismatch(ValueError):
    """A mutant that fits no place of the code or several, or a test file that is missing."""


def read_mutants(paths: Sequence[Path] = ()) -> dict[str, CodeMutant]:
    """Read mutants from YAML files, by default all of this folder."""
    mutants: dict[str, CodeMutant] = {}
    for path in paths or sorted(FOLDER.glob("*.yaml")):
        for name, entry in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader).items():
            if name in mutants:
                raise MutantMismatch(f"{path.name}: two mutants are called {name}")
            changes = tuple(_read_change(part) for part in (entry, *entry.get("also", ())))
            mutants[name] = CodeMutant(name, entry["fault"], tuple(entry["tests"].split()), changes)
    return mutants


def _read_change(entry: Mapping[str, str]) -> CodeChange:
    return CodeChange(entry["in"], entry["old"], entry["new"])


def find_tests(tests: Path, mutant: CodeMutant) -> tuple[Path, ...]:
    """Find the test files that a mutant names by the end of their path without suffix."""
    return tuple(_test_file(tests, name) for name in mutant.tests)


def _test_file(tests: Path, name: str) -> Path:
    found = [path for path in _files(tests) if f"/{path.with_suffix('').as_posix()}".endswith(f"/{name}")]
    if len(found) != 1:
        raise MutantMismatch(f"{len(found)} test files are called {name}, expected one")
    return found[0]


def mutated_texts(package: Path, mutant: CodeMutant) -> dict[Path, str]:
    """Return the files that a mutant changes, with their text after the change."""
    changed: dict[Path, str] = {}
    for change in mutant.changes:
        place = _only_place(package, change, changed)
        text = changed.get(place.path) or _text(place.path)
        line = text[text.rfind("\n", 0, place.start) + 1 : place.start]
        indent = "\n" + line[: len(line) - len(line.lstrip())]
        changed[place.path] = text[: place.start] + change.new.replace("\n", indent) + text[place.end :]
    return changed


def _only_place(package: Path, change: CodeChange, changed: Mapping[Path, str]) -> CodePlace:
    pattern = _pattern(change.old)
    places = {
        CodePlace(definition.path, *found.span())
        for definition in _definitions(package, change.name, changed)
        for found in pattern.finditer(changed.get(definition.path) or _text(definition.path), *definition[1:])
    }
    if len(places) != 1:
        raise MutantMismatch(f"{change.name} has {len(places)} places of this text, expected one: {change.old}")
    return places.pop()


def _pattern(old: str) -> re.Pattern[str]:
    """Match the old text however its lines are broken."""
    pattern, before = "", ""
    for part in WORD_OR_SIGN.findall(old):
        if before:
            comma = ",?" if part in CLOSING else ""
            pattern += comma + (r"\s+" if _is_word(before) and _is_word(part) else r"\s*")
        pattern += re.escape(part)
        before = part
    start = r"(?<!\w)" if _is_word(old) else ""
    return re.compile(start + pattern + (r"(?!\w)" if _is_word(before) else ""))


def _is_word(text: str) -> bool:
    return text[0].isalnum() or text[0] == "_"


def _definitions(package: Path, name: str, changed: Mapping[Path, str]) -> Iterator[CodePlace]:
    """Yield the functions, classes, constants and modules whose qualified name ends so."""
    last = name.rpartition(".")[2]
    for path in _files(package):
        text = changed.get(path) or _text(path)
        if last in text or path.stem == last:
            module = ".".join(path.relative_to(package.parent).with_suffix("").parts)
            for qualified, start, end in _code_of(text):
                if f".{module}{qualified}".endswith(f".{name}"):
                    yield CodePlace(path, start, end)


@cache
def _code_of(text: str) -> tuple[tuple[str, int, int], ...]:
    """List a file's definitions with a dot before each, and the offsets of their code without docstrings."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    tree = ast.parse(text)
    docstrings = [
        (starts[node.lineno - 1], starts[node.end_lineno or node.lineno])
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    parts = [("", 0, len(text))]
    for qualified, first, last in _named_lines(tree, ""):
        parts.append((qualified, starts[first - 1], starts[last]))
    return tuple((qualified, *piece) for qualified, start, end in parts for piece in _without(start, end, docstrings))


def _without(start: int, end: int, left_out: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for first, last in sorted(left_out):
        if start <= first and last <= end:
            yield start, first
            start = last
    yield start, end


def _named_lines(tree: ast.AST, prefix: str) -> Iterator[tuple[str, int, int]]:
    """Yield each definition's qualified name with its first and last line, decorators included."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, DEFINITIONS):
            name = f"{prefix}.{node.name}"
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            yield name, first, node.end_lineno or first
            yield from _named_lines(node, name)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(tree, ast.Module | ast.ClassDef):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    yield f"{prefix}.{target.id}", node.lineno, node.end_lineno or node.lineno
        else:
            yield from _named_lines(node, prefix)


@cache
def _files(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted(folder.rglob("*.py")))


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")

"""Read the prose of a file, with line and kind: what people read, without code, console output and data."""

import ast
import io
import json
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

Kind = Literal["docs", "docstrings", "comments", "messages", "templates"]
EXEMPTION = re.compile(r"words: ok\b[ :,(]*([^)\n]*?)\s*(?:\)|-->|\*/|$)")
"""The comment that lets a line keep a word, with its reason."""
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_DATA = ("tests/", "spark_deid/corpus/synthesis/", "benchmarks/written_notes")
"""Folders whose strings are invented documents and not messages."""
_CODE = "tests/mutants/"
"""The folder whose YAML files hold code."""
_OPTIONS_OR_COLUMNS = re.compile(r"(?:--[a-z-]+ ?)+|(?:\\w+ (?:string|int|long|double|boolean|binary)(?:, )?)+")
"""A string with only options of a command, or with only the columns of a schema."""
_TOOL_COMMENT = re.compile(r"#\s*(!|type:|noqa|pragma|ruff)")


@dataclass(frozen=True)
class ProseLine:
    """One line of prose: its number in the file, its kind and its text. A blank text ends a paragraph."""

    number: int
    kind: Kind
    text: str


def prose_of(path: str, text: str) -> list[ProseLine]:
    """Return the prose of a file by its name, without exempt lines. Other kinds of files give an empty list."""
    reader = _reader(path)
    return [] if reader is None else list(reader(text))


def has_prose(path: str) -> bool:
    """Return whether files of this name are read."""
    return _reader(path) is not None


def is_page(path: str) -> bool:
    """Return whether limits of sentences and paragraphs apply to a file."""
    return PurePath(path).suffix in {".md", ".ipynb"}


def exemptions(text: str) -> list[tuple[int, str]]:
    """Return the line number and the reason of each `words: ok` of a file."""
    lines = enumerate(text.splitlines(), 1)
    return [(number, found[1].strip()) for number, line in lines if (found := EXEMPTION.search(line))]


def _reader(path: str) -> Callable[[str], Iterator[ProseLine]] | None:
    by_suffix = {".md": _markdown, ".ipynb": _notebook, ".html": _template, ".j2": _template, ".jinja": _template}
    suffix = PurePath(path).suffix
    if suffix == ".py":
        return _python if not path.startswith(_DATA) else _python_without_messages
    if suffix in {".yaml", ".yml"}:
        return _settings if not path.startswith(_CODE) else None
    if path in {"dev", ".ci/run", "jobs/local-cluster"}:
        return _shell
    return by_suffix.get(suffix)


def _plain(line: str) -> str:
    """Return a line without code, link targets and tags."""
    line = re.sub(r"`[^`]*`", "CODE", line)
    line = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line)
    return re.sub(r"<[^>]+>", " ", line)


def _markdown(text: str) -> Iterator[ProseLine]:
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*(```|~~~)", line):
            fenced = not fenced
            yield ProseLine(number, "docs", "")
        elif not fenced and not EXEMPTION.search(line):
            yield ProseLine(number, "docs", _plain(line))


def _notebook(text: str) -> Iterator[ProseLine]:
    """Read a notebook. Line numbers count the lines of its cells, since its file escapes them."""
    number = 0
    for cell in json.loads(text).get("cells", []):
        source = "".join(cell.get("source", []))
        inner = _markdown(source) if cell.get("cell_type") == "markdown" else _python(source)
        for line in inner:
            yield ProseLine(number + line.number, line.kind, line.text)
        number += len(source.splitlines()) + 1
        yield ProseLine(number, "docs", "")


def _template(text: str) -> Iterator[ProseLine]:
    text = re.sub(r"(?s)<(script|style)\b.*?</\1>|\{#.*?#\}", lambda found: "\n" * found.group().count("\n"), text)
    for number, line in enumerate(text.splitlines(), 1):
        words = _plain(re.sub(r"\{[{%].*?[}%]\}", "X", line))
        if re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", words) and not EXEMPTION.search(line):
            yield ProseLine(number, "templates", words)


def _settings(text: str) -> Iterator[ProseLine]:
    """Read comments and longer values of YAML. Both count as messages, since users read plans as they read help."""
    for number, line in enumerate(text.splitlines(), 1):
        value, mark, comment = line.partition("#") if re.search(r"(^|\s)#", line) else (line, "", "")
        if EXEMPTION.search(line):
            continue
        if mark:
            yield ProseLine(number, "messages", _plain(comment.strip()))
        if _is_message(value):
            yield ProseLine(number, "messages", _plain(value.strip().lstrip("- ")))


def _shell(text: str) -> Iterator[ProseLine]:
    """Read comments, quoted strings of four words and more, and text that a command prints from the script."""
    end = ""
    for number, line in enumerate(text.splitlines(), 1):
        if EXEMPTION.search(line):
            continue
        if end:
            end = "" if line == end else end
            if end:
                yield ProseLine(number, "messages", _plain(line))
        elif begins := re.search(r"<<-?'?([A-Z]+)'?", line):
            end = begins[1]
        elif comment := re.match(r"\s*#(?!!)\s*(.*)", line):
            yield ProseLine(number, "comments", _plain(comment[1]))
        else:
            quoted = (found[1] or found[2] for found in re.finditer(r"\"([^\"]*)\"|'([^']*)'", line))
            yield from (ProseLine(number, "messages", _plain(part)) for part in quoted if _is_message(part or ""))


def _is_message(text: str) -> bool:
    """Return whether a string has four words and is not code: a pattern, a query, options or a schema."""
    is_code = "\\" in text or "SELECT" in text or " " not in text or _OPTIONS_OR_COLUMNS.fullmatch(text)
    return len(re.findall(r"[A-Za-z]{2,}", text)) >= 4 and not is_code


def _python(text: str) -> Iterator[ProseLine]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    source = text.splitlines()
    yield from _docstrings_and_messages(tree, source)
    yield from _comments(text)


def _python_without_messages(text: str) -> Iterator[ProseLine]:
    return (line for line in _python(text) if line.kind != "messages")


def _docstrings_and_messages(tree: ast.Module, source: list[str]) -> Iterator[ProseLine]:
    docstrings = {id(string) for string in _docstring_nodes(tree)}
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant | ast.JoinedStr) or id(node) in parts:
            continue
        lines = source[node.lineno - 1 : node.end_lineno]
        if id(node) in docstrings and isinstance(node, ast.Constant):
            yield from _docstring_lines(node)
        elif not any(EXEMPTION.search(line) for line in lines) and _is_message(string := _string(node)):
            yield ProseLine(node.lineno, "messages", _plain(string.replace("\n", " ")))


def _docstring_nodes(tree: ast.Module) -> Iterator[ast.Constant]:
    """Yield docstrings, and the strings below assignments that document them."""
    for node in ast.walk(tree):
        body = node.body if isinstance(node, _DOCUMENTED) else []
        for position, statement in enumerate(body):
            value = statement.value if isinstance(statement, ast.Expr) else None
            documents = position == 0 or isinstance(body[position - 1], ast.Assign | ast.AnnAssign)
            if documents and isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value


def _docstring_lines(node: ast.Constant) -> Iterator[ProseLine]:
    in_example = False
    for offset, line in enumerate(str(node.value).splitlines()):
        in_example = bool(re.match(r"\s*(>>>|\.\.\.)", line)) or (in_example and bool(line.strip()))
        if not in_example and not EXEMPTION.search(line):
            yield ProseLine(node.lineno + offset, "docstrings", _plain(line.replace("``", "`")))
    yield ProseLine(node.end_lineno or node.lineno, "docstrings", "")


def _string(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
    return node.value if isinstance(node.value, str) else ""


def _comments(text: str) -> Iterator[ProseLine]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        skipped = _TOOL_COMMENT.match(token.string) or EXEMPTION.search(token.string)
        if token.type == tokenize.COMMENT and not skipped:
            yield ProseLine(token.start[0], "comments", _plain(token.string.lstrip("# ")))

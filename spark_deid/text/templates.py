"""Feature templates: lines of data that name the columns of a feature, and files of such lines."""

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spark_deid.core.errors import UsageError
from spark_deid.core.numerics.arrays import Bools, Int32s, UInt64s
from spark_deid.text.column_layout import PAD, FeatureColumn
from spark_deid.text.kernels.hashing import salt

MAX_CELLS = 5
_CELL = re.compile(r"([a-z][a-z0-9.]*)(?:\[([+-]\d)\])?")
_KEPT = "!"


class FeatureTemplate(NamedTuple):
    """A feature: columns with the distance of the token they are read from; ``kept`` for merged tokens as well."""

    cells: tuple[tuple[str, int], ...]
    kept: bool = False

    def __str__(self) -> str:
        cells = (f"{name}[{offset:+d}]" if offset else name for name, offset in self.cells)
        return " ".join((*cells, *((_KEPT,) if self.kept else ())))


class TemplateTable(NamedTuple):
    """Templates as arrays, F rows: cells (column, offset), number of cells, public seeds, kept, secret."""

    cells: Int32s
    sizes: Int32s
    seeds: UInt64s
    kept: Bools
    secret: Bools


def parse_template(line: str) -> FeatureTemplate:
    """Read one line such as ``lower[-1] short``.

    >>> parse_template("lower[-1] short !")
    FeatureTemplate(cells=(('lower', -1), ('short', 0)), kept=True)
    """
    words = line.split()
    kept = words[-1:] == [_KEPT]
    cells = [_CELL.fullmatch(word) for word in (words[:-1] if kept else words)]
    if not 1 <= len(cells) <= MAX_CELLS or None in cells:
        raise UsageError(f"feature template {line!r}: expected 1 to {MAX_CELLS} columns such as lower or lower[-1]")
    return FeatureTemplate(tuple((cell[1], int(cell[2] or 0)) for cell in cells if cell), kept)


def parse_templates(lines: Iterable[str]) -> tuple[FeatureTemplate, ...]:
    """Read templates, one a line, without empty lines and comments (#)."""
    stripped = (line.strip() for line in lines)
    return tuple(parse_template(line) for line in stripped if line and not line.startswith("#"))


def compile_templates(templates: Sequence[FeatureTemplate], columns: Sequence[FeatureColumn]) -> TemplateTable:
    """Turn templates into arrays over these columns; a template's seed depends only on its cells."""
    places = {column.name: place for place, column in enumerate(columns)}
    cells = np.zeros((len(templates), MAX_CELLS, 2), np.int32)
    for f, template in enumerate(templates):
        for k, (name, offset) in enumerate(template.cells):
            if name not in places or abs(offset) > PAD:
                raise UsageError(
                    f"feature template {str(template)!r}: expected known columns, at most {PAD} tokens away"
                )
            cells[f, k] = places[name], offset
    return TemplateTable(
        cells,
        np.array([len(template.cells) for template in templates], np.int32),
        np.array([salt(f"template {template._replace(kept=False)}") for template in templates], np.uint64),
        np.array([template.kept for template in templates], np.bool_),
        np.array([any(columns[places[name]].secret for name, _ in t.cells) for t in templates], np.bool_),
    )


# Feature sets of users: a file of templates, checked and turned into one string that needs no file any more.


HEADER = "# feature templates"
"""The first line of a definition, which no name of a set and no path has."""
MAX_BYTES = 1 << 20
Bundled = Callable[[str], Sequence[FeatureTemplate]]
"""Return the templates of a bundled set by its name."""


class DefinedTemplates(NamedTuple):
    """The templates that a definition lists, and the bundled sets that it starts from."""

    templates: tuple[FeatureTemplate, ...]
    bases: tuple[str, ...]


def is_definition(features: str) -> bool:
    """Return whether features are a definition instead of the name of a bundled set."""
    return features.startswith(HEADER + "\n")


def features_label(features: str) -> str:
    """Return what messages and reports call features.

    >>> features_label("hide"), features_label(HEADER + "\\nlower[-1] short\\n")
    ('hide', 'custom')
    """
    return "custom" if is_definition(features) else features


def read_definition(path: Path) -> str:
    """Read a file of templates as a definition, without comments. Raises UsageError if it is too long or not UTF-8."""
    try:
        content = path.read_bytes()
        text = content.decode("utf-8") if len(content) <= MAX_BYTES else ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: expected a readable file of feature templates in UTF-8") from error
    if len(content) > MAX_BYTES:
        raise UsageError(f"{path}: expected at most {MAX_BYTES:,} bytes of feature templates")
    # Empty lines remain, so that a line has its number in a message.
    return "\n".join((HEADER, *(line.partition("#")[0].strip() for line in text.splitlines()))) + "\n"


def templates_of(definition: str, names: Sequence[str], columns: Iterable[str], bundled: Bundled) -> DefinedTemplates:
    """Return the templates of a definition.

    Args:
        definition: Lines of one template each. `+NAME` adds the templates of a bundled set and `-TEMPLATE` removes one.
        names: The names of the bundled sets.
        columns: The columns that templates can read.
        bundled: The templates of a bundled set.

    Raises:
        UsageError: One line for each mistake, with its line number in the file.
    """
    reader = _DefinitionReader(names, frozenset(columns), bundled)
    for number, line in enumerate(definition.splitlines()[1:], 1):
        if line:
            reader.read(number, line)
    if not reader.templates and not reader.mistakes:
        reader.mistakes.append("expected at least one template, such as lower[-1] short, or +NAME")
    if reader.mistakes:
        raise UsageError("\n".join(reader.mistakes))
    return DefinedTemplates(tuple(reader.templates.values()), tuple(reader.bases))


class _DefinitionReader:
    """The templates so far, by their cells, and the mistakes."""

    def __init__(self, names: Sequence[str], columns: frozenset[str], bundled: Bundled) -> None:
        self.names, self.columns, self.bundled = names, columns, bundled
        self.templates: dict[tuple[tuple[str, int], ...], FeatureTemplate] = {}
        self.bases: list[str] = []
        self.mistakes: list[str] = []

    def read(self, number: int, line: str) -> None:
        """Read one line without comment."""
        try:
            if line.startswith("+"):
                self._add_set(line[1:].strip())
            elif line.startswith("-"):
                self._remove(self._checked(line[1:]))
            else:
                template = self._checked(line)
                self.templates.setdefault(template.cells, template)
        except UsageError as error:
            self.mistakes.append(f"line {number}: {error}")

    def _add_set(self, name: str) -> None:
        if name not in self.names:
            raise UsageError(f"expected a bundled set after +: {', '.join(self.names)}; got {name!r}")
        self.bases.append(name)
        for template in self.bundled(name):
            self.templates.setdefault(template.cells, template)

    def _remove(self, template: FeatureTemplate) -> None:
        if template.cells not in self.templates:
            raise UsageError(f"-{template}: no such template above this line")
        del self.templates[template.cells]

    def _checked(self, line: str) -> FeatureTemplate:
        template = parse_template(line)
        for name, offset in template.cells:
            if name not in self.columns:
                near = get_close_matches(name, sorted(self.columns), 1, cutoff=0.0)
                raise UsageError(f"unknown column {name!r}; the nearest known one is {near[0]}")
            if abs(offset) > PAD:
                raise UsageError(f"{name}[{offset:+d}]: expected an offset of at most {PAD} tokens")
        return template

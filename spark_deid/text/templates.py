"""Feature templates: lines of data that name the columns a feature is made of."""

import re
from collections.abc import Iterable, Sequence
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
    """Read templates, one a line; empty lines and those that begin with # are passed over."""
    stripped = (line.strip() for line in lines)
    return tuple(parse_template(line) for line in stripped if line and not line.startswith("#"))


def compile_templates(templates: Sequence[FeatureTemplate], columns: Sequence[FeatureColumn]) -> TemplateTable:
    """Turn templates into arrays over these columns; a template's seed depends on its cells alone."""
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

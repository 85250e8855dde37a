"""Value generalization hierarchies as ARX writes them: a base value a line, then what it becomes level by level, ``;``.

A label of one level is one concept; the same words on two levels are two concepts.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import pairwise

from spark_deid.core.csv_dialect import limit_cells
from spark_deid.ontology.building import ConceptSource, OntologyFault, SourceConcept, check_spelling
from spark_deid.text.visible import visible

ROOT = "*"
DELIMITER = ";"


def parse(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the lines as labels that look as they are written."""
    shown = io.StringIO(visible(text).text)
    limit_cells()
    return tuple(tuple(cell.strip() for cell in line) for line in csv.reader(shown, delimiter=DELIMITER))


def faults(lines: Sequence[tuple[str, ...]]) -> tuple[OntologyFault, ...]:
    """Return what is wrong with a hierarchy, a fault a line."""
    first: dict[str, str] = {}
    for number, line in _numbered(lines):
        first.setdefault(line[0], f"line {number}")
    return (*_shape(lines), *check_spelling(first))


def source(lines: Sequence[tuple[str, ...]]) -> ConceptSource:
    """Return the concepts of a hierarchy without faults; a root ``*`` is added where there are several."""
    rows = [line for line in lines if any(line)]
    if len({row[-1] for row in rows}) > 1:
        rows = [(*row, ROOT) for row in rows]
    above: dict[str, tuple[str, ...]] = {}
    for row in rows:
        for level, (_, parent) in enumerate(pairwise(row)):
            above[_id(level, row)] = (f"{level + 1} {parent}",)
        above[_id(len(row) - 1, row)] = ()
    return ConceptSource(
        tuple(SourceConcept(name, (name.partition(" ")[2],), ups) for name, ups in sorted(above.items()))
    )


def _id(level: int, row: Sequence[str]) -> str:
    return f"{level} {row[level]}"


def _numbered(lines: Sequence[tuple[str, ...]]) -> list[tuple[int, tuple[str, ...]]]:
    return [(number, line) for number, line in enumerate(lines, 1) if any(line)]


def _shape(lines: Sequence[tuple[str, ...]]) -> Iterator[OntologyFault]:
    rows = _numbered(lines)
    if not rows:
        yield OntologyFault("expected at least one line")
        return
    width = len(rows[0][1])
    seen: dict[tuple[int, str], tuple[int, str]] = {}
    if width < 2:
        yield OntologyFault(f"line {rows[0][0]}: expected a base value and at least one label above it, separated by ;")
    for number, row in rows:
        if len(row) != width:
            yield OntologyFault(f"line {number}: expected {width} labels, found {len(row)}")
            continue
        for level, (label, parent) in enumerate(pairwise(row)):
            if not label or not parent:
                yield OntologyFault(f"line {number}: a label is empty")
                break
            at, before = seen.setdefault((level, label), (number, parent))
            if before != parent:
                yield OntologyFault(f'line {number}: "{label}" has the parent "{parent}", but "{before}" in line {at}')
            elif level == 0 and at != number:
                yield OntologyFault(f'line {number}: the base value "{label}" is already in line {at}')

"""The map of rooms as a picture: Mermaid's ``a --> b`` drawn as SVG, since Mermaid itself would have to be fetched."""

import re
from html import escape

_EDGE = re.compile(r"^ *(\w+) --> (\w+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```mermaid\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_WIDTH, _HEIGHT, _GAP = 108, 24, 56
"""Of a room, and between rows, in units of the picture."""


def with_pictures(markdown: str) -> str:
    """Put pictures in place of a page's blocks of Mermaid."""
    return _BLOCK.sub(lambda match: picture(_EDGE.findall(match[1])), markdown)


def picture(edges: list[tuple[str, str]]) -> str:
    """Draw what points to what, as SVG: a row lies below every row that points to it."""
    rows = rows_of(edges)
    width = max(map(len, rows)) * (_WIDTH + 12)
    places: dict[str, tuple[float, float]] = {}
    for row, names in enumerate(rows):
        step = width / len(names)
        places |= {name: (step * (number + 0.5), row * (_HEIGHT + _GAP)) for number, name in enumerate(names)}
    lines = [_line(*places[upper], *places[lower]) for upper, lower in edges]
    boxes = [_box(name, *place) for name, place in places.items()]
    height = len(rows) * (_HEIGHT + _GAP) - _GAP
    return (
        f'<div class="map"><svg viewBox="-2 -2 {width + 4} {height + 4}" role="img" aria-label="Rooms and what they'
        f' import">{"".join((*lines, *boxes))}</svg></div>'
    )


def rows_of(edges: list[tuple[str, str]]) -> list[list[str]]:
    """Return names in rows: each stands one row below the lowest that points to it.

    >>> rows_of([("a", "b"), ("b", "c"), ("a", "c"), ("d", "c")])
    [['a', 'd'], ['b'], ['c']]
    """
    above: dict[str, list[str]] = {name: [] for edge in edges for name in edge}
    for upper, lower in edges:
        above[lower].append(upper)
    depths: dict[str, int] = {}

    def depth(name: str) -> int:
        if name not in depths:
            depths[name] = max((depth(upper) + 1 for upper in above[name]), default=0)
        return depths[name]

    rows: list[list[str]] = []
    for name in sorted(above, key=depth):
        if depth(name) == len(rows):
            rows.append([])
        rows[depth(name)].append(name)
    return rows


def _line(x: float, y: float, to_x: float, to_y: float) -> str:
    start, middle = y + _HEIGHT, (y + _HEIGHT + to_y) / 2
    return f'<path d="M{x:g} {start:g}C{x:g} {middle:g} {to_x:g} {middle:g} {to_x:g} {to_y:g}"/>'


def _box(name: str, x: float, y: float) -> str:
    return (
        f'<rect x="{x - _WIDTH / 2:g}" y="{y:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="4"/>'
        f'<text x="{x:g}" y="{y + 16:g}">{escape(name)}</text>'
    )

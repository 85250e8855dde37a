"""Draw packages and layers as SVG: a band per layer, the uppermost first, and a line from each importer."""

from collections.abc import Iterator, Sequence
from html import escape

_BOX, _HEIGHT, _GAP, _LABEL = 132, 26, 12, 34
"""Width and height of a package, the space around it, and the width of a layer's number, in pixels."""
_IN_A_ROW = 6
_STYLE = (
    "text{font:13px sans-serif;text-anchor:middle;fill:#1a1a1a}.n{font-size:11px;fill:#595959}"
    ".b{fill:#eef2f7}.p{fill:#fff;stroke:#3f51b5}path{fill:none;stroke:#3f51b5;stroke-opacity:.28}"
)
Place = tuple[float, float]


def draw_packages(layers: Sequence[Sequence[str]], edges: Sequence[tuple[str, str]]) -> str:
    """Return a picture of layers of packages; each edge goes from a package to one that it imports.

    Args:
        layers: Names of packages by layer, the uppermost first.
        edges: Importing and imported package.

    Returns:
        An SVG file that refers to no other file.
    """
    width = _LABEL + _IN_A_ROW * (_BOX + _GAP) + _GAP
    bands: list[str] = []
    places: dict[str, Place] = {}
    top = _GAP
    for number, layer in enumerate(layers, 1):
        rows = [layer[start : start + _IN_A_ROW] for start in range(0, len(layer), _IN_A_ROW)]
        height = len(rows) * (_HEIGHT + _GAP) + _GAP
        bands.append(f'<rect class="b" x="0" y="{top}" width="{width}" height="{height}" rx="4"/>')
        bands.append(f'<text class="n" x="{_LABEL / 2:g}" y="{top + height / 2 + 4:g}">{number}</text>')
        for row, names in enumerate(rows):
            places |= dict(zip(names, _places(len(names), top + _GAP + row * (_HEIGHT + _GAP), width), strict=True))
        top += height + _GAP
    parts = [*bands, *(_line(places[upper], places[lower]) for upper, lower in edges)]
    parts += (_package(name, place) for name, place in places.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" role="img">\n'
        f"<title>Packages of spark_deid by layer</title>\n<style>{_STYLE}</style>\n"
        f'<rect width="{width}" height="{top}" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _places(count: int, y: float, width: float) -> Iterator[Place]:
    """Yield the upper left corners of the packages of a row, in its middle."""
    start = _LABEL + (width - _LABEL - count * (_BOX + _GAP) + _GAP) / 2
    return ((start + number * (_BOX + _GAP), y) for number in range(count))


def _line(upper: Place, lower: Place) -> str:
    x, y = upper[0] + _BOX / 2, upper[1] + _HEIGHT
    to_x, to_y = lower[0] + _BOX / 2, lower[1]
    middle = (y + to_y) / 2
    return f'<path d="M{x:g} {y:g}C{x:g} {middle:g} {to_x:g} {middle:g} {to_x:g} {to_y:g}"/>'


def _package(name: str, place: Place) -> str:
    x, y = place
    return (
        f'<rect class="p" x="{x:g}" y="{y:g}" width="{_BOX}" height="{_HEIGHT}" rx="4"/>'
        f'<text x="{x + _BOX / 2:g}" y="{y + 17:g}">{escape(name)}</text>'
    )

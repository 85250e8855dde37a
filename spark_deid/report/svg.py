"""An SVG of matplotlib's made fit to stand in a page."""

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
HREF = "{http://www.w3.org/1999/xlink}href"
FONT = "font-family"
CLIPS = "clip-path"
"""Left out: nothing is drawn beyond its axes."""
DEFAULTS = {FONT: "system-ui, sans-serif", "stroke-linejoin": "round"}


def self_contained(
    drawn: bytes,
    *,
    name: str,
    label: str,
    notes: Mapping[str, Sequence[str]],
    dark: Mapping[str, str],
    slim: bool = False,
) -> str:
    """Return an SVG that loads nothing, whose identifiers begin with ``name``, and which follows the reader's colours.

    ``notes`` has, by the identifier of a line, what each of its markers tells; ``dark`` a colour for each in the dark.
    A page shows what is ``slim`` narrower.
    """
    root = ElementTree.fromstring(drawn)
    parts = [child for child in root if child.tag == f"{SVG}g"]
    for line, texts in ((root.find(f".//{SVG}g[@id='{line}']"), texts) for line, texts in notes.items()):
        for marker, words in zip(() if line is None else line.iter(f"{SVG}use"), texts, strict=True):
            ElementTree.SubElement(marker, f"{SVG}title").text = words
    used = {element.get(HREF, "") for element in root.iter()}
    for part in parts:
        for element in part.iter():
            _plain(element, name, used)
    root[:] = [_style(dark), *parts]
    size = {name: root.get(name, "") for name in ("viewBox", "width", "height")}
    root.attrib = {
        "xmlns": SVG[1:-1],
        "class": "plot slim" if slim else "plot",
        "role": "img",
        "aria-label": label,
        **size,
        **DEFAULTS,
    }
    for element in root.iter():
        element.tag = element.tag.removeprefix(SVG)
    ElementTree.indent(root, "")
    return ElementTree.tostring(root, encoding="unicode")


def _plain(element: ElementTree.Element, name: str, used: set[str]) -> None:
    """Turn the style of an element into attributes, over which a style sheet has its way, and what it refers to."""
    attributes = element.attrib
    style = dict(pair.split(": ", 1) for pair in attributes.pop("style", "").split("; ") if pair)
    attributes.update((key, value) for key, value in style.items() if key != FONT)
    attributes.pop(CLIPS, None)
    identifier = attributes.pop("id", "")
    if f"#{identifier}" in used:
        attributes["id"] = f"{name}-{identifier}"
        # A shape has the colour of its use: style sheets find uses, but in some browsers not what these refer to.
        attributes.pop("stroke", None)
    if HREF in attributes:
        attributes["href"] = f"#{name}-{attributes.pop(HREF)[1:]}"
    if "d" in attributes:
        attributes["d"] = " ".join(attributes["d"].split())


def _style(dark: Mapping[str, str]) -> ElementTree.Element:
    rules = (
        f'svg.plot [{what}="{light}"]{{{what}:{shade}}}' for light, shade in dark.items() for what in ("fill", "stroke")
    )
    style = ElementTree.Element(f"{SVG}style")
    style.text = f"@media screen and (prefers-color-scheme: dark){{{''.join(rules)}}}"
    return style

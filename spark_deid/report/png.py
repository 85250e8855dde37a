"""Plots drawn as PNG, by Pillow."""

import io
import math
from collections.abc import Sequence
from itertools import pairwise

from PIL import Image, ImageDraw, ImageFont

from spark_deid.report.plots import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Plot

GRID, SOFT, INK = "#dfe3e8", "#56606e", "#14181f"
SCALE = 3
"""Pixels for a unit of the drawing."""
FONT = 12
DASH = 6

Place = tuple[float, float]


def png(drawn: Plot) -> bytes:
    """Draw a plot as PNG, SCALE pixels a unit."""
    image = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(FONT * SCALE)

    def text(x: float, y: float, words: str, colour: str, anchor: str) -> None:
        draw.text((x * SCALE, y * SCALE), words, colour, font=font, anchor=anchor)

    def stroke(places: Sequence[tuple[float, float]], colour: str, width: float) -> None:
        draw.line([(x * SCALE, y * SCALE) for x, y in places], colour, round(width * SCALE), joint="curve")

    text(LEFT, 20, drawn.title, INK, "lm")
    text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, drawn.across_name, INK, "mm")
    for tick in drawn.across:
        stroke([(tick.place, TOP), (tick.place, HEIGHT - BOTTOM)], GRID, 1)
        text(tick.place, HEIGHT - BOTTOM + 14, tick.label, SOFT, "mm")
    for tick in drawn.upward:
        stroke([(LEFT, tick.place), (WIDTH - RIGHT, tick.place)], GRID, 1)
        text(LEFT - 8, tick.place, tick.label, SOFT, "rm")
    for line in drawn.lines:
        places = [(x, y) for x, y, _ in line.places]
        for part in _dashes(places) if line.dashed else [places]:
            stroke(part, line.colour, 2)
        for x, y in places:
            draw.ellipse([(side - 3) * SCALE for side in (x, y)] + [(side + 3) * SCALE for side in (x, y)], line.colour)
        text(*line.label, line.name, line.colour, "lm")
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _dashes(places: Sequence[Place]) -> list[list[Place]]:
    """Cut a line into dashes."""
    parts: list[list[Place]] = []
    for (x, y), (to_x, to_y) in pairwise(places):
        length = math.hypot(to_x - x, to_y - y)
        count = max(1, round(length / DASH))
        steps = [(x + (to_x - x) * n / count, y + (to_y - y) * n / count) for n in range(count + 1)]
        parts.extend([steps[n], steps[n + 1]] for n in range(0, count, 2))
    return parts

"""Highlighted text: escaped, complete, legible."""

import colorsys
import re
from html import unescape

import pytest

import spark_deid as sd
from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.errors import EditError
from spark_deid.core.span import Span
from spark_deid.report.highlight import compare, hue_of, show

TEXT = "  Ann <b>Lee</b> & co\n\ncame 😀 "
NAME = Span(2, 5, "NAME", 0.5, "model/round-1")


def shown(html: str, aria_label: str) -> str:
    """Return the text of a region, without marks and labels."""
    region = re.search(rf'aria-label="{aria_label}">(.*?)</div>', html, re.DOTALL)
    assert region
    return unescape(re.sub(r"<b> \w+</b></mark>|</?(mark|del|ins)[^>]*>", "", region[1]))


def test_the_text_is_shown_as_it_is_and_escaped() -> None:
    html = show(TEXT, [NAME])._repr_html_()
    assert shown(html, "Text with what was found in it") == TEXT
    assert "<b>Lee" not in html
    assert 'title="model/round-1, score 0.50">Ann<b> NAME</b></mark>' in html


@pytest.mark.parametrize("label", ["<script>", '"><img>', "A B"])
def test_labels_are_escaped(label: str) -> None:
    html = show("Ann", [Span(0, 3, label)])._repr_html_()
    assert "<script>" not in html
    assert "<img>" not in html


def test_overlapping_spans_mark_each_character_once() -> None:
    html = show("Dr. John Smith", [Span(0, 8, "TITLE"), Span(4, 14, "NAME")])._repr_html_()
    assert html.count("<mark ") == 2 + 2  # the legend's, and the text's
    assert "John Smith<b> NAME</b>" in html


def test_a_document_shows_its_own_spans() -> None:
    document = Document("d", TEXT, spans=(NAME,))
    assert show(document) == show(TEXT, [NAME])
    assert "<mark " not in show(document, [])._repr_html_()


def test_before_and_after_are_whole() -> None:
    html = compare(TEXT, [Edit(2, 5, "suppress", "[NAME]"), Edit(23, 27, "suppress", "[<V>]")])._repr_html_()
    assert shown(html, "Before") == TEXT
    assert shown(html, "After") == TEXT.replace("Ann", "[NAME]").replace("came", "[<V>]")


def test_edits_that_do_not_fit_are_refused() -> None:
    with pytest.raises(EditError):
        compare("Ann", [Edit(0, 9, "suppress", "x")])


def test_what_is_shown_shows_no_text_unless_it_is_rendered() -> None:
    assert repr(show("Ann", [Span(0, 3, "NAME")])) == "HighlightedText(summary='1 span in 3 characters')"
    assert repr(sd.compare("Ann", [])) == "HighlightedText(summary='0 edits in 3 characters')"


def test_hues_are_of_labels_and_differ() -> None:
    assert len({hue_of(label) for label in ("NAME", "DATE", "CITY", "PHONE", "EMAIL")}) == 5


@pytest.mark.parametrize(("ink", "fill"), [("14181f", (0.75, 0.88)), ("f1f3f6", (0.45, 0.25))])
def test_every_hue_can_be_read_in_light_and_dark(ink: str, fill: tuple[float, float]) -> None:
    html = show("Ann", [Span(0, 3, "NAME")])._repr_html_()
    assert f"--ink: #{ink}" in html
    assert f"--fill: {fill[0]:.0%} {fill[1]:.0%}" in html
    letters = _luminance(*(int(ink[i : i + 2], 16) / 255 for i in (0, 2, 4)))
    for hue in range(360):
        ground = _luminance(*colorsys.hls_to_rgb(hue / 360, fill[1], fill[0]))
        light, dark = max(letters, ground), min(letters, ground)
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def _luminance(*channels: float) -> float:
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

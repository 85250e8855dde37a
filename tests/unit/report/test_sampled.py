"""The page of documents to search."""

from spark_deid.report.excerpts import ReleaseSample, SampledDocument
from spark_deid.report.render import sample_page

DOCUMENTS = (
    SampledDocument("<a>", "I am [NAME 2], <b>born</b> [DATE].\n\nSee **** or [sic] [2]."),
    SampledDocument("b", ""),
)


def test_what_looks_like_a_placeholder_is_marked_and_nothing_is_lost() -> None:
    pieces = DOCUMENTS[0].pieces
    assert "".join(piece.text for piece in pieces) == DOCUMENTS[0].text
    assert [piece.text for piece in pieces if piece.is_placeholder] == ["[NAME 2]", "[DATE]", "****"]


def test_every_document_has_a_box_and_every_number_of_ticks_a_bound() -> None:
    page = sample_page(ReleaseSample(DOCUMENTS, 1234, "abc", 1, 0.95, (0.75, 0.9, 1.0)))
    assert page.count('<input type="checkbox">') == 2
    assert "2 of 1,234 documents" in page
    assert "<code>&lt;a&gt;</code>" in page
    assert "&lt;b&gt;born&lt;/b&gt;" in page
    assert [f'<td class="number">{share}</td>' in page for share in ("75.0%", "90.0%", "100%")] == [True] * 3
    assert "earlier draw" not in page
    assert "body { counter-reset: ticked; }" in page  # else each box counts in a separate scope, and the sum remains 0


def test_further_draws_are_reported() -> None:
    page = sample_page(ReleaseSample(DOCUMENTS, 9, "abc", 3, 0.98, tuple(n / 30 for n in range(31))))
    assert "2 earlier draws" in page
    assert "98.0%" in page
    assert page.count('<th scope="row" class="number">') == 31

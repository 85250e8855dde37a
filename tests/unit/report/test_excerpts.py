from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.edit import Edit, apply_edits
from spark_deid.core.span import Span
from spark_deid.report.excerpts import GAP, ExcerptPiece, excerpt


def sides(pieces: Iterable[ExcerptPiece]) -> tuple[str, str]:
    """Return the text before and after."""
    before, after = zip(*((piece.before, piece.after) for piece in pieces), strict=True)
    return "".join(before), "".join(after)


@given(st.text("ab. ", min_size=1, max_size=30), st.data())
def test_whole_excerpt_is_the_text_before_and_after(text: str, data: st.DataObject) -> None:
    bounds = data.draw(st.lists(st.integers(0, len(text)), unique=True, max_size=6))
    bounds = sorted(bounds)
    edits = [Edit(a, b, "suppress", "[X]") for a, b in zip(bounds[::2], bounds[1::2], strict=False)]
    pieces = excerpt("d", text, edits, context=100).pieces
    assert sides(pieces) == (text, apply_edits(text, edits))


def test_long_stretches_are_cut_to_what_is_next_to_edits() -> None:
    text = "a" * 50 + "Ann" + "b" * 50 + "Bob" + "c" * 50
    edits = [Edit(50, 53, "suppress", "[N]"), Edit(103, 106, "suppress", "[N]")]
    before, after = sides(excerpt("d", text, edits, context=5).pieces)
    assert before == f"{GAP}aaaaaAnnbbbbb{GAP}bbbbbBobccccc{GAP}"
    assert after == f"{GAP}aaaaa[N]bbbbb{GAP}bbbbb[N]ccccc{GAP}"


def test_document_without_edits_shows_its_beginning() -> None:
    assert sides(excerpt("d", "a" * 500, [], context=3).pieces) == (f"aaa{GAP}", f"aaa{GAP}")


def test_annotations_that_remain_are_marked_where_no_edit_hides_them() -> None:
    text = "Ann Lee, " + "x" * 50 + " Bob."
    gold = [Span(0, 7, "NAME"), Span(3, 4, "GAP"), Span(60, 63, "NAME")]
    shown = excerpt("d", text, [Edit(0, 3, "suppress", "[N]")], annotations=gold, context=4)
    assert [piece.before for piece in shown.pieces if piece.is_missed] == [" Lee", "Bob"]
    assert [piece.before for piece in shown.pieces if piece.is_edit] == ["Ann"]
    assert sides(shown.pieces) == (f"Ann Lee, xx{GAP}xxx Bob.", f"[N] Lee, xx{GAP}xxx Bob.")


def test_a_title_before_a_hidden_name_is_not_marked() -> None:
    text, gold = "Ask Dr. Lund now.", [Span(4, 12, "NAME")]
    assert not excerpt("d", text, [Edit(8, 12, "suppress", "[N]")], annotations=gold).is_leaking
    left = excerpt("d", text, [Edit(4, 7, "suppress", "[N]")], annotations=gold)
    assert [piece.before for piece in left.pieces if piece.is_missed] == [" Lund"]
    assert excerpt("d", text, [], annotations=gold).is_leaking


def test_annotations_that_are_hidden_are_not_marked() -> None:
    shown = excerpt("d", "I am Ann.", [Edit(5, 8, "suppress", "[N]")], annotations=[Span(5, 9, "NAME")])
    assert not any(piece.is_missed for piece in shown.pieces)

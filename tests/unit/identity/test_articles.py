"""Articles before what mentions show."""

from spark_deid.core.document import LinkedMention
from spark_deid.core.span import Span
from spark_deid.identity.recode import articles_of
from spark_deid.identity.recount.reading import PlacedEdit, articles_that_tell

TEXT = "He is an 80 year old, an ALS patient, a 77 year old. AN 18."


def shown(surface: str, label: str, replacement: str | None) -> LinkedMention:
    start = TEXT.index(surface)
    return LinkedMention(start, start + len(surface), label, replacement)


def test_articles_go_with_what_is_shown_wherever_nothing_else_is_edited() -> None:
    mentions = [
        shown("80 year old", "AGE", "[78-80] year old"),
        shown("ALS", "ILL", None),
        shown("77 year old", "AGE", "[77-79] year old"),
        shown("18", "AGE", "[12-18]"),
    ]
    spans, become = articles_of(TEXT, mentions, [])
    assert [(TEXT[each.start : each.end], each.replacement) for each in become] == [("an", "a"), ("AN", "A")]
    assert [span[:3] for span in spans] == [each[:3] for each in become]
    assert len(articles_of(TEXT, mentions, [Span(6, 8, "NAME")])[0]) == 1
    assert articles_of("It is at 80.", [LinkedMention(9, 11, "AGE", "[78-80]")], []) == ((), ())


def test_articles_that_do_not_go_with_it_are_counted_behind_other_edits() -> None:
    edits = [
        PlacedEdit(0, 2, "suppress", "[NAME]", "NAME"),
        PlacedEdit(6, 8, "recode", "a", "ARTICLE"),
        PlacedEdit(9, 20, "recode", "[78-80] year old", "AGE"),
        PlacedEdit(25, 28, "recode", "[illness]", "ILL"),
        PlacedEdit(40, 51, "recode", "[80-89] year old", "AGE"),
    ]
    text = "[NAME] is a [78-80] year old, an [illness] patient, a [80-89] year old. AN 18."
    assert articles_that_tell(text, edits) == 1

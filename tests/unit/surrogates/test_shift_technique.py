"""Dates of a person move together; what can't move is suppressed, and plans that would part them are refused."""

from datetime import date

import pytest

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import SuppressedSpan
from spark_deid.core.span import Span
from spark_deid.plan.load import check_methods
from spark_deid.surrogates.date_shift import ShiftRequest, drawn_offset, move, shift
from spark_deid.surrogates.recounting import InventedEdit, count_date_faults, dates_in
from spark_deid.surrogates.shift_technique import read_dates
from spark_deid.values.locale import ValueLocale

US = ValueLocale()


def request(*, days: int = 365, weeks: bool = False, key: bytes = b"k" * 32) -> ShiftRequest:
    return ShiftRequest(days, weeks, US, key)


def test_offsets_are_never_zero_reach_both_ends_and_hang_on_person_and_key() -> None:
    offsets = {drawn_offset(f"subject {number}", request(days=3)) for number in range(200)}
    assert offsets == {-3, -2, -1, 1, 2, 3}
    assert {drawn_offset(f"subject {n}", request(days=20, weeks=True)) for n in range(200)} == {-14, -7, 7, 14}
    assert len({drawn_offset("subject 1", request(key=bytes([n]) * 32)) for n in range(20)}) > 10


def test_intervals_between_whole_dates_are_exact_over_documents_of_a_person() -> None:
    texts = ["3/4/2014", "March 11th, 2014", "2013-12-25", "29 Feb 2012"]
    documents = [Document(f"d{number}", text, "p") for number, text in enumerate(texts)]
    edits = [next(iter(shift(each, [Span(0, len(each.text), "DATE")], request=request()))) for each in documents]
    days = {(_date(edit.replacement) - _date(text)).days for edit, text in zip(edits, texts, strict=True)}
    assert days == {drawn_offset("subject p", request())}


def _date(text: str) -> date:
    return max(dates_in(text), key=lambda day: day.month == int(text.split("/")[0]) if "/" in text else True)


def test_a_year_is_taken_from_the_document_if_it_has_one_only() -> None:
    text = "On 3/4/2014 and 11/21."
    spans = [Span(3, 11, "DATE"), Span(16, 21, "DATE")]
    assert all(isinstance(each, Edit) for each in shift(Document("d", text), spans, request=request()))
    text = "In 3/4/2014, 3/4/2015 and 11/21 in 2014."
    spans = [Span(3, 11, "DATE"), Span(13, 21, "DATE"), Span(26, 31, "DATE"), Span(35, 39, "DATE")]
    reasons = [each.reason for each in shift(Document("d", text), spans, request=request()) if len(each) == 3]
    assert reasons == ["no-year", "bare-year"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2014", "bare-year"),
        ("Christmas", "unread"),
        ("11/21", "no-year"),
        ("12/31/9999", "unread"),
        ("12/31/30", "unread"),
    ],
)
def test_what_can_not_move_is_suppressed_with_a_reason(text: str, reason: str) -> None:
    key = next(key for n in range(99) if drawn_offset("document d", request(key=(key := bytes([n]) * 32))) > 0)
    [suppressed] = shift(Document("d", text), [Span(0, len(text), "DATE")], request=request(key=key))
    assert suppressed == SuppressedSpan(0, len(text), reason)


def test_what_may_be_a_dose_does_not_move_unless_a_word_or_an_annotator_states_that_it_is_a_day() -> None:
    text = "Seen 3/4/2014, Lotrel 6/20, RTC 6/21."
    found = {"seen": Span(5, 13, "DATE"), "dose": Span(22, 26, "DATE"), "next": Span(32, 36, "DATE")}
    by_patterns = [span._replace(source="patterns/date") for span in found.values()]
    edits = list(shift(Document("d", text), by_patterns, request=request()))
    assert [each.reason for each in edits if isinstance(each, SuppressedSpan)] == ["unsure"]
    assert edits[1].start == 22
    assert all(isinstance(each, Edit) for each in shift(Document("d", text), list(found.values()), request=request()))


def test_what_can_be_read_in_two_ways_does_not_move_next_to_dates_in_another_order() -> None:
    text = "On 30/06/2020, 05/06/2020, 4/4/2020 and 5 June 2020."
    spans = [Span(3, 13, "DATE"), Span(15, 25, "DATE"), Span(27, 35, "DATE"), Span(40, 51, "DATE")]
    edits = list(shift(Document("d", text), spans, request=request()))
    assert [(each.start, each.reason) for each in edits if isinstance(each, SuppressedSpan)] == [(15, "order")]
    iso = Document("d", "On 2014-03-25, 25 March 2014 and 05/06/2014.")
    spans = [Span(3, 13, "DATE"), Span(15, 28, "DATE"), Span(33, 43, "DATE")]
    assert all(isinstance(each, Edit) for each in shift(iso, spans, request=request()))
    british = request()._replace(locale=ValueLocale("en", "GB"))
    marked = [Span(3, 13, "DATE"), Span(15, 25, "DATE"), Span(27, 35, "DATE"), Span(40, 51, "DATE")]
    assert all(isinstance(each, Edit) for each in shift(Document("d", text), marked, request=british))
    american = Document("d", "On 06/30/2020 and 05/06/2020.")
    turned = list(shift(american, [Span(3, 13, "DATE"), Span(18, 28, "DATE")], request=british))
    assert [type(each) for each in turned] == [Edit, SuppressedSpan]


def test_a_month_moves_as_its_fifteenth() -> None:
    assert move("March 2014", 16, frozenset(), US).text == "March 2014"
    assert move("March 2014", 17, frozenset(), US).text == "April 2014"


def test_the_recount_agrees_on_an_offset_and_refuses_another() -> None:
    def edit(before: str, after: str) -> InventedEdit:
        return InventedEdit("shift", False, before, after)

    good = [edit("3/4/2014", "3/14/2014"), edit("March 5, 2014", "March 15, 2014"), edit("20140306", "20140316")]
    assert count_date_faults(good, days=365).offsets == 0
    assert count_date_faults([*good, edit("Mar 7, 2014", "Mar 18, 2014")], days=365).offsets == 1
    assert count_date_faults(good, days=9).offsets == 1
    assert count_date_faults([edit("3/14/2014", "3/14/2014")], days=9).offsets == 1
    assert count_date_faults([edit("March 5, 2014", "soon")], days=9).unread == 1


def test_the_recount_reads_a_date_that_begins_with_its_year_in_one_way() -> None:
    first = InventedEdit("shift", False, "3/4/2014", "3/5/2014")
    assert count_date_faults([first, first._replace(before="2014-03-04", after="2014-03-05")], days=99).offsets == 0
    assert count_date_faults([first, first._replace(before="2014-03-04", after="2014-05-03")], days=99).offsets == 1
    word = InventedEdit("shift", False, "March 4, 2014", "March 5, 2014")
    assert count_date_faults([word, word._replace(before="2014-04-03", after="2014-05-03")], days=99).offsets == 1
    swapped = InventedEdit("shift", False, "2014-04-05", "2014-05-04")
    assert count_date_faults([swapped], days=28).offsets == 1
    assert count_date_faults([swapped], days=29).offsets == 0


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"DATE": "shift", "DOB": {"technique": "shift", "days": 30}}, "the same days, keep, locale and offsets"),
        ({"DATE": "shift", "AGE": "surrogate"}, "made-up ages of AGE would not go"),
        ({"DATE": "surrogate", "AGE": "surrogate"}, r"dates that move \(DATE\).* another technique for AGE"),
        ({"DATE": {"technique": "shift", "days": 0}}, "days"),
        ({"DATE": {"technique": "shift", "days": 3, "keep": "weekday"}}, "at least 7"),
        ({"DATE": {"technique": "shift", "locale": "ja_JP"}}, "expected a locale such as"),
        ({"THING": "surrogate"}, "needs the kind of the label"),
        ({"NAME": {"technique": "surrogate", "as": "thing"}}, "expected one of name"),
        ({"NAME": {"technique": "surrogate", "lists": "nowhere"}}, "expected a folder with some of"),
        ({"NAME": {"technique": "surrogate", "continue": "nowhere"}}, "expected the workspace of a run"),
        ({"NAME": "surrogate", "CITY": {"technique": "surrogate", "scope": "document"}}, "the same scope"),
        ({"NAME": "pseudonym", "WARD": {"technique": "pseudonym", "scope": "subject"}}, "the same scope"),
        ({"NAME": {"technique": "surrogate", "as_": "name"}}, "unknown option"),
    ],
)
def test_plans_that_would_show_or_can_not_be_carried_out_are_refused(rules: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_methods({"sources": ["gold"], "rules": rules}, "plan")


def test_a_resolved_plan_can_be_read_again() -> None:
    rules = {"X": {"technique": "surrogate", "as": "name"}, "D": {"technique": "shift", "days": 14, "keep": "weekday"}}
    resolved = check_methods({"sources": ["gold"], "rules": rules}, "plan").resolved()["rules"]
    assert check_methods({"sources": ["gold"], "rules": resolved}, "plan").resolved()["rules"] == resolved


def test_documents_of_no_one_are_noted() -> None:
    spans = [Span(0, 8, "DATE")]
    assert read_dates(Document("d", "3/4/2014"), spans, request=request()).noted == (("by-document", 1),)
    assert read_dates(Document("d", "3/4/2014", "p"), spans, request=request()).noted == ()


@pytest.mark.parametrize(
    ("surface", "days", "moved"),
    [
        ("3/15-3/20/22", 20, "4/4-4/9/22"),
        ("15/3-20/3/2022", 20, "4/4-9/4/2022"),
        ("12/28-1/3/15", 3, "12/31-1/6/15"),
        ("12/28-1/3/15", 4, "1/1-1/7/15"),
        ("2022-03-15/2022-03-20", 20, "2022-04-04/2022-04-09"),
        ("March 3-5, 2014", 20, "March 23-25, 2014"),
        ("March 30 - April 2, 2014", -20, "March 10 - March 13, 2014"),
        ("Jan-Mar 2014", 31, "Feb-Apr 2014"),
    ],
)
def test_both_ends_of_a_range_move(surface: str, days: int, moved: str) -> None:
    assert move(surface, days, frozenset(), US).text == moved


def test_if_one_end_can_not_be_written_both_are_suppressed() -> None:
    german = ValueLocale("de", "DE")
    assert move("15.-20.3.2022", 10, frozenset(), german).text == "25.-30.3.2022"
    assert move("15.-20.3.2022", 14, frozenset(), german).reason == "unread"
    late = Document("d", "from 12/30/2030 to 1/4/2031")
    spans = [Span(5, 15, "DATE"), Span(19, 27, "DATE")]
    assert all(isinstance(each, Edit) for each in shift(late, spans, request=request()))
    short = Document("d", "from 12/30/29 - 12/30/30")
    spans = [Span(5, 13, "DATE"), Span(16, 24, "DATE")]
    key = next(key for n in range(99) if drawn_offset("document d", request(key=(key := bytes([n]) * 32))) > 1)
    assert [each for each in shift(short, spans, request=request(key=key)) if isinstance(each, Edit)] == []


def test_the_first_end_takes_the_year_of_the_last_any_author_who_marks_it() -> None:
    document = Document("d", "stay 12/28-1/3/15, and 5/5/2019")
    marked = [Span(5, 10, "DATE"), Span(11, 17, "DATE"), Span(23, 31, "DATE")]
    edits = [each for each in shift(document, marked, request=request()) if isinstance(each, Edit)]
    assert len(edits) == 3
    whole = [Span(5, 17, "DATE"), Span(23, 31, "DATE")]
    [joined, _] = shift(document, whole, request=request())
    assert isinstance(joined, Edit)
    assert f"{edits[0].replacement}-{edits[1].replacement}" == joined.replacement


def test_a_range_of_two_numbers_that_may_be_scores_does_not_move() -> None:
    text = "Seen 3/4/2014. Pain 6/20 - 6/21, RTC 6/20-6/24."
    spans = [Span(5, 13, "DATE"), Span(20, 31, "DATE", source="patterns/date")]
    spans.append(Span(37, 46, "DATE", source="patterns/date"))
    assert [type(each) for each in shift(Document("d", text), spans, request=request())] == [Edit, SuppressedSpan, Edit]


@pytest.mark.parametrize(
    ("before", "after", "days"),
    [
        ("3/15-3/20/22", "4/4-4/9/22", 20),
        ("15/3-20/3/2022", "4/4-9/4/2022", 20),
        ("12/28-1/3/15", "1/1-1/7/15", 4),
        ("2022-03-15/2022-03-20", "2022-04-04/2022-04-09", 20),
        ("March 3-5, 2014", "March 23-25, 2014", 20),
        ("3-5 March 2014", "23-25 March 2014", 20),
        ("March 30 - April 2, 2014", "March 10 - March 13, 2014", -20),
        ("15.-20.3.2022", "25.-30.3.2022", 10),
        ("20220315-20220320", "20220404-20220409", 20),
    ],
)
def test_the_recount_reads_both_ends_of_a_range(before: str, after: str, days: int) -> None:
    assert dates_in(before)
    edit = InventedEdit("shift", False, before, after)
    other = InventedEdit("shift", False, "March 1, 2010", "April 30, 2010")
    assert count_date_faults([edit], days=365).offsets == 0
    assert count_date_faults([edit], days=abs(days) - 1).offsets == 1
    assert count_date_faults([edit, other], days=365).offsets == 1
    assert count_date_faults([edit._replace(after=before)], days=365).offsets == 1


@pytest.mark.parametrize("after", ["4/4-4/10/22", "4/5-4/9/22", "4/4/22"])
def test_the_recount_refuses_a_range_whose_ends_move_separately(after: str) -> None:
    wrong = count_date_faults([InventedEdit("shift", False, "3/15-3/20/22", after)], days=365)
    assert wrong.offsets + wrong.unread > 0

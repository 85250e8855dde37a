import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.surrogates.date_shift import move
from spark_deid.text.patterns import PatternDetector
from spark_deid.values.locale import ValueLocale


def found(text: str) -> list[str]:
    return [text[span.start : span.end] for span in PatternDetector(kinds=("date",)).detect(text)]


@pytest.mark.parametrize(
    "date",
    [
        "24/07/2015",
        "07/24/2015",
        "7-24-15",
        "24.07.2015",
        "31.12.99",
        "2015-07-24",
        "2015/7/4",
        "2015-07-24T10:30:00Z",
        "2015-07-24 10:30:00.123+02:00",
        "03/2015",
        "12 / 03 / 2015",
        "12/04 /2011",
        "2015‑07‑24",
        "２０１５/０７/２４",
        "2015年3月24日",
    ],
)
def test_numeric_date_fires(date: str) -> None:
    assert found(f"on {date}, seen") == [date]


@pytest.mark.parametrize(
    "date",
    [
        "12 de marzo de 2015",
        "12 de marzo del 2015",
        "1 de mayo",
        "marzo de 2015",
        "12 MAR 2015",
        "12-Mar-2015",
        "12-mar-15",
        "March 12",
        "March 12th, 2015",
        "Sept. 3, 2015",
        "3rd of May 2015",
        "12th of June",
        "May 5, 2015",
        "March 2015",
        "12-15 March 2015",
        "3 to 5 June 2015",
        "June 3-5, 2015",
        "12. März 2015",
        "1er janvier 2015",
        "3 février",
        "12 kwietnia 2015",
        "12 July '15",
    ],
)
def test_written_date_fires(date: str) -> None:
    assert found(f"on {date}, seen") == [date]


@pytest.mark.parametrize(
    ("date", "time"),
    [("7/4/15", "10:30 AM"), ("March 12th, 2015", "at 3 pm"), ("12 de marzo", "a las 10:30"), ("2015-07-24", "10:30")],
)
def test_a_time_of_day_next_to_a_date_is_no_date(date: str, time: str) -> None:
    assert found(f"seen {date} {time}, home") == [date]


def test_both_ends_of_a_range_fire() -> None:
    assert found("01/02/2015-03/02/2015") == ["01/02/2015", "03/02/2015"]
    assert found("2022-03-15/2022-03-20") == ["2022-03-15", "2022-03-20"]
    assert found("2022-03-15T10:00/2022-03-20T11:00") == ["2022-03-15T10:00", "2022-03-20T11:00"]


@pytest.mark.parametrize(
    "text",
    [
        "3/15-3/20/22",
        "03/15-03/20/2022",
        "3/15 to 3/20/22",
        "15/3-20/3/2022",
        "10/23-11/2/64",
        "15.-20.3.2022",
        "15.3.-20.3.22",
        "15.3. - 20.3.2022",
        "15. bis 20.3.2022",
        "15-20/3/2022",
        "3/15-20/2022",
        "12/28–1/3/15",
    ],
)
def test_both_ends_of_a_range_fire_if_one_has_no_year(text: str) -> None:
    assert found(f"stay {text}, then") == [text]


@pytest.mark.parametrize("text", ["8/10-3/10", "1.-2.3.4.5", "15.-20.3.20225", "3/15-3/20/225"])
def test_other_figures_are_no_range(text: str) -> None:
    assert found(f"at {text} now") == []


def test_a_season_is_no_address() -> None:
    text = "in Spring 2020 and fall 2021; the spring 1998 cohort"
    assert [span.label for span in PatternDetector().detect(text)] == []
    assert "ADDRESS" in {span.label for span in PatternDetector().detect("wohnt Am Kurring 12, Ulmring 3")}


@pytest.mark.parametrize(
    "text",
    [
        "13/13/2015",
        "32/01/2015",
        "0/1/2015",
        "2015-13-01",
        "120/80",
        "5/10",
        "1.2.15",
        "1.2.3.4",
        "24/07-2015",
        "12 may have",
        "3 out of 4",
        "2 ago",
        "may 5",
        "march 3 miles",
        "OCT 3 mm",
        "12 marathons",
        "32 march 15",
        "March of dimes",
        "marzo",
        "2015",
        "12.5 mar",
        "A12/03/2015",
        "12/03/20156",
        "Marchand 12",
    ],
)
def test_date_near_miss(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "date",
    [
        *("14 vii 2003", "3 xii 1998", "14_07_2003", "2003_07_14", "14\t07\t2003"),
        *("2014-W32-4", "2014-W32", "week 32 of 2014", "ISO week 32", "day 202 of 2014", "wed dec 28"),
    ],
)
def test_date_of_another_form_fires(date: str) -> None:
    assert found(f"at {date}, seen") == [date]


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("born 110871 in Leeds", "110871"),
        ("DOB 19640502", "19640502"),
        ("DOB: 11081971", "11081971"),
        ("DOB (YYYYMMDD): 19640502", "19640502"),
        ("D.O.B. 05021964", "05021964"),
        ("fecha de nacimiento: 02051964", "02051964"),
        ("geboren am 02051964", "02051964"),
        ("admitted 20140502", "20140502"),
        ("Date: 201405021015", "201405021015"),
        ("Julian date 2014202", "2014202"),
        ("dated 2014-202", "2014-202"),
        ("card exp 5/2026;", "5/2026"),
        ("through the 9th.", "9th"),
        ("Nailing on 25th if fit", "25th"),
        ("on the 9th and 10th.", "9th and 10th"),
        ("at the visit on the twelfth.", "twelfth"),
        ("away the 19th through the 23rd, then home", "19th through the 23rd"),
    ],
)
def test_date_after_a_word_fires(text: str, date: str) -> None:
    kinds = [(text[span.start : span.end], span.label) for span in PatternDetector().detect(text)]
    assert kinds == [(date, "DATE")]


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("withdrawals between 10/19 and 11/6, $3,940", ["10/19", "11/6"]),
        ("Seen 3/14/2020; home 10/6, well.", ["3/14/2020", "10/6"]),
        ("cyst drained 2/2, seen 3/14/2020", ["2/2", "3/14/2020"]),
        ("10/6, 10/8 and 10/19", ["10/6", "10/8", "10/19"]),
        ("on 3/14/2020 BiPAP 10/6", ["3/14/2020"]),
        ("on 3/14/2020 scores 10/6", ["3/14/2020"]),
        ("on 3/14/2020 took fluticasone 10/6", ["3/14/2020"]),
        ("on 3/14/2020 strength 5/5, pain 7/10, cups 1/2", ["3/14/2020"]),
        ("on 3/14/2020 at 10/6 mmHg", ["3/14/2020"]),
        (f"on 3/14/2020 {'word ' * 40} home 10/6", ["3/14/2020"]),
    ],
)
def test_month_and_day_near_other_dates(text: str, dates: list[str]) -> None:
    assert found(text) == dates


@pytest.mark.parametrize(
    "text",
    [
        *("version 19640502", "candidate 19640502", "update 20140502", "born 999999", "date 19641352", "born 2500 g"),
        *("scores 10/6", "10/6 mmHg", "BP 120/80", "takes 10/6 daily", "Law 5/2018", "counts 5/2018"),
        *("on the 3rd attempt", "through the 9th rib", "by the 4th week", "on the 2nd and 3rd toes", "the 9th."),
        *(
            "on the tenth floor",
            "by the twelfth week",
            "the twelfth",
            "week 12",
            "day 3 of 7",
            "counts 14\t07\t2003\t5",
        ),
        *("x_1_14_07_2003", "14_07_20035", "took 3 ii 2000 mg", "4 iv 2000 ml", "2014-W72x"),
    ],
)
def test_words_do_not_make_other_numbers_dates(text: str) -> None:
    assert found(text) == []


def test_days_at_the_begins_of_lines_are_those_of_a_diary() -> None:
    assert found("14.1. Quiet night.\n\n15.1. Fell.\n16.1. Home.") == ["14.1.", "15.1.", "16.1."]
    assert found("2.1. Methods\n2.2. Results\n3.1. Other") == []
    assert found("2.1. Methods") == found("14.1. Quiet\ufdd015.1. Fell") == []


@given(st.dates(datetime.date(1900, 1, 1), datetime.date(2039, 12, 31)), st.sampled_from(("DOB ", "born ", "date: ")))
def test_each_day_in_figures_after_a_label_is_a_date_that_shift_reads(day: datetime.date, label: str) -> None:
    for form in ("%Y%m%d", "%d%m%Y", "%m%d%Y", "%d%m%y", "%y%m%d"):
        assert found(f"x {label}{day:{form}} y") == [f"{day:{form}}"]
    moved = move(f"{day:%Y%m%d}", 30, frozenset(), ValueLocale())
    assert moved.text == f"{day + datetime.timedelta(30):%Y%m%d}"


@given(st.dates(datetime.date(1900, 1, 1), datetime.date(2039, 12, 31)))
def test_forms_that_shift_does_not_read_are_suppressed(day: datetime.date) -> None:
    year, week, weekday = day.isocalendar()
    for text in (f"{year}-W{week:02}-{weekday}", f"{day:%d_%m_%Y}", f"day {day:%j} of {day:%Y}", f"{day.day}th"):
        assert move(text, 30, frozenset((day.year,)), ValueLocale()).text != text

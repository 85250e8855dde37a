"""Both ends of a range are read, and other ends are written in their forms."""

from datetime import date, timedelta

import pytest

from spark_deid.values.date_form import read_form
from spark_deid.values.date_range import day_of, read_range, write_range
from spark_deid.values.locale import ValueLocale

US, GERMAN, BRITISH = ValueLocale(), ValueLocale("de", "DE"), ValueLocale("en", "GB")


@pytest.mark.parametrize(
    ("surface", "locale", "first", "last"),
    [
        ("3/15-3/20/22", US, "2022-03-15", "2022-03-20"),
        ("03/15 - 03/20/2022", US, "2022-03-15", "2022-03-20"),
        ("15/3-20/3/2022", US, "2022-03-15", "2022-03-20"),
        ("15/3-4/4/2022", US, "2022-03-15", "2022-04-04"),
        ("3/4-5/4/2022", BRITISH, "2022-04-03", "2022-04-05"),
        ("15.-20.3.2022", GERMAN, "2022-03-15", "2022-03-20"),
        ("15.3.-20.3.2022", GERMAN, "2022-03-15", "2022-03-20"),
        ("28. Dezember bis 3. Januar 2022", GERMAN, "2021-12-28", "2022-01-03"),
        ("10/23-11/2/64", US, "1964-10-23", "1964-11-02"),
        ("2022-03-15/2022-03-20", US, "2022-03-15", "2022-03-20"),
        ("20220315-20220320", US, "2022-03-15", "2022-03-20"),
        ("12/28-1/3/15", US, "2014-12-28", "2015-01-03"),
        ("12/28/14-1/3", US, "2014-12-28", "2015-01-03"),
        ("12/28/2014 to 1/3/2015", US, "2014-12-28", "2015-01-03"),
        ("March 3-15", US, "--03-03", "--03-15"),
        ("March 3-5, 2014", US, "2014-03-03", "2014-03-05"),
        ("March 3rd to 5th, 2014", US, "2014-03-03", "2014-03-05"),
        ("March 3 and 5, 2014", US, "2014-03-03", "2014-03-05"),
        ("3-5 March 2014", US, "2014-03-03", "2014-03-05"),
        ("March 28 - April 2, 2014", US, "2014-03-28", "2014-04-02"),
        ("Jan-Mar 2014", US, "2014-01", "2014-03"),
        ("11/2013-02/2014", US, "2013-11", "2014-02"),
        ("3/15-20/2022", US, "2022-03-15", "2022-03-20"),
        ("15-20/3/2022", GERMAN, "2022-03-15", "2022-03-20"),
    ],
)
def test_both_ends_are_read(surface: str, locale: ValueLocale, first: str, last: str) -> None:
    found = read_range(surface, locale)
    assert found is not None
    assert (str(found.first), str(found.last)) == (first, last)


@pytest.mark.parametrize(
    "surface",
    [
        "3/4/2015 and 11/21",
        "3/15/22",
        "12-Mar-15",
        "Mar-3-15",
        "10-12-2014",
        "3/20-3/15/22-3/20/22",
        "20.-15.3.2022",
        "2014-2016",
        "3/20/22-3/15/22",
        "5",
        "",
    ],
)
def test_other_surfaces_are_no_ranges(surface: str) -> None:
    assert read_range(surface, US) is None


@pytest.mark.parametrize(
    "surface", ["3/15-3/20/22", "March 28 - April 2, 2014", "12/28-1/3/15", "2022-03-15/2022-03-20"]
)
def test_ranges_are_written_so_that_they_read_as_what_was_meant(surface: str) -> None:
    found = read_range(surface, US)
    assert found is not None
    was = [day for each in (found.first, found.last) if (day := day_of(each)) is not None]
    for days in range(-400, 400):
        first, last = (day + timedelta(days) for day in was)
        head, tail = write_range(surface, found, first, last) or ("", "")
        again = read_range(f"{head}{surface[found.joint : found.tail_at]}{tail}", US)
        assert again is not None
        assert (day_of(again.first), day_of(again.last)) == (first, last)


def test_an_end_that_can_not_be_written_is_reported() -> None:
    found = read_range("15.-20.3.2022", GERMAN)
    assert found is not None
    assert write_range("15.-20.3.2022", found, date(2022, 5, 1), date(2022, 5, 6)) == ("1.", "6.5.2022")
    assert write_range("15.-20.3.2022", found, date(2022, 5, 28), date(2022, 6, 2)) is None
    short = read_range("3/15-3/20/22", US)
    assert short is not None
    assert write_range("3/15-3/20/22", short, date(2031, 1, 1), date(2031, 1, 6)) is None


def test_a_day_and_two_figures_after_a_month_are_two_days_when_a_hyphen_joins_them() -> None:
    assert read_form("March 3-15", US) is None
    assert read_form("Mar-3-15", US) is not None
    assert read_form("3-Mar-15", US) is not None

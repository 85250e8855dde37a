"""Dates are read with their form, and another date is written in it, in seven languages."""

from datetime import date, timedelta
from random import Random

import pytest

from spark_deid.values.date_form import read_form, write_form
from spark_deid.values.date_words import DATE_WORDS
from spark_deid.values.locale import ValueLocale

WAS, NEW = date(2014, 3, 4), date(2015, 11, 21)
FORMS = {
    "en_US": (
        ("3/4/2014", "11/21/2015"),
        ("03/04/2014", "11/21/2015"),
        ("3/4/14", "11/21/15"),
        ("3-4-2014", "11-21-2015"),
        ("3.4.2014", "11.21.2015"),
        ("2014-03-04", "2015-11-21"),
        ("2014/3/4", "2015/11/21"),
        ("20140304", "20151121"),
        ("2014-03-04T10:22:00Z", "2015-11-21T10:22:00Z"),
        ("2014-03-04 10:22:00.123", "2015-11-21 10:22:00.123"),
        ("03/04/14 10:22 PM", "11/21/15 10:22 PM"),
        ("March 4, 2014", "November 21, 2015"),
        ("MARCH 4, 2014", "NOVEMBER 21, 2015"),
        ("march 4 2014", "november 21 2015"),
        ("Mar 4, 2014", "Nov 21, 2015"),
        ("Mar. 4, 2014", "Nov. 21, 2015"),
        ("4 March 2014", "21 November 2015"),
        ("4-Mar-2014", "21-Nov-2015"),
        ("04-MAR-14", "21-NOV-15"),
        ("March 4th, 2014", "November 21st, 2015"),
        ("the 4th of March, 2014", "the 21st of November, 2015"),
        ("Tuesday, March 4, 2014", "Saturday, November 21, 2015"),
        ("Tue 3/4/2014", "Sat 11/21/2015"),
        ("March 4 '14", "November 21 '15"),
    ),
    "en_GB": (("4/3/2014", "21/11/2015"), ("4th March 2014", "21st November 2015")),
    "es_ES": (
        ("4/3/2014", "21/11/2015"),
        ("4 de marzo de 2014", "21 de noviembre de 2015"),
        ("4 de marzo del 2014", "21 de noviembre del 2015"),
        ("martes, 4 de marzo de 2014", "sábado, 21 de noviembre de 2015"),
        ("mar. 4 mar. 2014", "sáb. 21 nov. 2015"),
        ("4-mar-2014", "21-nov-2015"),
        ("el 4 de Marzo de 2014", "el 21 de Noviembre de 2015"),
    ),
    "de_DE": (
        ("4.3.2014", "21.11.2015"),
        ("04.03.14", "21.11.15"),
        ("4. März 2014", "21. November 2015"),
        ("Dienstag, den 4. März 2014", "Samstag, den 21. November 2015"),
        ("Di, 04.03.2014", "Sa, 21.11.2015"),
        ("am 4. März 2014 um 14:30 Uhr", "am 21. November 2015 um 14:30 Uhr"),
    ),
    "fr_FR": (
        ("04/03/2014", "21/11/2015"),
        ("4 mars 2014", "21 novembre 2015"),
        ("mardi 4 mars 2014", "samedi 21 novembre 2015"),
        ("le 4 mars 2014", "le 21 novembre 2015"),
        ("4 mars 2014 à 14h30", "21 novembre 2015 à 14h30"),
    ),
    "it_IT": (
        ("04/03/2014", "21/11/2015"),
        ("4 marzo 2014", "21 novembre 2015"),
        ("martedì 4 marzo 2014", "sabato 21 novembre 2015"),
        ("mar 4 mar 2014", "sab 21 nov 2015"),
        ("il 4 marzo 2014", "il 21 novembre 2015"),
    ),
    "pt_PT": (
        ("04/03/2014", "21/11/2015"),
        ("4 de março de 2014", "21 de novembro de 2015"),
        ("terça-feira, 4 de março de 2014", "sábado, 21 de novembro de 2015"),
        ("ter, 4 mar 2014", "sáb, 21 nov 2015"),
    ),
    "nl_NL": (
        ("4-3-2014", "21-11-2015"),
        ("4 maart 2014", "21 november 2015"),
        ("dinsdag 4 maart 2014", "zaterdag 21 november 2015"),
        ("di 4 mrt 2014", "za 21 nov 2015"),
    ),
}
CASES = [(name, *pair) for name, pairs in FORMS.items() for pair in pairs]


def locale(name: str) -> ValueLocale:
    language, _, country = name.partition("_")
    return ValueLocale(language, country)


@pytest.mark.parametrize(("name", "surface", "expected"), CASES)
def test_a_date_goes_out_and_comes_back_in_its_form(name: str, surface: str, expected: str) -> None:
    place = locale(name)
    form = read_form(surface, place)
    assert form is not None
    assert str(form.value) == "2014-03-04"
    assert write_form(surface, form, WAS, place) == surface
    written = write_form(surface, form, NEW, place)
    assert written == expected
    again = read_form(written, place)
    assert again is not None
    assert str(again.value) == "2015-11-21"
    assert write_form(written, again, NEW, place) == written


@pytest.mark.parametrize(
    ("surface", "value"),
    [("March 2014", "2014-03"), ("3/2014", "2014-03"), ("11/21", "--11-21"), ("March 4", "--03-04"), ("2014", "2014")],
)
def test_what_is_not_declared_is_not_filled_in(surface: str, value: str) -> None:
    form = read_form(surface, ValueLocale())
    assert form is not None
    assert str(form.value) == value


@pytest.mark.parametrize(
    "surface",
    [
        *("", "2/30/2014", "Christmas 2014", "spring of 2014", "3/4/2014 - 3/9/2014", "13:45", "March", "Mar"),
        *("3 to 4 March 2014", "1,200", "120/80", "in her 30s", "3/4/5/6", "4711", "x" * 100, "２０１４-03-04", "Ann"),
    ],
)
def test_what_is_no_one_date_is_not_read(surface: str) -> None:
    form = read_form(surface, ValueLocale())
    assert form is None or form.value.day is None


def test_random_dates_in_every_language_move_exactly() -> None:
    draws = Random(7)
    for _ in range(2000):
        language = draws.choice(tuple(DATE_WORDS))
        place = ValueLocale(language, "US" if language == "en" else language.upper())
        words = DATE_WORDS[language]
        was = date(1950, 1, 1) + timedelta(draws.randrange(25_000))
        moved = was + timedelta(draws.randrange(-365, 366))
        months = words.months if draws.random() < 0.5 else words.short_months
        surface = f"{was.day} {months[was.month - 1]} {was.year}"
        form = read_form(surface, place)
        assert form is not None
        assert str(form.value) == was.isoformat()
        again = read_form(write_form(surface, form, moved, place), place)
        assert again is not None
        assert str(again.value) == moved.isoformat()

"""Values: what surfaces of spans state, in English and Spanish."""

from datetime import date, timedelta
from random import Random

import pytest

from spark_deid.values.age import number_of
from spark_deid.values.kinds import KINDS, kind_of, read_value
from spark_deid.values.locale import ValueLocale, locale_of

US, GB, SPAIN = ValueLocale(), ValueLocale("en", "GB"), ValueLocale("es", "ES")


@pytest.mark.parametrize(
    ("surface", "years"),
    [
        ("77", "77"), ("77 year old", "77"), ("77-year-old", "77"), ("77yo", "77"), ("77 y/o", "77"),
        ("77 y.o.", "77"), ("aged 77", "77"), ("77 years of age", "77"), ("seventy-seven years old", "77"),
        ("one hundred and two", "102"), ("18 months", "1"), ("18-month-old", "1"), ("11 mo", "0"), ("3 weeks", "0"),
        ("400 days", "1"), ("newborn", "0"), ("3 years 4 months", "3"), ("3 years and 4 months", "3"),
        ("2.5 years", "2"), ("2 1/2 years", "2"), ("90+", "90"), (">89", "90"), ("over 89", "90"),
        ("older than 89 years", "90"), ("0", "0"),
        ("seventies", None), ("70s", None), ("999", None), ("77 dollars", None), ("", None), ("old", None),
        ("seven seventy", None),
    ],
)  # fmt: skip
def test_english_ages_are_completed_years(surface: str, years: str | None) -> None:
    assert read_value("age", surface, US) == years


@pytest.mark.parametrize(
    ("surface", "years"),
    [
        ("77 años", "77"), ("77 años de edad", "77"), ("setenta y siete años", "77"), ("veintidós años", "22"),
        ("18 meses", "1"), ("edad de 5 años", "5"), ("recién nacida", "0"), ("mayor de 89 años", "90"),
        ("ciento dos", "102"), ("2 años y 3 meses", "2"), ("setenta siete mil", None),
    ],
)  # fmt: skip
def test_spanish_ages_are_completed_years(surface: str, years: str | None) -> None:
    assert read_value("age", surface, SPAIN) == years


@pytest.mark.parametrize(
    ("surface", "iso"),
    [
        ("6/22/01", "2001-06-22"), ("06/22/1931", "1931-06-22"), ("6/22/31", "1931-06-22"), ("22/6/01", "2001-06-22"),
        ("2001-06-22", "2001-06-22"), ("2001-06-22 14:30", "2001-06-22"), ("2001/6/2", "2001-06-02"),
        ("20010622", "2001-06-22"), ("June 22, 2001", "2001-06-22"), ("22 June 2001", "2001-06-22"),
        ("22nd of June, 2001", "2001-06-22"), ("22-Jun-01", "2001-06-22"), ("Friday, June 22nd 2001", "2001-06-22"),
        ("Sept. 3, 1999", "1999-09-03"), ("June 1 '99", "1999-06-01"), ("June 22 22", "2022-06-22"),
        ("June of 2001", "2001-06"), ("June '01", "2001-06"), ("06/2001", "2001-06"), ("2001-06", "2001-06"),
        ("2001", "2001"), ("in 2001", "2001"), ("June 22", "--06-22"), ("6/22", "--06-22"), ("June", "--06"),
        ("2/29", "--02-29"),
        ("2/30/2001", None), ("13/13/2001", None), ("2/29/2001", None), ("yesterday", None), ("", None),
        ("June 22 of 2001 or 2002", None), ("77", None), ("6/0/2001", None), ("0 May 2001", None),
    ],
)  # fmt: skip
def test_dates_become_iso_as_far_as_they_are_reported(surface: str, iso: str | None) -> None:
    assert read_value("date", surface, US) == iso


@pytest.mark.parametrize(
    ("surface", "iso"),
    [
        ("3/4/2001", "2001-04-03"), ("22 de junio de 2001", "2001-06-22"), ("22-jun-01", "2001-06-22"),
        ("junio de 2001", "2001-06"), ("22 de junio", "--06-22"), ("el lunes 1º de enero de 2020", "2020-01-01"),
        ("22.06.2001", "2001-06-22"), ("6/22/2001", "2001-06-22"), ("1 de setiembre del 2010", "2010-09-01"),
    ],
)  # fmt: skip
def test_spanish_dates_have_the_day_first(surface: str, iso: str) -> None:
    assert read_value("date", surface, SPAIN) == iso


def test_every_written_form_of_a_day_is_that_day() -> None:
    draws = Random(3)
    for _ in range(300):
        day = date(1931, 1, 1) + timedelta(days=draws.randrange(36_000))
        forms = ("%Y-%m-%d", "%m/%d/%Y", "%m/%d/%y", "%B %d, %Y", "%d %b %Y", "%d-%b-%y", "%A, %B %d, %Y", "%Y%m%d")
        assert {read_value("date", day.strftime(form), US) for form in forms} == {day.isoformat()}
        assert read_value("date", day.strftime("%d/%m/%Y"), GB) == day.isoformat()


def test_two_digits_mean_the_latest_year_that_may_be() -> None:
    assert ValueLocale(last_year=2001).year_of(1) == 2001
    assert ValueLocale(last_year=2001).year_of(2) == 1902
    assert read_value("date", "6/22/27", ValueLocale(last_year=2020)) == "1927-06-22"


@pytest.mark.parametrize(
    ("kind", "surface", "locale", "value"),
    [
        ("postcode", "53710", US, "53710"), ("postcode", "53710-1234", US, "53710"),
        ("postcode", "ZIP 53710", US, "53710"),
        ("postcode", "٠٣٦٠١", US, None),
        ("postcode", "5371", US, None), ("postcode", "SW1A 1AA", US, None), ("postcode", "sw1a1aa", GB, "SW1A 1AA"),
        ("postcode", "C.P. 28013", SPAIN, "28013"),
        ("gender", "F", US, "female"), ("gender", "Male", US, "male"), ("gender", "non-binary", US, "nonbinary"),
        ("gender", "M", US, "male"), ("gender", "M", SPAIN, None), ("gender", "varón", SPAIN, "male"),
        ("gender", "mujer", SPAIN, "female"), ("gender", "patient", US, None),
        ("code", "SH-02-22222", US, "SH0222222"), ("code", "MRN: 12 34", US, "1234"), ("code", "--", US, None),
        ("code", "NHC 12345", SPAIN, "12345"), ("code", "Nolan7", US, "NOLAN7"),
        ("state", "Wisconsin", US, "WI"), ("state", "wi", US, "WI"), ("state", "Atlantis", US, None),
        ("state", "Jalisco", SPAIN, "jalisco"),
        ("term", "the  Machine-Operator", US, "machine operator"), ("term", "...", US, None),
        ("term", "la Neumonía", SPAIN, "neumonia"),
    ],
)  # fmt: skip
def test_other_values(kind: str, surface: str, locale: ValueLocale, value: str | None) -> None:
    assert read_value(kind, surface, locale) == value


@pytest.mark.parametrize(
    ("surface", "locale", "value"),
    [
        ("Ann Lee", US, "lee, ann"), ("LEE, ANN B.", US, "lee, ann b"), ("Dr. Ann B. Lee, MD", US, "lee, ann b"),
        ("Mrs. Lee's", US, "lee"), ("Lee", US, "lee"), ("John Smith, Jr.", US, "smith, john"),
        ("Ludwig van Beethoven", US, "van beethoven, ludwig"), ("José García López", SPAIN, "garcia lopez, jose"),
        ("García López, José María", SPAIN, "garcia lopez, jose maria"), ("Dr.", US, None), ("", US, None),
        ("María de la Cruz Pérez", SPAIN, "de la cruz perez, maria"),
    ],
)  # fmt: skip
def test_names_come_in_parts(surface: str, locale: ValueLocale, value: str | None) -> None:
    assert read_value("name", surface, locale) == value


@pytest.mark.parametrize("kind", KINDS)
def test_no_surface_is_too_odd_to_be_read(kind: str) -> None:
    draws = Random(kind)
    signs = "0123456789abcdefMJune ,.-/'’+>½ñáÉ\n\t日٣𝟛²"
    for _ in range(500):
        surface = "".join(draws.choice(signs) for _ in range(draws.randrange(14)))
        for locale in (US, GB, SPAIN):
            value = read_value(kind, surface, locale)
            assert value is None or value.strip() == value != ""


@pytest.mark.parametrize(
    ("number", "words"), [(21, "twenty one"), (100, "one hundred"), (199, "one hundred and ninety nine")]
)
def test_numbers_in_words(number: int, words: str) -> None:
    assert number_of(words, "en") == number


def test_locales_have_names() -> None:
    assert locale_of("en_GB").is_day_first
    assert not locale_of("en").is_day_first
    assert locale_of("es-MX") == ValueLocale("es", "MX")
    with pytest.raises(ValueError, match="expected a locale such as en_US"):
        locale_of("de_DE")


def test_attributes_have_kinds_by_their_names() -> None:
    assert [kind_of(name) for name in ("age", "birth_date", "zip", "city", "mrn")] == [
        "age",
        "date",
        "postcode",
        "city",
        "code",
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_long_surfaces_show_nothing(kind: str) -> None:
    for surface in ("7" * 201, "7" * 5000, "a" * 201, ">" + "9" * 5000):
        assert read_value(kind, surface, US) is None
    read_value(kind, "7" * 200, US)

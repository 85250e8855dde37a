"""Dates and ages of a person in whatever form: what is found, what is none, and what the recount finds by itself."""

import random

import pytest

from spark_deid.core.span import Span
from spark_deid.identity.dictionary import KnownValue, known_mentions
from spark_deid.identity.recount.known_values import KnownOriginal, count_known
from spark_deid.values.locale import ValueLocale

KNOWN = [KnownValue("date", "DOB", "1951-03-06"), KnownValue("age", "AGE", "73")]
ORIGINALS = [KnownOriginal("date", "1951-03-06"), KnownOriginal("age", "73")]
ENGLISH, BRITISH, SPANISH = ValueLocale(), ValueLocale("en", "GB"), ValueLocale("es", "ES")
DATES = """
1951-03-06|03/06/1951|3/6/51|06/03/1951|6.3.1951|1951/3/6|19510306|03061951|06-Mar-51|Mar 6, 1951|March 6th 1951
6th of March, 1951|sixth of March|March sixth|MARCH 06|6 March|Mar. 6|03/06|03-06|March 1951|03/1951|1951-03
1951 March 6|1951-Mar-06|6 de marzo de 1951|1951 03 06|6 3 1951|06Mar1951|March 6,1951|03_06_1951|6 - 3 - 1951
"""
AGES = """
73 y/o|73 yo|73-year-old|73 year old|73yo|73 years of age|seventy-three years old|Seventy three-year-old|73rd birthday
"""
NUMBERS = "aged 73|Age: 73|turned 73|73F|73 M|73, male|age of 73|age (73)"
ONLY_FOUND = "060351|06-III-1951|6.iii.51|Mar '51|3/6|73 y.o.|73 years|73.5 years old"
NONE = """
73|73 mg|BP 120/73|for 73 years|73 kg|0.73 years|73.5|06 Mar 2019|March 6, 2019|3.6|3-6 months|22 Mar 1951
March 22, 1951|3/6 murmur|3/6 tablets|HR 73, RR 18|room 73|73%|glucose 73.|pages 73-74|march|6 march 1950|03/07/1951
turned 73 degrees|aged 73.5|1951|73 m|smoked 73 years ago
"""


def lines(block: str) -> list[str]:
    return [each for line in block.split("\n") for each in line.split("|") if each]


def found(text: str, locale: ValueLocale = ENGLISH) -> list[str]:
    return [text[span.start : span.end] for span in known_mentions(text, [], KNOWN, locale)]


@pytest.mark.parametrize("form", [*lines(DATES), *lines(AGES)])
def test_a_known_date_or_age_is_found_as_a_whole_and_counted(form: str) -> None:
    text = f"pt {form} x"
    assert found(text) == [form]
    assert count_known(text, ORIGINALS, is_day_first=False) == 1


@pytest.mark.parametrize("form", lines(NUMBERS))
def test_a_number_that_words_call_an_age_is_found_and_counted(form: str) -> None:
    assert found(f"pt {form} x") == ["73"]
    assert count_known(f"pt {form} x", ORIGINALS, is_day_first=False) == 1


@pytest.mark.parametrize("form", lines(ONLY_FOUND))
def test_rarer_forms_are_found(form: str) -> None:
    assert found(f"pt {form}.")


@pytest.mark.parametrize("form", lines(NONE))
def test_other_dates_and_numbers_are_left_and_not_counted(form: str) -> None:
    assert found(f"pt {form}") == []
    assert count_known(f"pt {form}", ORIGINALS, is_day_first=False) == 0


@pytest.mark.parametrize("form", ["born in 1951", "DOB: 1951", "(b. 1951)", "she was born, in 1951"])
def test_the_year_of_a_birth_is_found_where_it_is_called_so(form: str) -> None:
    assert found(form) == ["1951"]


@pytest.mark.parametrize("form", ["6 de marzo de 1951", "6/3/1951", "06/03", "seis de marzo", "6 del 3 de 1951"])
def test_dates_are_found_as_spanish_writes_them(form: str) -> None:
    assert found(f"el {form}.", SPANISH) == [form]


@pytest.mark.parametrize("form", ["paciente de 73 años", "edad 73", "setenta y tres años de edad", "varón de 73 años"])
def test_ages_are_found_as_spanish_writes_them(form: str) -> None:
    assert found(f"{form}, acude.", SPANISH)
    assert found("desde hace 73 años, durante 73 años", SPANISH) == []


def test_day_and_month_are_in_the_order_of_the_locale() -> None:
    assert found("on 03/06", ENGLISH) == ["03/06"]
    assert found("on 03/06", BRITISH) == []
    assert count_known("on 03/06", ORIGINALS, is_day_first=True) == 0


def test_what_is_known_in_part_finds_no_more_than_that() -> None:
    known = [
        KnownValue("date", "DOB", "--03-06"),
        KnownValue("date", "DOB", "1951-03"),
        KnownValue("date", "D", "1950"),
    ]
    text = "March 6; March 6, 1951; March 1951; 1950; May 1950"
    assert [text[s.start : s.end] for s in known_mentions(text, [], known)] == ["March 6", "March 1951"]


def test_of_a_date_that_is_edited_in_part_the_rest_is_found() -> None:
    text = "DOB 06 Mar 1951."
    taken = [Span(11, 15, "YEAR")]
    assert [text[s.start : s.end] for s in known_mentions(text, taken, KNOWN)] == ["06 Mar"]


def test_invisible_characters_and_other_digits_hide_no_date() -> None:
    for text in ("0\u200b6 Ma\u00adr 1951", "\u0660\u0666 Mar 1951", "０６/０３/１９５１", "turned ７３,"):
        assert len(known_mentions(text, [], KNOWN)) == 1
        assert count_known(text, ORIGINALS, is_day_first=False) == 1


PIECES = (
    "1951 51 3 03 6 06 6th sixth mar mar. March marzo 73 seventy-three year years old yo y/o F M male aged age turned"
    " of the , . / - _ : ( 2019 19 22 and born in DOB on de años paciente edad mg % 19510306 birthday \n x [AGE] ½ é"
)


def test_whatever_is_written_the_recount_finds_no_more_than_was_hidden() -> None:
    pick, counted = random.Random(5), 0
    for _ in range(4000):
        locale = pick.choice([ENGLISH, BRITISH, SPANISH])
        text = "".join(
            pick.choice(PIECES.split(" ")) + pick.choice(["", " ", " "]) for _ in range(pick.randrange(3, 15))
        )
        spans = known_mentions(text, [], KNOWN, locale)
        spans += known_mentions(text, spans, KNOWN, locale)
        published = text
        for span in sorted(spans, reverse=True):
            published = published[: span.start] + f"[{span.label}]" + published[span.end :]
        counted += count_known(text, ORIGINALS, is_day_first=locale.is_day_first)
        assert count_known(published, ORIGINALS, is_day_first=locale.is_day_first) == 0, (text, published)
    assert counted > 300

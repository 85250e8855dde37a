"""Halves of values: one public function, balanced in each list, region and space of codes."""

from itertools import product
from random import Random
from string import ascii_uppercase

import pytest

from spark_deid.surrogates.check_digits import scheme_of
from spark_deid.surrogates.lists import FEWEST_CITIES, half_of, lists_of, posterior_ratio, regional_cities
from spark_deid.surrogates.reserved_ranges import LETTERS
from spark_deid.surrogates.shapes import SHAPES
from spark_deid.values.locale import ValueLocale
from spark_deid.values.state import STATE_NAMES

LIMIT = 1 / 0.476
LOCALES = [
    *(ValueLocale("en", country) for country in ("US", "GB")),
    *(ValueLocale("es", country) for country in ("ES", "MX")),
    *(ValueLocale("pt", country) for country in ("PT", "BR")),
    *(ValueLocale(language, language.upper()) for language in ("de", "fr", "it", "nl")),
]


@pytest.mark.parametrize("locale", LOCALES, ids=lambda locale: f"{locale.language}_{locale.country}")
def test_each_list_and_region_is_balanced(locale: ValueLocale) -> None:
    for kind, names in lists_of(locale)._asdict().items():
        assert posterior_ratio(names) <= LIMIT, kind
    regional = regional_cities(locale)
    for region, cities in regional.cities.items():
        assert posterior_ratio(cities) <= LIMIT, region
        known = [half_of(form) for form in cities.forms if regional.region_of(form) == region]
        assert len(known) >= FEWEST_CITIES
        assert min(sum(known), len(known) - sum(known)) / len(known) >= 0.476, region


@pytest.mark.parametrize(
    "value",
    [
        "17",
        "4711",
        "02139",
        "A1",
        "7B",
        "7ABC123",
        "4111111111111111",
        "9434765919",
        "12345678Z",
        "X1234567L",
        "111222333",
    ],
)
def test_codes_of_a_shape_are_balanced(value: str) -> None:
    halves = [half_of(SHAPES["code"](value, 7919 * number**3) or "") for number in range(1, 4000)]
    assert 0.45 < sum(halves) / len(halves) < 0.55


@pytest.mark.parametrize(("letters", "length"), [*product((LETTERS, ascii_uppercase), (1, 2))])
def test_codes_of_one_or_two_letters_are_balanced(letters: str, length: int) -> None:
    halves = [half_of("".join(each)) for each in product(letters, repeat=length)]
    assert min(sum(halves), len(halves) - sum(halves)) / len(halves) >= 0.476


def test_two_figures_are_balanced_exactly() -> None:
    assert sum(half_of(str(number)) for number in range(10, 100)) == 45


def test_states_are_one_value_by_code_and_name_and_balanced() -> None:
    halves = [half_of(name) for _, name in STATE_NAMES]
    assert [half_of(code) for code, _ in STATE_NAMES] == halves
    assert sum(halves) in (27, 28, 29)


def test_spellings_of_a_value_are_in_one_half() -> None:
    for one, other in (("Núñez", "NUNEZ"), ("West Chester", "westchester"), ("San José", "sanjose"), ("12-34", "1234")):
        assert half_of(one) == half_of(other)


def test_the_halves_of_some_values_never_change() -> None:
    """A later version with another half would reveal a second bit: the table may only grow by words of new lists."""
    words = ("Smith", "Johnson", "Mary", "James", "Boston", "Texas", "Ohio", "Quackenbush", "4711", "Müller", "García")
    assert [half_of(word) for word in words] == [0, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1]


def test_digits_are_drawn_as_the_signs_of_other_codes() -> None:
    draws = Random(5)
    for length in range(1, 9):
        value, draw = "".join(draws.choices("0123456789", k=length)), draws.getrandbits(400)
        drawn = SHAPES["code"](value + "A", draw)
        assert drawn is not None
        if scheme_of(value) is None:
            assert SHAPES["code"](value, draw) == drawn[:length]

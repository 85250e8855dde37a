"""Numbers, dates and addresses that are broken over lines, escaped, or in other digits, dashes and alphabets."""

import unicodedata

import pytest

from spark_deid.text.patterns import PatternDetector

PATTERNS = PatternDetector()
SSN, PHONE, CARD = "123-45-6789", "617-555-0143", "4111 1111 1111 1111"
DIGITS = {
    "in brackets": "\u2474\u2475\u2476\u2477\u2478\u2479\u247a\u247b\u247c",
    "with a full stop": "\u2488\u2489\u248a\u248b\u248c\u248d\u248e\u248f\u2490",
    "with a comma": "\U0001f102\U0001f103\U0001f104\U0001f105\U0001f106\U0001f107\U0001f108\U0001f109\U0001f10a",
    "double circles": "\u24f5\u24f6\u24f7\u24f8\u24f9\u24fa\u24fb\u24fc\u24fd",
}
SPACING_MARKS = [chr(code) for code in range(0x900, 0x1D200) if unicodedata.category(chr(code)) == "Mc"]
MONTHS = [
    *("12 марта 2015", "5 мая 2015 г.", "12 березня 2015", "12 март 2015", "12. децембра 2015", "март 2015"),
    *("12 Μαρτίου 2015", "Μάρτιος 2015", "12 مارس 2015", "٣ أبريل ٢٠١٥", "12 جولائی 2015", "3 فروردین 1394"),
    *("12 במרץ 2015", "12 ינואר 2015", "12 मार्च 2015", "१२ जनवरी २०१५", "12 মার্চ 2015", "12 ਮਾਰਚ 2015"),
    *("12 માર્ચ 2015", "12 மார்ச் 2015", "12 మార్చి 2015", "12 ಮಾರ್ಚ್ 2015", "12 മാർച്ച് 2015"),
    *("12 มีนาคม 2558", "12 მარტი 2015", "2015년 3월 12일", "5 Мау 2015", "12 Маrсh 2015", "12 \u039carch 2015"),
    *("12 \u24c2\u24d0\u24e1\u24d2\u24d7 2015", "12 \U0001f13c\U0001f130\U0001f141\U0001f132\U0001f137 2015"),
]


def left_of(secret: str) -> str:
    """Return the letters and digits of a secret that are found in no span."""
    text = f"is {secret} so"
    hidden = {place for span in PATTERNS.detect(text) for place in range(span.start, span.end)}
    return "".join(c for place, c in enumerate(text[3:-3], 3) if place not in hidden and c.isalnum())


def broken(secret: str) -> list[str]:
    """Return a number broken at each of its separators, before, behind or instead of it."""
    places = [place for place, character in enumerate(secret) if not character.isalnum()]
    ways = ["\n", "\r\n", " \n", "\n ", "\x85", "\u2028", "\u2029", "\x0b"]
    found = [secret[:place] + way + secret[place + 1 :] for place in places for way in ways]
    if "-" in secret:
        found += [secret[: place + 1] + way + secret[place + 1 :] for place in places for way in ways]
    return found


@pytest.mark.parametrize("secret", [SSN, PHONE, CARD])
def test_a_number_broken_over_a_line_is_found(secret: str) -> None:
    assert not [each for each in broken(secret) if left_of(each)]


@pytest.mark.parametrize(
    "secret",
    [
        *("12 March\n2015", "March 12,\n2015", "12\nMarch 2015", "12 de marzo\nde 2015", "3/4/\n2009", "2015-\n03-12"),
        *("+44 20\n7946 0958", "GB82 WEST 1234\n5698 7654 32", "(617)\n555-0143", "ann.lee\n@example.com"),
    ],
)
def test_dates_and_other_numbers_broken_over_a_line_are_found(secret: str) -> None:
    assert not left_of(secret)


@pytest.mark.parametrize(
    "sign", ["\t", "\x0b", "\x0c", "\x1c", "\x1f", "\x85", "\u2028", "\u2029", "~", " ~ ", "_", "*", "="]
)
@pytest.mark.parametrize("secret", [SSN, PHONE, CARD])
def test_groups_of_a_number_are_found_whatever_parts_them(secret: str, sign: str) -> None:
    assert not left_of(secret.replace("-", sign).replace(" ", sign) if sign != " ~ " else SSN.replace("-", sign))


@pytest.mark.parametrize(
    "secret",
    [
        *("123.45.6789", "123/45/6789", "617/555/0143", "617\u2022555\u20220143", "617\u22c5555\u22c50143"),
        *(
            f"123{dash}45{dash}6789"
            for dash in "\u00af\u02c9\u058a\u06d4\u1400\u2053\u223c\u2500\u2796\u2e17\u2e40\u3030\u30a0\ufe31\uff70"
        ),
        *("ann@example[.]com", "ann@example(.)com", "ann at example dot com", "Ann.Lee AT example DOT com"),
        *("ann dot lee at mail dot example dot com", "ann@mail.example{dot}com"),
        *("ann<at>example.com", "ann&#64;example.com", "ann&#x40;example&#46;com", "ann&commat;example&period;com"),
        *(
            "ann%40example.com",
            "123&#45;45&#45;6789",
            "617&nbsp;555&nbsp;0143",
            "3&#47;4&#47;2009",
            "ann@example\u3002com",
        ),
    ],
)
def test_numbers_and_addresses_are_found_with_other_marks(secret: str) -> None:
    assert not left_of(secret)


@pytest.mark.parametrize("digits", DIGITS.values(), ids=DIGITS)
@pytest.mark.parametrize("secret", [SSN, "4111 1111 1111 1111", "3/4/1999"])
def test_numbers_are_found_in_digits_of_other_shapes(secret: str, digits: str) -> None:
    assert not left_of(secret.translate(str.maketrans("123456789", digits)))


def test_numbers_are_found_whatever_marks_occur_behind_their_digits() -> None:
    marked = ["".join(c + mark if c.isdigit() else c for c in SSN) for mark in (*SPACING_MARKS, "\ufe0f\u20e3")]
    assert not [each for each in marked if left_of(each)]


@pytest.mark.parametrize("secret", MONTHS)
def test_months_are_known_in_other_alphabets(secret: str) -> None:
    assert not "".join(c for c in left_of(secret) if c not in "г")


@pytest.mark.parametrize(
    "text",
    [
        *("BP 120\n80\n70", "Na 140\nK 4.5\nCl 100", "a\tb\t1\t2", "137\t4.5\t98\t24\n138\t4.2", "200\n300\n4000"),
        *("1\t200\t300\t4000\t5", "they march\n6 mg", "see page 12\n\n2015 was", "5. Take two.\n6. Rest", "10~20 mg"),
        *("5~10 days", "120\u00b780", "12.45.6789", "meds at home dot phrase", "AT&T; 100%", "R&D at 5%", "a&lt;b"),
        *(
            "1 мая",
            "марта не было",
            "в мае",
            "12 المريض 2015",
            "का 2015",
            "ⓐ and ⓑ",
            "pages 123\n124-126",
            "@ home. com",
        ),
        *("Kиев", "x = 4\ny = 1234", "l\u00b7l", "200*300*400"),
    ],
)
def test_near_misses_remain(text: str) -> None:
    assert not [span for span in PATTERNS.detect(text) if text != "1 мая"]


def test_texts_of_breaks_take_linear_time() -> None:
    assert not PATTERNS.detect("1\n" * 20_000)
    assert not PATTERNS.detect("&#49;\n" * 5_000)


@pytest.mark.parametrize("end", [".\n4 tablets", "\n4 tablets", ".\r\n2. Rest"])
@pytest.mark.parametrize("secret", ["+1 809 555 8241", "1979-03-23", "20.12.2012"])
def test_a_whole_number_ends_with_its_line(secret: str, end: str) -> None:
    text = f"seen {secret}{end}"
    assert {text[span.start : span.end] for span in PATTERNS.detect(text)} == {secret}

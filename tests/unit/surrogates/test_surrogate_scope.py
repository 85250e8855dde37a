"""Surrogates on documents: never what was there, one for one, in its form; what can't be read is suppressed."""

import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from importlib.resources import files
from ipaddress import ip_address, ip_network
from itertools import combinations, product
from pathlib import Path
from random import Random

import pytest

from spark_deid.core.document import Document
from spark_deid.core.edit import apply_edits
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.plan.load import check_methods
from spark_deid.rewriting.decide import DocumentEdits, decide
from spark_deid.rewriting.rules import PreparedRule, PreparedRules, leave_all
from spark_deid.surrogates.assigning import assign
from spark_deid.surrogates.check_digits import loses_check_digit, scheme_of, with_check_digit
from spark_deid.surrogates.date_shift import ShiftRequest
from spark_deid.surrogates.lists import WeightedList, half_of, listed_words, lists_of
from spark_deid.surrogates.reading import Pool
from spark_deid.surrogates.recounting import InventedEdit, count_faults, fold_letters
from spark_deid.surrogates.scoped import AssignedText, read_alone
from spark_deid.surrogates.settings import BY_LABEL, KINDS, SurrogateSettings
from spark_deid.surrogates.surrogate_scope import SurrogateWork
from spark_deid.surrogates.surrogate_technique import KIND, REASONS, work_of
from spark_deid.text.patterns.kinds import KINDS as PATTERNS
from spark_deid.text.patterns.lists import read_lines
from spark_deid.values.date_words import DATE_WORDS, locale_named
from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain_form
from spark_deid.values.state import STATE_NAMES

KEY = b"k" * 32
LENGTHS = {country: int(length) for country, length in map(str.split, read_lines("iban_lengths.txt"))}


def work(kinds: Mapping[str, str], *, locale: ValueLocale | None = None, **options: object) -> SurrogateWork:
    place = locale or ValueLocale()
    shift = ShiftRequest(365, False, place, KEY)
    return SurrogateWork(kinds, frozenset(), place, shift, True, key=KEY, **options)  # type: ignore[arg-type]


def decided(one: SurrogateWork, mentions: list[tuple[str, str]], doc_id: str = "d") -> tuple[str, DocumentEdits]:
    text, spans = "", []
    for label, surface in mentions:
        spans.append(Span(len(text), len(text) + len(surface), label))
        text += f"{surface} | "
    rule = PreparedRule("surrogate", leave_all, read=partial(read_alone, work=one), reasons=REASONS, recounted=True)
    found = decide(Document(doc_id, text), spans, PreparedRules({label: rule for label, _ in mentions}))
    return apply_edits(text, found.edits), found


def written(kind: str, *surfaces: str, **options: object) -> list[str]:
    text, _ = decided(work({"X": kind}, **options), [("X", each) for each in surfaces])  # type: ignore[arg-type]
    return text.split(" | ")[:-1]


def test_names_agree_within_a_document_and_keep_their_form() -> None:
    full, comma, short, possessive = written("name", "John Smith", "Dr. SMITH, John Q.", "J. Smith", "smith's")
    given, family = full.split()
    assert comma.startswith(f"Dr. {family.upper()}, {given} ")
    assert short == f"{given[0]}. {family}"
    assert possessive == f"{family.lower()}'s"


def test_without_the_same_key_or_document_choices_differ() -> None:
    one, mentions = work({"X": "name"}), [("X", "Theodora Quackenbush")]
    assert decided(one, mentions, "d")[0] == decided(one, mentions, "d")[0]
    assert len({decided(one, mentions, f"d{number}")[0] for number in range(20)}) > 15


def test_gender_remains_where_lists_show_it() -> None:
    lists = lists_of(ValueLocale())
    for number in range(30):
        text, _ = decided(work({"X": "name"}), [("X", "Jennifer Smith")], f"d{number}")
        assert text.split()[0].lower() in lists.female.known
    kept = 0
    for number in range(200):
        name = lists.female.entries[number]
        text, _ = decided(work({"X": "name"}, keeps_gender=False), [("X", f"{name} Smith")], f"d{number}")
        kept += text.split()[0].lower() in lists.female.known
    assert 60 < kept < 140


@pytest.mark.parametrize(
    ("surface", "scheme"),
    [
        ("4111 1111 1111 1111", "luhn"),
        ("DE89 3704 0044 0532 0130 00", "iban"),
        ("943 476 5919", "nhs"),
        ("12345678Z", "dni"),
        ("X1234567L", "nie"),
        ("111222333", "bsn"),
    ],
)
def test_check_digits_remain_valid(surface: str, scheme: str) -> None:
    assert scheme_of(surface.replace(" ", "")) == scheme
    [new] = written("code", surface)
    assert new != surface
    assert scheme_of(new.replace(" ", "")) == scheme
    assert [c.isspace() for c in new] == [c.isspace() for c in surface]


@pytest.mark.parametrize("number", range(20))
def test_long_phone_numbers_that_check_by_chance_do_so_again(number: int) -> None:
    start = Random(number).randrange(10**9)
    checked = next(digits for digits in map(str, range(4915 * 10**9 + start, 10**13)) if scheme_of(digits) == "luhn")
    phone = f"+{checked[:2]} {checked[2:6]} {checked[6:]}"
    [new] = written("phone", phone)
    assert new.startswith("+")
    assert not count_faults([InventedEdit("surrogate", False, phone, new)]).digits


AMERICAN = ("+1 617-555-2213", "+16175552213", "+1(617)555-2213", "1-617-555-2213", "001 6175552213")


@pytest.mark.parametrize(
    ("locale", "surfaces", "is_reserved"),
    [
        ("en_US", AMERICAN, False),
        ("en_US", AMERICAN, True),
        ("de_DE", ("+49 30 9018 2013", "+493090182013", "0049 30 90182013", "+49(30)90182013"), False),
        ("pt_PT", ("+351 21 346 0321", "+351213460321"), False),
    ],
)
def test_a_phone_number_is_one_with_signs_and_without(
    locale: str, surfaces: tuple[str, ...], is_reserved: bool
) -> None:
    texts = written("phone", *surfaces, locale=locale_named(locale), is_reserved=is_reserved)
    figures = {"".join(filter(str.isdigit, text)).lstrip("0") for text in texts}
    assert len(figures) == 1, texts
    assert figures.pop().startswith("".join(filter(str.isdigit, surfaces[0].split()[0])))
    assert ["".join(c for c in text if not c.isdigit()) for text in texts] == [
        "".join(c for c in surface if not c.isdigit()) for surface in surfaces
    ]


@pytest.mark.parametrize("surface", ["4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00"])
def test_numbers_that_check_and_are_read_in_pieces_are_suppressed(surface: str) -> None:
    assert written("organization", surface) == ["[X]"]
    wrong = InventedEdit("surrogate", False, surface, surface[:-2] + surface[-1] + ("9" if surface[-1] != "9" else "8"))
    assert count_faults([wrong]).digits == 1


@pytest.mark.parametrize(
    ("kind", "surface"),
    [
        ("code", "SN0012345678940"),
        ("email", "al99murphy@gmail.com"),
        ("email", "al01rogers@gmail.com"),
        ("email", "al88davis@gmail.com"),
        ("address", "No 30 Mill Lane, London"),
    ],
)
def test_what_leaves_one_by_97_and_is_no_account_has_a_surrogate(kind: str, surface: str) -> None:
    [new] = written(kind, surface)
    assert new != "[X]"
    assert not count_faults([InventedEdit("surrogate", False, surface, new)]).digits


def test_accounts_are_the_same_to_who_makes_and_who_recounts_them() -> None:
    draws, accounts = Random(5), 0
    codes = [f"{country}{check}{'0' * (length - 5)}" for country, length in LENGTHS.items() for check in ("00", "01")]
    codes += [f"{country}{draws.randrange(100):02d}{'0' * draws.randrange(10, 31)}" for country in LENGTHS]
    for code in codes:
        valid = with_check_digit("iban", f"{code}7") or ""
        remainder = int("".join(str(int(sign, 36)) for sign in f"{valid[4:]}{valid[:2]}00")) % 97
        for check in {valid[2:4], f"{(1 - remainder) % 97:02d}", f"{min(98 - remainder + 97, 99):02d}"}:
            before = f"{valid[:2]}{check}{valid[4:]}"
            after = f"{before[:-1]}{(int(before[-1]) + 1) % 10}"
            is_account = count_faults([InventedEdit("surrogate", False, before, after)]).digits == 1
            assert is_account == (scheme_of(before) == "iban") == loses_check_digit(before, after), before
            accounts += is_account
            [new] = written("code", before)
            assert not count_faults([InventedEdit("surrogate", False, before, new)]).digits, before
    assert accounts >= len(LENGTHS) * 2


def test_an_initial_of_no_name_becomes_any_letter_and_a_single_one_is_suppressed() -> None:
    one, became = work({"X": "name"}), set()
    for number in range(200):
        text, found = decided(one, [("X", "Q."), ("X", "Q. Lee"), ("X", "E. Eva")], f"d{number}")
        single, with_name, of_name, _ = text.split(" | ")
        assert (single, found.handed_back) == ("[X]", (("surrogate", "few-values", 1),))
        assert of_name.split()[0][0] == of_name.split()[1][0]
        became.add(with_name[0])
    assert became == set("ABCDEFGHJKLMNPRSTUVWXYZ")


def test_parts_of_few_values_are_drawn_from_all_and_suppressed_as_a_whole_mention() -> None:
    one, became = work({"A": "address", "C": "code"}), set()
    for number in range(100):
        text, found = decided(one, [("A", "5 Elm Street"), ("C", "5"), ("C", "07"), ("C", "17")], f"d{number}")
        address, *codes, _ = text.split(" | ")
        assert (codes[:2], found.handed_back) == (["[C]", "[C]"], (("surrogate", "few-values", 2),))
        assert codes[2] not in ("17", "[C]")
        became.add(address[0])
    assert became == set("123456789")


def test_an_original_inside_a_reserved_range_is_suppressed() -> None:
    inside = {"email": "ann@example.org", "phone": "617-555-0123", "ip": "192.0.2.7", "mac": "00:00:5e:00:53:01"}
    inside |= {"ssn": "666-12-3456", "card": "0000 1111 1111 1117", "iban": "ES79 0000 0418 4502 0005 1332"}
    for kind, surface in inside.items():
        text, found = decided(work({"X": kind}, is_reserved=True), [("X", surface)])
        assert (text, found.handed_back) == ("[X] | ", (("surrogate", "in-range", 1),)), kind


def test_ages_become_others_of_the_same_ten_years() -> None:
    for age, block in (("44", range(40, 50)), ("7", range(10)), ("97", range(90, 100)), ("113", range(90, 100))):
        drawn = {int(decided(work({"X": "age"}), [("X", age)], f"d{n}")[0].split(" |")[0]) for n in range(100)}
        assert len(drawn) == 5
        assert drawn <= set(block) - {int(age)}


def test_a_state_has_one_surrogate_by_its_code_and_its_name() -> None:
    names = dict(STATE_NAMES)
    for number in range(30):
        text, _ = decided(work({"X": "place"}), [("X", "Boston, MA"), ("X", "Massachusetts")], f"d{number}")
        code, name = text.split(" | ")[0].split(", ")[1], text.split(" | ")[1]
        assert names[code] == name != "Massachusetts"


def test_a_word_of_a_name_that_is_a_code_elsewhere_has_one_surrogate() -> None:
    text, found = decided(
        work({"NAME": "name", "CODE": "code"}), [("NAME", "May Smith"), ("CODE", "May"), ("CODE", "Q7")]
    )
    name, code, other, _ = text.split(" | ")
    assert (code, found.handed_back) == ("[CODE]", (("surrogate", "clash", 1),))
    assert "[" not in name + other


def test_no_surrogate_represents_a_code_and_for_an_age() -> None:
    one, clashes = work({"AGE": "age", "CODE": "code"}), 0
    mentions = [*(("AGE", str(age)) for age in (44, 47)), *(("CODE", str(code)) for code in range(10, 40))]
    for number in range(20):
        text, found = decided(one, mentions, f"d{number}")
        written = [*zip(mentions, text.split(" | "), strict=False)]
        invented = [InventedEdit("surrogate", False, was, new) for (_, was), new in written if new[0] != "["]
        assert not count_faults(invented).merged
        clashes += sum(count for _, reason, count in found.handed_back if reason == "clash")
    assert clashes > 5


def test_no_code_of_letters_represents_another_value() -> None:
    names = [("NAME", name) for name in ("Bo Li", "Ed Wu", "Al Ng", "Jo Xu")]
    mentions = [*names, *(("CODE", f"{one}{other}") for one, other in zip("ABCDEFGHJKLM", "QRSTVWXYZPNM", strict=True))]
    one, left = work({"NAME": "name", "CODE": "code"}), 0
    for number in range(200):
        texts = decided(one, mentions, f"d{number}")[0].split(" | ")[:-1]
        left += sum(text[0] == "[" for text in texts)
        invented = [
            InventedEdit("surrogate", label == "NAME", was, new)
            for (label, was), new in zip(mentions, texts, strict=True)
            if new[0] != "["
        ]
        faults = count_faults(invented)
        assert not faults.merged + faults.halves, texts
    assert left < 20


def test_whatever_is_read_in_two_ways_has_one_surrogate() -> None:
    surfaces = (
        "617-555-2213",
        "12-34",
        "O'Brien",
        "10.20.30.40",
        "47",
        "90210",
        "ann_lee99",
        "Ann Lee",
        "+1 617 555 22",
    )
    kinds = [kind for kind in KINDS if kind != "date"]
    several = 0
    for surface, (one, other) in product(surfaces, combinations(kinds, 2)):
        mentions = [(one.upper(), surface), (other.upper(), surface)]
        _, found = decided(work({one.upper(): one, other.upper(): other}), mentions)
        edits = [edit for edit in found.edits if edit.technique == "surrogate"]
        invented = [InventedEdit("surrogate", each.label == "NAME", surface, each.replacement) for each in edits]
        assert not count_faults(invented).split, (surface, one, other)
        several += len(edits) == 2
    assert several > 200


def test_shapes_of_numbers_and_addresses_remain() -> None:
    assert written("phone", "+1 (617) 555-0199 ext. 12")[0].startswith("+1 (")
    [mail] = written("email", "john.smith82@smithco.org")
    assert mail.endswith(".org")
    assert mail.count(".") == 2
    assert not {"john", "smith", "smithco", "smith82"} & set(mail.replace("@", ".").split("."))
    [address] = written("address", "12 Main Street, Springfield, IL 62701")
    assert "Street" in address
    assert not any(word in address for word in ("12 ", "Main", "Springfield", "IL", "62701"))


def test_reserved_ranges_are_no_one_s() -> None:
    assert "555-01" in written("phone", "(617) 867-5309", is_reserved=True)[0]
    assert "@example." in written("email", "john@clinic.org", is_reserved=True)[0]
    assert written("ip", "10.1.2.3", is_reserved=True)[0].startswith("192.0.2.")
    hosts = [f"http://h{number}.org/" for number in range(5)]
    assert sum(each == "[X]" for each in written("url", *hosts, is_reserved=True)) == 2


def test_hardware_and_long_network_addresses_remain_what_they_are() -> None:
    for surface in ("00:1B:44:11:3A:B7", "00-1b-44-11-3a-b7", "001b.4411.3ab7"):
        for doc in range(9):
            new = decided(work({"MAC": "mac"}), [("MAC", surface)], f"d{doc}")[0].removesuffix(" | ")
            assert int(new[:2], 16) & 3 == 2, new  # of a single device, administered locally
            assert new == (new.lower() if "b" in surface else new.upper())
            assert [c.isalnum() for c in new] == [c.isalnum() for c in surface]
    for surface in ("2a00:1450:4001:81b::200e", "fe80::1a:2", "fd12:3456::9"):
        [new] = written("ip", surface)
        assert ip_address(new) != ip_address(surface)
        assert ip_address(new).is_link_local == ip_address(surface).is_link_local
        assert ip_address(written("ip", surface, is_reserved=True)[0]) in ip_network("2001:db8::/32")
    assert written("ip", "::1") == ["[X]"]
    found = written("ip", *(f"10.1.{number // 250}.{number % 250}" for number in range(3000)))
    drawn = [ip_address(each) for each in found if each != "[X]"]
    assert len(drawn) > 2800
    assert all(each.is_global and not each.is_multicast and each.packed[3] not in (0, 255) for each in drawn)
    assert written("mac", "00:1B:44:11:3A") == ["[X]"]


@pytest.mark.parametrize(
    "surface",
    [
        *(
            "fe80::1a:2",
            "fe9c::1a:2",
            "feab::1:2",
            "febf::1:2",
            "fc00:1::9",
            "fd12:3456::9",
            "ff02::fb",
            "ff05::1a2:3b4",
        ),
        *("2a00:1450:4001:81b::200e", "3fff:12::1", "4000:12::1", "abba::1:2", "fece::1:2"),
    ],
)
def test_network_addresses_remain_of_a_link_local_of_several_devices_or_global(surface: str) -> None:
    ranges = [*map(ip_network, ("fe80::/10", "fc00::/7", "ff00::/8", "2000::/3", "ff02::/16", "ff05::/16"))]
    was = ip_address(surface)
    for doc in range(20):
        new = ip_address(decided(work({"IP": "ip"}), [("IP", surface)], f"d{doc}")[0].removesuffix(" | "))
        assert new != was
        assert [new in each for each in ranges] == [was in each for each in ranges], new


@pytest.mark.parametrize(
    ("kind", "surface", "form"),
    [
        ("mac", "00:1b:44:11:3a:b7", "00:00:5e:00:53:[0-9a-f]{2}"),
        ("ssn", "123-45-6789", r"666-(?!00)\d\d-(?!0000)\d{4}"),
        ("card", "4111 1111 1111 1111", r"0000 \d{4} \d{4} \d{4}"),
        ("card", "3782 822463 10005", r"0000 \d{6} \d{5}"),
        ("iban", "DE89 3704 0044 0532 0130 00", r"DE\d\d 0000 0000( \d{4}){2} \d\d"),
        ("iban", "FR76 3000 6000 0112 3456 7890 189", r"FR\d\d 0000 0\d{3}( \d{4}){3} \d{3}"),
        ("iban", "CH93 0076 2011 6238 5295 7", r"CH\d\d 0000 0\d{3}( \d{4}){2} \d"),
        ("iban", "AT61 1904 3002 3457 3201", r"AT\d\d 0000 0\d{3}( \d{4}){2}"),
        ("iban", "IT60 X054 2811 1010 0000 0123 456", r"IT\d\d X000 00\d\d( \d{4}){3} \d{3}"),
        ("iban", "PL61 1090 1014 0000 0712 1981 2874", r"PL\d\d 0000 0000( \d{4}){4}"),
        ("iban", "ES91 2100 0418 4502 0005 1332", r"ES\d\d 0000( \d{4}){4}"),
        ("iban", "PT50 0002 0123 1234 5678 9015 4", r"PT\d\d 0000( \d{4}){4} \d"),
        ("iban", "NL91 ABNA 0417 1643 00", r"NL\d\d XXXX( \d{4}){2} \d\d"),
        ("iban", "IE29 AIBK 9311 5212 3456 78", r"IE\d\d XXXX( \d{4}){3} \d\d"),
        ("iban", "GB29 NWBK 6016 1331 9268 19", r"GB\d\d XXXX( \d{4}){3} \d\d"),
        ("iban", "BE68 5390 0754 7034", r"\[X\]"),
        ("ssn", "6789", r"\[X\]"),
    ],
)
def test_reserved_numbers_are_no_one_s_and_check(kind: str, surface: str, form: str) -> None:
    [new] = written(kind, surface, is_reserved=True)
    assert re.fullmatch(form, new)
    assert new == "[X]" or not count_faults([InventedEdit("surrogate", False, surface, new)]).digits


def test_every_label_that_patterns_write_has_surrogates() -> None:
    labels = {kind.label for kind in PATTERNS.values()}
    assert labels - BY_LABEL.keys() == set()
    one = SurrogateWork(
        {"*": None}, frozenset(), ValueLocale(), ShiftRequest(365, False, ValueLocale(), KEY), True, key=KEY
    )
    surfaces = {"PLATE": "7ABC123", "HANDLE": "@ann_lee99", "CODE": "X-12345", "AGE": "47"}
    text, _ = decided(one, [*surfaces.items()])
    plate, handle, code, age, _ = text.split(" | ")
    assert re.fullmatch("[0-9][A-Z]{3}[0-9]{3}", plate)
    assert re.fullmatch("@[a-z]+_[a-z]+[0-9]{2}", handle)
    assert re.fullmatch("[A-Z]-[0-9]{5}", code)
    assert 40 <= int(age) <= 49
    assert decided(replace(one, hides_ages=True), [("AGE", "47")])[0] == "[AGE] | "


@pytest.mark.parametrize(
    ("rules", "hides"),
    [
        ({"*": "surrogate"}, True),
        ({"*": "surrogate", "DATE": "shift"}, True),
        ({"*": "surrogate", "AGE": "surrogate"}, False),
        ({"NAME": "surrogate", "AGE": "surrogate"}, False),
    ],
)
def test_ages_next_to_dates_that_move_are_hidden_where_no_rule_names_them(rules: dict[str, str], hides: bool) -> None:
    plan = check_methods({"sources": ["gold"], "rules": rules}, "plan")
    used = {label: rule.settings for label, rule in plan.rules_by_label.items() if rule.technique == "surrogate"}
    one = work_of({label: each for label, each in used.items() if isinstance(each, SurrogateSettings)}, plan, KEY)
    assert (decided(one, [("AGE", "47")])[0] == "[AGE] | ") == hides


def test_what_can_not_be_read_is_suppressed_and_counted() -> None:
    mentions = [("X", "user_17"), ("X", "Иван Петров"), ("AGE", "seventy"), ("DATE", "2014"), ("WHAT", "it")]
    one = work({"X": "name", "AGE": "age", "DATE": "date", "WHAT": None})  # type: ignore[dict-item]
    text, found = decided(one, mentions)
    assert text == "[X] | [X] | [AGE] | [DATE] | [WHAT] | "
    counts = {reason: number for _, reason, number in found.handed_back}
    assert counts == {"unread": 3, "bare-year": 1, "unknown-kind": 1}


def test_a_list_that_is_used_up_gives_composed_names(tmp_path: Path) -> None:
    for name in ("family", "female", "male"):
        (tmp_path / f"{name}.txt").write_text("Keller\nMundt\n")
    texts = written("name", "Anders", "Boggs", "Crane", "Dole", folder=str(tmp_path))
    assert len(set(texts)) == 4
    assert "[X]" not in texts
    assert {"Keller", "Mundt"} <= set(texts)


def test_an_empty_list_suppresses(tmp_path: Path) -> None:
    (tmp_path / "family.txt").write_text("")
    text, found = decided(work({"X": "name"}, folder=str(tmp_path)), [("X", "Quackenbush")])
    assert text == "[X] | "
    assert found.handed_back == (("surrogate", "exhausted", 1),)


def fuzzed(draws: Random) -> tuple[str, ValueLocale]:
    language = draws.choice(tuple(DATE_WORDS))
    place = ValueLocale(language, "US" if language == "en" else language.upper())
    lists = lists_of(place)
    given = draws.choice((lists.female if draws.random() < 0.5 else lists.male).entries)
    family = draws.choice(lists.family.entries)
    if draws.random() < 0.3:
        family = "".join(draws.choice("abcdefghijklmnoprstuvwzäéñøß") for _ in range(draws.randrange(2, 12))).title()
    other = draws.choice(lists.family.entries)
    form = draws.choice(
        (
            *("{g} {f}", "{f}, {g}", "{f}", "{g}", "Dr. {f}", "{f}-{o}", "{g} {o} {f}", "Mr. {g[0]}. {f}", "{f}'s"),
            *("O'{f}", "{g} van {f}", "{g} de la {f}", "{f}, {g} MD", "{g}  {f} Jr.", "({f})", "{g} & {o} {f}"),
            *("{f}/{o}", "{f}\n{g}", "“{f}”", "{g}.{f}", "Prof. Dr. {f}", "{f}, {g[0]}.{o[0]}.", "{g}{f}", "{f} 3"),
        )
    )
    surface = form.format(g=given, f=family, o=other)
    return draws.choice((str, str, str.upper, str.lower))(surface), place


@pytest.mark.parametrize("number", [800, pytest.param(10_000, marks=pytest.mark.thorough)])
def test_fuzzed_names_are_never_left_and_never_the_same(number: int) -> None:
    draws, kept = Random(29), set()
    forms = {"dr", "prof", "mr", "md", "jr", "van", "de", "la", "o"}
    by_place: dict[ValueLocale, SurrogateWork] = {}
    for doc_id in map(str, range(number)):
        surface, place = fuzzed(draws)
        one = by_place.setdefault(place, work({"X": "name"}, locale=place))
        text, _ = decided(one, [("X", surface)], doc_id)
        new = text.removesuffix(" | ")
        assert fold_letters(new) != fold_letters(surface)
        pairs = zip(*(map(fold_letters, _words(each)) for each in (surface, new)), strict=False)
        kept |= {word for word, other in pairs if word == other and len(word) > 1} - forms
        faults = count_faults([InventedEdit("surrogate", True, surface, new)] if new != "[X]" else [])
        assert faults._replace(edits=0, merged=0) == type(faults)()
    assert kept == set()


def _words(text: str) -> list[str]:
    return "".join(c if c.isalpha() else " " for c in text).split()


def test_surrogates_are_one_for_one_in_a_long_document() -> None:
    draws = Random(3)
    lists = lists_of(ValueLocale())
    names = [f"{draws.choice(lists.female.entries)} {draws.choice(lists.family.entries)}" for _ in range(150)]
    _, found = decided(work({"X": "name"}), [("X", name) for name in names])
    edits = [
        InventedEdit("surrogate", True, name, edit.replacement) for name, edit in zip(names, found.edits, strict=True)
    ]
    assert count_faults(edits) == count_faults([])._replace(edits=150)


def test_matching_by_frequency_is_at_chance() -> None:
    lists = lists_of(ValueLocale())
    common = {name.lower(): rank for rank, name in enumerate(_by_weight(lists.family.entries, lists.family.sums))}
    same = 0
    for number in range(1000):
        name = picked(lists.family, Random(number))
        text, _ = decided(work({"X": "name"}), [("X", name)], str(number))
        same += abs(common[text.split()[0].lower()] - common[name.lower()]) <= 5
    draws = Random(1)
    pairs = ((picked(lists.family, draws), picked(lists.family, draws)) for _ in range(20_000))
    chance = sum(abs(common[one.lower()] - common[other.lower()]) <= 5 for one, other in pairs) / 20_000
    assert same / 1000 < chance + 0.02


def picked(names: WeightedList, draws: Random) -> str:
    return names.entries[names.pick(draws.getrandbits(64))]


def _by_weight(entries: tuple[str, ...], sums: tuple[float, ...]) -> list[str]:
    weights = [after - before for before, after in zip((0.0, *sums), sums, strict=False)]
    return [entry for _, entry in sorted(zip(weights, entries, strict=True), reverse=True)]


def test_spaces_make_no_other_surrogate(tmp_path: Path) -> None:
    (tmp_path / "city.txt").write_text("West Chester\nWestchester\n")
    cities = written("place", "Boston", "Denver", "Austin", folder=str(tmp_path))
    assert len({fold_letters(city) for city in cities}) == 3


def test_lists_that_are_gone_are_reported_to_who_attacks(tmp_path: Path) -> None:
    (tmp_path / "city.txt").write_text("Xyzzy Falls\n")
    assert listed_words(str(tmp_path)) - listed_words() == {"xyzzy"}
    with pytest.raises(UsageError, match="gone: expected a folder with some of"):
        listed_words(str(tmp_path / "gone"))


def test_days_of_the_same_figures_are_two() -> None:
    other = InventedEdit("shift", False, "1/19/08", "11/9/08")
    assert count_faults([other]).same == 0
    assert count_faults([other._replace(after="1/19/08")]).same == 1
    assert count_faults([other._replace(technique="surrogate")]).same == 1


def test_the_recount_refuses_one_surrogate_for_two_words() -> None:
    edits = [InventedEdit("surrogate", True, before, "Keller") for before in ("Smith", "Jones")]
    assert count_faults(edits).merged == 1


def test_two_words_and_one_are_two_values() -> None:
    house = InventedEdit("surrogate", False, "White House", "Leon House")
    name = InventedEdit("surrogate", True, "Ann Whitehouse", "Eve Chen")
    assert count_faults([house, name]).split == 0
    assert count_faults([house, house._replace(after="Reed House")]).split == 1
    codes = [InventedEdit("surrogate", False, before, after) for before, after in (("AB-1", "CD-2"), ("AB1", "EF3"))]
    assert count_faults(codes).split == 1
    same = [InventedEdit("surrogate", False, before, "XY") for before in ("AB-CD", "ABCD")]
    assert count_faults(same).merged == 0


@pytest.mark.parametrize("language", ["en", "de", "it"])
@pytest.mark.parametrize("kind", ["female", "male", "family"])
def test_matching_is_at_chance_within_gender_and_locale(language: str, kind: str) -> None:
    lists = lists_of(ValueLocale(language, "US" if language == "en" else language.upper()))
    names: WeightedList = getattr(lists, kind)
    ranks = {plain_form(name): rank for rank, name in enumerate(_by_weight(names.entries, names.sums))}
    near = 0
    for number in range(600):
        name = plain_form(picked(names, Random(number)))
        pool: Pool = "family" if kind == "family" else "given"
        found = assign([(pool, name)], lists._replace(female=names, male=names), KEY, str(number))
        near += abs(ranks[plain_form(found["word", name].text or "")] - ranks[name]) <= 5
    draws = Random(1)
    pairs = ((plain_form(picked(names, draws)), plain_form(picked(names, draws))) for _ in range(5000))
    chance = sum(abs(ranks[one] - ranks[other]) <= 5 for one, other in pairs if one != other) / 5000
    assert near / 600 < chance + 0.03


def regions(locale: ValueLocale) -> dict[str, str]:
    """Read the packed list once more: the region of each city."""
    packed = files("spark_deid.surrogates").joinpath("data/cities.json.gz").read_bytes()
    return dict(json.loads(gzip.decompress(packed))[locale.country])


@pytest.mark.parametrize(
    ("locale", "city", "region"),
    [
        ("en_US", "Boston", "Massachusetts"),
        ("de_DE", "Aachen", "North Rhine-Westphalia"),
        ("es_MX", "Zapopan", "Jalisco"),
        ("fr_FR", "Abbeville", "Hauts-de-France"),
    ],
)
def test_cities_remain_in_their_state_on_request(locale: str, city: str, region: str) -> None:
    place = locale_named(locale)
    known = regions(place)
    near: set[str] = set()
    far: set[str] = set()
    for number in range(30):
        for kept, found in ((True, near), (False, far)):
            text, done = decided(work({"X": "place"}, locale=place, keeps_regions=kept), [("X", city)], f"d{number}")
            drawn = text.split(" | ")[0]
            assert drawn != city
            assert not done.handed_back
            found.add(known[drawn])
    assert near == {region}
    assert len(far) > 3


def test_a_place_whose_state_no_list_shows_is_counted() -> None:
    mentions = [("X", "Boston"), ("X", "Xyzzyville"), ("X", "Springfield")]
    _, found = decided(work({"X": "place"}, keeps_regions=True), mentions)
    assert found.handed_back == (("surrogate", "elsewhere", 2),)
    _, found = decided(work({"X": "place"}), mentions)
    assert not found.handed_back


@pytest.mark.parametrize(
    ("locale", "city"), [("en_US", "Billings"), ("en_US", "Fargo"), ("pt_PT", "Covilha"), ("fr_FR", "Ajaccio")]
)
def test_regions_of_few_cities_would_show_which_it_was(locale: str, city: str) -> None:
    place = locale_named(locale)
    drawn = set()
    for number in range(30):
        text, found = decided(work({"X": "place"}, locale=place, keeps_regions=True), [("X", city)], f"d{number}")
        assert found.handed_back == (("surrogate", "elsewhere", 1),)
        drawn.add(text)
    assert len(drawn) > 20


def test_a_region_that_is_used_up_gives_way_to_the_country() -> None:
    region = [city for city, own in regions(ValueLocale()).items() if own == "Massachusetts"]
    mentions = [("X", city) for city in region]
    text, _ = decided(work({"X": "place"}, keeps_regions=True), mentions)
    known = regions(ValueLocale())
    assert all(city in known for city in text.split(" | ")[:-1])


def test_rules_that_state_two_things_are_refused(tmp_path: Path) -> None:
    cities = {half_of(city): city for city in lists_of(ValueLocale()).city.entries}
    (tmp_path / "city.txt").write_text("\n".join(cities.values()))
    (tmp_path / "surrogates").mkdir()
    (tmp_path / "manifest.json").write_text("{}")
    for rule, message in (
        ({"places": "state", "lists": str(tmp_path)}, "Remove city.txt"),
        ({"scope": "document", "continue": str(tmp_path)}, "Expected scope: subject"),
    ):
        with pytest.raises(UsageError, match=message):
            check_methods({"sources": ["gold"], "rules": {"CITY": {"technique": "surrogate", **rule}}}, "plan")
    (tmp_path / "manifest.json").unlink()
    rule = {"technique": "surrogate", "continue": str(tmp_path)}
    with pytest.raises(UsageError, match="a run with surrogates that released"):
        check_methods({"sources": ["gold"], "rules": {"CITY": rule}}, "plan")


def test_states_do_not_remain_where_places_are_generalized() -> None:
    rules = {"CITY": {"technique": "surrogate", "places": "state"}, "AGE": "recode"}
    roles = {"quasi": ["age"], "identifiers": ["city"]}
    identity = {"attributes": {"AGE": "age", "TOWN": "city"}, "roles": roles}
    given = {"sources": ["gold", "identity"], "rules": rules, "identity": identity, "anonymity": {"model": {"k": 2}}}
    check_methods(given, "plan")
    given["identity"] = identity | {"roles": {"quasi": ["age", "city"]}}
    given["rules"] = rules | {"TOWN": "recode"}
    with pytest.raises(UsageError, match="places: state would reveal a value"):
        check_methods(given, "plan")
    given["rules"] = {"CITY": rules["CITY"], "STATE": "surrogate"}
    with pytest.raises(UsageError, match="expected the same places in every rule"):
        check_methods({"sources": ["gold"], "rules": given["rules"]}, "plan")


@pytest.mark.parametrize(
    ("kind", "surface", "is_reserved"),
    [
        ("ip", "2a00:1450:4001:81b::200e", False),
        ("ssn", "123-45-6789", True),
        ("card", "4111 1111 1111 1111", True),
        ("iban", "DE89 3704 0044 0532 0130 00", True),
    ],
)
def test_what_earlier_versions_read_as_a_code_keeps_its_surrogate(kind: str, surface: str, is_reserved: bool) -> None:
    one = work({"X": kind}, is_reserved=is_reserved)
    document, spans = Document("d", surface), (Span(0, len(surface), "X"),)
    values = [*one.values(document, spans)]
    code = "".join(filter(str.isalnum, surface)).upper()
    drawn = {each.value: each.text for each in work({"X": "code"}).assign("document d", [("code", code)], ())}
    assigned = {
        (each.family, each.value): each
        for each in one.assign("document d", values, [AssignedText("code", code, drawn[code])])
    }
    [shown] = one.writer(assigned, values)(document, spans)
    assert "".join(filter(str.isalnum, shown.replacement or "")).upper() == drawn[code]


def test_surrogates_of_older_workspaces_remain_and_are_counted() -> None:
    one = work({"X": "name"})
    mentions = [("X", "Ann Smith"), ("X", "Bob Keller"), ("X", "Eve")]
    text, spans = "", []
    for label, surface in mentions:
        spans.append(Span(len(text), len(text) + len(surface), label))
        text += f"{surface} | "
    document = Document("d", text)
    known = {"smith": "Keller", "ann": "Voll", "bob": "Gus"}
    earlier = [AssignedText("word", value, drawn, is_older=value != "bob") for value, drawn in known.items()]
    found = [*one.assign("document d", one.values(document, spans), earlier)]
    assert {each.value: each.text for each in found} | known == {each.value: each.text for each in found}
    assert {each.value for each in found if each.is_older} == {"smith", "ann"}
    assigned = {(each.family, each.value): each for each in found}
    written = [*one.writer(assigned, [*one.values(document, spans)])(document, spans)]
    assert written[0].replacement == "Voll Keller"
    assert [each.reason for each in written] == ["older_rule", "", ""]


def test_the_recount_refuses_a_surrogate_of_the_same_half() -> None:
    lists = lists_of(ValueLocale())
    one, other, third = (next(n for n in lists.family.entries if half_of(n) == half) for half in (0, 1, 0))
    third = next(name for name in lists.family.entries[::-1] if half_of(name) == 0)
    for before, after, faults in ((one, other, 0), (other, one, 0), (one, third, 1)):
        for is_name in (True, False):
            edit = InventedEdit("surrogate", is_name, f"Dr. {before}" if is_name else before, after)
            edit = edit._replace(after=f"Dr. {after}") if is_name else edit
            assert count_faults([edit]).halves == faults
            assert count_faults([edit], [(before.lower(), after)]).halves == 0
    assert count_faults([InventedEdit("surrogate", False, "4711", "4712")]).halves == 0
    assert count_faults([InventedEdit("surrogate", False, "4711", "4713")]).halves == 1


def test_a_state_of_an_earlier_run_keeps_its_surrogate_by_the_other_form() -> None:
    text = AssignedText("word", "ma", "TX")
    found = {e.value: e.text for e in work({}).assign("s", [("state", "ma"), ("state", "massachusetts")], [text])}
    assert found == {"ma": "TX", "massachusetts": "Texas"}


def test_several_words_that_would_read_as_what_represents_another_value_are_suppressed() -> None:
    one = work({"X": "organization"})
    text = "Al Qaeda | Auvinen | Qaeda | Al Auvinen"
    places = [(text.index(each), each) for each in ("Al Qaeda", "Auvinen", "Al Auvinen")] + [
        (text.index("| Q") + 2, "Qaeda")
    ]
    spans = [Span(start, start + len(each), "X") for start, each in sorted(places)]
    drawn = {"al": "Ho", "qaeda": "Ward", "auvinen": "Howard"}
    assigned = {("word", value): AssignedText("word", value, new) for value, new in drawn.items()}
    written = [*one.writer(assigned, ())(Document("d", text), spans)]
    assert [(each.replacement, each.reason) for each in written] == [
        (None, "clash"),
        ("Howard", ""),
        ("Ward", ""),
        ("Ho Howard", ""),
    ]


def test_lists_of_users_report_their_ratio_and_unequal_ones_are_refused(tmp_path: Path) -> None:
    cities = {half_of(city): city for city in lists_of(ValueLocale()).city.entries}
    content = {"sources": ["gold"], "rules": {"CITY": {"technique": "surrogate", "lists": str(tmp_path)}}}
    (tmp_path / "city.txt").write_text(f"{cities[0]}\t4\n{cities[1]}\t6\n")
    settings = check_methods(content, "plan").rules_by_label["CITY"].settings
    assert isinstance(settings, SurrogateSettings)
    assert "at most 2.50 times as likely" in KIND.describe(settings)
    (tmp_path / "city.txt").write_text(f"{cities[0]}\t3.9\n{cities[1]}\t6.1\n")
    with pytest.raises(UsageError, match=r"city\.txt: expected two halves of similar weight.*limit 2\.5"):
        check_methods(content, "plan")

"""A draw sees of an original: equality in its scope, list, gender, shape, region and half only."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import count, pairwise
from random import Random

import pytest

from spark_deid.core.document import Document
from spark_deid.core.hashing import KeyedDraws
from spark_deid.core.span import Span
from spark_deid.surrogates import assigning
from spark_deid.surrogates.check_digits import scheme_of, with_check_digit
from spark_deid.surrogates.date_shift import ShiftRequest
from spark_deid.surrogates.lists import half_of, is_drawn_female, lists_of, regional_cities
from spark_deid.surrogates.reading import GENERIC
from spark_deid.surrogates.surrogate_scope import SurrogateWork
from spark_deid.values.gender_words import NOUNS, PRONOUNS, TITLES
from spark_deid.values.locale import ValueLocale
from spark_deid.values.plain import plain_form
from spark_deid.values.state import STATE_NAMES

KEY, PLACE = b"k" * 32, ValueLocale()
MARKERS = frozenset((*assigning.FAMILIES.values(), "state", "initial", "elsewhere"))
STATES = {code: name for code, name in STATE_NAMES if code.lower() not in GENERIC | {"ny", "wa", "ms"}}
"""States except those whose codes are generic words (NE) or titles, and those whose names are cities."""
GENDERED = frozenset(map(str.lower, (*TITLES, *NOUNS, *PRONOUNS)))
FAR = ("Q", "X")
"""Initials of no name."""
Features = tuple[object, ...]


class RoleDraws:
    """Keyed draws of a scope in which each original is replaced by its role, as a table of draws by roles would be."""

    BITS = KeyedDraws.BITS
    roles: Mapping[str, str] = {}

    def __init__(self, key: bytes, *shared: str) -> None:
        self._draws = KeyedDraws(key, *shared)

    def number(self, *parts: str) -> int:
        written = list(parts)
        for place, (before, part) in enumerate(pairwise(parts), 1):
            is_marker = before in MARKERS or before.startswith("composed")
            if is_marker and part not in MARKERS:
                written[place] = self.roles[part]
        return self._draws.number(*written)


def word_features(word: str) -> Features:
    form, lists = plain_form(word), lists_of(PLACE)
    regions = regional_cities(PLACE)
    region = regions.region_of(form) if regions.same_region(form) else None
    return (*(form in names.known for names in lists), is_drawn_female(form), half_of(form), region, form in GENDERED)


def code_features(code: str) -> Features:
    shape = "".join("0" if c == "0" and not n else "9" if c.isdigit() else "A" for n, c in enumerate(code))
    return shape, scheme_of(code), half_of(code)


def age_features(age: str) -> Features:
    return min(int(age), 90) // 10, half_of(age)


@cache
def words() -> Mapping[Features, Sequence[str]]:
    """Return words of the lists, and others, by all that a draw may see of them."""
    lists, draws = lists_of(PLACE), Random(1)
    listed = [
        entry for names in lists for entry in names.entries if entry.isascii() and entry.isalpha() and entry.istitle()
    ]
    unlisted = ["".join(draws.choice("abdeiklmnorstuz") for _ in range(6)).title() for _ in range(2000)]
    names_of_states = {plain_form(form) for state in STATE_NAMES for form in state}
    found: dict[Features, list[str]] = {}
    for word in dict.fromkeys((*listed, *unlisted)):
        if plain_form(word) not in names_of_states:
            found.setdefault(word_features(word), []).append(word)
    return {features: own for features, own in found.items() if len(own) > 20}


class Originals:
    """The originals of a scenario and others in their roles, of which a draw sees the same."""

    def __init__(self, seed: int) -> None:
        self.draws = Random(seed)
        self.sides: tuple[dict[str, str], dict[str, str]] = ({}, {})

    def put(self, role: str, sample: Callable[[], str], features: Callable[[str], Features]) -> None:
        one = next(value for value in iter(sample, None) if self._is_new(value))
        self.sides[0][role] = one
        wanted = features(one)
        self.sides[1][role] = next(
            value for value in iter(sample, None) if features(value) == wanted and self._is_new(value)
        )

    def put_word(self, role: str, *, initial: str | None = None) -> None:
        own = self.draws.choice([*words().values()])
        one, other = self.draws.sample(own, 2)
        while not (self._is_new(one) and self._is_new(other)):
            one, other = self.draws.sample(own, 2)
        self.sides[0][role], self.sides[1][role] = one, other
        if initial:
            self.sides[0][initial], self.sides[1][initial] = one[0], other[0]

    def _is_new(self, value: str) -> bool:
        """Return whether no other role has a value, or has its first letter as an initial."""
        used = {letter for side in self.sides for letter in side.get("initial", "")} | set(FAR)
        begins = {STATES.get(value, value)[0].upper(), value[0].upper()}
        return not (value[0].isalpha() and used & begins) and all(
            plain_form(value) != plain_form(known) for side in self.sides for known in side.values()
        )

    def code(self, form: str) -> str:
        return "".join(str(self.draws.randrange(10)) if c == "9" else self.draws.choice("BCFGKX") for c in form)


def scenario(seed: int) -> tuple[Originals, list[tuple[str, str]]]:
    """Return originals, and mentions with their kinds as templates of roles."""
    given = Originals(seed)
    given.put_word("g0", initial="initial")
    names = [f"n{number}" for number in range(given.draws.randrange(4, 12))]
    for role in names:
        given.put_word(role)
    given.sides[0]["far"], given.sides[1]["far"] = FAR
    for role in ("s0", "s1"):
        state = lambda: given.draws.choice([*STATES])  # noqa: E731
        given.put(role, state, lambda code: (half_of(STATES[code]), half_of(code)))
    for role, form in {"c0": "99999", "c1": "9AAA999", "c2": "17", "c3": "4999999999999999", "c4": "AA"}.items():
        own = given.code(form.replace("1", "9").replace("7", "9"))
        head = "0" if own[0] == "0" else ""
        sample = lambda form=form, head=head: head + given.code(form.replace("4", "9").replace("17", "99"))[len(head) :]  # noqa: E731
        given.put(role, sample, code_features)
    given.put("age", lambda: str(given.draws.randrange(10, 100)), age_features)
    given.sides[0]["digit"], given.sides[1]["digit"] = given.draws.sample("123456789", 2)
    pairs = [given.draws.choices(["g0", *names], k=2) for _ in range(8)]
    mentions = [("name", f"{{{one}}} {{{other}}}") for one, other in pairs]
    mentions += [("name", "{initial}. {n0}"), ("name", "{initial}"), ("name", "{far}. {n1}"), ("name", "Dr. {g0}")]
    mentions += [("place", "{n2}, {s0}"), ("place", "{n3}, {s1}"), ("place", "{s0name}"), ("username", "{n0}{c2}")]
    mentions += [("address", "{digit} {n1} Street, {n2}, {s0} {c0}"), ("hospital", "{n3} Memorial Hospital")]
    mentions += [("code", each) for each in ("{c0}", "{c1}", "{c3}", "{c4}", "{digit}")] + [("age", "{age}")]
    mentions += [("email", "{n0}@{n1}.org"), ("phone", "{c0}")]
    return given, mentions


def replaced(
    side: Mapping[str, str], mentions: Sequence[tuple[str, str]], monkeypatch: pytest.MonkeyPatch, **options: bool
) -> list[tuple[str | None, str]]:
    """Return the surrogate of each mention, or the reason of its suppression, by draws that see roles."""
    roles = {plain_form(value): role for role, value in side.items() if role != "digit"}
    roles |= {value.upper(): role for role, value in side.items() if role[0] == "c"}
    for role in ("s0", "s1"):
        roles |= {side[role]: role, plain_form(STATES[side[role]]): f"{role} name", side[role].lower(): f"{role} code"}
    roles |= {side["digit"]: "digit", f"{plain_form(side['n1'])}.org": "host"}
    monkeypatch.setattr(RoleDraws, "roles", roles)
    monkeypatch.setattr(assigning, "KeyedDraws", RoleDraws)
    names = {f"{role}name": STATES[side[role]] for role in ("s0", "s1")}
    text, spans = "", []
    for kind, template in mentions:
        surface = template.format(**side, **names)
        spans.append(Span(len(text), len(text) + len(surface), kind.upper()))
        text += f"{surface} | "
    kinds = {kind.upper(): kind for kind, _ in mentions}
    one = SurrogateWork(kinds, frozenset(), PLACE, ShiftRequest(365, False, PLACE, KEY), True, key=KEY, **options)  # type: ignore[arg-type]
    document = Document("d", text)
    values = [*one.values(document, spans)]
    assigned = {(each.family, each.value): each for each in one.assign("document d", values, ())}
    return [(each.replacement, each.reason) for each in one.writer(assigned, values)(document, spans)]


@pytest.mark.parametrize(
    "options", [{}, {"keeps_regions": True}, {"is_reserved": True}, {"keeps_gender": False}], ids=str
)
def test_originals_of_which_a_draw_sees_the_same_have_the_same_surrogates(
    options: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    suppressed = 0
    for seed in range(40):
        given, mentions = scenario(seed)
        one, other = (replaced(side, mentions, monkeypatch, **options) for side in given.sides)
        assert one == other, (seed, given.sides)
        suppressed += sum(text is None for text, _ in one)
    assert suppressed >= 80, "a single initial and a single digit have no surrogate"


def test_an_original_of_the_other_half_has_another_surrogate(monkeypatch: pytest.MonkeyPatch) -> None:
    given, mentions = scenario(0)
    side = given.sides[0]
    name = next(word for own in words().values() for word in own if half_of(word) != half_of(side["n0"]))
    assert replaced(side, mentions, monkeypatch) != replaced({**side, "n0": name}, mentions, monkeypatch)


def test_no_value_is_in_the_half_of_its_surrogate() -> None:
    lists = lists_of(PLACE)
    for number in count():
        names = Random(number).sample(lists.family.forms, 300)
        found = assigning.assign([("family", name) for name in names], lists, KEY, str(number))
        texts = [found["word", name].text or "" for name in names]
        assert [half_of(text) for text in texts] == [1 - half_of(name) for name in names]
        assert len(set(texts)) == 300
        if number == 3:
            break


def test_a_number_of_the_nhs_whose_check_digit_would_be_ten_has_none() -> None:
    codes = [f"943476{number:04d}" for number in range(0, 2000, 10)]
    digits = [-sum(int(figure) * (10 - place) for place, figure in enumerate(code[:9])) % 11 for code in codes]
    assert 10 in digits
    for code, digit in zip(codes, digits, strict=True):
        assert with_check_digit("nhs", code) == (None if digit == 10 else f"{code[:9]}{digit}")

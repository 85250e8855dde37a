"""A technique of another package that turns text round, packs or disguises it, and so hides nothing."""

import base64
import codecs
from collections.abc import Callable

import pytest

from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.kinds import TechniqueKind
from spark_deid.core.span import Span
from spark_deid.guarantees.coverage import CheckedEdit, CoverageFaults, faults_of
from spark_deid.pipeline.checking import checking_of
from spark_deid.plan.load import check_methods
from spark_deid.rewriting.decide import decide
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.rewriting.rules import PreparedRule, PreparedRules
from spark_deid.rewriting.suppress import placeholder

NAMES = ("Zimtmann", "Quincy Zimtmann", "María Fernández", "O'Connor, Patrick", "Massachusetts General Hospital")
CODES = ("123-45-6789", "617-555-0143", "MRN 00412233", "ann.lee@example.com")
DATES = ("3/4/2009", "2015-03-12", "12 March 2015", "March 12, 2015", "12 de marzo de 2015")
CYRILLIC = str.maketrans("aceopxyMAEOPTHBKi", "асеорхуМАЕОРТНВКі")
GREEK = str.maketrans("MAEOPTBKoZi", "ΜΑΕΟΡΤΒΚοΖι")
Disguise = Callable[[str], str]


def packed(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


EVERYWHERE: dict[str, Disguise] = {
    "turned round": lambda text: text[::-1],
    "words turned round": lambda text: " ".join(text.split()[::-1]),
    "base64": packed,
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "turned round and packed": lambda text: packed(text[::-1]),
    "packed and turned round": lambda text: packed(text)[::-1],
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "entities": lambda text: "".join(f"&#{ord(c)};" for c in text),
    "hexadecimal entities": lambda text: "".join(f"&#x{ord(c):x};" for c in text),
    "percent": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "escapes": lambda text: "".join(f"\\u{ord(c):04x}" for c in text),
    "Cyrillic": lambda text: text.translate(CYRILLIC),
    "Greek": lambda text: text.translate(GREEK),
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
    "surrounded": lambda text: f"xx{text}yy",
    "in brackets": lambda text: f"[NAME {text}]",
    "in a sentence": lambda text: f"{'lorem ipsum ' * 9}{text}{' dolor sit' * 9}",
    "capitals": str.upper,
    "without spaces": lambda text: text.replace(" ", ""),
    "spaced": " ".join,
    "dotted": ".".join,
    "hidden characters": "\u200b".join,
    "every other letter": "x".join,
    "twice": lambda text: text + text,
}
OF_NAMES: dict[str, Disguise] = {
    "a letter dropped": lambda text: text[0] + text[2:],
    "the last letter dropped": lambda text: text[:-1],
    "a letter put in": lambda text: text[:3] + "x" + text[3:],
    "a letter changed": lambda text: text[:2] + "x" + text[3:],
    "two letters exchanged": lambda text: text[1] + text[0] + text[2:],
    "accents": lambda text: "".join(c + "\u0301" for c in text),
    "digits for letters": lambda text: text.translate(str.maketrans("aeios", "43105")),
    "ROT13": lambda text: codecs.encode(text, "rot13"),
}
SAME_VALUES = (
    *(("3/4/2009", "2009-03-04"), ("3/4/2009", "March 4, 2009"), ("12 March 2015", "12.03.2015")),
    *(("2015-03-12", "20150312"), ("12 de marzo de 2015", "March 12, 2015"), ("123-45-6789", "123 45 6789")),
)
HIDDEN = (
    *(("Zimtmann", "Baker"), ("Quincy Zimtmann", "Q. Z."), ("Quincy Zimtmann", "John Baker"), ("Zimtmann", "Z.")),
    *(("3/4/2009", "3/7/2009"), ("3/4/2009", "2009"), ("12 March 2015", "13 March 2015"), ("2015-03-12", "2015-03-22")),
    *(("12 septembre 2015", "19 septembre 2015"), ("617-555-0143", "617-555-0199"), ("aged 45 years", "aged 47 years")),
    *(("12 Boston Street", "98 Denver Street"), ("Mercy Hospital", "General Hospital"), ("Johnson", "Jackson")),
    *(("ann.lee@example.com", "user1@example.com"), ("3/4/2009", "[2009-01-01..2009-12-31]"), ("Ann", "nnA")),
)
PLACEHOLDERS = {"suppress": placeholder}


def disguised() -> list[tuple[str, str]]:
    everywhere = [(text, way(text)) for text in (*NAMES, *CODES, *DATES) for way in EVERYWHERE.values()]
    return [*everywhere, *((text, way(text)) for text in NAMES for way in OF_NAMES.values()), *SAME_VALUES]


def decided(text: str, replacement: str, *, recounted: bool = False) -> tuple[str, tuple[tuple[str, str, int], ...]]:
    rule = PreparedRule(
        "other", lambda document, spans: [Edit(0, len(text), "other", replacement)], recounted=recounted
    )
    found = decide(Document("d", text), [Span(0, len(text), "NAME")], PreparedRules({"NAME": rule}))
    return found.edits[0].replacement, found.handed_back


def faults(text: str, replacement: str, *recounted: str) -> CoverageFaults:
    edit = CheckedEdit(0, len(text), "other", replacement, "NAME")
    return faults_of(text, replacement, [(0, len(text), "NAME")], [edit], PLACEHOLDERS, (), recounted)


def test_what_shows_is_suppressed_and_counted() -> None:
    through = [each for each in disguised() if decided(*each)[0] != "[NAME]"]
    assert not through
    assert decided("Zimtmann", "nnamtmiZ")[1] == (("other", "telling", 1),)


def test_the_checker_refuses_what_shows_by_code_of_its_own() -> None:
    through = [
        (text, shown) for text, shown in disguised() if not (found := faults(text, shown)).telling + found.unchanged
    ]
    assert not through


@pytest.mark.parametrize(("text", "replacement"), HIDDEN)
def test_what_hides_occurs(text: str, replacement: str) -> None:
    assert decided(text, replacement) == (replacement, ())
    assert faults(text, replacement) == CoverageFaults(documents=1)


def test_what_a_guarantee_recounts_may_be_like_its_original() -> None:
    assert decided("Williams", "Williamson", recounted=True) == ("Williamson", ())
    assert faults("Williams", "Williamson", "other") == CoverageFaults(documents=1)
    assert faults("Williams", "Williamson", "another").telling == 1


def test_only_techniques_of_guarantees_that_a_plan_has_are_passed_over() -> None:
    recoded = {name for name in TECHNIQUES.built_in if TECHNIQUES.find(name).recounted_by}
    assert recoded == {"generalize", "recode", "erase", "neighbour", "surrogate", "shift", "pseudonym"}
    plan = {"patterns": {"kinds": ["email"]}, "sources": ["gold", "patterns"], "rules": {"X": "generalize"}}
    assert checking_of(check_methods(plan, "plan"), scored=False).recounted == ("generalize",)
    assert not checking_of(check_methods(plan | {"rules": {}}, "plan"), scored=False).recounted
    assert TechniqueKind(describe=str).recounted_by == ()

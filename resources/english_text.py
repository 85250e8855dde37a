"""The text on which the shipped model of English is trained and tried, besides text of one word per line.

Filled templates and invented documents; both kinds of templates come in two parts, one to train on and one that is
held back to try the model on.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from faker import Faker

from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.corpus.synthesis.generate import is_long, make_document
from spark_deid.corpus.synthesis.grammar import GrammarRule, parse_grammar
from spark_deid.corpus.synthesis.pools import make_pools
from spark_deid.learners.base import TrainingExample
from spark_deid.text.view import TextView

TEMPLATES = "presidio_research/templates.txt"
LOCALES = ("en_US", "en_GB", "en_IN", "en_NG", "de_DE", "es_MX", "fr_FR", "it_IT", "pl_PL", "nl_NL", "sv_SE", "tr_TR")
"""Whose names, towns and companies fill the templates: each example has one."""
INVENTED = {"NAME": "NAME", "LOCATION": "LOCATION", "ORGANIZATION": "ORGANIZATION", "HOSPITAL": "ORGANIZATION"}
HELD_BACK = 5
"""Every fifth alternative of a grammar's rule with that many is held back."""

_SLOT = re.compile(r"\{\{(\w+)\}\}")
_NAMED = re.compile(r"\{(\w+)\}")
_KINDS = {
    "NAME": """person name name_male name_female first_name first_name_male first_name_female first_name_nonbinary
        last_name last_name_male last_name_female""",
    "LOCATION": "city country address street_name secondary_address state_abbr",
    "ORGANIZATION": "organization",
}
_LABELS = {slot: label for label, slots in _KINDS.items() for slot in slots.split()}
_FORMS = {
    "person": "{first_name} {last_name}",
    "name": "{first_name} {last_name}",
    "name_male": "{first_name_male} {last_name}",
    "name_female": "{first_name_female} {last_name}",
    "organization": "{company}",
    "date_time": "{date}",
    "ip_address": "{ipv4}",
    "us_driver_license": "{bban}",
    "url": "{url}",
    "iban": "{iban}",
}
"""Contents of slots whose names mean something else to Faker."""
_AMERICAN = """
    country secondary_address state_abbr ssn zipcode postcode prefix prefix_male prefix_female date_time job
    credit_card_number date_of_birth day_of_week year
"""
"""What is American or English in every locale."""
_NATIONS = "American British German French Spanish Italian Polish Dutch Swedish Turkish Indian Nigerian Greek"
_GENERAL, _PEOPLES = frozenset(_AMERICAN.split()), tuple(_NATIONS.split())


def fix_hashes() -> None:
    """Start the program again with equal hashes of strings, if it lacks one: Faker draws some towns from a set."""
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"PYTHONHASHSEED": "0"})


def template_lines(data: Path, *, held_back: bool) -> list[str]:
    """Return every other template: the first of two, or the second ones, which are held back."""
    lines = (data / TEMPLATES).read_text(encoding="utf-8", errors="replace").splitlines()
    return [line.replace("\\n", "\n") for line in lines[int(held_back) :: 2]]


def filled(lines: Sequence[str], *, copies: int, seed: int) -> list[TrainingExample]:
    """Fill each template with invented names, towns and companies of that many locales in turn."""
    Faker.seed(seed)
    people = {locale: Faker(locale) for locale in LOCALES}
    made = []
    for copy in range(copies):
        for number, line in enumerate(lines):
            locale = LOCALES[(copy + number) % len(LOCALES)]
            made.append(_filled(f"template {number}/{copy}", line, people[locale], people["en_US"]))
    return made


def _filled(name: str, line: str, local: Faker, general: Faker) -> TrainingExample:
    text, spans, last = "", [], 0
    for slot in _SLOT.finditer(line):
        text += line[last : slot.start()]
        value = _value(slot[1], local, general)
        if label := _LABELS.get(slot[1]):
            spans.append(Span(len(text), len(text) + len(value), label))
        text += value
        last = slot.end()
    return TrainingExample(name, TextView(text + line[last:]), tuple(spans))


def _value(slot: str, local: Faker, general: Faker) -> str:
    if slot == "age":
        return str(general.random_int(1, 99))
    if slot.startswith("nation"):
        return str(general.random_element(_PEOPLES)) + ("s" if slot == "nation_plural" else "")
    source = general if slot in _GENERAL else local
    return _NAMED.sub(lambda part: _drawn(part[1], source), _FORMS.get(slot, f"{{{slot}}}"))


def _drawn(method: str, source: Faker) -> str:
    return str(getattr(source, method)()).strip()


def invented(count: int, *, seed: int) -> list[TrainingExample]:
    """Synthesize documents to train on."""
    return [invented_example(each) for each in invented_documents(count, seed, held_back=False)]


def invented_documents(count: int, seed: int, *, held_back: bool) -> list[Document]:
    """Synthesize documents of one part of the grammar: that to train on, or what is held back of it."""
    pools, rules = make_pools(seed, "en"), grammar_part(held_back=held_back)
    numbers = (number for number in range(2 * count) if not is_long(seed, number))
    return [make_document(seed, number, pools, grammar=rules) for number, _ in zip(numbers, range(count), strict=False)]


def invented_example(made: Document) -> TrainingExample:
    """Keep the names, places and organizations of a synthesized document; numbers of houses and codes are not words."""
    spans = (span._replace(label=INVENTED[span.label]) for span in made.spans if span.label in INVENTED)
    lettered = tuple(span for span in spans if any(map(str.isalpha, made.text[span.start : span.end])))
    return TrainingExample(f"invented {made.doc_id}", TextView(made.text), lettered)


def grammar_part(*, held_back: bool) -> Mapping[str, GrammarRule]:
    """Return the English grammar without, or with nothing but, the held back alternatives of its longer rules."""
    folder = files("spark_deid.corpus.synthesis").joinpath("data", "en")
    texts = sorted((part.name, part.read_text(encoding="utf-8")) for part in folder.iterdir())
    return parse_grammar(part_of_grammar(dict(texts), held_back=held_back))


def part_of_grammar(texts: Mapping[str, str], *, held_back: bool) -> dict[str, str]:
    """Return the files of a grammar without, or with nothing but, the held back alternatives of their longer rules."""
    return {name: "\n".join(_part(text, held_back=held_back)) for name, text in texts.items()}


def _part(text: str, *, held_back: bool) -> Iterator[str]:
    for block in re.split(r"(?m)^(?=\[)", text):
        opening, *lines = [line for line in block.splitlines() if line and not line.startswith("#")] or [""]
        if opening:
            yield opening
            if len(lines) < HELD_BACK or opening == "[document]":
                yield from lines
            else:
                yield from (line for place, line in enumerate(lines, 1) if (place % HELD_BACK == 0) == held_back)

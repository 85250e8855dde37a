"""Labels that state whose attribute a mention is and which, instead of the labels of text: for tests of linkage.

The patient stands apart from doctors and relatives; a person has one age and one or two diagnoses in all documents.
"""

from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache
from types import MappingProxyType
from typing import Final

import pyarrow as pa

from spark_deid.corpus.synthesis.draws import draw_item, draw_stream, pick_several
from spark_deid.corpus.synthesis.grammar import GrammarRule, OptionalStep, RepeatStep, Step, load_grammar
from spark_deid.corpus.synthesis.people import PERSONS, InventedPerson
from spark_deid.corpus.synthesis.scene import DocumentScene
from spark_deid.corpus.synthesis.slots import SLOTS, SceneSlot, article_of_age

REFERENCE: Final = date(2024, 1, 1)
"""The day on which people have their age, here only: a person has one age, regardless of the day of a document."""

_LABELS = {
    "PATIENT": ("patient", "patient_last_first", "patient_surname", "patient_given", "patient_initial"),
    "DOCTOR": (
        *("doctor", "doctor_given", "doctor_surname", "doctor_last_first", "doctor_initials", "doctor_initial_only"),
        *("consultant", "consultant_given", "consultant_surname", "colleague", "colleague_given", "colleague_surname"),
        *("colleague_initials", "colleague_last_first", "nurse"),
    ),
    "RELATIVE": ("relative",),
    "AGE": ("age",),
    "BIRTHDATE": ("birth_date",),
    "GENDER": ("man", "male", "M", "varon"),
    "STREET": ("street",),
    "ZIP": ("postcode",),
    "CITY": ("city",),
    "STATE": ("state", "state_caps"),
    "OCCUPATION": ("job",),
    "MRN": ("mrn",),
}
LABEL_OF: Mapping[str, str] = MappingProxyType({name: label for label, names in _LABELS.items() for name in names})
"""The label of each slot that shows an attribute."""

_OF_OTHERS = ("family_history",)
_DIAGNOSES = ("diagnosis", "diagnosis_cap")
_UNCERTAIN = ("No known", "less likely", "differential", "No family history", "Sin antecedentes")

ATTRIBUTED_PERSONS: Final = pa.schema(
    [*PERSONS, ("gender", pa.string()), ("zip", pa.string()), ("occupation", pa.string()), ("age", pa.string()),
     ("name", pa.string()), ("diagnosis", pa.string()), ("second_diagnosis", pa.string())]
)  # fmt: skip
"""The person table with the attributes that documents show."""


def age_of(someone: InventedPerson) -> int:
    """Return a person's age on the day of reference; who is born later is under one."""
    birth = someone.birth_date
    years = REFERENCE.year - birth.year - ((REFERENCE.month, REFERENCE.day) < (birth.month, birth.day))
    return max(years, 0)


def diagnoses_of(someone: InventedPerson, language: str) -> tuple[str, ...]:
    """Return the one or two diagnoses of a person."""
    draws = draw_stream(int(someone.social_security_number.replace("-", "")), "diagnoses", 0)
    names = [step for steps in load_grammar(language)["diagnosis"].alternatives for step in steps]
    known = [name for name in names if isinstance(name, str)]
    return tuple(pick_several(draws, known, 1 + (draws.random() < 0.4)))


def attributes_of(someone: InventedPerson, language: str) -> dict[str, object]:
    """Return the columns that the person table has beside others."""
    diagnoses = (*diagnoses_of(someone, language), None)
    return {
        "gender": someone.sex,
        "zip": someone.postcode,
        "occupation": someone.job,
        "age": str(age_of(someone)),
        "name": f"{someone.given} {someone.surname}",
        "diagnosis": diagnoses[0],
        "second_diagnosis": diagnoses[1],
    }


@lru_cache(maxsize=4)
def attributed_grammar(language: str) -> Mapping[str, GrammarRule]:
    """Return a language's grammar with labels of attributes."""
    given = load_grammar(language)
    slots = {id(slot): _labelled(name, slot) for name, slot in SLOTS.items() if name in LABEL_OF}
    slots[id(SLOTS["an"])] = SceneSlot("", lambda scene: article_of_age(age_of(scene.person)))
    rules = {name: GrammarRule(name) for name in given}
    for name, rule in given.items():
        rules[name].alternatives = tuple(
            tuple(_step(step, rules, slots, is_own=_is_own(name, steps)) for step in steps)
            for steps in rule.alternatives
        )
    return rules


def _labelled(name: str, slot: SceneSlot) -> SceneSlot:
    value: Callable[[DocumentScene], str] = _age if name == "age" else slot.value
    return SceneSlot(LABEL_OF[name], value)


def _age(scene: DocumentScene) -> str:
    return str(age_of(scene.person))


def _diagnosis(scene: DocumentScene) -> str:
    return draw_item(scene.draws, diagnoses_of(scene.person, scene.pools.language.code))


def _diagnosis_cap(scene: DocumentScene) -> str:
    name = _diagnosis(scene)
    return name[:1].upper() + name[1:]


_OWN = {"diagnosis": SceneSlot("DIAGNOSIS", _diagnosis), "diagnosis_cap": SceneSlot("DIAGNOSIS", _diagnosis_cap)}


def _is_own(name: str, steps: tuple[Step, ...]) -> bool:
    """Return whether diagnoses of an alternative are the patient's."""
    words = " ".join(step for step in steps if isinstance(step, str))
    return name not in _OF_OTHERS and not any(word in words for word in _UNCERTAIN)


def _step(step: Step, rules: Mapping[str, GrammarRule], slots: Mapping[int, SceneSlot], *, is_own: bool) -> Step:
    if isinstance(step, SceneSlot):
        return slots.get(id(step), step)
    if isinstance(step, GrammarRule):
        return _OWN[step.name] if is_own and step.name in _DIAGNOSES else rules[step.name]
    if isinstance(step, OptionalStep):
        inner = _step(step.step, rules, slots, is_own=is_own)
        return OptionalStep(inner) if isinstance(inner, GrammarRule | SceneSlot) else step
    return step._replace(rule=rules[step.rule.name]) if isinstance(step, RepeatStep) else step

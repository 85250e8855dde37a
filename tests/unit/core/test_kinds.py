"""Kinds are generic in their settings: a type checker sees functions that take others; lint runs it on this file."""

from collections.abc import Sequence
from dataclasses import fields
from typing import assert_type

from spark_deid.core.corpus import Corpus
from spark_deid.core.document import Document
from spark_deid.core.edit import Edit
from spark_deid.core.guarantee_kind import Assessment
from spark_deid.core.kinds import (
    AssessmentResult,
    DetectorKind,
    DetectorWords,
    GuaranteeEvidence,
    GuaranteeKind,
    GuaranteeWords,
    MethodContext,
    NoSettings,
    PlanSection,
    PlanView,
    Technique,
    TechniqueKind,
    TechniqueWords,
)
from spark_deid.core.span import Finder, Span


class Bees(PlanSection):
    colour: str = "gold"


class Ants(PlanSection):
    legs: int = 6


def describe_bees(settings: Bees) -> str:
    return settings.colour


def describe_ants(settings: Ants) -> str:
    return f"{settings.legs} legs"


def find(text: str) -> list[Span]:
    return []


def make_bees(settings: Bees, run: MethodContext) -> Finder:
    return find


def leave(document: Document, spans: Sequence[Span]) -> list[Edit]:
    return []


def prepare_bees(settings: Bees, corpus: Corpus, run: MethodContext) -> Technique:
    return leave


def need_bees(given: Bees | None, plan: PlanView) -> Bees | None:
    return given


def assess_bees(settings: Bees, evidence: GuaranteeEvidence) -> AssessmentResult:
    return AssessmentResult(Assessment("bees", "", 0.0, 0.0, True, ""))


def test_functions_of_a_kind_take_its_settings() -> None:
    detector = DetectorKind(settings=Bees, describe=describe_bees, legend="bees", make=make_bees)
    technique = TechniqueKind(settings=Bees, describe=describe_bees, prepare=prepare_bees)
    guarantee = GuaranteeKind(
        settings=Bees, assessment="bees", describe=describe_bees, assess=assess_bees, of=need_bees
    )
    assert_type(detector, DetectorKind[Bees])
    assert_type(technique, TechniqueKind[Bees])
    assert_type(guarantee, GuaranteeKind[Bees])
    assert {detector.describe(Bees()), technique.describe(Bees()), guarantee.describe(Bees())} == {"gold"}


def test_a_type_checker_refuses_functions_of_other_settings() -> None:
    detector = DetectorKind[Bees](settings=Bees, describe=describe_ants, legend="ants")  # type: ignore[arg-type]
    technique = TechniqueKind[Bees](settings=Ants, describe=describe_bees)  # type: ignore[arg-type]
    assert detector.legend == "ants"
    assert technique.describe is describe_bees


def test_a_kind_without_settings_has_none() -> None:
    assert DetectorKind(describe=lambda settings: "", legend="").settings is NoSettings
    assert TechniqueKind(describe=lambda settings: "").settings is NoSettings


def test_what_a_kind_states_is_separate_from_what_it_does() -> None:
    said = {words: {each.name for each in fields(words)} for words in (DetectorWords, TechniqueWords, GuaranteeWords)}
    assert said[DetectorWords] == {"describe", "legend", "example", "public", "template", "seeks", "knows", "names"}
    assert said[TechniqueWords] == {"describe", "written", "reasons", "notes", "template"}
    assert said[GuaranteeWords] == {"assessment", "describe", "tell", "again"}
    done = {each.name for kind in (DetectorKind, TechniqueKind, GuaranteeKind) for each in fields(kind)}
    assert {"make", "search", "prepare", "read", "assess", "of"} <= done - set().union(*said.values())

"""A guarantee: words that no published text may hold. In a plan: ``guarantees: {absent_words: {words: [secret]}}``."""

from functools import reduce
from operator import or_

from pydantic import Field

from spark_deid.extending import Assessment, AssessmentResult, GuaranteeEvidence, GuaranteeKind, PlanSection, PlanView

NAME = "absent-words"


class AbsentWordsSettings(PlanSection):
    """The words, in any case."""

    words: tuple[str, ...] = Field(min_length=1)


def _of(given: AbsentWordsSettings | None, plan: PlanView) -> AbsentWordsSettings | None:
    return given


def _assess(settings: AbsentWordsSettings, evidence: GuaranteeEvidence) -> AssessmentResult:
    """Count the published documents that hold one of the words; one Spark job. Evidence has counts, never text."""
    published = evidence.compared["published"]
    holds = reduce(or_, (published.ilike(f"%{_literally(word)}%") for word in settings.words))
    found = evidence.compared.where(holds).count()
    told = f"{found} of {evidence.documents} documents"
    return AssessmentResult(Assessment(NAME, f"words={len(settings.words)}", float(found), 0.0, found == 0, told))


def _literally(word: str) -> str:
    """Return what matches a word in a pattern with wildcards."""
    return "".join(f"\\{character}" if character in "%_\\" else character for character in word)


def _describe(settings: AbsentWordsSettings) -> str:
    return f"no published text holds one of {len(settings.words)} words"


KIND = GuaranteeKind(assessment=NAME, describe=_describe, assess=_assess, of=_of, settings=AbsentWordsSettings)

"""Check what was decided, by other algorithms than those that decided it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from spark_deid.core.corpus import Corpus
from spark_deid.core.errors import GateRefused
from spark_deid.core.kinds import AssessmentResult, GuaranteeEvidence
from spark_deid.core.plurals import plural
from spark_deid.core.span import GOLD
from spark_deid.corpus.inventory import FileInventory
from spark_deid.engine import functions as F
from spark_deid.guarantees.coverage import CoverageFaults
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.guarantees.spark import DecisionCounts, count_decisions
from spark_deid.pipeline.checking import add_foreign_techniques, checking_of
from spark_deid.pipeline.columns import metadata_moved
from spark_deid.plan.clock import StageClock
from spark_deid.plan.config import MethodSettings
from spark_deid.repeats.spark.compared_texts import compare_decisions, pair_documents
from spark_deid.rewriting.spark.operators import published_of_decisions


@dataclass(frozen=True)
class CheckedDecisions:
    """What was counted of decisions, and every assessment that the plan needs."""

    counted: DecisionCounts
    assessed: tuple[AssessmentResult, ...]


def check(
    settings: MethodSettings, corpus: Corpus, inventory: FileInventory, clock: StageClock, key: bytes
) -> CheckedDecisions:
    """Count faults and assess every guarantee of the plan, on what is to be published.

    The inventory says how much was read and rejected when it was read, apart from what tables hold by now. Annotations
    that are not edited are what edited spans are scored against. Runs two Spark jobs, or three, and those that
    guarantees say that they run. Dates in metadata move by the secret ``key``.
    """
    annotations = inventory.annotations
    clock.start("check", "check every document")
    counted = count_decisions(corpus, checking_of(settings, scored=annotations > 0))
    faults = add_foreign_techniques(_with_lost_spans(counted, corpus, annotations), settings, counted.edits)
    counted = replace(counted, faults=faults)
    compared = (
        compare_decisions(corpus.decisions)
        if counted.agreed
        else pair_documents(corpus.documents, published_of_decisions(corpus.decisions), corpus.edits)
    )
    evidence = GuaranteeEvidence(
        settings,
        corpus,
        compared,
        counted.faults._asdict(),
        documents=inventory.documents,
        subjects=counted.content.subjects,
        rejects=sum(inventory.rejects.values()),
        listed_rejects=_listed_rejects(corpus),
        paths=tuple(parts["decisions"].path for parts in corpus.decided) if counted.agreed else (),
        moved=metadata_moved(published_of_decisions(corpus.decisions), settings, key),
    )
    assessed = []
    for name, demand in settings.demands.items():
        kind = GUARANTEES.find(name)
        clock.start(f"check {kind.assessment}", f"check that {kind.describe(demand)}")
        found = kind.assess(demand, evidence)
        assessed.append(found if name in GUARANTEES.built_in else without_words(found, kind.assessment))
    return CheckedDecisions(counted, tuple(assessed))


def _listed_rejects(corpus: Corpus) -> int:
    """Count the records that rejects represent, and an input with an unknown number of records as one."""
    represented = F.coalesce(F.sum(F.coalesce("records", F.lit(1))), F.lit(0))
    return int(corpus.rejects.select(represented).collect()[0][0])


def require_readable(settings: MethodSettings, documents: DataFrame) -> None:
    """Refuse documents, as soon as they are read, that no guarantee of the plan would let out.

    Raises GateRefused with every reason; of those of another package the number alone, since they may quote documents.
    """
    reasons: list[str] = []
    for name, demand in settings.demands.items():
        kind = GUARANTEES.find(name)
        found = kind.once_read(demand, settings, documents)
        own = name in GUARANTEES.built_in or not found
        reasons += found if own else (f"{kind.assessment}: {plural(len(found), 'internal reason')}, not shown",)
    if reasons:
        raise GateRefused("nothing is released: " + "; ".join(reasons))


_UNITS = ("subject", "document", "occurrence")


def without_words(found: AssessmentResult, name: str) -> AssessmentResult:
    """Return a result of another package without its words, which may quote documents; how many reasons is said.

    ``name`` is what the package's kind calls its assessments. One of another name, or without numbers, does not hold.
    """
    given = found.assessment
    wrong = []
    if given.guarantee != name:
        wrong.append("the name of its kind")
    if not all(isinstance(each, int | float) for each in (given.value, given.threshold)):
        wrong.append("a value and a threshold that are numbers")
        given = given._replace(value=0.0, threshold=0.0, satisfied=False)
    unit = found.counts_by if found.counts_by in _UNITS else ""
    found = found._replace(assessment=given._replace(guarantee=name), counts_by=unit, notes=())
    if wrong:
        assessment = found.assessment._replace(satisfied=False)
        return found._replace(assessment=assessment, reasons=(f"{name}: expected {' and '.join(wrong)}",))
    satisfied: object = given.satisfied
    if not found.reasons and satisfied is True:
        return found
    if not isinstance(satisfied, bool):
        return found._replace(reasons=())
    message = f"{name} fails: {given.value:g}, with a limit of {given.threshold:g}"
    if found.reasons:
        count = len(found.reasons)
        message += (
            f". Its {plural(count, 'reason')} {'is' if count == 1 else 'are'} not shown, because reasons of a "
            "plugin may quote documents"
        )
    return found._replace(reasons=(message,))


def _with_lost_spans(counted: DecisionCounts, corpus: Corpus, annotations: int) -> CoverageFaults:
    """Add the spans that were read or found, and that decisions don't know any more."""
    lost = abs(annotations - sum(counted.spans.get(GOLD, {}).values()))
    known = _by_detail(counted.spans)
    lost += sum(max(0, n - known[at]) for at, n in _by_detail(corpus.found).items() if at[0] != GOLD)
    return counted.faults._replace(forgotten=lost)


def _by_detail(counts: Mapping[str, Mapping[str, int]]) -> Counter[tuple[str, str]]:
    """Return counts by source and label: a spared span may be replaced after all texts of a person were read."""
    found: Counter[tuple[str, str]] = Counter()
    for source, labels in counts.items():
        for label, number in labels.items():
            found[source.replace("/not-spared", "/allowed"), label] += number
    return found


def expected_of(settings: MethodSettings) -> tuple[str, ...]:
    """Name the assessments that a plan's release must have."""
    return tuple(GUARANTEES.find(name).assessment for name in settings.demands)


def statements_of(settings: MethodSettings) -> dict[str, Mapping[str, object]]:
    """Return what guarantees add to a manifest, by their names."""
    names = dict.fromkeys((*GUARANTEES.built_in, *settings.demands))
    record = {name: GUARANTEES.find(name).tell(settings) for name in names}
    return {name: statement for name, statement in record.items() if statement}

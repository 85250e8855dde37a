"""Check what was decided, by other algorithms than those that decided it."""

from collections.abc import Mapping
from dataclasses import dataclass

from spark_deid.core.corpus import Corpus
from spark_deid.core.kinds import Assessed, Evidence
from spark_deid.core.span import GOLD
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.guarantees.spark.counting import Checking, Counted, count_decisions
from spark_deid.plan.clock import Clock
from spark_deid.plan.config import MethodSettings
from spark_deid.repeats.spark.comparison import compare, compare_decisions
from spark_deid.rewriting.registry import writes_placeholders
from spark_deid.rewriting.spark.operators import published_of_decisions
from spark_deid.rewriting.suppress import SUPPRESS


@dataclass(frozen=True)
class Checked:
    """What was counted of decisions, and every assessment that the plan needs."""

    counted: Counted
    assessed: tuple[Assessed, ...]


def check(settings: MethodSettings, corpus: Corpus, *, documents: int, has_gold: bool, clock: Clock) -> Checked:
    """Count faults and assess every guarantee of the plan, on what is to be published.

    ``documents`` is how many were read. Annotations of the input that are not edited are what edited spans are scored
    against. Runs one Spark job, or two, and those that guarantees say that they run.
    """
    clock.start("check", "check every document")
    counted = count_decisions(corpus, checking_of(settings, scored=has_gold))
    compared = (
        compare_decisions(corpus.decisions)
        if counted.agreed
        else compare(corpus.documents, published_of_decisions(corpus.decisions), corpus.edits)
    )
    evidence = Evidence(settings, corpus, compared, counted.faults._asdict(), documents, counted.content.subjects)
    assessed = []
    for name, demand in settings.demands.items():
        kind = GUARANTEES.find(name)
        clock.start(f"check {kind.assessment}", f"check that {kind.describe(demand)}")
        assessed.append(kind.assess(demand, evidence))
    return Checked(counted, tuple(assessed))


def expected_of(settings: MethodSettings) -> tuple[str, ...]:
    """Name the assessments that a plan's release must have."""
    return tuple(GUARANTEES.find(name).assessment for name in settings.demands)


def told_of(settings: MethodSettings) -> dict[str, Mapping[str, object]]:
    """Return what guarantees add to a manifest, by their names."""
    names = dict.fromkeys((*GUARANTEES.built_in, *settings.demands))
    told = {name: GUARANTEES.find(name).tell(settings) for name in names}
    return {name: statement for name, statement in told.items() if statement}


def checking_of(settings: MethodSettings, *, scored: bool) -> Checking:
    """Return how decisions of a plan are looked at; scores need annotations that are not edited."""
    names = {rule.technique for rule in settings.rules_by_label.values()} | {SUPPRESS}
    return Checking(
        settings.exempt, tuple(sorted(filter(writes_placeholders, names))), scored and GOLD in settings.exempt
    )

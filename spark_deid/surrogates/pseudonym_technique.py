"""The technique ``pseudonym``: numbered placeholders, which the workspace can turn back."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from spark_deid.core.kinds import Gatherer, MethodContext, PlanView, Reader, TechniqueKind
from spark_deid.surrogates.pseudonym_scope import PseudonymWork
from spark_deid.surrogates.scoped import UNREAD, infers_persons, read_alone, read_assigned
from spark_deid.surrogates.settings import PSEUDONYM, PseudonymSettings
from spark_deid.surrogates.spark.assigning import ScopeGatherer

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus


def _work(settings: Mapping[str, PseudonymSettings], run: MethodContext) -> PseudonymWork:
    labels = frozenset(settings)
    by_subject = next(iter(settings.values())).scope == "subject"
    return PseudonymWork(labels, frozenset(run.plan.rules_by_label) - labels, by_subject, run.secret)


def _gathers(settings: Mapping[str, PseudonymSettings], run: MethodContext) -> bool:
    several = run.subjects > 0 or infers_persons(run.plan)
    return run.spark is not None and several and next(iter(settings.values())).scope == "subject"


def _read(settings: Mapping[str, PseudonymSettings], corpus: "Corpus", run: MethodContext) -> Reader:
    return partial(read_assigned if _gathers(settings, run) else read_alone, work=_work(settings, run))


def _gather(settings: Mapping[str, PseudonymSettings], run: MethodContext) -> Gatherer | None:
    if not _gathers(settings, run):
        return None
    return ScopeGatherer((_work(settings, run),), run, {})


def _sees_one(settings: PseudonymSettings) -> bool:
    return settings.scope == "document"


def _describe(settings: PseudonymSettings) -> str:
    scope = "all documents of a person" if settings.scope == "subject" else "a document"
    return f"a numbered placeholder such as [NAME 1], one per value in {scope}"


def _refuse(label: str, settings: PseudonymSettings, plan: PlanView) -> str | None:
    others = [rule.settings for rule in plan.rules_by_label.values() if rule.technique == PSEUDONYM]
    if any(other != settings for other in others):
        return "pseudonyms go together: expected the same scope in every rule with pseudonym"
    return None


def _no_labels(*_: object) -> frozenset[str]:
    return frozenset()


KIND = TechniqueKind(
    describe=_describe,
    settings=PseudonymSettings,
    read=_read,
    sees_one=_sees_one,
    gather=_gather,
    reasons=(UNREAD,),
    refuse=_refuse,
    invents=True,
    recounted_by=("consistent_surrogates",),
    unspared=_no_labels,
)

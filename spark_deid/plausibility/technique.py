"""The technique ``generalize``: terms give way to more general ones of an ontology."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from spark_deid.core.kinds import Gatherer, MethodContext, PlanView, Reader, TechniqueKind
from spark_deid.plausibility.spark.by_person import generalize_persons, read_generalized
from spark_deid.plausibility.text.reading import NOTES, REASONS, read_document
from spark_deid.plausibility.text.settings import GeneralizeSettings, rules_of
from spark_deid.plausibility.utility import changes, report
from spark_deid.rewriting.keep import labels_that_stay

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus


def _goes_by_person(run: MethodContext) -> bool:
    return run.spark is not None and run.subjects > 0


def _read(settings: Mapping[str, GeneralizeSettings], corpus: "Corpus", run: MethodContext) -> Reader:
    rules = rules_of(run.plan.rules_by_label)
    if not _goes_by_person(run):
        return partial(read_document, rules=rules)
    return read_generalized


def _gather(settings: Mapping[str, GeneralizeSettings], run: MethodContext) -> Gatherer | None:
    if not _goes_by_person(run):
        return None
    return partial(generalize_persons, rules=rules_of(run.plan.rules_by_label), staying=labels_that_stay(run.plan))


def _describe(settings: GeneralizeSettings) -> str:
    return (
        f"a more general term of {settings.ontology}, so that each {settings.segment} has at least {settings.t} "
        "possible originals"
    )


def _refuse(label: str, settings: GeneralizeSettings, plan: PlanView) -> str | None:
    """Tell which column of the label's name would let out what its mentions are generalized from."""
    shown = (f"metadata.{name}: {way}" for name, way in plan.metadata.items() if name.lower() == label.lower())
    result = next((column for column in shown if not column.endswith("keyed")), None)
    return (
        None
        if result is None
        else f"{result} would publish the generalized values, because t counts only texts. Remove the column"
    )


KIND = TechniqueKind(
    describe=_describe,
    refuse=_refuse,
    settings=GeneralizeSettings,
    read=_read,
    gather=_gather,
    sees="document",
    reasons=REASONS,
    notes=NOTES,
    report=report,
    template="spark_deid.plausibility/generalized.html",
    changes=changes,
    recounted_by=("t_plausible",),
)

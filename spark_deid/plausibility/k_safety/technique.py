"""The technique ``erase``: terms of an external table give way to labels that k of its records share."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from spark_deid.core.kinds import MethodContext, NoSettings, PlanView, Reader, TechniqueKind
from spark_deid.plausibility.k_safety.document import REASONS, SafetyRequest, read_document
from spark_deid.plausibility.k_safety.settings import ERASE, RECORD, EraseSettings

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus

CATALOGUE = "catalogue.npz"


def request_of(settings: EraseSettings, run: MethodContext) -> SafetyRequest:
    """Return what workers are asked for, and where they find the catalogue of the table."""
    return SafetyRequest(f"{run.place(ERASE)}/{CATALOGUE}", settings.k, settings.terms)


def _read(_: Mapping[str, NoSettings], corpus: "Corpus", run: MethodContext) -> Reader:
    return partial(read_document, request=request_of(run.plan.sections[ERASE], run))


def _refuse(label: str, _: object, plan: PlanView) -> str | None:
    if label == RECORD and ERASE in plan.sections:
        return None
    return f"erase is for what the detector erase finds, label {RECORD}: expected another technique"


def _describe(_: object) -> str:
    return "the lowest label above it with which enough records of the table match the document"


KIND = TechniqueKind(
    describe=_describe, read=_read, reasons=REASONS, refuse=_refuse, recounted_by=("k_shared_records",)
)

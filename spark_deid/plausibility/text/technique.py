"""The technique ``generalize``: terms give way to more general ones of an ontology."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from spark_deid.core.kinds import Reader, Run, TechniqueKind
from spark_deid.plausibility.text.reading import NOTES, REASONS, read_document
from spark_deid.plausibility.text.settings import GeneralizeSettings, rules_of
from spark_deid.plausibility.text.utility import changes, report

if TYPE_CHECKING:
    from spark_deid.core.corpus import Corpus


def _read(settings: Mapping[str, GeneralizeSettings], corpus: "Corpus", run: Run) -> Reader:
    return partial(read_document, rules=rules_of(run.plan.rules_by_label))


def _describe(settings: GeneralizeSettings) -> str:
    return f"a more general term of {settings.ontology}, so that each {settings.segment} could be any of {settings.t}"


KIND = TechniqueKind(
    describe=_describe,
    settings=GeneralizeSettings,
    read=_read,
    reasons=REASONS,
    notes=NOTES,
    report=report,
    template="generalized.html",
    changes=changes,
)

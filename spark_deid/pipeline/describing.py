"""What is said of a run: its manifest, without a word of a document."""

from dataclasses import replace
from typing import Any

from spark_deid.core.kinds import DetectorScope
from spark_deid.core.span import GOLD
from spark_deid.detection.registry import DETECTORS
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.guarantees.spark import DecisionCounts
from spark_deid.pipeline.missed_names import statement_of, warnings_of_target
from spark_deid.pipeline.recounting import statements_of
from spark_deid.pipeline.run import PipelineRun
from spark_deid.pipeline.warnings import handed_back_of, warnings_of
from spark_deid.plan.config import MethodSettings, PlanSettings
from spark_deid.plan.detectors import detectors_of, named_labels
from spark_deid.release.manifest import InputRecord, Manifest, WordCounts
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.rewriting.suppress import REMOVED

DATA_FRAME = "dataframe"
"""The format of an input that is no file."""


def describe(run: PipelineRun) -> None:
    """Write the manifest of a run that was scanned, with its warnings."""
    manifest = _manifest(run)
    run.manifest = replace(manifest, warnings=(*warnings_of(run), *warnings_of_target(run), *run.doubts))


def _manifest(run: PipelineRun) -> Manifest:
    settings, contents, counted = run.settings, run.contents, run.checked.counted
    inventory, totals, content = contents.inventory, counted.totals, counted.content
    record = InputRecord(
        path=contents.path,
        format=contents.format,
        documents=content.documents,
        characters=content.characters,
        content=content.digest,
        inventory=inventory.counts(),
        delta_version=contents.delta_version,
    )
    return Manifest(
        plan=run.info.plan,
        fingerprint=run.info.fingerprint,
        inputs=(record,),
        times=run.times(),
        words=WordCounts(totals.words, totals.published_words),
        documents=totals.documents,
        rejects=dict(sorted(inventory.rejects.items())),
        unknown_rejects=inventory.unknown_rejects,
        spans=counted.spans,
        edits=counted.edits,
        placeholders=placeholders_of(counted),
        handed_back=handed_back_of(counted),
        counts_by={each.assessment.guarantee: each.counts_by for each in run.checked.assessed if each.counts_by},
        subjects=content.subjects,
        persons=counted.persons,
        edited=settings.edited,
        models=settings.models,
        assessments=tuple(each.assessment for each in run.checked.assessed),
        residuals=run.residuals,
        residual_documents=run.residual_documents,
        remaining_names={label: each._asdict() for label, each in run.remaining_names.items()},
        passed_over=inventory.passed_over,
        gold_unedited=0 if GOLD in settings.edited else totals.gold_unedited,
        public_plan=public_plan(settings),
        statements=statements_of(settings),
        gold_in_clear=counted.in_clear,
        gold_untouched=counted.untouched,
        looked_for=tuple(label for each in looked_for(settings).values() for label in each.labels),
        named=named_labels(settings),
        hidden_labels=run.corpus.hidden_labels,
        missed_names=statement_of(run),
        table={} if run.table is None else run.table.statement,
    )


def placeholders_of(counted: DecisionCounts) -> tuple[str, ...]:
    """List what techniques wrote that says nothing of the original."""
    found: set[str] = set()
    for technique, labels in counted.edits.items():
        if placeholder := TECHNIQUES.find(technique).placeholder:
            found.update(map(placeholder, labels))
    if counted.totals.removed:
        found.add(REMOVED)
    return tuple(sorted(found))


def public_plan(settings: MethodSettings) -> dict[str, Any]:
    """Return the parts of a plan that may be published: no paths, term lists or secrets."""
    by_detector = [kind.public(section) for _, kind, section in detectors_of(settings)]
    return {
        "format": settings.input.format if isinstance(settings, PlanSettings) else DATA_FRAME,
        "sources": list(settings.edited),
        "unedited": list(settings.exempt),
        "rules": {label: rule.technique for label, rule in sorted(settings.rules_by_label.items())},
        **{name: value for entry in by_detector for name, value in entry.items()},
        "release_ids": settings.ids,
        "metadata": dict(settings.metadata),
        "listed_placeholders": len(settings.placeholders),
        "allowed_terms": 0 if settings.allow is None else sum(len(each.terms) for each in settings.allow.lists),
        "looked_for": {name: entry._asdict() for name, entry in looked_for(settings).items()},
        "not_looked_for": not_looked_for(settings),
    }


def looked_for(settings: MethodSettings) -> dict[str, DetectorScope]:
    """Return what each edited detector of a plan looks for, by its name."""
    return {name: kind.seeks(section) for name, kind, section in detectors_of(settings) if name in settings.edited}


def not_looked_for(settings: MethodSettings) -> tuple[str, ...]:
    """Return the labels that detectors have to offer, and that none of the plan's looks for."""
    offered = [label for _, kind in DETECTORS.built_in_items() for label in kind.knows()]
    sought = {label for each in looked_for(settings).values() for label in each.labels}
    return tuple(label for label in dict.fromkeys(offered) if label not in sought)


def checks_of(settings: MethodSettings) -> dict[str, str]:
    """Return the options of the command that counts each guarantee of a plan again, by the assessment's name."""
    kinds = ((GUARANTEES.find(name), demand) for name, demand in settings.demands.items())
    return {kind.assessment: result for kind, demand in kinds if (result := kind.again(demand))}

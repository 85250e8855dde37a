"""From decisions to a release: check, describe, publish."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_deid.core.corpus import Corpus
from spark_deid.core.edit import Edit, LabelledEdit
from spark_deid.core.kinds import DetectorScope, TermLoss
from spark_deid.core.span import GOLD, Finder, Span
from spark_deid.corpus.format import ParserUnit
from spark_deid.corpus.formats import find_format
from spark_deid.detection.registry import DETECTORS
from spark_deid.evaluation.score import MatchScores
from spark_deid.guarantees.gate import require
from spark_deid.guarantees.registry import GUARANTEES
from spark_deid.guarantees.spark.counting import DecisionCounts
from spark_deid.plan.check import CheckedDecisions, check, expected_of, told_of
from spark_deid.plan.clock import StageClock
from spark_deid.plan.columns import (
    column_finders,
    found_in_columns,
    metadata_let_out,
    shown_columns,
    types_of_columns,
    warnings_of_columns,
)
from spark_deid.plan.config import MethodSettings, PlanSettings
from spark_deid.plan.execute import PlanOutcome
from spark_deid.plan.phases import detectors_of
from spark_deid.plan.secret import SecretKey
from spark_deid.release.leaks import LEAST
from spark_deid.release.manifest import (
    InputRecord,
    Manifest,
    RunTimes,
    WordCounts,
    known_labels,
    release_view,
    words_apart,
    write_json,
)
from spark_deid.release.publish import publish
from spark_deid.release.spark.leaks import COLUMNS, RemovedText, Standing, count_standing, store_removed
from spark_deid.release.spark.tables import write_absent, write_rows
from spark_deid.release.workspace import RunFolders
from spark_deid.report.data import ReportData
from spark_deid.report.excerpts import excerpt
from spark_deid.report.render import excerpts_page, release_report
from spark_deid.rewriting.metadata import SUBJECT
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.rewriting.spark.identifiers import key_ids
from spark_deid.rewriting.spark.metadata import FoundInColumns
from spark_deid.rewriting.spark.operators import published_of_decisions
from spark_deid.rewriting.spark.typed import with_types
from spark_deid.rewriting.suppress import REMOVED

LOOKED_AT_DOCUMENTS, LOOKED_AT_CHARACTERS = 500, 4000
"""How much of a corpus tells whether detectors know such text."""
NOTHING: FoundInColumns = MappingProxyType({})


@dataclass(frozen=True)
class ReleaseContents:
    """What a release was made of; ``figures`` are those that detectors report, by their names."""

    manifest: Manifest
    scores: MatchScores | None
    figures: Mapping[str, Mapping[str, object]]


@dataclass(frozen=True)
class RunInfo:
    """When and as what a plan is carried out: the resolved plan, its fingerprint, when the run began, its file."""

    plan: Mapping[str, Any]
    fingerprint: str
    started: datetime
    name: str = ""


def deliver(
    settings: PlanSettings,
    outcome: PlanOutcome,
    places: RunFolders,
    secret: SecretKey,
    occasion: RunInfo,
    clock: StageClock,
) -> ReleaseContents:
    """Check the rewritten texts another way, and publish; what is checked is what is published.

    Raises GateRefused where a check fails; then there is no release.
    """
    checked = check(settings, outcome.corpus, outcome.inventory, clock)
    counted, assessed = checked.counted, checked.assessed
    write_rows((each.assessment for each in checked.assessed), places.workspace, "assessments")
    write_absent(places.workspace)
    clock.start("look for leaks", "look for what was removed")
    removed = store_removed(outcome.corpus, outcome.run.place("removed"))
    finders = column_finders(settings, outcome.run)
    columns = shown_columns(settings, finders)
    standing = count_standing(removed, outcome.corpus, columns, ids=settings.ids == "keep")
    doubts = warnings_of_detectors(settings, outcome.corpus.documents)
    found = found_in_columns(settings, outcome.corpus, finders)
    told = (*warnings_of_columns(found), *warnings_of_standing(standing, found))
    manifest = _manifest(settings, outcome, checked, standing, occasion, _times(occasion, clock))
    manifest = replace(manifest, warnings=(*manifest.warnings, *warnings_of_sampling(removed), *told, *doubts))
    scores = counted.scores.to_json() if counted.scores else None
    written = manifest.to_json() | ({"evaluation": scores} if scores else {})
    places.workspace.folder.write("manifest.json", write_json(written).encode())
    for warning in manifest.warnings:
        clock.say(f"warning: {warning}")
    require(assessed, expected=expected_of(settings))
    clock.start("count for the report")
    _write_excerpts(settings, outcome, places)
    figures = _figures(settings, outcome) | _figures_of_techniques(settings, outcome, places)
    let_out = _columns_let_out(settings, outcome.corpus, secret, finders)
    manifest = replace(manifest, times=_times(occasion, clock))
    view = release_view(manifest, secret.key)
    training = next((model.training for model in manifest.models if model.training), None)
    shown = counted.scores.of_labels(known_labels(manifest)) if counted.scores else None
    report = ReportData(
        manifest=view,
        evaluation=shown,
        training=training,
        notes=doubts,
        figures=figures,
        plan=occasion.name,
        release=PurePath(settings.release).name,
        checks=checks_of(settings),
        remarks=noted_by(counted),
        standing=tuple(standing),
        found_in={name: tuple(labels) for name, labels in found.items()},
    )
    publish(
        let_out,
        places.release,
        view,
        release_report(report),
        expected=manifest.documents,
        removed=removed,
        apart=(*words_apart(manifest), *doubts),
        stage=clock.start,
    )
    written["times"] = replace(manifest, times=_times(occasion, clock)).to_json()["times"]
    places.workspace.folder.write("manifest.json", write_json(written).encode())
    return ReleaseContents(manifest, counted.scores, figures)


def _figures(settings: PlanSettings, outcome: PlanOutcome) -> dict[str, Mapping[str, object]]:
    told = {name: kind.report(section, outcome.corpus, outcome.run) for name, kind, section in detectors_of(settings)}
    return {name: figures for name, figures in told.items() if figures}


def _figures_of_techniques(
    settings: PlanSettings, outcome: PlanOutcome, places: RunFolders
) -> dict[str, Mapping[str, object]]:
    """Let techniques report; what they have for the workspace alone is written there."""
    figures: dict[str, Mapping[str, object]] = {}
    for name, rules in settings_by_technique(settings).items():
        report = TECHNIQUES.find(name).report
        if report is not None:
            reported = report(rules, outcome.corpus, outcome.run)
            figures[name] = reported.figures
            for file, content in reported.private.items():
                places.workspace.folder.write(file, content)
    return figures


def settings_by_technique(settings: MethodSettings) -> dict[str, dict[str, Any]]:
    """Return the settings of a plan's rules by technique, then by label."""
    found: dict[str, dict[str, Any]] = {}
    for label, rule in settings.rules_by_label.items():
        found.setdefault(rule.technique, {})[label] = rule.settings
    return found


def _changes(settings: PlanSettings, text: str, edits: Sequence[LabelledEdit]) -> list[TermLoss]:
    by_technique = settings_by_technique(settings).items()
    return [
        each for name, rules in by_technique for each in TECHNIQUES.find(name).changes(rules, settings, text, edits)
    ]


def _write_excerpts(settings: PlanSettings, outcome: PlanOutcome, places: RunFolders) -> None:
    """Show originals beside what became of them, in the workspace alone; the first documents by id that have edits.

    Where annotations of the input are not edited, those that keep a word show their documents, too.
    """
    if not settings.report.excerpts:
        return
    shown = outcome.corpus.decisions.where((F.size("edits") > 0) | (F.col("gold_unedited") > 0))
    rows = shown.orderBy("doc_id").limit(settings.report.excerpts).select("doc_id", "text", "edits", "spans").collect()
    excerpts = []
    for row in rows:
        edits = [LabelledEdit(*edit) for edit in row["edits"]]
        changes = _changes(settings, row["text"], edits)
        gold = [span for span in (Span(*each) for each in row["spans"]) if span.source == GOLD]
        plain = [Edit(*edit[:4]) for edit in edits]
        excerpts.append(excerpt(row["doc_id"], row["text"], plain, annotations=gold, changes=changes))
    places.workspace.folder.write("excerpts.html", excerpts_page(excerpts).encode())


def _columns_let_out(settings: PlanSettings, corpus: Corpus, secret: SecretKey, finders: Sequence[Finder]) -> DataFrame:
    """Select what the release holds: ids, text, and the metadata that the plan names, as it says.

    Metadata has its name last of all: Spark takes a dot in a column's name for a field of it.
    """
    keyed = settings.ids == "keyed"
    published = published_of_decisions(corpus.decisions)
    published = metadata_let_out(published, settings, finders, key=secret.key, keyed_ids=keyed)
    plain = {name: name if name == SUBJECT else f"meta{place}" for place, name in enumerate(settings.metadata)}
    named = [
        F.col(SUBJECT) if name == SUBJECT else F.col("meta").getItem(name).alias(alias) for name, alias in plain.items()
    ]
    chosen = published.select("doc_id", "text", *named)
    if keyed:
        chosen = key_ids(chosen, key=secret.key)
    types = {plain[name]: kind for name, kind in types_of_columns(settings, corpus).items()}
    return with_types(chosen, types).toDF("doc_id", "text", *plain)


def _manifest(
    settings: PlanSettings,
    outcome: PlanOutcome,
    checked: CheckedDecisions,
    standing: Standing,
    occasion: RunInfo,
    times: RunTimes,
) -> Manifest:
    inventory, counted = outcome.inventory, checked.counted
    totals, content = counted.totals, counted.content
    record = InputRecord(
        path=settings.input.path,
        format=settings.input.format,
        documents=content.documents,
        characters=content.characters,
        content=content.digest,
        inventory=inventory.counts(),
        delta_version=outcome.delta_version,
    )
    return Manifest(
        plan=occasion.plan,
        fingerprint=occasion.fingerprint,
        inputs=(record,),
        times=times,
        words=WordCounts(totals.words, totals.published_words),
        documents=totals.documents,
        rejects=dict(sorted(inventory.rejects.items())),
        spans=counted.spans,
        edits=counted.edits,
        placeholders=_placeholders(counted),
        handed_back=handed_back_of(counted),
        counts_by={each.assessment.guarantee: each.counts_by for each in checked.assessed if each.counts_by},
        subjects=content.subjects,
        persons=counted.persons,
        edited=settings.edited,
        models=settings.models,
        assessments=tuple(each.assessment for each in checked.assessed),
        warnings=warnings_of(settings, outcome, counted),
        standing=standing,
        passed_over=inventory.passed_over,
        gold_unedited=0 if GOLD in settings.edited else totals.gold_unedited,
        public_plan=public_plan(settings),
        told=told_of(settings),
        gold_in_clear=counted.in_clear,
        gold_untouched=counted.untouched,
        looked_for=tuple(label for each in looked_for(settings).values() for label in each.labels),
    )


def _placeholders(counted: DecisionCounts) -> tuple[str, ...]:
    """List what techniques wrote that says nothing of the original."""
    found: set[str] = set()
    for technique, labels in counted.edits.items():
        if placeholder := TECHNIQUES.find(technique).placeholder:
            found.update(map(placeholder, labels))
    if counted.totals.removed:
        found.add(REMOVED)
    return tuple(sorted(found))


def public_plan(settings: PlanSettings) -> dict[str, Any]:
    """Return what of a plan may leave the house: no paths, term lists or secrets."""
    by_detector = [kind.public(section) for _, kind, section in detectors_of(settings)]
    return {
        "format": settings.input.format,
        "sources": list(settings.edited),
        "unedited": list(settings.exempt),
        "rules": {label: rule.technique for label, rule in sorted(settings.rules_by_label.items())},
        **{name: value for told in by_detector for name, value in told.items()},
        "release_ids": settings.ids,
        "metadata": dict(settings.metadata),
        "listed_placeholders": len(settings.placeholders),
        "looked_for": {name: told._asdict() for name, told in looked_for(settings).items()},
        "not_looked_for": not_looked_for(settings),
    }


def warnings_of(settings: PlanSettings, outcome: PlanOutcome, counted: DecisionCounts) -> tuple[str, ...]:
    """Say what the user should know about a run that went well."""
    found = list(warnings_of_edits(settings, counted))
    names_files = find_format(settings.input.format).unit is ParserUnit.DOCUMENT or counted.totals.named_by_file
    if settings.ids == "keep" and names_files:
        found.append("document ids hold file names, which may name persons: release_ids: keyed replaces them by hashes")
    if passed_over := outcome.inventory.passed_over:
        found.append(
            f"{passed_over} files were passed over, for their suffixes or hidden names: the workspace's manifest has "
            "the counts"
        )
    if attachments := outcome.inventory.attachments:
        found.append(f"{attachments} attachments of mails were left out: only text is read")
    return tuple(found)


def warnings_of_detectors(settings: MethodSettings, documents: DataFrame) -> tuple[str, ...]:
    """Say which detectors may not know such text, by the beginnings of the first documents; one small job at most."""
    warners = [(kind.warn, section) for _, kind, section in detectors_of(settings) if kind.warn]
    if not warners:
        return ()
    rows = documents.select(F.substring("text", 1, LOOKED_AT_CHARACTERS)).limit(LOOKED_AT_DOCUMENTS).collect()
    texts = [row[0] for row in rows]
    return tuple(warning for warn, section in warners for warning in warn(section, texts))


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
    return {kind.assessment: told for kind, demand in kinds if (told := kind.again(demand))}


def warnings_of_standing(standing: Standing, found: FoundInColumns = NOTHING) -> tuple[str, ...]:
    """Say where text that was removed in one place stands in another that is published.

    Of kept columns no label is told again that detectors find there.
    """
    told = {label for labels in found.values() for label in labels}
    left = {
        place: {label: count for label, count in counts.items() if place != COLUMNS or label not in told}
        for place, counts in standing.items()
    }
    return tuple(
        f"text of {LEAST} characters and more that was removed stands in published {place} as well, by label: "
        + ", ".join(f"{label} {count}" for label, count in counts.items())
        for place, counts in left.items()
        if counts
    )


def warnings_of_sampling(removed: RemovedText) -> tuple[str, ...]:
    """Say that of very much text that was removed a part was looked for in what is published."""
    if removed.every == 1:
        return ()
    return (f"of the pieces of text that were removed, one in {removed.every} was looked for in what is published",)


def _lacks_gold(settings: MethodSettings, counted: DecisionCounts) -> bool:
    return GOLD in settings.edited and GOLD not in counted.spans


def warnings_of_edits(settings: MethodSettings, counted: DecisionCounts) -> tuple[str, ...]:
    """Say what the user should know about edits, wherever documents came from."""
    found = []
    if not counted.edits:
        annotations = (
            "; gold is what an input has of annotations, and this one has none"
            if _lacks_gold(settings, counted)
            else ""
        )
        found.append(f"nothing was marked: the texts of the release are those of the input{annotations}")
    if counted.totals.gold_unedited and GOLD not in settings.edited:
        found.append(
            f"{counted.totals.gold_unedited} imported annotations keep an unedited word: sources does not name gold"
        )
    for technique, reasons in handed_back_of(counted).items():
        counts = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
        found.append(f"{sum(reasons.values())} spans were suppressed, since {technique} did not replace them: {counts}")
    return (*found, *noted_by(counted))


def noted_by(counted: DecisionCounts) -> tuple[str, ...]:
    """Return what techniques note of how they worked, in sentences with counts."""
    return tuple(
        f"{technique}: {notes[note].format(n=n)}"
        for technique, noted in counted.handed_back.items()
        for notes in (TECHNIQUES.find(technique).notes,)
        for note, n in noted.items()
        if note in notes
    )


def handed_back_of(counted: DecisionCounts) -> dict[str, dict[str, int]]:
    """Return the spans that techniques did not replace, by technique and reason, without what these note beside."""
    found = {
        technique: {why: n for why, n in reasons.items() if why not in TECHNIQUES.find(technique).notes}
        for technique, reasons in counted.handed_back.items()
    }
    return {technique: reasons for technique, reasons in found.items() if reasons}


def _times(occasion: RunInfo, clock: StageClock) -> RunTimes:
    """Return the times of the stages so far, without the one that goes on."""
    return RunTimes(_iso(occasion.started), _iso(datetime.now(UTC)), tuple(clock.done().items()))


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")

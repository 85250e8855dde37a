"""What a release folder shows of a run: the report, and excerpts for the workspace alone."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from spark_deid.core.edit import LabelledEdit
from spark_deid.core.kinds import TermLoss
from spark_deid.core.span import GOLD, Span
from spark_deid.engine import functions as F
from spark_deid.pipeline.describing import checks_of
from spark_deid.pipeline.run import PipelineRun
from spark_deid.pipeline.warnings import noted_by
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.detectors import detectors_of
from spark_deid.release.manifest import known_labels
from spark_deid.report.data import ReportData
from spark_deid.report.excerpts import excerpt
from spark_deid.report.render import excerpts_page
from spark_deid.rewriting.registry import TECHNIQUES
from spark_deid.storage.folder import StorageFolder

Figures = Mapping[str, Mapping[str, object]]
"""What methods report, by their names."""


def report_data(run: PipelineRun, view: Mapping[str, object], figures: Figures, release: str) -> ReportData:
    """Return what the report of a release shows; ``view`` is the manifest that its readers have."""
    counted = run.checked.counted
    return ReportData(
        manifest=view,
        evaluation=counted.scores.of_labels(known_labels(run.manifest)) if counted.scores else None,
        training=next((model.training for model in run.manifest.models if model.training), None),
        notes=run.doubts,
        figures=figures,
        plan=run.info.name,
        release=PurePath(release).name,
        checks=checks_of(run.settings),
        remarks=noted_by(counted),
        residual_places=tuple(run.residuals),
        found_in={name: tuple(labels) for name, labels in run.found_in_columns.items()},
    )


def figures_of(run: PipelineRun, private: StorageFolder) -> Figures:
    """Let detectors and techniques report; what techniques have for the workspace alone is written there."""
    record = {name: kind.report(section, run.corpus, run.methods) for name, kind, section in detectors_of(run.settings)}
    figures = {name: reported for name, reported in record.items() if reported}
    for name, rules in settings_by_technique(run.settings).items():
        report = TECHNIQUES.find(name).report
        if report is not None:
            reported = report(rules, run.corpus, run.methods)
            figures[name] = reported.figures
            for file, content in reported.private.items():
                private.write(file, content)
    return figures


def excerpts_of(run: PipelineRun, most: int) -> bytes:
    """Return a page with originals beside what became of them: the first documents by id that have edits.

    Where annotations of the input are not edited, those that keep a word show their documents, too.
    """
    shown = run.corpus.decisions.where((F.size("edits") > 0) | (F.col("gold_unedited") > 0))
    rows = shown.orderBy("doc_id").limit(most).select("doc_id", "text", "edits", "spans").collect()
    excerpts = []
    for row in rows:
        edits = [LabelledEdit(*edit) for edit in row["edits"]]
        changes = _changes(run.settings, row["text"], edits)
        gold = [span for span in (Span(*each) for each in row["spans"]) if span.source == GOLD]
        excerpts.append(excerpt(row["doc_id"], row["text"], edits, annotations=gold, changes=changes))
    return excerpts_page(excerpts).encode()


def settings_by_technique(settings: MethodSettings) -> dict[str, dict[str, Any]]:
    """Return the settings of a plan's rules by technique, then by label."""
    found: dict[str, dict[str, Any]] = {}
    for label, rule in settings.rules_by_label.items():
        found.setdefault(rule.technique, {})[label] = rule.settings
    return found


def _changes(settings: MethodSettings, text: str, edits: Sequence[LabelledEdit]) -> list[TermLoss]:
    by_technique = settings_by_technique(settings).items()
    return [
        each for name, rules in by_technique for each in TECHNIQUES.find(name).changes(rules, settings, text, edits)
    ]

"""Plain data to HTML: pages of one file each, without scripts or anything from elsewhere."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import starmap
from shlex import quote
from typing import Any

from jinja2 import ChoiceLoader, Environment, FunctionLoader, PackageLoader, StrictUndefined

from spark_deid.core.labels import OTHER_LABELS
from spark_deid.core.plurals import plural
from spark_deid.core.report_section import LinePlot, PublicFigures
from spark_deid.core.version import VERSION
from spark_deid.evaluation.residual_text import JudgedDocument
from spark_deid.greedy.training_settings import TrainingSettings
from spark_deid.report import charts
from spark_deid.report.data import ReportData
from spark_deid.report.excerpts import JOINT, DocumentExcerpt, ExcerptPiece, MarkedStretch, ReleaseSample, labels_of
from spark_deid.report.next_steps import checks, next_steps
from spark_deid.report.phrases import REASONS, assumptions, break_label, duration, list_words, number, percent, score
from spark_deid.report.plots import png, svg
from spark_deid.report.sections import sections_of
from spark_deid.report.verdict import LabelShare, verdict

Files = dict[str, bytes]
"""What is written beside a page, by name: each of its plots as SVG and as PNG."""


def release_report(data: ReportData) -> str:
    """Render the report of a release: counts, shares and settings; no document text, ids or paths.

    Raises UsageError where a section that an installed package brings can't be shown.
    """
    judged = verdict(data.manifest, data.notes, data.residual_places, data.found_in)
    return _render(
        "release.html",
        manifest=data.manifest,
        evaluation=data.evaluation,
        training=data.training,
        notes=data.notes,
        remarks=data.remarks,
        figures=data.figures,
        verdict=judged,
        steps=next_steps(data, judged),
        plan=data.plan,
        release=data.release,
        checks=checks(data),
        sections=tuple(sections_of(PublicFigures(data.manifest, data.figures))),
        assumptions=assumptions(data.manifest),
    )


def training_report(report: Mapping[str, Any]) -> str:
    """Render a model's training report: what remains by label, rounds, the stop test, curves; no text."""
    leak = charts.leak_curve(report)
    more = report.get("learning_curve")
    drawn = () if more is None else (charts.learning_curve(more), charts.ratio_curve(more))
    return _render(
        "spark_deid.greedy/training.html",
        training=report,
        told={name: field.description for name, field in TrainingSettings.model_fields.items()},
        recall=tuple(starmap(_share, report.get("recall", {}).items())),
        leak=None if leak is None else svg(leak),
        more=tuple(svg(plot) for plot in drawn if plot is not None),
    )


def _share(label: str, counts: Mapping[str, int]) -> LabelShare:
    return LabelShare(label, counts["annotations"], counts["in_clear"], counts["untouched"])


def anonymization_report(manifest: Mapping[str, Any], plots: Iterable[LinePlot]) -> str:
    """Render the report of a recoded table: counts, losses, risks and plots; no values of the table."""
    return _render(
        "spark_deid.anonymity/anonymization.html", manifest=manifest, plots=tuple(svg(plot) for plot in plots)
    )


def comparison_page(figures: Mapping[str, Any], plot: LinePlot) -> str:
    """Render compared settings of a table: loss, risks, omitted rows and commands; no values of the table."""
    return _render("spark_deid.anonymity/comparison.html", r=figures, plot=svg(plot))


def attack_page(report: Mapping[str, Any]) -> str:
    """Render the report of an attack: who attacked, what was found, and what it means; no text."""
    return _render("spark_deid.greedy/attack.html", r=report)


def evaluation_page(figures: Mapping[str, Any], scored: str, documents: Sequence[JudgedDocument] = ()) -> str:
    """Render the scores of a model, of a table of spans or of a plan, ``scored`` by name, as ``evaluate`` shows them.

    Texts of ``documents``, which a plan was scored on, are shown, with its mistakes marked; else there is no text.
    """
    labels = figures["strict"]["labels"]
    annotated = [label for label in labels if labels[label]["support"]]
    annotated.sort(key=lambda label: (labels[label]["recall"], -labels[label]["support"], label))
    others = sorted(labels.keys() - set(annotated))
    values = {"r": figures, "scored": scored, "annotated": annotated, "others": others, "documents": documents}
    return _render("spark_deid.evaluation/evaluation.html", **values)


def vectors_report(manifest: Mapping[str, Any]) -> str:
    """Render the report of a release of sentences as vectors: counts and labels; no text."""
    return _render("spark_deid.private_training/vectors.html", manifest=manifest)


def experiment_page(name: str, figures: Mapping[str, Any]) -> tuple[str, Files]:
    """Render the page of an experiment, by the name of its package, and its plots as files; no text, ids or paths."""
    drawn = {plot["name"]: svg(plot) for plot in figures["plots"]}
    files = {f"{plot}.svg": f"{drawing}\n".encode() for plot, drawing in drawn.items()}
    files |= {f"{plot['name']}.png": png(plot) for plot in figures["plots"]}
    return _render(f"spark_deid.app.experiments.{name}/experiment.html", r=figures, plots=tuple(drawn.values())), files


def excerpts_page(excerpts: Iterable[DocumentExcerpt], heading: str = "Before and after") -> str:
    """Render originals next to the released texts. The page shows personal data, so it is for the workspace only."""
    excerpts = tuple(excerpts)
    return _render("excerpts.html", excerpts=excerpts, heading=heading, labels=labels_of(excerpts), joint=JOINT)


def sample_page(sample: ReleaseSample) -> str:
    """Render documents of a release with a box to tick beside each, and the bounds that ticks give."""
    return _render("sample.html", s=sample)


def highlighted_spans(pieces: Sequence[MarkedStretch], legend: Sequence[tuple[str, int, int]], summary: str) -> str:
    """Render a text with its spans marked, and a legend of label, hue and count: a fragment for a notebook."""
    return _render("highlighted_spans.html", pieces=pieces, legend=legend, told=summary)


def highlighted_edits(pieces: Sequence[ExcerptPiece], summary: str) -> str:
    """Render a text before and after its edits: a fragment for a notebook."""
    return _render("highlighted_edits.html", pieces=pieces, told=summary)


def notebook_table(title: str, rows: Iterable[tuple[str, object]], notes: Sequence[str] = ()) -> str:
    """Render names with values, and notes below them: a fragment for a notebook.

    >>> "<td>a &lt; b</td>" in notebook_table("Plan", [("rule", "a < b")])
    True
    """
    return _render("notebook_table.html", rows=tuple(rows), told=title, notes=tuple(notes))


def _render(template: str, **values: object) -> str:
    return _environment().get_template(template).render(values) + "\n"


def template_of_package(name: str) -> str | None:
    """Return the template ``package/page.html``, which is in the package's folder ``templates``; None without one."""
    package, _, page = name.partition("/")
    try:
        return (files(package) / "templates" / page).read_text(encoding="utf-8")
    except (ImportError, OSError, ValueError):
        return None


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader("spark_deid.report"), FunctionLoader(template_of_package)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        broken=break_label,
        number=number,
        percent=percent,
        duration=duration,
        score=score,
        listed=list_words,
        plural=plural,
    )
    environment.filters["quoted"] = quote
    environment.globals.update(
        charts=charts,
        curves=charts,
        svg=svg,
        reasons=REASONS,
        other_labels=OTHER_LABELS,
        version=VERSION,
    )
    return environment

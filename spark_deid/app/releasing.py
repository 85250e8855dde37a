"""Carry out a plan, say what it would do, and hide rare text."""

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_deid.app.inputs import Figures, Progress, check_format, check_input, tell_losses
from spark_deid.app.sessions import open_session, pace_of
from spark_deid.core.hashing import fingerprint
from spark_deid.core.rare import RARE
from spark_deid.detection.rare import NAME as RARE_TEXT
from spark_deid.guarantees.k_repeating import ASSESSMENT as RARE_TEXT_HELD
from spark_deid.plan.clock import Clock
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.load import load_plan
from spark_deid.rewriting.mask import MASK
from spark_deid.settings import Pace

if TYPE_CHECKING:
    from spark_deid.plan.deliver import Delivery

MIDDLING_INPUT = 200_000_000
"""Bytes of input up to which hiding rare text is over before the JVM's full compiler pays."""


def run(plan_path: Path, overrides: Sequence[str], *, master: str | None = None, progress: Progress) -> Figures:
    """Carry out a plan; return the figures of the contract. Raises GateRefused where a check refuses."""
    return run_plan(load_plan(plan_path, overrides), master=master, progress=progress)


def run_plan(
    settings: PlanSettings, *, master: str | None = None, pace: Pace | None = None, progress: Progress
) -> Figures:
    """Carry out a plan that was loaded."""
    began = time.monotonic()
    delivery = _deliver(settings, "run", master, pace, progress)
    return _figures(settings, delivery) | {"seconds": round(time.monotonic() - began, 3)}


def _figures(settings: PlanSettings, delivery: "Delivery") -> Figures:
    manifest = delivery.manifest
    return {
        "release": settings.release,
        "documents": manifest.documents,
        "rejects": sum(manifest.rejects.values()),
        "rounds": sum(model.rounds for model in manifest.models),
        "spans": sum(sum(labels.values()) for labels in manifest.spans.values()),
        "publish_ratio": manifest.words.publish_ratio,
    }


def _deliver(
    settings: PlanSettings, name: str, master: str | None, pace: Pace | None, progress: Progress
) -> "Delivery":
    """Check a plan, open its places, carry it out and publish. Raises GateRefused where a check refuses."""
    from spark_deid.plan.deliver import Occasion, deliver
    from spark_deid.plan.execute import execute
    from spark_deid.plan.explain import check_detectors, check_guarantees
    from spark_deid.plan.secret import find_secret
    from spark_deid.release.workspace import open_places

    started = datetime.now(UTC)
    check_input(settings.input.path)
    check_detectors(settings)
    check_guarantees(settings)
    secret = find_secret(settings.key_file)
    if settings.release_ids == "keyed" and not secret.repeatable:
        progress("no key was given: a random one is used, so keyed ids will not repeat in a later run")
    plan = settings.resolved()
    occasion = Occasion(plan, fingerprint(plan), started)
    clock = Clock(progress)
    with open_places(settings.input.path, settings.workspace, settings.release, occasion.fingerprint) as places:
        progress("start Spark")
        with open_session(name, master, settings.input.path, places, pace=pace) as spark:
            outcome = execute(settings, spark, places.workspace, secret, clock)
            delivery = deliver(settings, outcome, places, secret, occasion, clock)
    for warning in delivery.manifest.warnings:
        progress(f"warning: {warning}")
    tell_losses(delivery.manifest.rejects, 0, progress, where=f"{settings.workspace}/rejects")
    return delivery


def explain(plan_path: Path, overrides: Sequence[str]) -> str:
    """Say what a plan would do."""
    from spark_deid.plan.explain import explain as explain_settings

    return explain_settings(load_plan(plan_path, overrides))


def repeats(
    input_path: str,
    input_format: str,
    output: str,
    *,
    workspace: str | None = None,
    options: Mapping[str, Any],
    mask: str = "run",
    sweep: bool = False,
    master: str | None = None,
    progress: Progress,
) -> Figures:
    """Hide rare text and nothing else: a plan of one detector; ``options`` are those of a plan's ``repeats``.

    With a workspace, originals, spans and edits stay there; without one, what is private lies beside the output while
    it is made. Raises UsageError for an option out of its range.
    """
    from spark_deid.plan.load import check_plan, check_repeats
    from spark_deid.storage.folder import folder_at

    check_format(input_format)
    began = time.monotonic()
    private = workspace or f"{output.rstrip('/')}.private"
    plan = {
        "input": {"path": input_path, "format": input_format},
        "workspace": private,
        "release": output,
        RARE_TEXT: check_repeats({**options, "sweep": sweep}).model_dump(),
        "rules": {RARE: {"technique": MASK, "per": mask}},
    }
    # Python does the work of this command: up to a few minutes, the JVM's full compiler costs more than it gains.
    pace = pace_of(input_path, MIDDLING_INPUT)
    delivery = _deliver(check_plan(plan, "repeats"), "repeats", master, pace, progress)
    if workspace is None:
        folder_at(private).remove("")
    manifest = delivery.manifest
    assessments = [each._asdict() for each in manifest.assessments if each.guarantee == RARE_TEXT_HELD]
    told = {"assessments": assessments, "rejects": dict(manifest.rejects)}
    seconds = round(time.monotonic() - began, 3)
    return {"output": output, **delivery.figures[RARE_TEXT], **told, "seconds": seconds}

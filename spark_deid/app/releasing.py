"""Carry out a plan, say what it would do, and hide rare text."""

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from spark_deid.app.inputs import Figures, Progress, check_format, check_input, tell_losses
from spark_deid.app.sessions import open_session, pace_of
from spark_deid.core.hashing import fingerprint
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.load import load_plan

MIDDLING_INPUT = 200_000_000
"""Bytes of input up to which hiding rare text is over before the JVM's full compiler pays."""


def run(plan_path: Path, overrides: Sequence[str], *, master: str | None = None, progress: Progress) -> Figures:
    """Carry out a plan; return the figures of the contract. Raises GateRefused where a check refuses."""
    return run_plan(load_plan(plan_path, overrides), master=master, progress=progress)


def run_plan(settings: PlanSettings, *, master: str | None = None, progress: Progress) -> Figures:
    """Carry out a plan that was loaded."""
    from spark_deid.plan.deliver import deliver, warnings_of
    from spark_deid.plan.detectors import check_detectors
    from spark_deid.plan.execute import execute
    from spark_deid.plan.guarantees import check_guarantees
    from spark_deid.plan.secret import find_secret
    from spark_deid.release.workspace import open_places

    began, started = time.monotonic(), datetime.now(UTC)
    check_input(settings.input.path)
    check_detectors(settings)
    check_guarantees(settings)
    secret = find_secret(settings.key_file)
    if settings.release_ids == "keyed" and not secret.repeatable:
        progress("no key was given: a random one is used, so keyed ids will not repeat in a later run")
    plan = settings.model_dump(mode="json")
    plan_hash = fingerprint(plan)
    with open_places(settings.input.path, settings.workspace, settings.release, plan_hash) as places:
        progress("start Spark")
        with open_session("run", master, settings.input.path, places) as spark:
            outcome = execute(settings, spark, places.workspace, progress)
            for warning in warnings_of(settings, outcome):
                progress(f"warning: {warning}")
            delivery = deliver(
                settings,
                outcome,
                places,
                secret,
                plan=plan,
                fingerprint=plan_hash,
                started=started,
                progress=progress,
            )
    manifest = delivery.manifest
    tell_losses(manifest.rejects, 0, progress, where=f"{settings.workspace}/rejects")
    return {
        "release": settings.release,
        "documents": manifest.documents,
        "rejects": sum(manifest.rejects.values()),
        "rounds": sum(model.rounds for model in manifest.models),
        "spans": sum(sum(labels.values()) for labels in manifest.spans.values()),
        "publish_ratio": manifest.words.publish_ratio,
        "seconds": round(time.monotonic() - began, 3),
    }


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
    """Hide rare text and nothing else; ``options`` are those of a plan's ``repeats``.

    With a workspace, originals, spans and edits stay there; without one, what is private lies beside the output while
    it is made. Raises UsageError for an option out of its range.
    """
    from spark_deid.plan.config import InputSettings
    from spark_deid.plan.load import check_repeats
    from spark_deid.plan.rare import RareRun, hide_rare
    from spark_deid.release.workspace import open_places
    from spark_deid.repeats.settings import Mask
    from spark_deid.storage.folder import folder_at

    check_format(input_format)
    settings = check_repeats(options)
    run_settings = RareRun(
        InputSettings(path=input_path, format=input_format), settings, Mask(mask), sweep, workspace is not None
    )
    plan = fingerprint([input_path, input_format, output, settings.model_dump(mode="json"), mask])
    private = workspace or f"{output.rstrip('/')}.private"
    with open_places(input_path, private, output, plan) as places:
        progress("start Spark")
        # Python does the work of this command: up to a few minutes, the JVM's full compiler costs more than it gains.
        pace = pace_of(input_path, MIDDLING_INPUT)
        with open_session("repeats", master, input_path, places, pace=pace) as spark:
            figures = hide_rare(run_settings, spark, places, progress)
    if workspace is None:
        folder_at(private).remove("")
    return {"output": output} | figures

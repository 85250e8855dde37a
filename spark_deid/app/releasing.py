"""Run or explain a plan, and hide rare text."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from spark_deid.app.corpora import convert
from spark_deid.app.figures import ReleaseFigures, RepeatsFigures, SkippedFigures
from spark_deid.app.inputs import Progress, check_new, no_progress
from spark_deid.app.losses import tell_rejects_by_reason
from spark_deid.app.options.corpora import ConvertOptions, RepeatsOptions
from spark_deid.app.options.fields import written_formats
from spark_deid.app.repeated_run import hashes_of, is_repeated, keep_hashes
from spark_deid.app.sessions import notice_of, open_session, pace_of, request_of
from spark_deid.core.edit import MASK, RARE
from spark_deid.core.error_wording import NotOneOf
from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import fingerprint
from spark_deid.engine.choice import choose_engine, describe_choice
from spark_deid.engine.engines import EngineKind
from spark_deid.engine.settings import SessionPace
from spark_deid.pipeline.first_rows import check_first_rows, explain_with_rows
from spark_deid.plan.clock import StageClock
from spark_deid.plan.config import MethodSettings, PlanSettings, on_day
from spark_deid.plan.load import check_plan
from spark_deid.plan.ready import check_ready, load_ready
from spark_deid.plan.secret import find_secret
from spark_deid.release.commit import DOCUMENTS
from spark_deid.release.workspace import OccupiedError, drop_private, open_places, private_remains
from spark_deid.repeats.detector import NAME as RARE_TEXT
from spark_deid.repeats.detector import RepeatsSettings
from spark_deid.repeats.guarantee import ASSESSMENT as RARE_TEXT_HELD
from spark_deid.storage.files import is_remote
from spark_deid.storage.folder import folder_at
from spark_deid.storage.lock import LockedError
from spark_deid.storage.path_checks import check_outside

if TYPE_CHECKING:
    from spark_deid.pipeline.release_folder import ReleaseSink
    from spark_deid.pipeline.run import PipelineRun
    from spark_deid.release.workspace import RunFolders

_OTHERS = "\n--release and --workspace override the folders of the plan. {date} in a name is today's date"
MIDDLING_INPUT = 200_000_000
"""Bytes of input up to which a plan is carried out before the JVM's full compiler pays."""


def run(
    plan_path: Path,
    overrides: Sequence[str],
    given: Mapping[str, object] | None = None,
    *,
    to: tuple[str, str] | None = None,
    master: str | None = None,
    progress: Progress = no_progress,
) -> ReleaseFigures:
    """Carry out a plan; ``given`` are values by their paths in it. Returns the figures of the contract.

    ``to`` is a format and a new folder. The release is also written there once it is committed. Raises UsageError
    with every mistake of the plan, and GateRefused where a check refuses.
    """
    began = time.monotonic()
    settings = on_day(load_ready(plan_path, overrides, given), date.today())
    if settings.columns == "all":
        return _run_table(settings, plan_path.name, to, master, progress, began)
    copy = None if to is None else _copy_of(settings, *to)
    figures = _run(settings, plan_path.name, master, progress, began)
    if copy is not None:
        progress(f"write a copy of the release to {copy.target}")
        convert(copy.model_copy(update={"master": master, "engine": settings.engine}), progress)
    return figures


def skip_repeated(
    plan_path: Path,
    overrides: Sequence[str],
    given: Mapping[str, object] | None = None,
    *,
    progress: Progress = no_progress,
) -> SkippedFigures | None:
    """Return figures if the release of a plan exists and a run would repeat it; None without a release.

    Raises SparkDeidError, which names what differs, if the release was changed or its run had other inputs, and
    UsageError with every mistake of the plan.
    """
    settings = on_day(load_ready(plan_path, overrides, given), date.today())
    if settings.columns == "all":
        # Start-up: ``explain`` makes no release.
        from spark_deid.app.input_table import all_columns

        settings, _ = all_columns(settings)
    return SkippedFigures(settings.release) if is_repeated(settings, progress) else None


def _run_table(
    settings: PlanSettings,
    name: str,
    to: tuple[str, str] | None,
    master: str | None,
    progress: Progress,
    began: float,
) -> ReleaseFigures:
    """Carry out a plan that publishes all columns of its input; ``to`` is a format and a folder for the table."""
    # Start-up: ``explain`` makes no release.
    from spark_deid.app.input_table import (
        all_columns,
        check_first_columns,
        check_target,
        sink_of_table,
        write_input_table,
    )

    if to is not None:
        check_target(to[0])
        _check_apart(settings, to[1])
    settings, table = all_columns(settings)
    check_first_columns(settings, table)
    figures = _run(settings, name, master, progress, began, sink_of_table(table))
    if to is not None:
        progress(f"write the table to {to[1]}")
        write_input_table(settings, table, to[1], to[0], progress)
    return figures


def _check_apart(settings: PlanSettings, folder: str) -> None:
    """Raise UsageError for a folder that is not new, or that a folder of the plan contains."""
    places = {"input": settings.input.path, "workspace": settings.workspace, "release": settings.release}
    for place, path in places.items():
        check_outside(path, folder, name=place)
    check_new(folder)


def _copy_of(settings: PlanSettings, name: str, folder: str) -> ConvertOptions:
    """Return how a release is written in another format. Raises UsageError where it can't be, before the run begins."""
    if name not in written_formats():
        raise UsageError(f"--to: {NotOneOf(name, written_formats())}")
    _check_apart(settings, folder)
    documents = f"{settings.release.rstrip('/')}/{DOCUMENTS}"
    return ConvertOptions(source=documents, target=folder, source_format="delta", target_format=name)


def run_plan(
    settings: PlanSettings, *, name: str = "", master: str | None = None, progress: Progress = no_progress
) -> ReleaseFigures:
    """Carry out a plan that was loaded; its report has the name."""
    began = time.monotonic()
    settings = on_day(settings, date.today())
    check_ready(settings)
    if settings.columns == "all":
        return _run_table(settings, name, None, master, progress, began)
    return _run(settings, name, master, progress, began)


def _run(
    settings: PlanSettings,
    name: str,
    master: str | None,
    progress: Progress,
    began: float,
    sink_of: "Callable[[PlanSettings, RunFolders], ReleaseSink] | None" = None,
) -> ReleaseFigures:
    done, _ = deliver(settings, "run", master, pace_of_run(settings.input.path), progress, name, sink_of=sink_of)
    manifest = done.manifest
    return ReleaseFigures(
        release=settings.release,
        documents=manifest.documents,
        rejects=sum(manifest.rejects.values()),
        rounds=max((model.rounds for model in manifest.models), default=0),
        spans=sum(sum(labels.values()) for labels in manifest.spans.values()),
        publish_ratio=manifest.words.publish_ratio,
        seconds=round(time.monotonic() - began, 3),
        missed_names=manifest.missed_names,
    )


def pace_of_run(input_path: str) -> SessionPace:
    """Return the pace of a run's session by the bytes of its input."""
    if pace_of(input_path, MIDDLING_INPUT) is SessionPace.LONG:
        return SessionPace.LONG
    return SessionPace.MEDIUM if pace_of(input_path) is SessionPace.LONG else SessionPace.SHORT


@contextmanager
def _failure_hints(settings: PlanSettings, name: str, progress: Progress) -> Iterator[None]:
    """Add to a failure the options that choose other folders, or the place of the originals that remain."""
    try:
        yield
    except LockedError:
        raise
    except OccupiedError as error:
        raise OccupiedError(f"{error}{_OTHERS if name == 'run' else ''}") from None
    except BaseException:  # also Ctrl-C: a user who stops a run needs the place of the originals
        with suppress(OSError):  # a terminal that is gone must not hide why
            progress(private_remains(settings.workspace))
        raise


def deliver(
    settings: PlanSettings,
    name: str,
    master: str | None,
    pace: SessionPace,
    progress: Progress,
    plan_name: str = "",
    *,
    keeps_key: bool = True,
    sink_of: "Callable[[PlanSettings, RunFolders], ReleaseSink] | None" = None,
) -> "tuple[PipelineRun, ReleaseSink]":
    """Open the places of a plan that is ready, carry it out and publish. Raises GateRefused where a check refuses.

    A key that is drawn for it is kept in the workspace, unless that is removed at the end. ``sink_of`` makes the sink
    of a release that is not a table of the input's documents.
    """
    # Start-up: ``explain`` makes no release.
    from spark_deid.pipeline.release_folder import ReleaseSink
    from spark_deid.pipeline.run import PipelineRun, RunInfo
    from spark_deid.pipeline.steps import run_steps

    started = datetime.now(UTC)
    check_first_rows(settings)
    secret = find_secret(settings.key_file)
    delta = settings.input.format == "delta"
    choice = choose_engine(request_of(name, settings.engine, master, settings.input.path))
    plan = settings.resolved()
    info = RunInfo(plan, fingerprint(plan), started, plan_name)
    clock = StageClock(progress)
    with (
        _failure_hints(settings, name, progress),
        open_places(settings.input.path, settings.workspace, settings.release, info.fingerprint) as places,
    ):
        if not secret.repeatable:
            tell_key(settings, places.workspace.keep_key(secret.key) if keeps_key else None, progress)
        hashes = hashes_of(settings, secret.key) if name == "run" else None
        clock.start("start Spark" if choice.kind is EngineKind.CLASSIC else "start the engine", notice_of(choice))
        with open_session(
            name,
            master,
            settings.input.path,
            places,
            pace=pace,
            needs_delta=delta,
            choice=choice,
            progress=progress,
        ) as spark:
            sink = (sink_of or ReleaseSink)(settings, places)
            done = PipelineRun(settings, spark, sink, secret.key, info, clock)
            run_steps(done)
            if hashes is not None:
                keep_hashes(places.workspace, hashes)
    manifest = done.manifest
    where = f"{settings.workspace}/rejects"
    tell_rejects_by_reason(manifest.rejects, manifest.unknown_rejects, progress, where=where)
    return done, sink


def tell_key(settings: PlanSettings, place: Path | None, progress: Progress) -> None:
    """Report the place of a generated key if the release depends on it."""
    if settings.ids == "keep":
        return
    if place is None:
        progress("no key was set, so a random key is used. Keyed ids differ in every run")
    else:
        progress(
            f"ids become keyed hashes. The key is stored in {place}. To get the same hashes in a later run, set "
            "key_file to it"
        )


def explain(plan_path: Path, overrides: Sequence[str], given: Mapping[str, object] | None = None) -> str:
    """Describe what a plan would do, also by the first rows of a local input; no engine is started.

    Raises what a run of it would, as far as the plan, these rows and the machine show it.
    """
    return explain_settings(load_ready(plan_path, overrides, given))


def explain_settings(settings: MethodSettings) -> str:
    """Describe a plan that is ready as ``explain`` does, and the engine that a run of it would use."""
    if not isinstance(settings, PlanSettings):
        return explain_with_rows(settings)
    notes = []
    if settings.columns == "all":
        # Start-up: ``explain`` makes no release.
        from spark_deid.app.input_table import all_columns, check_first_columns

        settings, table = all_columns(settings)
        check_first_columns(settings, table)
        notes.append(f"note: every column of the input is published: {', '.join(table.names)}")
    explained = explain_with_rows(settings)
    choice = choose_engine(request_of("run", settings.engine, None, settings.input.path))
    return "\n".join([explained, *notes, f"note: engine: {describe_choice(choice)}"])


def repeats_plan(options: RepeatsOptions) -> PlanSettings:
    """Return the plan of one detector that options of ``repeats`` describe."""
    section = {
        name: getattr(options, name) for name in RepeatsSettings.model_fields if name in RepeatsOptions.model_fields
    }
    content = {
        "input": {"path": options.input, "format": options.format, "options": dict(options.options)},
        "workspace": options.private,
        "release": options.output,
        "release_ids": options.release_ids,
        "engine": options.engine,
        "key_file": None if options.key_file is None else str(options.key_file),
        RARE_TEXT: section,
        "rules": {RARE: {"technique": MASK, "per": "character" if options.mask_length else "run"}},
    }
    return check_plan(content, "repeats")


def repeats(options: RepeatsOptions, progress: Progress = no_progress) -> RepeatsFigures:
    """Hide rare text and nothing else. Raises GateRefused where a check refuses."""
    settings = on_day(repeats_plan(options), date.today())
    check_ready(settings)
    if options.workspace is None and not is_remote(settings.release):
        drop_private(settings.release, settings.workspace)
    began = time.monotonic()
    # Python does the work of this command: up to a few minutes, the JVM's full compiler costs more than it gains.
    pace = pace_of(options.input, MIDDLING_INPUT)
    done, sink = deliver(settings, "repeats", options.master, pace, progress, keeps_key=options.workspace is not None)
    if options.workspace is None:
        folder_at(settings.workspace).remove("")
    manifest = done.manifest
    return RepeatsFigures(
        output=settings.release,
        results=dict((sink.figures or {})[RARE_TEXT]),
        assessments=tuple(each._asdict() for each in manifest.assessments if each.guarantee == RARE_TEXT_HELD),
        rejects=manifest.rejects,
        seconds=round(time.monotonic() - began, 3),
    )

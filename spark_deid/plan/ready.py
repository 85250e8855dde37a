"""Whether a plan can be carried out, as far as that can be seen before anything is started."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from spark_deid.core.errors import UsageError
from spark_deid.core.kinds import DetectorKind
from spark_deid.corpus.formats import usable_formats
from spark_deid.corpus.peek import check_files
from spark_deid.plan.config import DAY, MethodSettings, PlanSettings, on_day
from spark_deid.plan.detectors import detectors_of
from spark_deid.plan.explain import check_given_columns, check_guarantees, explain
from spark_deid.plan.load import PlanError, load_plan
from spark_deid.plan.secret import find_secret
from spark_deid.plan.validation import objections
from spark_deid.release.workspace import FolderKind, check_place
from spark_deid.report.sections import REPORT_SECTIONS
from spark_deid.storage.files import is_remote
from spark_deid.storage.folder import folder_at
from spark_deid.storage.path_checks import check_creatable, check_disjoint, check_no_table, check_present, names_table


def load_ready(path: Path, overrides: Sequence[str] = (), given: Mapping[str, object] | None = None) -> PlanSettings:
    """Read a plan file as ``load_plan`` does, and check that it can be carried out.

    Raises UsageError with every mistake: of keys and values, and of what they name. Raises GateRefused where nothing
    else is wrong and the plan can't hold what it demands.
    """
    try:
        settings = load_plan(path, overrides, given)
    except PlanError as error:
        examined = error.examined
        more = mistakes_of(examined.settings, examined.unsure) if examined.settings is not None else iter(())
        raise UsageError("\n".join([str(error), *(f"{path}: {line}" for line in more)])) from None
    check_ready(settings, f"{path}: ")
    return settings


def explain_ready(settings: MethodSettings) -> str:
    """Say what a plan would do, and what lies in its way now; a place named ``{date}`` is today's.

    Raises what a run of it would, as far as that can be seen before it starts, as ``check_ready`` does.
    """
    check_ready(settings)
    if not isinstance(settings, PlanSettings):
        return explain(settings)
    settings = on_day(settings, date.today())
    return "\n".join([explain(settings), *(f"note: {line}" for line in taken_places(settings))])


def check_ready(settings: MethodSettings, before: str = "") -> None:
    """Check that a plan can be carried out; ``before`` stands before each mistake.

    Raises UsageError with every mistake, then GateRefused where the plan can't hold what it demands.
    """
    if wrong := [*mistakes_of(settings)]:
        raise UsageError("\n".join(f"{before}{line}" for line in wrong))
    check_guarantees(settings)


def mistakes_of(settings: MethodSettings, unsure: Collection[str] = ()) -> Iterator[str]:
    """Yield what of a plan is not there or can't be used; keys that are ``unsure`` are not looked at."""
    return objections(_checks(settings, unsure))


def taken_places(settings: PlanSettings) -> tuple[str, ...]:
    """Return why a run of the plan could not write to its local workspace and release as they are now."""
    places = ((settings.release, FolderKind.RELEASE), (settings.workspace, FolderKind.WORKSPACE))
    local = [(folder_at(place), kind) for place, kind in places if not is_remote(place)]
    return tuple(objections([partial(check_place, folder, kind) for folder, kind in local]))


def _checks(settings: MethodSettings, unsure: Collection[str]) -> Iterator[Callable[[], object]]:
    if isinstance(settings, PlanSettings):
        if "input" not in unsure:
            yield partial(_under, "input.path", partial(_check_input, settings))
            yield partial(check_given_columns, settings)
        for name in ("workspace", "release"):
            if name not in unsure:
                yield partial(_under, name, partial(_check_written, getattr(settings, name), name))
        if not {"input", "workspace", "release"} & set(unsure):
            yield partial(check_disjoint, settings.input.path, settings.workspace, settings.release)
        yield from (partial(REPORT_SECTIONS.find, name) for name in REPORT_SECTIONS.names())
    if "key_file" not in unsure:
        yield partial(find_secret, settings.key_file)
    yield from (partial(kind.check, section) for name, kind, section in _detectors(settings) if name not in unsure)


def _detectors(settings: MethodSettings) -> Iterable[tuple[str, DetectorKind[Any], Any]]:
    """Return the detectors of a plan; none where the keys of one do not go together, of which the plan told before."""
    try:
        return detectors_of(settings)
    except ValidationError:
        return ()


def _check_input(settings: PlanSettings) -> None:
    path = settings.input.path
    if names_table(path) and not _names_file(path):
        raise UsageError(
            f"{path} looks like a table of a catalog, which a plan cannot read by name. Use the folder that "
            f"DESCRIBE DETAIL {path} shows, with format delta. In Python: sd.sanitize(spark.table({path!r}), "
            "plan)"
        )
    check_present(path)
    check_files(path, settings.input.format, settings.input.options)


def _check_written(path: str, name: str) -> None:
    if is_remote(path):
        raise UsageError(
            f"{path}: expected a {name} that workers see under a local path. Choose a folder, on a cluster "
            "one that every machine mounts, and copy the result"
        )
    if set("{}") & set(path.replace(DAY, "")):
        raise UsageError(f"{path}: expected no braces except {DAY}, which is today's date")
    if path.startswith("~"):
        raise UsageError(f"{path}: expected a path without ~, which does not expand to your home folder here")
    check_creatable(path)
    check_no_table(path, name)


def _names_file(path: str) -> bool:
    """Tell whether a name ends as files of a format do: a table's name may have two parts, and so may a file's."""
    return any(path.endswith(suffix) for format in usable_formats() for suffix in format.suffixes)


def _under(key: str, check: Callable[[], object]) -> None:
    """Make a check, and say of which key its objection is."""
    try:
        check()
    except UsageError as error:
        raise UsageError(f"{key}: {error}") from None

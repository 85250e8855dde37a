"""The command ``review`` without its server: create, verify, copy and delete a project."""

from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from spark_deid.app.inputs import check_all, check_reading, models_given
from spark_deid.core.errors import UsageError
from spark_deid.core.labels import is_label
from spark_deid.core.plurals import plural
from spark_deid.greedy.files import model_summary
from spark_deid.greedy.shipped import MODELS, model_folder
from spark_deid.plan.load import check_methods, read_content, shipped_plans
from spark_deid.review.labelled import HELD, TRAINING, export_labels
from spark_deid.review.project import ProjectSettings, ReviewProject, create_project, is_project, open_project
from spark_deid.samples import locate_sample
from spark_deid.storage.files import is_remote
from spark_deid.storage.lock import hold_surely

DEFAULT_LABELS = ("NAME",)


@dataclass(frozen=True)
class ProjectRequest:
    """The options of the command that create a project; all are optional for a project that exists."""

    input: str | None = None
    format: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    models: tuple[str, ...] = ()
    plan: str | None = None
    labels: str | None = None

    @property
    def is_empty(self) -> bool:
        """Return whether no option is given."""
        return self == ProjectRequest()

    def settings(self) -> ProjectSettings:
        """Return the settings of a new project with absolute paths; raise UsageError, with every problem."""
        if self.input is None or self.format is None:
            raise UsageError("review: expected --input and --format on first use")
        if is_remote(self.input):
            raise UsageError(f"--input {self.input}: expected a local input. Convert it first")
        source = _absolute(locate_sample(self.input))
        check_all(
            partial(check_reading, source, self.format, self.options),
            *models_given(*map(model_folder, self.models)),
            *(partial(_check_plan, Path(each)) for each in (self.plan,) if each),
        )
        models = tuple(name if name in MODELS.names() else _absolute(name) for name in self.models)
        plan_name = self.plan or ""
        if plan_name and plan_name not in shipped_plans():
            plan_name = _absolute(plan_name)
        return ProjectSettings(source, self.format, dict(self.options), models, plan_name, self._labels())

    def _labels(self) -> tuple[str, ...]:
        given = tuple(each.strip() for each in (self.labels or "").split(",") if each.strip())
        if wrong := [each for each in given if not is_label(each)]:
            raise UsageError(f"--labels: expected letters, digits, _ and -, got {len(wrong)} other labels")
        of_models = [label for name in self.models for label in model_summary(model_folder(name)).labels]
        return tuple(dict.fromkeys(given or of_models or DEFAULT_LABELS))


def _check_plan(plan: Path) -> None:
    check_methods(read_content(plan), str(plan))


def _absolute(place: str) -> str:
    """Return a path that is the same in any working folder."""
    return str(Path(place).expanduser().absolute())


def ready_project(folder: Path, given: ProjectRequest) -> ReviewProject:
    """Open a project, or create it on first use.

    Raises UsageError if options of an existing project differ from the first ones.
    """
    if not is_project(folder):
        return create_project(folder, given.settings())
    project = open_project(folder)
    if not given.is_empty and _differs(project.settings, given):
        raise UsageError(
            f"{folder}: this project has other options. Omit --input, --format, --option, --model, --plan and "
            "--labels, or choose a new folder"
        )
    return project


def _differs(settings: ProjectSettings, given: ProjectRequest) -> bool:
    """Return whether a given option differs from that of the project."""
    new = given.settings() if given.input and given.format else None
    return new is None or new != settings


def check_log(folder: Path) -> str:
    """Verify the log of a project, and return a sentence; raise LogError if it was changed or cut."""
    state = open_project(folder).read_log()
    return f"{folder}: {plural(len(state.events), 'event')} verified"


def back_up(folder: Path, file: Path) -> str:
    """Copy a project to a new file, and return a sentence."""
    number = open_project(folder).back_up(file)
    return f"{file}: {plural(number, 'event')} of {folder}. Keep it as private as the input"


def export(folder: Path, output: Path) -> str:
    """Write the documents that are done, and return sentences with their numbers."""
    found = export_labels(open_project(folder), output)
    lines = [
        f"{output / TRAINING}: {plural(len(found.training), 'document')} to train on",
        f"{output / HELD}: {plural(len(found.held), 'held-back document')}",
        f"Names of annotators and notes are not exported. The last event is {found.last}",
    ]
    if found.changed or found.missing:
        lines.append(
            f"Skipped: {plural(found.changed, 'document')} with a changed text, {found.missing} that the input no "
            "longer has"
        )
    return "\n".join(lines)


def list_files(folder: Path) -> str:
    """Return the files that are deleted with a project, and what remains elsewhere."""
    project = open_project(folder)
    lines = [f"  {each.name}: {each.content} ({each.size:,} bytes)" for each in project.entries()]
    return "\n".join(
        [
            f"Deleted with {folder}:",
            *lines,
            "Not deleted: the input, backups, exported labels, and models, workspaces and releases elsewhere.",
        ]
    )


def delete_project(folder: Path) -> None:
    """Delete a project that no process owns."""
    project = open_project(folder)
    with hold_surely(folder):
        project.delete()

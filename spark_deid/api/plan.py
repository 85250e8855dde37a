"""Plans as values: from YAML, or built in Python."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from spark_deid.core.errors import UsageError
from spark_deid.core.hashing import fingerprint
from spark_deid.core.span import Finder
from spark_deid.detection.registry import DETECTORS
from spark_deid.plan.clock import Progress, say_nothing
from spark_deid.plan.config import MethodSettings
from spark_deid.plan.detectors import document_finders_of, plan_rows
from spark_deid.plan.load import PLACES, check_methods, check_plan, read_content

if TYPE_CHECKING:
    from spark_deid.app.figures import ReleaseFigures

_BUILT = "Plan"
"""The prefix of errors of a plan without a file."""


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Plan:
    """A plan: detectors, rules and guarantees, as the keys of a plan file.

    A plan without ``input``, ``workspace`` and ``release`` is for strings and DataFrames. A plan cannot change. Equal
    plans have one fingerprint.

    Raises:
        UsageError: Values are wrong. The message has one line per value.

    >>> plan = Plan(patterns={"kinds": ["email"]}, rules={"*": "suppress"})
    >>> plan
    Plan(patterns)
    >>> plan == Plan(patterns={"kinds": ["email"]})
    True
    """

    _settings: MethodSettings

    def __init__(self, **sections: object) -> None:
        object.__setattr__(self, "_settings", _checked(sections, _BUILT))

    @classmethod
    def load(cls, path: str | Path, overrides: Sequence[str] = ()) -> "Plan":
        """Read a plan file.

        Args:
            path: The name of a shipped plan, or a file.
            overrides: Values as after ``--set``: ``path.to.key=value``.

        Returns:
            The plan.

        Raises:
            UsageError: The file or an override is wrong.
        """
        return _plan_of(_checked(read_content(Path(path), overrides), str(path)))

    @property
    def settings(self) -> MethodSettings:
        """Return the checked settings, defaults included."""
        return self._settings

    @property
    def fingerprint(self) -> str:
        """Return the sha256 of the plan, defaults included."""
        return fingerprint(self.settings.resolved())

    def explain(self) -> str:
        """Describe the plan as the command ``explain`` does. Nothing is written.

        Returns:
            The description.

        Raises:
            UsageError: The plan is wrong, or an input or key file is missing. The message lists all errors.
            GateRefused: The plan cannot satisfy its demands, or a run would refuse the first rows.
            CorpusError: No row is readable.
        """
        # Start-up: ``detect`` and ``redact`` need no Spark.
        from spark_deid.app.releasing import explain_settings

        return explain_settings(self.settings)

    def run(
        self,
        *,
        input: str | Path | None = None,
        format: str | None = None,
        workspace: str | Path | None = None,
        release: str | Path | None = None,
        master: str | None = None,
        progress: Progress = say_nothing,
    ) -> "ReleaseFigures":
        """Run the plan over files, as the command ``run`` does. Arguments replace keys of the plan.

        Args:
            input: A file, a folder or a glob.
            format: The format of the input.
            workspace: The private folder of the run.
            release: The folder of the release.
            master: A Spark master, by default the local cores.
            progress: A function that receives the name of each step.

        Returns:
            The figures of the release.

        Raises:
            GateRefused: A check refuses, so there is no release.
            UsageError: The plan names no places, or is wrong.
        """
        # Start-up: ``detect`` and ``redact`` need no Spark.
        from spark_deid.app.releasing import run_plan

        # Only given keys: some exclude each other, and their defaults would as well.
        content = self.settings.model_dump(exclude_unset=True)
        given = {"path": input, "format": format}
        content["input"] = {**content.get("input", {}), **{key: value for key, value in given.items() if value}}
        content |= {key: value for key, value in (("workspace", workspace), ("release", release)) if value}
        return run_plan(check_plan(plain_content(content), _BUILT), master=master, progress=progress)

    @cached_property
    def finders(self) -> tuple[Finder, ...]:
        """Return the functions that find spans in a string, in this process. Models are read once.

        Returns:
            A function per detector.

        Raises:
            UsageError: A detector of the plan reads a whole corpus, or is not installed.
        """
        # Start-up: ``detect`` and ``redact`` need no Spark.
        from spark_deid.pipeline.one_document import document_context, refuse_target

        refuse_target(self.settings)
        for name in self.settings.sections:
            if DETECTORS.find(name).make is None and DETECTORS.find(name).extend is None:
                raise UsageError(
                    f"{name} needs a whole corpus and cannot process a string. Remove it from the plan, or use sanitize"
                )
        for name, section in self.settings.sections.items():
            DETECTORS.find(name).check(section)
        finding = document_finders_of(self.settings, document_context(self.settings))
        return (finding.find,) if finding.extenders or finding.settle else finding.finders

    def _repr_html_(self) -> str:
        """Show detectors, rules and guarantees, without paths and terms."""
        # Start-up: ``detect`` and ``redact`` need no Spark.
        from spark_deid.report.render import notebook_table

        return notebook_table("Plan", plan_rows(self.settings))

    def __repr__(self) -> str:
        return f"Plan({', '.join(self.settings.sections) or ', '.join(self.settings.edited)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)


PlanLike = Plan | str | Path | Mapping[str, object]
"""A plan: a ``Plan``, the path of its file, or the content of such a file."""
Terms = str | Iterable[str] | Mapping[str, object] | Sequence[Mapping[str, object]]
"""Terms to keep or to hide: a word, words, or lists as a plan has them in ``allow`` and ``deny``."""


def methods_of(plan: PlanLike) -> Plan:
    """Return a plan for strings and DataFrames; its input, workspace and release are ignored.

    Raises UsageError.
    """
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, Mapping):
        return _plan_of(check_methods(plain_content(plan), _BUILT))
    return _plan_of(check_methods(read_content(Path(plan)), str(plan)))


def with_terms(plan: PlanLike, allow: Terms | None, deny: Terms | None) -> Plan:
    """Return a plan with further terms to keep and to hide: words, or lists as in ``allow`` and ``deny`` of a plan.

    Denied terms are edited, also if the plan's ``sources`` does not name them. Raises UsageError.
    """
    chosen = methods_of(plan)
    if allow is None and deny is None:
        return chosen
    # Only the given keys: the defaults of some keys exclude other keys.
    content = plain_content(chosen.settings.model_dump(exclude_unset=True))
    for key, given in (("allow", allow), ("deny", deny)):
        if given is not None:
            content[key] = [*_lists(key, content.get(key)), *_lists(key, given)]
    if deny is not None and isinstance(sources := content.get("sources"), list) and "deny" not in sources:
        content["sources"] = [*sources, "deny"]
    return _plan_of(check_methods(content, _BUILT))


def _lists(key: str, given: object) -> list[object]:
    """Return lists of terms as a plan has them."""
    if given is None:
        return []
    if isinstance(given, Mapping):
        lists = given.get("lists")
        return [*lists] if isinstance(lists, list | tuple) else [plain_content(given)]
    words = [given] if isinstance(given, str) else given
    if not isinstance(words, Iterable):
        raise UsageError(f"{key}: expected words or a mapping such as {{'words': ['May']}}, got {type(given).__name__}")
    parts = list(words)
    if all(isinstance(each, str) for each in parts):
        return [{"words": parts}]
    if all(isinstance(each, Mapping) for each in parts):
        return [plain_content(each) for each in parts]
    raise UsageError(f"{key}: expected words, or mappings such as {{'words': ['May']}}, and not both")


def _plan_of(settings: MethodSettings) -> Plan:
    plan = object.__new__(Plan)
    object.__setattr__(plan, "_settings", settings)
    return plan


def _checked(content: Mapping[str, object], name: str) -> MethodSettings:
    check = check_plan if any(place in content for place in PLACES) else check_methods
    return check(plain_content(content), name)


def plain_content(content: Mapping[str, object]) -> dict[str, object]:
    """Return the content of an equal plan file: paths as strings, and no value that could change later."""
    return {key: _plain(value) for key, value in content.items()}


def _plain(value: object) -> object:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return plain_content(value)
    return [_plain(each) for each in value] if isinstance(value, list | tuple | set | frozenset) else value

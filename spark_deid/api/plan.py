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
from spark_deid.plan.detectors import document_finders_of
from spark_deid.plan.load import PLACES, check_methods, check_plan, read_content

if TYPE_CHECKING:
    from spark_deid.app.figures import ReleaseFigures

_BUILT = "Plan"
"""What stands before the errors of a plan that no file holds."""


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Plan:
    """What is found, what becomes of it, and what must hold: the keys of a plan file, as keywords.

    Without ``input``, ``workspace`` and ``release`` it is for strings and DataFrames. Equal plans have one fingerprint.
    Raises UsageError, a line for every wrong value.

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
        """Read a plan file; ``overrides`` are ``path.to.key=value``, as after ``--set``. Raises UsageError."""
        return _plan_of(_checked(read_content(Path(path), overrides), str(path)))

    @property
    def settings(self) -> MethodSettings:
        """Return what was checked, everything that the plan left silent included."""
        return self._settings

    @property
    def fingerprint(self) -> str:
        """Return the sha256 of the plan with everything that it left silent."""
        return fingerprint(self.settings.resolved())

    def explain(self) -> str:
        """Describe what the plan would do, as the command ``explain`` does; nothing is written.

        Raises UsageError with every mistake, also of inputs and key files that are missing, GateRefused if the plan
        can't hold what it demands or a run would refuse the first rows, and CorpusError if no row is readable.
        """
        from spark_deid.pipeline.first_rows import explain_with_rows

        return explain_with_rows(self.settings)

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
        """Carry the plan out over files, as the command ``run`` does, and return its figures; names win over the plan.

        Raises GateRefused where a check refuses, UsageError where the plan names no places.
        """
        from spark_deid.app.releasing import run_plan

        # Only what was said: some keys may not stand beside others, and their defaults would.
        content = self.settings.model_dump(exclude_unset=True)
        given = {"path": input, "format": format}
        content["input"] = {**content.get("input", {}), **{key: value for key, value in given.items() if value}}
        content |= {key: value for key, value in (("workspace", workspace), ("release", release)) if value}
        return run_plan(check_plan(plain_content(content), _BUILT), master=master, progress=progress)

    @cached_property
    def finders(self) -> tuple[Finder, ...]:
        """Return what finds spans in a string, in this process; models are read once.

        Raises UsageError where a detector of the plan looks at a whole corpus, or can't be had.
        """
        from spark_deid.pipeline.one_document import document_context, refuse_target

        refuse_target(self.settings)
        for name in self.settings.sections:
            if DETECTORS.find(name).make is None and DETECTORS.find(name).extend is None:
                raise UsageError(f"{name} looks at a whole corpus, and a string is none; leave it out, or use sanitize")
        for name, section in self.settings.sections.items():
            DETECTORS.find(name).check(section)
        finding = document_finders_of(self.settings, document_context(self.settings))
        return (finding.find,) if finding.extenders or finding.settle else finding.finders

    def _repr_html_(self) -> str:
        """Show what is looked for, what becomes of it and what must hold; neither paths nor terms."""
        from spark_deid.plan.detectors import plan_rows
        from spark_deid.report.render import notebook_table

        return notebook_table("Plan", plan_rows(self.settings))

    def __repr__(self) -> str:
        return f"Plan({', '.join(self.settings.sections) or ', '.join(self.settings.edited)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)


PlanLike = Plan | str | Path | Mapping[str, object]
"""A plan: made before, the path of its file, or what such a file says."""
Terms = str | Iterable[str] | Mapping[str, object] | Sequence[Mapping[str, object]]
"""Terms to keep or to hide: a word, words, or lists as a plan has them in ``allow`` and ``deny``."""


def methods_of(plan: PlanLike) -> Plan:
    """Return a plan for strings and DataFrames; where its input, workspace and release lie is passed over.

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
    """Return what a file could say instead: paths as strings, and nothing that could change later."""
    return {key: _plain(value) for key, value in content.items()}


def _plain(value: object) -> object:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return plain_content(value)
    return [_plain(each) for each in value] if isinstance(value, list | tuple | set | frozenset) else value

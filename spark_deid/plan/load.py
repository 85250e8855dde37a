"""Load a plan from YAML, apply ``--set``, and report every error at once."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

import yaml

from spark_deid.core.error_wording import NotOneOf, did_you_mean, likely_word
from spark_deid.core.errors import UsageError, line_of
from spark_deid.plan.config import MethodSettings, PlanSettings
from spark_deid.plan.validation import ExaminedPlan, examine, objections, path_of
from spark_deid.storage.files import is_remote

MOST_VALUES = 100_000
"""The most values of a plan, those behind aliases counted as often as they stand there."""
PLACES = ("input", "workspace", "release")
"""What a plan says of where things lie."""


def load_plan(path: Path, overrides: Sequence[str] = (), given: Mapping[str, object] | None = None) -> PlanSettings:
    """Read a plan file; ``overrides`` are ``path.to.key=value``, values in YAML; ``given`` are values by such paths.

    Raises UsageError, which names the path of every wrong value and what is allowed.
    """
    content = read_content(path, overrides)
    for key, value in (given or {}).items():
        _put(content, key.split("."), value)
    return check_plan(content, str(path))


def read_content(path: Path, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Read what a plan file says, without checking it; a name may stand for a plan that comes with the package.

    Raises UsageError where there is none, and where it is no mapping.
    """
    try:
        content = _parsed(plan_file(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"{path}: can't read the plan ({error.strerror}). Expected a YAML file, or a shipped plan: "
            f"{', '.join(shipped_plans())}{did_you_mean(likely_word(path, shipped_plans()))}"
        ) from error
    except _NoPlanYaml as error:
        raise UsageError(f"{path}: {error}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not YAML{_place(error)}{_hint(error)}") from None
    except RecursionError:
        raise UsageError(f"{path}: too deep: expected a plan, which nests a few keys in one another") from None
    if not isinstance(content, dict):
        raise UsageError(
            f"{path}: expected keys and values, such as input, workspace, release and patterns. `spark-deid "
            "plans` shows complete plans"
        )
    if wrong := [*objections(partial(_override, content, override) for override in overrides)]:
        raise UsageError("\n".join(wrong))
    return content


def check_plan(content: Mapping[str, Any], name: str) -> PlanSettings:
    """Check the content of a plan; ``name`` stands before each error. Raises UsageError."""
    settings = _checked(PlanSettings, content, name)
    assert isinstance(settings, PlanSettings)  # the model that it was checked by is made of this class
    return settings


def check_methods(content: Mapping[str, Any], name: str) -> MethodSettings:
    """Check what a plan says of methods; where its input, workspace and release lie is passed over."""
    return _checked(MethodSettings, {key: value for key, value in content.items() if key not in PLACES}, name)


class PlanError(UsageError):
    """A wrong plan: every mistake, and the settings as far as they can be understood."""

    def __init__(self, name: str, examined: ExaminedPlan) -> None:
        super().__init__("\n".join(f"{name}: {line}" for line in examined.lines))
        self.examined = examined


def _checked(base: type[MethodSettings], content: Mapping[str, Any], name: str) -> MethodSettings:
    if wrong := next(_with_nul(content), None):
        raise UsageError(f"{name}: {path_of(wrong)}: expected text without NUL")
    examined = examine(base, content)
    if examined.lines or examined.settings is None:
        raise PlanError(name, examined)
    return examined.settings


def _override(content: dict[str, Any], override: str) -> None:
    path, equals, value = override.partition("=")
    keys = path.split(".")
    if not equals or not all(keys):
        raise UsageError(f"--set {path}: expected path.to.key=value")
    try:
        _put(content, keys, _parsed(value))
    except _NoPlanYaml as error:
        raise UsageError(f"--set {path}: {error}") from None
    except (yaml.YAMLError, RecursionError):
        raise UsageError(f"--set {path}: expected a YAML value. Quotation marks around it may help") from None


def _put(content: dict[str, Any], keys: Sequence[str], value: object) -> None:
    """Set a value at a place of a plan, and make the sections above it."""
    place = content
    for key in keys[:-1]:
        if not isinstance(place.get(key), dict):
            place[key] = {}
        place = place[key]
    place[keys[-1]] = value


class _NoPlanYaml(Exception):
    """YAML that is well-formed, and no plan: a key that stands twice, or aliases that lead round or grow too large."""


class _Loader(yaml.SafeLoader):
    """Read YAML of plain values, without repeated keys, and whole plans of a size that a person may write."""

    def get_single_node(self) -> yaml.Node | None:
        """Return the document's node; what its aliases stand for is counted before anything is made of it."""
        node = super().get_single_node()
        if node is not None:
            _size_of(node, {})
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                raise _NoPlanYaml(f"line {key.start_mark.line + 1}: the key {key.value} occurs twice")
            seen.add(key.value)
        return super().construct_mapping(node, deep=deep)


def _size_of(node: yaml.Node, sizes: dict[int, int]) -> int:
    """Return how many values a node holds, those behind aliases as often as these stand; each node is visited once.

    A size of 0 stands in ``sizes`` for a node that is being counted: who meets it again goes round.
    """
    known = sizes.get(id(node))
    if known is not None:
        if known == 0:
            raise _NoPlanYaml(f"line {node.start_mark.line + 1}: the value contains itself through an alias")
        return known
    sizes[id(node)] = 0
    children = [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else node.value
    inner = 0 if isinstance(node, yaml.ScalarNode) else sum(_size_of(child, sizes) for child in children)
    sizes[id(node)] = size = 1 + inner
    if size > MOST_VALUES:
        line = node.start_mark.line + 1
        raise _NoPlanYaml(f"line {line}: the value has more than {MOST_VALUES} values, including its aliases")
    return size


def _parsed(text: str) -> Any:
    return yaml.load(text, _Loader)


def _with_nul(value: object, location: tuple[int | str, ...] = ()) -> Iterator[tuple[int | str, ...]]:
    """Yield where strings hold NUL, which no path and no text may."""
    if isinstance(value, str) and "\0" in value:
        yield location
    elif isinstance(value, Mapping):
        for key, each in value.items():
            yield from _with_nul(each, (*location, str(key)))
            yield from _with_nul(str(key), location)
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from _with_nul(each, (*location, number))


def _place(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f" (line {line_of(error)})"
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 1})" if mark else ""


def _hint(error: Exception) -> str:
    """Say what mostly is the matter with a file that is not YAML."""
    if isinstance(error, UnicodeDecodeError):
        return ": expected text in UTF-8"
    result = str(error)
    if "'\\t'" in result:
        return ": unexpected tab. Indent with spaces"
    if "mapping values are not allowed" in result:
        return ": unexpected ': ' in a value. Put quotation marks around the value"
    if "found undefined alias" in result or "scanning an alias" in result:
        return ": put quotes around a value that begins with *"
    return ": brackets, quotes and indentation must match"


# Plans that come with the package: a name instead of a plan's file.


_FOLDER = Path(__file__).parent / "data"
SUFFIX = ".yaml"


def shipped_plans() -> tuple[str, ...]:
    """Return the names of the plans that come with the package, sorted.

    >>> "names" in shipped_plans()
    True
    """
    return tuple(sorted(path.name.removesuffix(SUFFIX) for path in _FOLDER.glob(f"*{SUFFIX}")))


def shipped_plan(name: str) -> Path:
    """Return the file of a plan that comes with the package; raises UsageError for another name."""
    if name not in shipped_plans():
        raise UsageError(f"plan {NotOneOf(name, shipped_plans())}")
    return _FOLDER / f"{name}{SUFFIX}"


def plan_file(place: str | Path) -> Path:
    """Return the file of a plan that is named by its path, or by the name of one that comes with the package.

    A file that is there goes before a name.
    """
    path, name = Path(place), str(place)
    if not path.is_file() and not is_remote(name) and name in shipped_plans():
        return shipped_plan(name)
    return path


def describe_plan(name: str) -> str:
    """Return the first sentence of the comment that a plan of the package begins with.

    >>> describe_plan("patterns")
    'Sanitize a corpus with patterns only: no model, no training.'
    """
    comment = takewhile(lambda line: line.startswith("#"), shipped_plan(name).read_text(encoding="utf-8").splitlines())
    first, _, _ = " ".join(line.lstrip("# ") for line in comment).partition(". ")
    return f"{first.partition('.   ')[0].rstrip('.')}."

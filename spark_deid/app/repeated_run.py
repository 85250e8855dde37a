"""Whether a run would repeat its release: the workspace keeps one HMAC of each input that a run depends on."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from spark_deid.app.verified_release import verified_locally
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.hashing import file_sha256, fingerprint, keyed_hash, read_key
from spark_deid.core.version import VERSION
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.items import list_items
from spark_deid.plan.config import PlanSettings
from spark_deid.plan.secret import find_secret
from spark_deid.release.commit import is_release
from spark_deid.release.workspace import KEY, RunWorkspace
from spark_deid.storage.files import is_remote, local_path
from spark_deid.storage.folder import folder_at

if TYPE_CHECKING:
    from spark_deid.app.inputs import Progress

HASHES = "inputs.json"
_PLACES = ("input", "workspace", "release")
_SEARCH = "--if-exists skip"


def hashes_of(settings: PlanSettings, key: bytes) -> dict[str, str]:
    """Return one HMAC each of key, version, plan, models, content of the input, and every file that a plan names.

    Remote inputs are omitted. Raises CorpusError for an input that can't be listed, and OSError for one that can't be
    read.
    """
    plan = {name: value for name, value in settings.resolved().items() if name != "key_file"}
    found = {
        "key": "",
        "version": VERSION,
        "plan": fingerprint(plan),
        "models": fingerprint(sorted([model.path, model.sha256] for model in settings.models)),
        **{f"file {path}": _digest(Path(path)) for path in _files_of(plan)},
    }
    if not is_remote(settings.input.path):
        found["input"] = fingerprint([*_input_files(settings)])
    return {name: keyed_hash(key, name, value) for name, value in found.items()}


def keep_hashes(workspace: RunWorkspace, hashes: Mapping[str, str]) -> None:
    """Write the HMACs of a run into its workspace."""
    workspace.folder.write(HASHES, (json.dumps(hashes, sort_keys=True, indent=2) + "\n").encode())


def is_repeated(settings: PlanSettings, progress: "Progress") -> bool:
    """Return whether a release is unchanged and a run would have the same inputs; False without a release.

    Raises SparkDeidError, which names what differs, and ReleaseError if the release was changed.
    """
    if is_remote(settings.release) or not is_release(settings.release):
        return False
    verified_locally(settings.release, settings.workspace, progress)
    kept = _kept(settings.workspace)
    now = hashes_of(settings, _key_of(settings))
    if kept.get("key") != now["key"]:
        raise _differs(settings, ["key"])
    if wrong := sorted(name for name in {*kept, *now} if kept.get(name) != now.get(name)):
        raise _differs(settings, wrong)
    if "input" not in now:
        raise SparkDeidError(f"{_SEARCH}: {settings.input.path}: cannot compare the content of remote inputs")
    return True


def _differs(settings: PlanSettings, names: list[str]) -> SparkDeidError:
    verb = "differs" if len(names) == 1 else "differ"
    return SparkDeidError(
        f"{_SEARCH}: {settings.release}: its run had other inputs: {', '.join(names)} {verb}. Choose a new "
        "release folder"
    )


def _key_of(settings: PlanSettings) -> bytes:
    """Return the key that is given, otherwise the key that the workspace of the release keeps."""
    secret = find_secret(settings.key_file)
    place = Path(local_path(settings.workspace), KEY)
    return secret.key if secret.repeatable or not place.is_file() else read_key(place)


def _kept(workspace: str) -> dict[str, str]:
    content = None if is_remote(workspace) else folder_at(workspace).read(HASHES)
    try:
        kept = None if content is None else json.loads(content)
    except ValueError:
        kept = None
    if not isinstance(kept, dict):
        raise SparkDeidError(
            f"{_SEARCH}: {workspace}: {HASHES} is missing or damaged, so inputs cannot be compared. Choose a "
            "new release folder"
        )
    return kept


def _files_of(plan: Mapping[str, object]) -> list[str]:
    """Return the strings of a plan that are paths of local files and folders, without input, workspace and release."""
    methods = [value for name, value in plan.items() if name not in _PLACES]
    return [name for name in dict.fromkeys(_strings_in(methods)) if name and _exists(name)]


def _strings_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _strings_in(each)


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def _digest(path: Path) -> str:
    """Return the sha256 of a file, or of the names and contents of all files of a folder."""
    if not path.is_dir():
        return file_sha256(path)
    files = sorted(each for each in path.rglob("*") if each.is_file())
    return fingerprint([[str(each.relative_to(path)), file_sha256(each)] for each in files])


def _input_files(settings: PlanSettings) -> Iterator[list[str]]:
    """Yield the names and digests of all files of a local input."""
    given = settings.input
    format = find_format(given.format, given.options)
    if not format.suffixes:
        yield ["", _digest(Path(local_path(given.path)))]
        return
    for item in list_items(given.path, format).items:
        paths = [path for path in (item.path, item.companion) if path and Path(path).is_file()]
        yield [item.name, item.reason or "", *(file_sha256(Path(path)) for path in paths)]

"""Which folders a run may write to: new, empty, or left by an unfinished run of any plan."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.core.hashing import write_key
from spark_deid.core.version import VERSION
from spark_deid.release.commit import DOCUMENTS, MANIFEST, is_release, verify_release
from spark_deid.release.record import RECORD, ReleaseRecord, is_of, read_record
from spark_deid.storage.delta_log import LOG
from spark_deid.storage.files import is_remote, local_path
from spark_deid.storage.folder import PARTIAL, LocalFolder, StorageFolder, folder_at, real_path
from spark_deid.storage.lock import LockedError, hold
from spark_deid.storage.path_checks import check_disjoint, check_no_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_LOG = logging.getLogger(__name__)

MARKER = ".spark-deid.json"
SCRATCH = ".tmp"
KEY = "secret.key"
EDITS = "edits"


class FolderKind(StrEnum):
    """What a folder with a marker is."""

    WORKSPACE = "workspace"
    RELEASE = "release"


class OccupiedError(SparkDeidError):
    """A folder that a run may not write to; it says what to do."""


@dataclass(frozen=True)
class RunWorkspace:
    """The folder of one run's tables, for its owner alone (mode 0700)."""

    folder: StorageFolder

    @property
    def scratch(self) -> StorageFolder:
        """Return the folder of everything temporary: shuffle files, checkpoints, tables between stages."""
        return self.folder.child(SCRATCH)

    def keep_key(self, key: bytes) -> Path | None:
        """Write the key of a run, for its owner alone (mode 0600); return where. A remote workspace keeps none."""
        if not isinstance(self.folder, LocalFolder):
            return None
        place = self.folder.path / KEY
        write_key(place, key)
        return place

    def keep_record(self, record: ReleaseRecord) -> None:
        """Write what the release is that is about to be committed, for ``verify`` and for what a kill may leave."""
        self.folder.write(RECORD, record.to_bytes())

    def clean(self) -> None:
        """Remove everything temporary; what can't be removed is logged, and left to the next run."""
        try:
            self.folder.remove(SCRATCH)
        except SparkDeidError as error:
            _LOG.warning("%s", error)


@dataclass(frozen=True)
class RunFolders:
    """Where a run writes: a workspace and, apart from it, an unfinished release."""

    workspace: RunWorkspace
    release: StorageFolder

    @property
    def local(self) -> tuple[Path, ...]:
        """Return the paths of those that lie on a local file system."""
        return _local(self.workspace.folder, self.release)


@contextmanager
def open_places(
    input_path: str, workspace: str, release: str, fingerprint: str, *, spark: "SparkSession | None" = None
) -> Iterator[RunFolders]:
    """Check, lock and make a run's workspace and release; unlock them and remove what is temporary at the end.

    Nothing is touched unless both can be had. Remote places need a session, and have no locks. What an unfinished run
    left is replaced, whatever its plan.

    A workspace whose release was committed is marked as finished, however the block ends: it is never replaced. Where
    there is no release then, what lies in its place is removed; the workspace keeps its tables, marked as unfinished.

    Raises UsageError where places lie in one another or one is no folder, LockedError where another process works in
    one, OccupiedError where one holds a release, what belongs to one, or anything else; it tells of both.
    """
    check_no_table(workspace, "workspace")
    check_disjoint(input_path, workspace, release)
    folders = folder_at(workspace, spark), folder_at(release, spark)
    with hold(*_local(*folders)):
        if is_release(folders[1]):
            made = _is_unfinished(folders[0]) and _has_released(folders[0], folders[1])
            _finish(folders[1], folders[0] if made else None)
        elif _is_unfinished(folders[0]) and _release_exists(folders[0]):
            _finish_workspace(folders[0])
        # The release first: where both are taken, it is what matters to the user.
        check_all_places((folders[1], FolderKind.RELEASE), (folders[0], FolderKind.WORKSPACE))
        places = RunFolders(_open_workspace(folders[0], fingerprint), _open_release(folders[1], fingerprint))
        try:
            yield places
        finally:
            places.workspace.clean()
            if is_release(places.release):
                _mark(places.workspace.folder, FolderKind.WORKSPACE, fingerprint, finished=True)
            else:
                _withdraw(places)


def _withdraw(places: RunFolders) -> None:
    """Remove what a run wrote of a release that did not come to be, and a workspace in which nothing is."""
    try:
        places.release.remove("")
        if set(places.workspace.folder.names()) <= {MARKER, KEY}:
            places.workspace.folder.remove("")
    except SparkDeidError as error:
        _LOG.warning("%s", error)


def finish_interrupted(release: StorageFolder, workspace: StorageFolder | None = None) -> None:
    """Do what a run left undone that was killed right after its commit, in a release and in its workspace.

    The release loses its marker, a plain hash of the plan; the workspace what is temporary in it. Where another process
    works in one of them, it is left to that. A workspace of another release is not touched.
    """
    if not is_release(release):
        return
    left = [release] if MARKER in release.names() else []
    if workspace is not None and _is_unfinished(workspace) and _has_released(workspace, release):
        left.append(workspace)
    try:
        with hold(*_local(*left)):
            _finish(release, workspace if workspace in left else None)
    except LockedError:
        return


def _finish(release: StorageFolder, workspace: StorageFolder | None) -> None:
    drop_marker(release)
    if workspace is not None:
        _finish_workspace(workspace)


def _finish_workspace(workspace: StorageFolder) -> None:
    marker = read_marker(workspace)
    if marker is not None:
        RunWorkspace(workspace).clean()
        _mark(workspace, FolderKind.WORKSPACE, str(marker.get("plan")), finished=True)


def drop_private(release: str, workspace: str) -> None:
    """Remove the private folder that nobody asked for, where its run was killed when the release was there."""
    folders = folder_at(release), folder_at(workspace)
    with hold(*_local(*folders)):
        marker = read_marker(folders[1])
        if is_release(folders[0]) and marker is not None and marker.get("kind") == FolderKind.WORKSPACE:
            folders[1].remove("")


def _is_unfinished(workspace: StorageFolder) -> bool:
    marker = read_marker(workspace)
    return marker is not None and marker.get("kind") == FolderKind.WORKSPACE and not marker.get("finished")


def _has_released(workspace: StorageFolder, release: StorageFolder) -> bool:
    """Tell whether the run of a workspace made a release: by its commit, wherever it lies by now.

    Of runs of earlier versions the workspace's manifest says where their plan had it.
    """
    record = read_record(workspace)
    if record is not None:
        return is_of(record, release)
    return isinstance(release, LocalFolder) and _named_release(workspace) == release.path


def _release_exists(workspace: StorageFolder) -> bool:
    """Tell whether the release that a workspace's manifest names is there, and of this run."""
    named = _named_release(workspace)
    if named is None or not is_release(LocalFolder(named)):
        return False
    return _has_released(workspace, LocalFolder(named))


def _named_release(workspace: StorageFolder) -> Path | None:
    content = workspace.read(MANIFEST)
    try:
        named = json.loads(content or b"")["plan"]["release"]
        return None if is_remote(named) else real_path(named)
    except (ValueError, KeyError, TypeError):
        return None


def check_finished(release: str, workspace: str | None) -> None:
    """Refuse a local folder that holds no release, and one that is not the workspace of a release of documents.

    Raises ReleaseError, and UsageError for the workspace. Remote places are not looked at.
    """
    if not is_remote(release) and not is_release(release):
        verify_release(release)
    if workspace is None or is_remote(workspace):
        return
    if not Path(local_path(release), DOCUMENTS, LOG).is_dir():
        if not is_remote(release) and not Path(local_path(workspace), RECORD).is_file():
            raise UsageError(f"{workspace}: not a workspace of a table of people, because {RECORD} is missing")
        return
    if lacking := [name for name in (DOCUMENTS, EDITS) if not Path(local_path(workspace), name, LOG).is_dir()]:
        raise UsageError(
            f"{workspace}: no workspace of a release, because the table {' and the table '.join(lacking)} is "
            "missing. Expected the private folder of the release's run"
        )


def open_workspace(path: str | Path, fingerprint: str, *, spark: "SparkSession | None" = None) -> RunWorkspace:
    """Make a workspace, in place of what an unfinished run left there.

    Raises OccupiedError where the folder holds anything else.
    """
    folder = folder_at(path, spark)
    check_place(folder, FolderKind.WORKSPACE)
    return _open_workspace(folder, fingerprint)


def open_release(path: str | Path, fingerprint: str, *, spark: "SparkSession | None" = None) -> StorageFolder:
    """Make the folder of a release to be, in place of what a killed run left there.

    Raises OccupiedError where the folder holds a release or anything else.
    """
    folder = folder_at(path, spark)
    check_place(folder, FolderKind.RELEASE)
    return _open_release(folder, fingerprint)


def check_all_places(*places: tuple[StorageFolder, FolderKind]) -> None:
    """Check several folders as ``check_place`` does; raises OccupiedError with what is wrong with each."""
    wrong = []
    for folder, kind in places:
        try:
            check_place(folder, kind)
        except OccupiedError as error:
            wrong.append(str(error))
    if wrong:
        raise OccupiedError("\n".join(wrong))


def check_place(folder: StorageFolder, kind: FolderKind) -> None:
    """Check that a run may write to a folder: it is absent, empty, or was left unfinished by a run.

    A folder that the marker names belongs to its runs: all that lies in it may be replaced until one has finished.
    """
    if not _occupied(folder):
        return
    place = folder.path if isinstance(folder, LocalFolder) else folder.uri
    another = "name another folder, or delete this one"
    if kind is FolderKind.RELEASE and is_release(folder):
        raise OccupiedError(f"{place}: contains a release, and releases are never replaced. {another}")
    marker = read_marker(folder)
    if marker is None or marker.get("kind") != kind:
        raise OccupiedError(f"{place}: is not empty and not a {kind} of spark_deid. Choose a new or empty folder")
    if marker.get("finished"):
        raise OccupiedError(
            f"{place}: contains the originals and edits of a finished release, which are never replaced. "
            f"{another}, or delete it if no one needs them"
        )


def _local(*folders: StorageFolder) -> tuple[Path, ...]:
    return tuple(folder.path for folder in folders if isinstance(folder, LocalFolder))


def drop_marker(folder: StorageFolder) -> None:
    """Remove the marker of a finished release: it holds a plain hash of the plan, which is not for readers."""
    folder.remove(MARKER)


def _open_workspace(folder: StorageFolder, fingerprint: str) -> RunWorkspace:
    _open(folder, FolderKind.WORKSPACE, fingerprint)
    workspace = RunWorkspace(folder)
    workspace.scratch.make()
    return workspace


def _open_release(folder: StorageFolder, fingerprint: str) -> StorageFolder:
    _open(folder, FolderKind.RELEASE, fingerprint)
    return folder


def _open(folder: StorageFolder, kind: FolderKind, fingerprint: str) -> None:
    """Empty a folder and mark it; the marker goes last and comes first, so that a kill leaves ours or an empty one."""
    for name in folder.names():
        if name != MARKER:
            folder.remove(name)
    folder.make()
    if kind is FolderKind.WORKSPACE and isinstance(folder, LocalFolder):
        folder.path.chmod(0o700)
    _mark(folder, kind, fingerprint, finished=False)


def _mark(folder: StorageFolder, kind: FolderKind, fingerprint: str, *, finished: bool) -> None:
    marker = {"kind": kind, "plan": fingerprint, "finished": finished, "spark_deid": VERSION}
    folder.write(MARKER, (json.dumps(marker, sort_keys=True) + "\n").encode())


def _occupied(folder: StorageFolder) -> bool:
    """Tell whether a folder holds anything; a marker that was being written when its run was killed is nothing."""
    return any(name != MARKER + PARTIAL for name in folder.names())


def read_marker(folder: StorageFolder) -> dict[str, object] | None:
    """Return what marks a folder as one of a run's; None without a marker that can be read."""
    data = folder.read(MARKER)
    try:
        marker = json.loads(data) if data is not None else None
    except ValueError:
        return None
    return marker if isinstance(marker, dict) else None


# Private data that a run that ended early leaves.


def private_remains(workspace: str) -> str:
    """Describe the originals that a workspace keeps after a run ended early; unreadable parts are named, not raised."""
    try:
        return _remains(workspace)
    except (OSError, ValueError, SparkDeidError):
        return f"look in {workspace}: it can't be read here, and may keep originals of this run"


def _remains(workspace: str) -> str:
    if is_remote(workspace):
        return f"look in {workspace}: originals that this run wrote there are not removed"
    folder = folder_at(workspace)
    try:
        real_path(workspace).lstat()  # which raises where a folder above can't be entered
    except (FileNotFoundError, NotADirectoryError):
        return f"no originals of this run remain, because {workspace} does not exist"
    marker = read_marker(folder)
    if marker is None or marker.get("kind") != FolderKind.WORKSPACE:
        return f"check {workspace}: it is not a workspace, so its files are not removed"
    if marker.get("finished"):
        return f"{workspace} keeps the originals of a release, which was committed"
    return f"{workspace} contains originals, rejects and assessments of the interrupted run. The next run replaces it"

"""A project folder: its marker, key, log and models. It contains no text of the input."""

import json
import os
import shutil
import tarfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple, Self

from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.core.hashing import random_key, read_key, write_key
from spark_deid.release.commit import is_release
from spark_deid.release.workspace import MARKER
from spark_deid.review.event_log import HEAD, LOG, LogState, read_log
from spark_deid.storage.path_checks import check_outside

KIND, VERSION = "review", 1
KEY, MODELS, PREDICTIONS, PLACE = "secret.key", "models", "predictions", "place.json"
OWNER = "server.json"


@dataclass(frozen=True)
class ProjectSettings:
    """The input of a project, and the models whose spans it shows.

    Attributes:
        input: A local file, folder or glob.
        format: The name of its format.
        options: The options of the format.
        models: Model folders or names of shipped models.
        plan: A plan whose detectors suggest spans, empty without one.
        labels: The labels at the start, before events add or rename any.
    """

    input: str
    format: str
    options: dict[str, str] = field(default_factory=dict)
    models: tuple[str, ...] = ()
    plan: str = ""
    labels: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return the content of the marker."""
        return json.dumps({"kind": KIND, "version": VERSION, **asdict(self)}, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the content of a marker; raise ValueError for any other content."""
        content = json.loads(text)
        if content.pop("kind", None) != KIND or content.pop("version", None) != VERSION:
            raise ValueError("expected the marker of a review project")
        for name in ("models", "labels"):
            content[name] = tuple(content[name])
        return cls(**content)


class FolderEntry(NamedTuple):
    """A file or folder of a project, what it contains, and its bytes."""

    name: str
    content: str
    size: int


@dataclass(frozen=True)
class ReviewProject:
    """A project folder with its settings and key."""

    folder: Path
    settings: ProjectSettings
    key: bytes = field(repr=False)

    def read_log(self) -> LogState:
        """Read and verify the log; raise LogError if it was changed or cut."""
        return read_log(self.folder, self.key)

    def entries(self) -> tuple[FolderEntry, ...]:
        """Return what the folder contains, for a person who deletes it."""
        contents = {
            LOG: "annotations, notes and decisions",
            HEAD: "number of the last saved event",
            KEY: "secret key",
            MARKER: "settings",
            MODELS: "trained models",
            PREDICTIONS: "spans of models",
            PLACE: "last document and order",
            OWNER: "port and secret of the server that runs",
        }
        found = sorted(self.folder.iterdir())
        return tuple(FolderEntry(each.name, contents.get(each.name, "other file"), _size(each)) for each in found)

    def delete(self) -> None:
        """Remove the folder."""
        try:
            shutil.rmtree(self.folder)
        except OSError as error:
            raise SparkDeidError(f"{self.folder}: cannot delete the project ({error.strerror})") from error

    def back_up(self, file: Path) -> int:
        """Write the project as one new private tar file, while a server may add events; return its events.

        Raises UsageError if the file exists, or LogError if the log does not verify.
        """
        state = self.read_log()
        try:
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise UsageError(f"--backup {file}: file already exists. Choose a new name") from None
        except OSError as error:
            raise UsageError(f"--backup {file}: cannot write this file ({error.strerror})") from None
        try:
            with os.fdopen(descriptor, "wb") as stream:
                with tarfile.open(fileobj=stream, mode="w") as archive:
                    self._add_all(archive, state)
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            file.unlink(missing_ok=True)
            raise SparkDeidError(f"--backup {file}: cannot write this file ({error.strerror})") from error
        return len(state.events)

    def _add_all(self, archive: tarfile.TarFile, state: LogState) -> None:
        """Add the verified bytes of the log and the other files, except the head, which may be newer."""
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder)
            if not path.is_file() or path.is_symlink() or str(name) in (HEAD, OWNER):
                continue
            with path.open("rb") as stream:
                info = archive.gettarinfo(arcname=str(name), fileobj=stream)
                info.mode = 0o600
                if str(name) == LOG:
                    info.size = state.size
                archive.addfile(info, stream)


def create_project(folder: Path, settings: ProjectSettings) -> ReviewProject:
    """Create a project in a new or empty folder with mode 0700.

    Raises UsageError if the folder is not empty, or if it and the input, a workspace or a release contain one another.
    """
    check_outside(settings.input, folder)
    _check_parents(folder)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{folder}: is not empty and not a review project. Choose a new or empty folder")
        folder.chmod(0o700)
        key = random_key()
        write_key(folder / KEY, key)
        # The marker comes last: a folder without it does not count as a project.
        (folder / MARKER).write_text(settings.to_json(), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder}: cannot create the project ({error.strerror})") from None
    return ReviewProject(folder, settings, key)


def open_project(folder: Path) -> ReviewProject:
    """Open a project that exists.

    Raises UsageError if the folder is not a project or if other users can read it.
    """
    try:
        settings = ProjectSettings.from_json((folder / MARKER).read_text(encoding="utf-8"))
        mode = folder.stat().st_mode & 0o777
        owner = folder.stat().st_uid
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise UsageError(f"{folder}: expected a review project. Give --input and --format to create one") from None
    if mode & 0o077 or owner != os.geteuid():
        raise UsageError(f"{folder}: other users can open this project. Run: chmod 700 {folder}")
    _check_parents(folder)
    return ReviewProject(folder, settings, read_key(folder / KEY))


def is_project(folder: Path) -> bool:
    """Return whether a folder has the marker of a project."""
    try:
        ProjectSettings.from_json((folder / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return False
    return True


def _check_parents(folder: Path) -> None:
    """Refuse a folder inside a workspace, a release or another project."""
    for parent in Path(os.path.realpath(folder)).parents:
        if (parent / MARKER).exists() or is_release(parent):
            raise UsageError(
                f"{folder}: is inside {parent}, a workspace, a release or another project. Choose another folder"
            )


def _size(path: Path) -> int:
    """Return the bytes of a file or of all files of a folder."""
    if path.is_file():
        return path.stat().st_size
    return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())

"""What a run that ended early leaves of what is private."""

from spark_deid.core.errors import SparkDeidError
from spark_deid.release.workspace import FolderKind, read_marker
from spark_deid.storage.files import is_remote
from spark_deid.storage.folder import folder_at, real_path


def private_remains(workspace: str) -> str:
    """Say what of the originals a workspace keeps after its run ended early; what can't be seen is said, not raised."""
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

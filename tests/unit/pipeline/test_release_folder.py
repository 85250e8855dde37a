"""Which tables a workspace keeps when what is temporary goes."""

from pathlib import Path

import pytest

from spark_deid.pipeline.release_folder import ReleaseSink
from spark_deid.plan.load import check_plan
from spark_deid.release.workspace import RunFolders, open_release, open_workspace


@pytest.mark.parametrize(("name", "is_kept"), [("edits", True), ("surrogates", True), ("annotated", False)])
def test_what_a_second_corpus_goes_on_with_outlives_a_run(name: str, is_kept: bool, tmp_path: Path) -> None:
    workspace, release = open_workspace(tmp_path / "w", "e" * 64), open_release(tmp_path / "r", "e" * 64)
    content = {"input": {"path": "notes", "format": "text"}, "sources": ["gold"], "workspace": "w", "release": "r"}
    place = ReleaseSink(check_plan(content, "plan"), RunFolders(workspace, release)).place(name)
    workspace.clean()
    assert Path(place).is_dir() == is_kept

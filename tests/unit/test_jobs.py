"""The files that spark-submit runs."""

import runpy
import sys
from pathlib import Path

import pytest

JOBS = sorted((Path(__file__).parents[2] / "jobs").glob("*.py"))


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.stem)
def test_a_job_is_the_command_of_its_name(
    job: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [str(job), "--help"])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(job), run_name="__main__")
    assert end.value.code == 0
    assert f" {job.stem} " in capsys.readouterr().out.partition("[OPTIONS]")[0]

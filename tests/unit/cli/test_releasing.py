"""What is said while a plan is looked at or carried out."""

import time

import pytest
from numba.core import event

from spark_deid import app, cli
from spark_deid.core.errors import UsageError


def compiles(*_: object, **__: object) -> str:
    for pause in (1.1, 0):
        with event.trigger_event("numba:compile"):
            time.sleep(pause)
    raise UsageError("no such plan")


@pytest.mark.parametrize("command", ["explain", "run"])
def test_a_plan_that_waits_for_code_to_compile_reports_it(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(app, command, compiles)
    monkeypatch.setenv("SPARK_DEID_DEBUG", "1")
    with pytest.raises(SystemExit) as end:
        cli.main([command, "names"])
    assert end.value.code == 2
    said = capsys.readouterr()
    assert said.err.startswith("compiling for this processor")
    assert said.out == ""

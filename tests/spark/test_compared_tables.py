"""Settings of a table are compared, and no table is written."""

import shlex
import stat
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

import spark_deid as sd
from spark_deid import app
from spark_deid.anonymity.spark import usable
from spark_deid.app.comparing import compare_settings
from spark_deid.cli.command_list import cli

FRAME = pd.DataFrame(
    {
        "name": [f"name-{at}" for at in range(20)],
        "age": [20 + at for at in range(20)],
        "zip": ["53710", "53711"] * 10,
        "disease": ["flu", "cold", "asthma", "flu"] * 5,
    }
)


@pytest.fixture
def people(tmp_path: Path) -> str:
    place = tmp_path / "in" / "people.csv"
    place.parent.mkdir()
    FRAME.to_csv(place, index=False)
    return str(place)


def options(people: str, **given: Any) -> app.TableCommandOptions:
    asked = {"quasi": ("age", "zip"), "compare": "k=2,5,21", "algorithm": "mondrian,incognito", **given}
    return app.TableCommandOptions(input=people, **asked)


def test_figures_are_those_of_each_setting_s_own_run(spark: SparkSession, people: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = compare_settings(options(people, page=str(page)))
    assert [(each.model, each.algorithm) for each in done.settings] == [
        (model, algorithm) for algorithm in ("mondrian", "incognito") for model in ("k=2", "k=5", "k=21")
    ]
    assert [each.refused is None for each in done.settings] == [True, True, False] * 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "page.html"]
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert "name-" not in page.read_text()
    for number, each in enumerate(done.settings):
        if each.refused is None:
            output = tmp_path / f"out-{number}"
            words = [str(output) if word == "OUTPUT" else word for word in shlex.split(each.command)[1:]]
            assert CliRunner().invoke(cli, words).exit_code == 0
            own = sd.anonymize(FRAME, quasi=("age", "zip"), model=each.model, algorithm=each.algorithm).told
            assert each.loss == pytest.approx(own["loss"]["ncp"])
            assert each.highest_risk == pytest.approx(own["risk"]["after"]["prosecutor"])
            assert (each.rows, each.classes) == (own["rows"], own["classes"])


def test_the_input_is_read_once(spark: SparkSession, people: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = []
    read = usable.read_table

    def count(*args: Any, **given: Any) -> Any:
        reads.append(args)
        return read(*args, **given)

    monkeypatch.setattr("spark_deid.pipeline.table_folder.read_table", count)
    compare_settings(options(people, compare="k=2,5"))
    assert len(reads) == 1


def test_suppressed_rows_are_reported(spark: SparkSession, people: str) -> None:
    done = compare_settings(options(people, compare="k=2", algorithm="incognito", suppression=0.5))
    (only,) = done.settings
    assert only.rows + only.suppressed_rows == len(FRAME)


@pytest.mark.parametrize("kind", ["pandas", "spark"])
def test_a_frame_s_settings_are_compared(spark: SparkSession, kind: str) -> None:
    frame = FRAME if kind == "pandas" else spark.createDataFrame(FRAME)
    done = sd.compare(frame, models="k=2,5", quasi=["age", "zip"])
    assert [each.model for each in done.settings] == ["k=2", "k=5"]
    assert done.settings[1].highest_risk is not None
    assert done.settings[1].highest_risk <= 0.2
    assert done.settings[0].command == "sd.anonymize(frame, quasi=['age', 'zip'], model='k=2')"
    assert "name-" not in repr(done) + done._repr_html_()


def test_an_absent_column_is_an_error_and_no_refused_setting(spark: SparkSession) -> None:
    with pytest.raises(sd.UsageError, match="absent"):
        sd.compare(FRAME, models="k=2", quasi=["absent"])

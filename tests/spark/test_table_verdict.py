"""The verdict of `anonymize`: in manifest, figures and report, and what is refused because of it."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession

import spark_deid as sd
from spark_deid import app, cli
from spark_deid.core.errors import GateRefused, UsageError, VerdictRefused


@pytest.fixture
def people(tmp_path: Path) -> str:
    rows = [(20 + at // 10, f"ward-{at % 3}") for at in range(60)]
    pd.DataFrame(rows, columns=["age", "ward"]).to_csv(tmp_path / "people.csv", index=False)
    return str(tmp_path / "people.csv")


def options(people: str, output: Path, **given: Any) -> app.AnonymizeOptions:
    return app.AnonymizeOptions(input=people, output=str(output), **{"quasi": ("age",), "model": "k=5", **given})


@pytest.mark.parametrize(
    ("given", "verdict"),
    [({}, "good"), ({"recoding": "tight"}, "fair"), ({"keep": ("ward",), "recoding": "tight"}, "bad")],
)
def test_the_verdict_is_in_manifest_and_figures(
    spark: SparkSession, people: str, tmp_path: Path, given: dict[str, Any], verdict: str
) -> None:
    done = app.anonymize(options(people, tmp_path / "out", **given))
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["verdict"] == verdict
    assert done.to_json()["verdict"] == done.headline()["verdict"] == verdict
    tone = "warn" if verdict == "fair" else verdict
    assert f'class="verdict {tone}"' in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("fail_on", "given", "code"),
    [
        ("bad", {"--recoding": "tight"}, 0),
        ("fair", {"--recoding": "tight"}, 3),
        ("bad", {"--keep": "ward"}, 3),
        ("fair", {"--keep": "ward"}, 3),
        ("fair", {}, 0),
    ],
)
def test_a_refused_verdict_writes_the_figures_only(
    spark: SparkSession,
    people: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fail_on: str,
    given: dict[str, str],
    code: int,
) -> None:
    monkeypatch.setenv("SPARK_DEID_DEBUG", "1")
    asked = {"--input": people, "--output": "out", "--quasi": "age", "--model": "k=5", "--workspace": "w", **given}
    monkeypatch.chdir(tmp_path)
    words = [word for pair in asked.items() for word in pair]
    with pytest.raises(SystemExit) as ended:
        cli.main(["anonymize", *words, "--fail-on", fail_on, "--json", "figures.json"])
    assert (ended.value.code or 0) == code
    figures = json.loads(Path("figures.json").read_text())
    assert figures["verdict"] == ("bad" if "--keep" in given else "fair" if given else "good")
    assert figures["assessments"][0]["satisfied"]
    there = {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")}
    assert there == {"people.csv", "figures.json", *(("out", "w") if code == 0 else ())}


def test_frames_are_refused_by_their_verdict(spark: SparkSession, people: str, tmp_path: Path) -> None:
    frame = pd.read_csv(people)
    with pytest.raises(VerdictRefused, match="--fail-on bad: the verdict is bad") as refused:
        sd.anonymize(frame, quasi=["age"], model="k=5", keep=["ward"], fail_on="bad", workspace=tmp_path / "w")
    assert refused.value.figures["verdict"] == "bad"
    assert not (tmp_path / "w").exists()
    assert sd.anonymize(frame, quasi=["age"], model="k=5", fail_on="fair").told["verdict"] == "good"


def test_rows_that_a_fitted_recoding_omits_are_stated_and_limited(
    spark: SparkSession, people: str, tmp_path: Path
) -> None:
    frame = pd.read_csv(people)
    sd.anonymize(frame, quasi=["age"], model="k=5", workspace=tmp_path / "w")
    batch = pd.concat([frame, frame.head(15).assign(age=99)])
    fitted: dict[str, Any] = {"quasi": ["age"], "model": "k=5", "fitted": str(tmp_path / "w")}
    done = sd.anonymize(batch, **fitted)
    assert done.told["verdict"] == "fair"
    assert any(warning.startswith("15 of 75 rows are omitted") for warning in done.warnings)
    assert sd.anonymize(batch, **fitted, suppression=0.2).told["rows"] == 60
    with pytest.raises(GateRefused, match=r"--suppression 0\.19: the fitted recoding omits 15 of 75 rows"):
        sd.anonymize(batch, **fitted, suppression=0.19)
    plain: dict[str, Any] = {"quasi": ["age"], "model": "k=5", "algorithm": "incognito"}
    sd.anonymize(frame, **plain, workspace=tmp_path / "levels")
    levels = {**plain, "fitted": str(tmp_path / "levels")}
    done = sd.anonymize(batch, **levels, suppression=0.2)
    assert done.told["rows"] == 60
    assert done.manifest["suppressed_rows_by_reason"] == {"outside_of_fitted_ranges": 15, "in_classes_that_fail": 0}
    with pytest.raises(GateRefused, match=r"--suppression 0\.19: the fitted recoding omits 15 of 75 rows"):
        sd.anonymize(batch, **levels, suppression=0.19)
    with pytest.raises(UsageError, match="--suppression: not allowed with --algorithm mondrian"):
        sd.anonymize(batch, quasi=["age"], model="k=5", suppression=0.2)

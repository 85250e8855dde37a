"""Plans as values."""

from datetime import date
from pathlib import Path

import pytest

import spark_deid as sd
from spark_deid import app
from spark_deid.app import releasing
from spark_deid.plan.config import PlanSettings

EMAIL = {"kinds": ["email"]}
FILE = """
input: {path: notes, format: text}
workspace: work
release: out
patterns: {kinds: [email]}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "plan.yaml"
    path.write_text(FILE)
    return path


def test_a_plan_of_a_file_is_the_plan_of_its_sections(file: Path) -> None:
    built = sd.Plan(
        input={"path": Path("notes"), "format": "text"}, workspace=Path("work"), release="out", patterns=EMAIL
    )
    assert sd.Plan.load(file) == built
    assert sd.Plan.load(file).fingerprint == built.fingerprint
    assert hash(sd.Plan.load(file)) == hash(built)


def test_overrides_win_over_the_file(file: Path) -> None:
    other = sd.Plan.load(file, ["patterns.kinds=[url]"])
    assert other != sd.Plan.load(file)
    assert "patterns: url" in sd.Plan.load(file, ["patterns.kinds=[url]", f"input.path={file}"]).explain()


def test_a_plan_is_explained_as_the_command_explains_it(file: Path) -> None:
    changes = [f"input.path={file}", f"workspace={file.parent}/{{date}}/w", f"release={file.parent}/{{date}}/r"]
    assert sd.Plan.load(file, changes).explain() == app.explain(file, changes)
    assert f"{date.today().isoformat()}/r" in app.explain(file, changes)
    changes = ["input.path=absent", "key_file=absent.key"]
    with pytest.raises(sd.UsageError) as of_plan:
        sd.Plan.load(file, changes).explain()
    with pytest.raises(sd.UsageError) as of_command:
        app.explain(file, changes)
    told = str(of_plan.value).splitlines()
    assert told == str(of_command.value).replace(f"{file}: ", "").splitlines()
    assert [line.partition(":")[0] for line in told] == ["input.path", "absent.key"]


def test_a_plan_without_places_that_names_an_absent_key_is_not_explained() -> None:
    with pytest.raises(sd.UsageError, match=r"absent\.key"):
        sd.Plan(patterns=EMAIL, key_file="absent.key").explain()


def test_a_plan_can_not_be_changed() -> None:
    kinds = ["email"]
    plan = sd.Plan(patterns={"kinds": kinds})
    before = plan.fingerprint
    kinds.append("url")
    assert plan.fingerprint == before
    with pytest.raises(AttributeError):
        plan.settings = sd.Plan(patterns=EMAIL).settings  # type: ignore[misc]


def test_every_wrong_value_is_reported_at_once() -> None:
    with pytest.raises(sd.UsageError) as raised:
        sd.Plan(patterns=EMAIL, metadata="x", nothing=1)
    assert "Plan: metadata: expected a list" in str(raised.value)
    assert "Plan: nothing: unknown key" in str(raised.value)


def test_places_go_together() -> None:
    with pytest.raises(sd.UsageError, match="Plan: workspace: missing"):
        sd.Plan(patterns=EMAIL, input={"path": "notes", "format": "text"}, release="out")
    with pytest.raises(sd.UsageError, match=r"Plan: input\.path: missing"):
        sd.Plan(patterns=EMAIL).run(release="out")


def test_a_plan_without_places_explains_what_it_does_to_a_frame() -> None:
    told = sd.Plan(patterns=EMAIL, metadata=["ward"]).explain()
    assert "DataFrames: documents (doc_id, text, ward)" in told
    assert "workspace" not in told
    assert "return the results" in told


def test_a_plan_shows_neither_paths_nor_terms(tmp_path: Path) -> None:
    key = tmp_path / "secret.key"
    key.write_text("00" * 32)
    custom = [{"label": "CASE", "pattern": "Miller v. Smith"}]
    plan = sd.Plan(patterns={"kinds": [], "custom": custom}, key_file=key)
    assert repr(plan) == "Plan(patterns)"


@pytest.mark.parametrize("path", sorted(Path("conf").glob("*.yaml")), ids=lambda path: path.stem)
def test_a_plan_of_a_file_runs_with_places_given_in_python(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    carried_out: list[PlanSettings] = []
    monkeypatch.setattr(releasing, "run_plan", lambda settings, **_: carried_out.append(settings))
    sd.Plan.load(path).run(input="notes", workspace="work", release="out")
    expected = sd.Plan.load(path, ["input.path=notes", "workspace=work", "release=out"]).settings
    assert [settings.model_dump() for settings in carried_out] == [expected.model_dump()]

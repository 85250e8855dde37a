from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.plan.load import check_plan, load_plan
from spark_deid.plan.secret import find_secret

KEYS = {
    *(
        "input",
        "workspace",
        "release",
        "release_ids",
        "metadata",
        "report",
        "key_file",
        "labels",
        "columns",
        "max_rejects",
        "allow",
        "language_column",
        "engine",
        "segments",
    ),
    *(
        "model",
        "decoding",
        "loss_ratio",
        "target",
        "patterns",
        "repeats",
        "context",
        "ontology",
        "deny",
        "names",
        "erase",
        "onnx",
        "detectors",
    ),
    *("identity", "anonymity"),
    *("sources", "rules", "placeholders", "guarantees"),
}
PLAN = """
input: {path: notes, format: text}
workspace: w
release: r
patterns: {kinds: all}
sources: [patterns]
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.yaml"
    path.write_text(PLAN)
    return path


def test_a_plan_is_read_and_overridden(plan: Path) -> None:
    settings = load_plan(plan, ["input.path=other", "patterns.kinds=[email, url]", "report.excerpts=3"])
    assert settings.input.path == "other"
    assert settings.given("patterns").kinds == ("email", "url")
    assert settings.report.excerpts == 3


def test_every_mistake_is_reported_at_once_with_its_path(plan: Path) -> None:
    with pytest.raises(UsageError) as caught:
        load_plan(
            plan,
            ["input.format=docx", "sources=[patterns, oracle]", "wxyz=red", "report.excerpts=-1", "partitions=7"],
        )
    message = str(caught.value)
    assert "input.format: expected one of text, jsonl" in message
    assert "sources[1]" in message
    assert "partitions: unknown key" in message
    assert "report.excerpts" in message
    [known] = (line for line in message.splitlines() if "wxyz: unknown key; known keys: " in line)
    assert set(known.rpartition(": ")[2].split(", ")) == KEYS


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("sources=[repeats]", "Add repeats: {k: 4}"),
        ("repeats={k: 255}", r"repeats\.k: .*expected an integer <= 254, got 255"),
        ("repeats={cap: 4}", "min_length 6 is above cap 4"),
        ("sources=[model]", "Add model: FOLDER"),
        ("patterns=null", "Add patterns"),
        ("release", "path.to.key=value"),
        ("labels={PER: a name}", r"labels\.PER: expected a label of letters"),
    ],
)
def test_a_source_needs_its_detector(plan: Path, override: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        load_plan(plan, [override])


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("[ward, doc_id]", "metadata: 'doc_id' is a column of every release"),
        ("[Text]", "metadata: 'Text' is a column"),
        ("[ward, Ward]", "metadata: 'Ward' occurs twice"),
        ("{ward: keep, Ward: keyed}", "metadata: 'Ward' occurs twice"),
        ("{ward: hide}", "metadata: ward: expected one of keep, keep-identifying, keyed, detect, shift, got 'hide'"),
        ("ward", "metadata: expected a list"),
        ("['']", "metadata: expected a name without spaces"),
        *((f"['wa{c}rd']", "metadata: expected a name without spaces") for c in " ,;{}()=`"),
        ('["wa\\nrd", "wa\\trd"]', "(?s)metadata: expected a name.*metadata: expected a name"),
    ],
)
def test_metadata_that_can_be_no_column_is_refused(plan: Path, names: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        load_plan(plan, [f"metadata={names}"])


@pytest.mark.parametrize(("words", "told"), [("[' ']", "got an empty one"), ("['[★]']", "which represents rare text")])
def test_placeholders_are_words_of_their_own(plan: Path, words: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        load_plan(plan, [f"placeholders={words}"])


def test_metadata_may_have_any_other_name(plan: Path) -> None:
    names = ("subject_id", "Ward", "año", "a.b", "x-1")
    assert load_plan(plan, [f"metadata=[{', '.join(names)}]"]).metadata == dict.fromkeys(names, "keep")


def test_metadata_may_be_keyed_or_looked_through(plan: Path) -> None:
    ways = {"sender": "keyed", "note": "detect", "ward": "keep"}
    written = ", ".join(f"{name}: {way}" for name, way in ways.items())
    assert load_plan(plan, [f"metadata={{{written}}}"]).metadata == ways


def test_a_plan_that_is_not_there_reports_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.yaml: can't read the plan .*\. Expected a YAML file"):
        load_plan(tmp_path / "nowhere.yaml")


def test_a_plan_that_is_not_yaml_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("input: [\nrelease: x: y")
    with pytest.raises(UsageError, match="not YAML \\(line 2\\)"):
        load_plan(tmp_path / "bad.yaml")


def test_a_plan_in_another_encoding_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"model: english\nlabels: {caf\xe9: NAME}\n")
    with pytest.raises(UsageError, match=r"latin.yaml: not YAML \(line 2\): expected text in UTF-8"):
        load_plan(tmp_path / "latin.yaml")


@pytest.mark.parametrize(
    ("format", "given", "ids"),
    [
        ("text", (), "keyed"),
        ("brat", (), "keyed"),
        ("i2b2-2014", (), "keyed"),
        ("jsonl", (), "keep"),
        ("csv", (), "keep"),
        ("text", ("release_ids=keep",), "keep"),
        ("jsonl", ("release_ids=keyed",), "keyed"),
    ],
)
def test_ids_that_are_names_of_files_are_keyed_unless_the_plan_keeps_them(
    plan: Path, format: str, given: tuple[str, ...], ids: str
) -> None:
    settings = load_plan(plan, [f"input.format={format}", *given])
    assert settings.ids == settings.resolved()["release_ids"] == ids


def test_no_key_holds_nul() -> None:
    with pytest.raises(UsageError, match=r"^plan: patterns: expected text without NUL$"):
        check_plan({"patterns": {"kinds\0": "all"}}, "plan")


def test_a_key_file_that_the_environment_leaves_empty_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_DEID_KEY_FILE", "")
    with pytest.raises(UsageError, match="SPARK_DEID_KEY_FILE: expected the path of a key file, got nothing"):
        find_secret(None)

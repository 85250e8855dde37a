import json
from pathlib import Path

import pytest

from spark_deid import cli


@pytest.fixture(autouse=True)
def _(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPARK_DEID_DEBUG", "1")  # else main silences the logging of every later test
    monkeypatch.chdir(tmp_path)
    Path("good.csv").write_text("term,parent\nanimal,\ncat,animal\ndog,animal\n")
    Path("bad.csv").write_text("term,parent\nanimal,\ncat,animl\nDog,animal\ndog,animal\n")


def exit_code(*arguments: object) -> object:
    with pytest.raises(SystemExit) as caught:
        cli.main([str(argument) for argument in arguments])
    return caught.value.code


def test_an_ontology_is_built_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("ontology", "build", "good.csv", "animals.npz", "--json", "built.json") == 0
    assert json.loads(Path("built.json").read_text())["concepts"] == 3
    assert exit_code("ontology", "show", "animals.npz", "--term", "Cats", "--json", "shown.json") == 0
    sense = json.loads(Path("shown.json").read_text())["senses"][0]
    assert [(node["name"], node["volume"]) for node in sense["path"]] == [("cat", 1), ("animal", 2)]
    assert "animal" in capsys.readouterr().out
    assert exit_code("ontology", "build", "good.csv", "animals.npz") == 2
    assert "already exists" in capsys.readouterr().err


def test_an_ontology_is_not_built_where_nothing_can_be_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert exit_code("ontology", "build", "good.csv", "animals.npz") == 2
    assert "can't be written to" in capsys.readouterr().err


def test_wordnet_is_shown_with_ids_and_keys_to_name_a_sense_by(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("ontology", "show", "wordnet", "--term", "marijuana") == 0
    assert "marijuana (02953127-n marijuana%1:06:00::)" in capsys.readouterr().out
    assert exit_code("ontology", "show", "places") == 0
    assert "GeoNames" in capsys.readouterr().out


def test_faults_are_reported_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("ontology", "check", "good.csv") == 0
    assert exit_code("ontology", "check", "bad.csv") == 1
    told = capsys.readouterr().out.splitlines()
    assert told[1:] == [
        'line 3: the parent "animl" is not a term. Add a row for it, without a parent if it is a root',
        'line 4, line 5: "Dog" and "dog" differ only in case',
    ]
    assert exit_code("ontology", "build", "bad.csv", "x.npz") == 2
    assert 'the parent "animl"' in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("build", "good.csv", "x.csv"), "the suffix .npz"),
        (("build", "good.csv", "none/x.npz"), "folder none does not exist"),
        (("show", "nowhere"), "no such ontology"),
        (("show", "wordnet", "--term", "qwertzuiop"), "not in the ontology"),
        (("check", "none.csv"), "no such file"),
        (("check", "nltk:/none"), "/none: expected a WordNet"),
    ],
)
def test_what_is_not_there_is_refused(
    arguments: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_code("ontology", *arguments) == 2
    assert expected in capsys.readouterr().err

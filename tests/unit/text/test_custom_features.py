"""Feature sets of users: files of templates, and their mistakes."""

from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.text.features import base_sets, feature_set, feature_sets, resolve_features
from spark_deid.text.templates import MAX_BYTES, features_label, is_definition


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "own.txt"


def resolved(place: Path, text: str) -> str:
    place.write_text(text)
    return resolve_features(str(place))


@pytest.mark.parametrize("name", feature_sets())
def test_a_file_of_a_bundled_set_is_that_set(place: Path, name: str) -> None:
    assert resolved(place, f"# a comment\n+{name}  # and another\n\n") == name


def test_templates_are_added_and_removed(place: Path) -> None:
    found = feature_set(resolved(place, "+hide\n-lower\nlower[-1]  lower[+1] !\nshape\n"))
    hide = feature_set("hide")
    assert found.templates == (*(each for each in hide.templates if each != "lower"), "lower[-1] lower[+1] !")
    assert (found.name, found.merged, found.without_words().name) == ("custom", False, "custom without words")
    assert feature_set(resolved(place, "shape\n")).merged
    assert feature_set(resolved(place, "+hide\n+rich\n")).merged


def test_a_definition_needs_its_file_no_more(place: Path) -> None:
    definition = resolved(place, "+full\nlower[-1] lower[+1]  # a comment\n")
    place.unlink()
    assert is_definition(definition)
    assert "comment" not in definition
    assert resolve_features(definition) == definition
    assert feature_set(definition).templates == (*feature_set("full").templates, "lower[-1] lower[+1]")
    assert feature_set(definition).gazetteer
    assert base_sets(definition) == ("full",)
    assert (features_label(definition), features_label("hide")) == ("custom", "hide")


def test_a_bundled_name_wins_over_a_file_of_that_name(place: Path) -> None:
    place.with_name("hide").write_text("shape\n")
    assert resolve_features("hide") == "hide"
    assert feature_set(resolve_features("./hide")).templates == ("shape",)


def test_all_mistakes_are_reported_at_once_with_their_lines(place: Path) -> None:
    with pytest.raises(UsageError) as caught:
        resolved(place, "+most\n# fine\nlowr[-1] short\n-shape\nlower[-9]\nshape a b c d e\n")
    lines = str(caught.value).splitlines()
    assert [line.split(": ")[1] for line in lines] == ["line 1", "line 3", "line 4", "line 5", "line 6"]
    assert all(line.startswith(str(place)) for line in lines)
    assert "the nearest known one is lower" in lines[1]
    assert "no such template" in lines[2]


@pytest.mark.parametrize("text", ["", "# nothing\n", "shape\n-shape\n"])
def test_a_file_without_templates_is_refused(place: Path, text: str) -> None:
    with pytest.raises(UsageError, match=r"own\.txt: expected at least one template"):
        resolved(place, text)


def test_a_file_that_is_no_text_is_refused(place: Path) -> None:
    for content in (b"\xff\xfe", b"#" * (MAX_BYTES + 1)):
        place.write_bytes(content)
        with pytest.raises(UsageError, match=r"own\.txt: expected"):
            resolve_features(str(place))
    with pytest.raises(UsageError, match="expected one of clusters, full, gazetteer, hide, rich, or a file"):
        resolve_features("absent")


def test_parts_of_speech_need_a_tagger(place: Path) -> None:
    with pytest.raises(UsageError, match="pos: these columns need --tagger"):
        feature_set(resolved(place, "pos lower\n"))

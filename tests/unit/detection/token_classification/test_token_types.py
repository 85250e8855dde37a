"""Token types by shape: as the obvious code gives them, to every window of a text, and to models that ask for them."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.core.errors import ModelError
from spark_deid.detection.token_classification.classifier import load_classifier
from spark_deid.detection.token_classification.export import no_types, read_export, shape_types
from tests.unit.detection.token_classification.exported import write_export

ALPHABET = "aBc9é\u0130ſßǅª²½٣ⓐⒶ中\U0001f600\U0001d400 \n\t\r.-'_"


def obvious_types(text: str, offsets: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Yield what the shipped model was trained with, word for word."""
    last = 0
    for i, (a, b) in enumerate(offsets):
        s = text[a:b]
        if s.isdigit():
            c = 6
        elif not any(x.isalpha() for x in s):
            c = 0
        elif s.islower():
            c = 1
        elif s.isupper():
            c = 3 if len(s) > 1 else (5 if not (b < len(text) and text[b].isalpha()) else 2)
        elif s[0].isupper() and s[1:].islower():
            c = 2
        else:
            c = 4
        yield c + (8 if "\n" in text[last:a] or i == 0 else 0)
        last = b


@st.composite
def cut_texts(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    """Draw a text, and tokens in it, empty ones and such that touch among them."""
    text = draw(st.text(st.one_of(st.sampled_from(ALPHABET), st.characters()), max_size=40))
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=20)))
    return text, list(zip(places[::2], places[1::2], strict=False))


@given(cut_texts())
def test_types_are_those_of_the_obvious_code(cut: tuple[str, list[tuple[int, int]]]) -> None:
    text, offsets = cut
    assert shape_types(text, offsets).tolist() == [*obvious_types(text, offsets)]
    assert no_types(text, offsets).tolist() == [0] * len(offsets)


@given(st.text(st.one_of(st.sampled_from(ALPHABET), st.characters(exclude_categories=["Cs"])), max_size=40))
def test_types_of_a_tokenizer_s_pieces_are_those_of_the_obvious_code(exported: Path, text: str) -> None:
    offsets = load_classifier(read_export(exported)).tokenizer.encode(text, add_special_tokens=False).offsets
    assert shape_types(text, offsets).tolist() == [*obvious_types(text, offsets)]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_export(tmp_path_factory.mktemp("shapes") / "model", by_shape=True)


def names(folder: Path, text: str) -> list[str]:
    spans = load_classifier(read_export(folder)).spans(text, {"PER": "NAME"}, 0.5)
    return [text[span.start : span.end] for span in spans]


def test_a_model_is_reported_uppercase_in_every_window(exported: Path, tmp_path: Path) -> None:
    text = "x x x " + "Bonn x X in bonn " * 40
    assert names(exported, text) == ["Bonn"] * 40
    assert names(write_export(tmp_path / "plain"), text) == []
    assert [names(exported, text) for text in ("", " \n", "\U0001f600")] == [[], [], []]


@pytest.mark.parametrize("named", ["case", "", 1, None])
def test_types_that_no_one_knows_are_refused(named: object, exported: Path, tmp_path: Path) -> None:
    folder = write_export(tmp_path / "model", by_shape=True)
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"token_types": named}))
    with pytest.raises(ModelError, match=r'config\.json: token_types: expected "shape", or no such key'):
        read_export(folder)


def test_a_model_that_can_t_be_reported_types_must_not_ask_for_them(tmp_path: Path) -> None:
    folder = write_export(tmp_path / "model")
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"token_types": "shape"}))
    with pytest.raises(ModelError, match="expected an input token_type_ids, since"):
        load_classifier(read_export(folder))

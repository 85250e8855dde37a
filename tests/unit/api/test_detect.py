"""Detectors on a string."""

from pathlib import Path

import pytest

import spark_deid as sd
from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.train import train

TEXT = "Write to ann@example.org."
EMAIL = Span(9, 24, "EMAIL", source="patterns/email")
PLAN = {"patterns": {"kinds": ["email"]}}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train on notes in which the word after ``Dr`` is a name."""
    texts = [f"Seen by Dr {name} today." for name in ("Lee", "Poe", "Kim", "Roy", "Fox", "Day") for _ in range(4)]
    documents = [
        Document(f"d{number}", text, spans=(Span(11, 14, "NAME", source="gold"),)) for number, text in enumerate(texts)
    ]
    folder = tmp_path_factory.mktemp("models") / "names"
    train(documents, TrainConfig(max_rounds=1, folds=2, iterations=20, key=b"k" * 32), lambda _: None).save(folder)
    return folder


def test_a_plan_finds_what_its_patterns_find(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text("input: {path: x, format: text}\nworkspace: w\nrelease: r\npatterns: {kinds: [email]}\n")
    for plan in (PLAN, path, str(path), sd.Plan(**PLAN), sd.Plan.load(path)):
        assert sd.detect(TEXT, plan=plan) == (EMAIL,)


@pytest.mark.parametrize("given", [None, 7, [TEXT]], ids=["none", "number", "list"])
def test_what_is_no_string_is_refused(given: object) -> None:
    with pytest.raises(sd.UsageError, match=f"^detect: expected a string, got {type(given).__name__}"):
        sd.detect(given, plan=PLAN)  # type: ignore[arg-type]


def test_a_model_finds_names_and_shows_its_round(model: Path) -> None:
    (found,) = sd.detect("Seen by Dr Lee today.", model=model)
    assert found[:3] == (11, 14, "NAME")
    assert found.source == "model/round-1"


def test_a_plan_reads_its_model_once(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = sd.Plan(model=model, patterns={"kinds": ["email"]})
    text = f"Seen by Dr Lee today. {TEXT}"
    expected = sd.detect(text, plan=plan)
    assert {span.source for span in expected} == {"model/round-1", "patterns/email"}
    monkeypatch.setattr("spark_deid.greedy.sanitizer.load_sanitizer", None)
    assert sd.detect(text, plan=plan) == expected


def test_listed_placeholders_are_no_names(model: Path) -> None:
    assert sd.detect("Seen by Dr [X] today.", plan={"model": str(model), "placeholders": ["[X]"]}) == ()


def test_a_detector_that_needs_a_corpus_reports_it() -> None:
    sections: dict[str, object] = {"repeats": {"k": 2}, "context": {"NAME": {}}}
    for name, section in sections.items():
        with pytest.raises(sd.UsageError, match=f"{name} needs a whole corpus"):
            sd.detect(TEXT, plan={**PLAN, name: section})


def test_a_plan_and_a_model_are_refused() -> None:
    with pytest.raises(sd.UsageError, match="either a plan or a model"):
        sd.detect(TEXT, plan=PLAN, model="m")


def test_the_plan_names_is_the_default() -> None:
    found = sd.detect("Dr. Ann Lee wrote to ann@example.org.")
    assert {span.source.split("/")[0] for span in found} >= {"model", "patterns"}


def test_a_model_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(sd.ModelError):
        sd.detect(TEXT, model=tmp_path / "none")


def test_an_empty_text_holds_nothing() -> None:
    assert sd.detect("", plan=PLAN) == ()

"""A model folder from elsewhere whose hashes fit: refused or harmless, never astray in memory or without end."""

import json
import resource
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spark_deid.core.errors import SparkDeidError
from spark_deid.greedy.sanitizer import load_sanitizer
from spark_deid.text.patterns import PatternError
from spark_deid.text.terms.detector_kind import deny_spans
from spark_deid.text.terms.term_list import PreparedTerms
from tests.attacks.model_folders import TEXT, copied, edit_json, sealed, trained
from tests.attacks.processes import outcomes

LEARNERS = ("crf", "svm", "adaboost", "ensemble")
CASES = 50
"""Random corruptions of each learner's folder."""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    return {name: trained(folder / name, name) for name in LEARNERS}


def opened(folder: Path) -> str:
    """Open a folder and use it; return what became of it."""
    try:
        spans = load_sanitizer(folder).detect(TEXT)
    except SparkDeidError:
        return "refused"
    sound = all(0 <= span.start < span.end <= len(TEXT) for span in spans)
    return "harmless" if sound else "astray"


def array(name: str, change: Callable[[Any], Any]) -> Callable[[Path], None]:
    def corrupt(folder: Path) -> None:
        [path, *_] = sorted(folder.glob(f"rounds/01/**/{name}.npy"))
        np.save(path, change(np.load(path)))

    return corrupt


def setting(**values: object) -> Callable[[Path], None]:
    def corrupt(folder: Path) -> None:
        edit_json(folder / "rounds" / "01" / "model.json", lambda content: content["settings"].update(values))

    return corrupt


def listed(name: str, words: object) -> Callable[[Path], None]:
    return lambda folder: edit_json(folder / "model.json", lambda content: content.update({name: words}))


def pattern(expression: str) -> Callable[[Path], None]:
    custom = {"label": "WARD", "pattern": expression, "context": [], "window": 60}
    return lambda folder: edit_json(folder / "model.json", lambda content: content["patterns"].update(custom=[custom]))


def put(value: int) -> Callable[[Any], Any]:
    """Write a value into the first slot in use of a table, or of any other array."""

    def change(content: Any) -> Any:
        used = np.flatnonzero(content)
        content.ravel()[used[0] if len(used) else 0] = value
        return content

    return change


@pytest.mark.parametrize(
    "corrupt",
    [
        pytest.param(array("slots", lambda a: a | np.uint64(1)), id="no free slot"),
        pytest.param(array("slots", put(0xABCDEF00 | 249)), id="a tag that no weight has"),
        pytest.param(array("slots", lambda a: np.concatenate([[0xABCDEF00 | 255, 2**63], a[2:]])), id="a row far away"),
        pytest.param(array("slots", lambda a: np.concatenate([[0xABCDEF00 | 254, 2**40], a[2:]])), id="wide far away"),
        pytest.param(array("slots", lambda a: a[:-2]), id="no power of two"),
        pytest.param(array("slots", lambda a: a[:0]), id="no slot"),
        pytest.param(array("wide", lambda a: a[:-1]), id="less of the wide weights"),
        pytest.param(array("transitions", lambda a: a[:-1]), id="less of the transitions"),
        pytest.param(array("transitions", lambda a: a * np.nan), id="no numbers"),
        pytest.param(array("word_keys", lambda a: a | np.uint64(1)), id="no free word"),
        pytest.param(array("span_keys", lambda a: a[:3]), id="less of the spans"),
        pytest.param(array("span_values", lambda a: a | np.uint64(7 << 40)), id="a label that there is not"),
        pytest.param(array("public", lambda a: a[:1]), id="less of the marks"),
        pytest.param(setting(names=["O"]), id="tags are missing"),
        pytest.param(setting(names=["O", "O", "O"]), id="tags repeat"),
        pytest.param(setting(labels=["X"] * 200), id="labels repeat"),
        pytest.param(setting(kinds={"date": "NOWHERE"}), id="a kind of a label that there is not"),
        pytest.param(setting(copy_length=-1), id="copies of nothing"),
        pytest.param(setting(slope=0.0), id="a slope of nothing"),
        pytest.param(setting(threshold=float("nan")), id="a threshold that is no number"),
        pytest.param(
            lambda f: edit_json(f / "model.json", lambda c: c["rounds"][0].update(folder="../rounds/01")), id="up"
        ),
        pytest.param(lambda f: edit_json(f / "model.json", lambda c: c.update(rounds=[7])), id="no rounds"),
        pytest.param(lambda f: edit_json(f / "model.json", lambda c: c.update(loss_ratio=-1)), id="a negative loss"),
        pytest.param(pattern("(" * 500 + "a" + ")*" * 500), id="a deep pattern"),
        pytest.param(pattern("a" * 20_000), id="a long pattern"),
        pytest.param(pattern("(?:" * 24 + "a" + "){2}" * 24), id="a pattern of 12 GB"),
        pytest.param(pattern("(?:" * 12 + "ab" + "){3}" * 12), id="a pattern of a GB"),
        pytest.param(pattern("(?R)?"), id="a pattern that holds itself"),
        *(
            pytest.param(listed("placeholders", words), id=f"placeholders {words!r}")
            for words in ([""], ["[NAME]", " "], "abc", [7], None)
        ),
        pytest.param(listed("labels", "NAME"), id="labels that are a word"),
        pytest.param(pattern("(a|(?1)b)"), id="a pattern that holds a part of itself"),
    ],
)
def test_what_compiled_code_relies_on_is_checked(
    models: dict[str, Path], tmp_path: Path, corrupt: Callable[[Path], None]
) -> None:
    folder = copied(models["crf"], tmp_path / "model")
    corrupt(folder)
    assert outcomes(opened, [sealed(folder)]) == ["refused"]


@pytest.mark.parametrize("expression", [r"(a+)+b", r"(?:a?){40}a{40}b", r"(?:x|xx)+[^x]"])
def test_a_pattern_that_never_ends_is_ended(
    models: dict[str, Path], tmp_path: Path, expression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_deid.text.patterns.config.SECONDS", 0.2)
    folder = copied(models["crf"], tmp_path / "model")
    pattern(expression)(folder)
    sanitizer = load_sanitizer(sealed(folder))
    with pytest.raises(PatternError, match=r"patterns\.custom\[0\] \(custom-ward\) of the model: .* 6000 characters"):
        sanitizer.detect("a" * 3000 + "x" * 3000)


def test_a_pattern_that_takes_all_memory_is_ended(
    models: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_deid.text.patterns.config.SEARCH_BYTES", 16 << 20)
    before = resource.getrlimit(resource.RLIMIT_AS)
    folder = copied(models["crf"], tmp_path / "model")
    pattern(r"(?:(a)|(b)|(ab)|(ba))*[cd]")(folder)
    sanitizer = load_sanitizer(sealed(folder))
    with pytest.raises(PatternError, match=r"patterns\.custom\[0\] .* took more than 16 MB"):
        sanitizer.detect("ab" * 200_000)
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_terms_whose_search_never_ends_are_named_by_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark_deid.text.patterns.config.SECONDS", 0.2)
    lists = [PreparedTerms(("ann",), (r"w \d",), "A", False, ""), PreparedTerms((), ("x{3}", "(a+)+b"), "B", False, "")]
    with pytest.raises(PatternError, match=r"deny\[1\]\.expressions\[1\] \(custom-b\) of the plan's terms"):
        deny_spans("a" * 3000, lists=tuple(lists))


def test_models_as_they_are_made_open(models: dict[str, Path]) -> None:
    assert outcomes(opened, list(models.values())) == ["harmless"] * len(models)


@pytest.mark.parametrize("learner", LEARNERS)
def test_random_corruptions_are_refused_or_harmless(models: dict[str, Path], tmp_path: Path, learner: str) -> None:
    draw = np.random.default_rng(LEARNERS.index(learner))
    folders = [copied(models[learner], tmp_path / str(case)) for case in range(CASES)]
    for folder in folders:
        (_corrupt_array if draw.random() < 0.6 else _corrupt_record)(folder, draw)
        sealed(folder)
    found = outcomes(opened, folders)
    assert len(found) == CASES
    assert set(found) <= {"refused", "harmless"}
    assert found.count("refused") >= CASES // 5


def _corrupt_array(folder: Path, draw: np.random.Generator) -> None:
    paths = sorted(folder.glob("rounds/**/*.npy"))
    path = paths[draw.integers(len(paths))]
    content = np.load(path).copy()
    way = draw.integers(5)
    if way == 0:
        content = content[: draw.integers(len(content) + 1)]
    elif way == 1:
        content = content.astype(draw.choice(["u1", "f4", ">u8", "i8"]))
    elif way == 2:
        content = content.reshape(-1, 1)
    elif content.size:
        bits = content.view(np.uint8).reshape(-1)
        for place in draw.integers(len(bits), size=draw.integers(1, 200)):
            bits[place] = draw.integers(256)
    np.save(path, content)


def _corrupt_record(folder: Path, draw: np.random.Generator) -> None:
    records = [folder / "model.json", *sorted(folder.glob("rounds/**/model.json"))]
    path = records[draw.integers(len(records))]
    values: list[Any] = [None, -1, 2**70, "", "x", [], {}, ["O"], 1e308, True, [[1]], {"x": 1}]

    def change(content: dict[str, Any]) -> None:
        place: Any = content
        while True:
            keys = sorted(place) if isinstance(place, dict) else list(range(len(place)))
            key = keys[draw.integers(len(keys))]
            if isinstance(place[key], dict | list) and place[key] and draw.random() < 0.7:
                place = place[key]
                continue
            if draw.random() < 0.2:
                del place[key]
            else:
                place[key] = values[draw.integers(len(values))]
            return

    edit_json(path, change)


def test_reports_of_refused_folders_hold_no_values(models: dict[str, Path], tmp_path: Path) -> None:
    folder = copied(models["crf"], tmp_path / "model")
    edit_json(folder / "model.json", lambda content: content.update(patterns=7))
    with pytest.raises(SparkDeidError, match="damaged: reading it failed with TypeError"):
        load_sanitizer(sealed(folder))
    assert json.loads((folder / "model.json").read_text())["patterns"] == 7

"""A file of an ontology from elsewhere: refused or harmless, never astray in memory or without end."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from spark_deid.core.errors import ModelError, SparkDeidError
from spark_deid.ontology.array_validation import NAMED, map_arrays, save_arrays
from spark_deid.ontology.ontology import ontology_at
from spark_deid.ontology.sources.reading import build, read_source
from tests.attacks.processes import outcomes
from tests.unit.plausibility.generalized import decided, marked, recounted, rule

TABLE = (
    "animal,\nfeline,animal\ncat,feline\ntabby cat,cat\ndog,animal\nmouse,animal\nox,animal\nthing,\nros\u00e9,thing\n"
)
TEXT = "The cats and a tabby cat, a dog, mice, two oxen and a ros\u00e9."
TERMS = ("cats", "tabby cat", "dog", "mice", "oxen", "ros\u00e9")
CASES = 100
Arrays = dict[str, NDArray[Any]]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ontology")
    (folder / "x.csv").write_text(f"term,parent\n{TABLE}", encoding="utf-8")
    build(read_source(str(folder / "x.csv")), "x", folder / "good.npz")
    return folder / "good.npz"


def used(path: Path) -> str:
    """Open a file and use it; return what became of it."""
    try:
        rules, spans = rule(ontology=str(path), t=2), marked(TEXT, *TERMS)
        recounted(TEXT, spans, decided(TEXT, spans, rules).edits, rules)
    except SparkDeidError:
        return "refused"
    return "harmless"


def forged(good: Path, target: Path, change: Callable[[Arrays], object]) -> Path:
    """Write the arrays of a file again, changed."""
    arrays, about = map_arrays(good)
    copies = {name: array.copy() for name, array in arrays.items()}
    change(copies)
    save_arrays(target, copies, about)
    return target


def put(name: str, place: int, value: int) -> Callable[[Arrays], object]:
    return lambda arrays: arrays[name].__setitem__(place, value)


def cut(name: str) -> Callable[[Arrays], object]:
    return lambda arrays: arrays.update({name: arrays[name][:-1]})


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (put("hypernyms", 0, 1 << 30), "hypernyms: expected concepts"),
        (put("hypernyms", 0, -1), "hypernyms: expected concepts"),
        (lambda arrays: arrays["hypernyms"].fill(1), "hypernyms: expected no circle"),
        (cut("hypernyms"), "hypernyms: expected as many"),
        (put("senses", 0, 99), "senses: expected concepts"),
        (lambda arrays: np.bitwise_and(arrays["senses"], ~NAMED, out=arrays["senses"]), "a name for each concept"),
        (put("sense_counts", 0, 0), "senses: expected as many"),
        (cut("text"), "text: expected as many bytes"),
        (put("text", 0, 0xFF), "text: expected UTF-8"),
        (put("volumes", 0, 0), "volumes: expected numbers from 1 on"),
        (cut("gloss_counts"), "gloss_counts: expected one"),
        (lambda arrays: arrays.update(ids=np.zeros(1, np.uint32)), "ids: expected one"),
        (lambda arrays: arrays.update(sense_keys=np.zeros(1, np.uint16)), "sense_keys: expected one"),
        (lambda arrays: arrays.update(lemmas=np.zeros(1, np.int32)), "lemmas: expected a word for each form"),
        (lambda arrays: arrays.update(hypernyms=arrays["hypernyms"].astype("f4")), "expected other types"),
        (lambda arrays: arrays.update(word_counts=arrays["word_counts"].reshape(1, -1)), "of one dimension"),
        (lambda arrays: arrays.pop("glosses"), "expected other arrays"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_compiled_code_relies_on_is_checked(
    good: Path, tmp_path: Path, change: Callable[[Arrays], object], told: str
) -> None:
    with pytest.raises(ModelError, match=told):
        ontology_at(str(forged(good, tmp_path / "bad.npz", change)))


def test_random_corruptions_are_refused_or_harmless(good: Path, tmp_path: Path) -> None:
    draw = np.random.default_rng(3)
    paths = [tmp_path / f"{case}.npz" for case in range(CASES)]
    for number, path in enumerate(paths):
        if number % 2:
            forged(good, path, lambda arrays: _corrupt(arrays, draw))
        else:
            content = bytearray(good.read_bytes())
            for place in draw.integers(len(content), size=draw.integers(1, 6)):
                content[place] = draw.integers(256)
            path.write_bytes(bytes(content[: draw.integers(len(content)) if number % 5 == 0 else None]))
    assert outcomes(used, [good]) == ["harmless"]
    found = outcomes(used, paths)
    assert len(found) == CASES
    assert set(found) <= {"refused", "harmless"}
    assert found.count("refused") >= CASES // 5


def _corrupt(arrays: Arrays, draw: np.random.Generator) -> None:
    name = sorted(arrays)[draw.integers(len(arrays))]
    array = arrays[name]
    way = draw.integers(3)
    if way == 0:
        array = array[: draw.integers(len(array) + 1)]
    elif way == 1:
        array = array.astype(draw.choice(["u1", "f4", "i8"]))
    elif array.size:
        content = array.view(np.uint8)
        content[draw.integers(len(content), size=5)] = draw.integers(256, size=5)
    arrays[name] = array

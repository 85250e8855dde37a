"""The experiment of private representations: what is kept, what continues, and the figures of its page."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spark_deid as sd
from spark_deid import app
from spark_deid.app.experiments.figures import representation_figures
from spark_deid.app.experiments.representation.trials import (
    pseudonymize_words,
    run_trials,
    scored_tags,
    trials_of,
    without_casing,
)
from spark_deid.app.experiments.settings import RepresentationExperimentSettings
from spark_deid.core.document import Document
from spark_deid.private_training.network.encoding import TextEncoder
from spark_deid.private_training.network.replaceable import encode_documents, with_candidates
from spark_deid.private_training.network.sentence_set import batches
from spark_deid.private_training.network.tagging import tag_scores, tagging_shapes
from spark_deid.report.render import experiment_page
from spark_deid.text.bio import OUTSIDE, tag_names
from tests.unit.private_training.networks import NAMES, drawn, notes, store

SETTINGS = RepresentationExperimentSettings(
    embeddings="STORE", pseudonyms=(1, 5), private=(5,), outputs=(8,), seeds=(0, 1), units=16, epochs=2
)


def trial(neighbours: int, d: int, seed: int, f1: float, high: float = 0.53) -> dict[str, object]:
    attack = {"chance": 0.5, "accuracy": 0.5, "low": 0.47, "high": high}
    attacks = [{"attack": name, **attack} for name in ("T1", "T2", "mean of both")]
    privacy = {"holds": high <= 0.55, "attacks": attacks, "controls": [{"accuracy": 0.95}]}
    found = {"neighbours": neighbours, "d": d, "seed": seed, "score": {"f1": f1}}
    return {**found, "privacy": privacy} if d else found


def test_figures_are_means_with_ranges_and_the_worst_attack() -> None:
    given = [trial(1, 0, 0, 0.9), trial(1, 0, 1, 0.8), trial(5, 8, 0, 0.7), trial(5, 8, 1, 0.6, high=0.57)]
    found = representation_figures(given, SETTINGS)
    one, other = found["summary"]
    assert (one["f1"], one["f1_least"], one["f1_most"], one["seeds"]) == (0.85, 0.8, 0.9, 2)
    assert (other["kind"], other["let_out"], other["attacks"]["T1"]["high"]) == ("d = 8", 1, 0.57)
    page, files = experiment_page("representation", found)
    assert "0.850" in page
    assert sorted(files) == ["adversary.png", "adversary.svg", "f1.png", "f1.svg"]


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    for each in trials_of(SETTINGS):
        (tmp_path / each.name).write_text(json.dumps(trial(each.neighbours, each.d, each.seed, 0.5)))
    found = run_trials((), (), SETTINGS, tmp_path, lambda _: pytest.fail("nothing is to be done"))
    assert [(each["neighbours"], each["d"], each["seed"]) for each in found] == [
        *((1, 0, 0), (5, 0, 0), (5, 8, 0), (1, 0, 1), (5, 0, 1), (5, 8, 1))
    ]


def test_pseudonyms_of_the_experiment_are_among_the_nearest_and_the_word_itself(tmp_path: Path) -> None:
    encoder = TextEncoder(store(tmp_path))
    documents = [Document(f"d{n}", each.view.text, spans=each.spans) for n, each in enumerate(notes(40))]
    words = with_candidates(encode_documents(documents, ("NAME",), encoder), 5)
    changed = pseudonymize_words(words, 5, np.random.default_rng(0))
    pairs = [
        (int(old), int(new), tag)
        for one, other in zip(words.sentences.sentences, changed.sentences, strict=True)
        for old, new, tag in zip(one.rows, other.rows, one.tags, strict=True)
    ]
    assert all(old == new for old, new, tag in pairs if tag == OUTSIDE)
    named = [(old, new) for old, new, tag in pairs if tag != OUTSIDE]
    assert all(new == old or new in words.candidates[old][:4] for old, new in named)
    assert 0 < sum(old != new for old, new in named) < len(named)
    assert len(NAMES) > 5


def test_an_experiment_is_run_and_its_folder_is_no_other_s(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    place = store(tmp_path).folder
    for name, seed in (("train", 0), ("test", 1)):
        rows = [
            {
                "doc_id": f"{name}-{n}",
                "text": each.view.text,
                "spans": [{"start": s.start, "end": s.end, "label": s.label} for s in each.spans],
            }
            for n, each in enumerate(notes(60, seed))
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    given: dict[str, Any] = {
        "input": str(tmp_path / "train.jsonl"),
        "test": str(tmp_path / "test.jsonl"),
        "format": "jsonl",
        "embeddings": str(place),
        "output": str(tmp_path / "out"),
        **{"pseudonyms": (1,), "private": (), "outputs": (), "seeds": (0,), "units": 16, "epochs": 3},
    }
    done = app.experiment_representation(app.RepresentationExperimentOptions(**given))
    assert [row["kind"] for row in done.results["summary"]] == ["pseudonyms"]
    assert str(tmp_path) not in (tmp_path / "out" / "results.json").read_text()
    assert (tmp_path / "out" / "report.html").is_file()
    with pytest.raises(sd.UsageError, match="other files than this experiment"):
        app.experiment_representation(app.RepresentationExperimentOptions(**{**given, "epochs": 4}))


def test_only_the_given_labels_are_scored_and_other_labels_count_as_none() -> None:
    names = tag_names(["DATE", "NAME"])
    assert scored_tags(["DATE", "NAME"], ()) is None
    wanted = scored_tags(["DATE", "NAME"], ("NAME",))
    assert wanted is not None
    assert {names[each] for each in wanted} == {"B-NAME", "I-NAME"}


def test_casing_that_is_off_changes_no_score(tmp_path: Path) -> None:
    encoder = TextEncoder(store(tmp_path))
    documents = [Document(f"d{n}", each.view.text, spans=each.spans) for n, each in enumerate(notes(5))]
    upper = [each._replace(text=each.text.upper()) for each in documents]
    weights = drawn(tagging_shapes(8, 4, 3), np.random.default_rng(0))
    found = []
    for given in (documents, upper):
        sentences = with_candidates(encode_documents(given, ("NAME",), encoder), 5).sentences
        read = next(batches(without_casing(sentences).sentences, 8))
        found.append(tag_scores(weights, sentences.table[read.rows], read.casings, read.present))
    assert np.array_equal(found[0], found[1])


@pytest.mark.parametrize("method", ["paper", "dann"])
@pytest.mark.parametrize("given", [{"invariance": 1.0}, {"divergence": 0.1}, {"invariance": 0.0}])
def test_the_paper_s_methods_have_no_divergence(method: str, given: dict[str, float]) -> None:
    [name] = given
    places: dict[str, Any] = {"input": "notes", "format": "brat", "embeddings": "vectors", "output": "out"}
    own: dict[str, Any] = {"method": method, **given}
    with pytest.raises(sd.UsageError, match=f"--{name}: .*--method divergence"):
        RepresentationExperimentSettings(embeddings="STORE", **own)
    with pytest.raises(sd.UsageError, match=f"--{name}: .*--method divergence"):
        app.TrainRepresentationOptions(**places, **own)
    assert app.TrainRepresentationOptions(**places, invariance=given.get("invariance")).method == "divergence"

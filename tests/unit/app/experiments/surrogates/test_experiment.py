"""The experiment of surrogates: what is written, what is kept, what continues, and the figures of its page."""

import json
from pathlib import Path
from typing import Any

import pytest

from spark_deid.app.experiments.figures import surrogates_figures
from spark_deid.app.experiments.settings import SurrogatesExperimentSettings
from spark_deid.app.experiments.surrogates.trials import SurrogateTrial, keep_labels, parts_of, run_trials, trials_of
from spark_deid.app.experiments.surrogates.trials import _example as example_of
from spark_deid.app.experiments.surrogates.writing import Writing, rewrite_documents, with_persons
from spark_deid.core.document import Document
from spark_deid.core.edit import apply_edits
from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.greedy.parallel import LocalProcesses
from spark_deid.report.render import experiment_page

KEY = bytes(32)
NAMES = ("Anna Schmidt", "Peter Kurz", "Olga Lang", "Ida Wolf", "Max Roth", "Eva Blum")
SETTINGS = SurrogatesExperimentSettings(persons="p[0-9]+", seeds=(0,), learner="svm", features="hide")


def note(number: int, person: str = "") -> Document:
    name = NAMES[number % len(NAMES)]
    text = f"Today {name} came, and Dr. {name.split()[1]} saw the patient in Rome {number} times."
    second = text.index("Dr. ") + 4
    spans = (Span(6, 6 + len(name), "NAME"), Span(second, second + len(name.split()[1]), "NAME"))
    return Document(f"{person}d{number}", text, None, spans)


def written(documents: tuple[Document, ...], writing: Writing) -> list[str]:
    gold = [each.spans for each in documents]
    return [apply_edits(d.text, edits) for d, edits in rewrite_documents(documents, gold, writing, "en_US", KEY)]


def test_a_scope_has_one_set_of_surrogates() -> None:
    documents = with_persons([note(0, "p1"), note(6, "p1"), note(0, "p2")], "p[0-9]+")
    assert [each.subject_id for each in documents] == ["p1", "p1", "p2"]
    by_person, by_document = (written(documents, w) for w in ("surrogates by person", "surrogates by document"))
    names = [[text[6 : text.index(" came")] for text in texts] for texts in (by_person, by_document)]
    assert names[0][0] == names[0][1] != names[0][2]
    assert len({*names[1]}) == 3
    assert all(name.split()[1] in text.partition("Dr. ")[2] for name, text in zip(names[0], by_person, strict=True))
    assert not any("Schmidt" in text for text in (*by_person, *by_document))


def test_placeholders_and_originals() -> None:
    documents = (note(0),)
    assert written(documents, "original") == [documents[0].text]
    assert written(documents, "placeholders")[0].startswith("Today [NAME] came, and Dr. [NAME] saw")


@pytest.mark.parametrize("writing", ["original", "placeholders", "surrogates by document"])
def test_what_represents_a_name_is_annotated_as_it_was(writing: Writing) -> None:
    original = rewrite_documents((note(1),), [note(1).spans], writing, "en_US", KEY)[0]
    example = example_of(original)
    shown = [example.view.text[span.start : span.end] for span in example.spans]
    assert len(shown) == 2
    assert [span.label for span in example.spans] == ["NAME", "NAME"]
    assert shown[0] == example.view.text[6 : example.view.text.index(" came")]


def test_people_remain_in_one_part() -> None:
    documents = with_persons([note(n, f"p{n // 2}") for n in range(12)], "p[0-9]+")
    parts = parts_of(documents, SETTINGS, 0)
    persons = [{each.subject_id for each in part} for part in parts]
    assert sum(map(len, parts)) == 12
    assert not persons[0] & persons[1] | persons[1] & persons[2] | persons[0] & persons[2]
    with pytest.raises(UsageError, match="at least 3 people"):
        parts_of(documents[:4], SETTINGS, 0)
    with pytest.raises(UsageError, match="annotations of the labels"):
        keep_labels(documents, ("CITY",))


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    documents = [note(n, f"p{n // 2}") for n in range(24)]
    found = run_trials(documents, SETTINGS, tmp_path, LocalProcesses(1), lambda line: None)
    trials = [SurrogateTrial(each["kind"], each["writing"], each["seed"]) for each in found]
    assert trials == list(trials_of(SETTINGS, has_persons=True))
    last = tmp_path / trials[-1].name
    kept = json.loads(last.read_text())
    last.unlink()
    lines: list[str] = []
    again = run_trials(documents, SETTINGS, tmp_path, LocalProcesses(1), lines.append)
    assert lines == [f"trial {trials[-1].name.removesuffix('.json')}"]
    assert {**again[-1], "seconds": 0} == {**kept, "seconds": 0}
    page, files = experiment_page("surrogates", surrogates_figures(found, SETTINGS))
    assert "surrogates by person" in page
    assert not files
    assert not any(name in page for name in ("Schmidt", "Kurz"))


def trial(writing: str, seed: int, recall: float, f1: float) -> list[dict[str, Any]]:
    shares = {"precision": 0.5, "random_precision": 0.1, "recall": recall, "random_recall": 0.2}
    parrot = {"attacker": "parrot", "decoding": "viterbi", "guesses": 4, "right": 2, **shares}
    paper = {"decoding": "cost", "true_positives": 1, "false_positives": 2, "precision": 0.3, "recall": 0.1, "f1": 0.2}
    own = {"writing": writing, "seed": seed}
    counts = {"words": 10, "words_left": 2, "surrogates": 9, "missed": 1}
    return [
        {"kind": "attack", **own, **counts, "paper": [paper], "parrots": [parrot]},
        {"kind": "utility", **own, "score": {"precision": 0.9, "recall": 0.8, "f1": f1}},
    ]


def test_figures_are_means_with_ranges() -> None:
    trials = [*trial("surrogates by document", 0, 0.2, 0.8), *trial("surrogates by document", 1, 0.4, 0.6)]
    found = surrogates_figures(trials, SETTINGS)
    assert found["utility"][0]["f1"] == {"mean": pytest.approx(0.7), "least": 0.6, "most": 0.8}
    assert found["parrots"][0]["recall"] == {"mean": pytest.approx(0.3), "least": 0.2, "most": 0.4}
    assert (found["parrots"][0]["guesses"], found["parrots"][0]["right"], found["parrots"][0]["seeds"]) == (8, 4, 2)
    assert (found["paper"][0]["true_positives"], found["left"][0]["missed"]) == (2, 1)


def test_wrong_settings_are_refused() -> None:
    for given in ({"locale": "xx"}, {"persons": "("}, {"documents": 3}, {"seeds": ()}):
        with pytest.raises(UsageError, match=next(iter(given))):
            SurrogatesExperimentSettings(**given)

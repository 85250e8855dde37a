"""Pages whose figures take long to be made: they are drawn of figures written by hand."""

from typing import Any

import pytest

from spark_deid.core.report_section import LinePlot
from spark_deid.report.data import ReportData
from spark_deid.report.render import (
    attack_page,
    evaluation_page,
    experiment_page,
    notebook_table,
    release_report,
    vectors_report,
)
from tests.unit.report.test_render import check_page

Values = dict[str, Any]
PLOT: LinePlot = {
    "name": "one",
    "title": "One",
    "across": "k",
    "upward": "precision",
    "linear": True,
    "lines": [{"name": "MR", "colour": 0, "dashed": False, "points": [(1, 0.5), (2, 0.7)]}],
}
RATES = {"precision": 0.75, "recall": 0.5, "f1": 0.6}
SHARE = {"mean": 0.5, "least": 0.4, "most": 0.6}
PARROT = {"attacker": "parrot", "decoding": "viterbi", "guesses": 4, "right": 2}
CHANCES = {"random_precision": 0.1, "random_recall": 0.2}


def scores(**more: object) -> Values:
    both = {"micro": RATES, "labels": {"NAME": RATES | {"support": 40}, "CITY": RATES | {"recall": 0.1, "support": 3}}}
    measures: Values = dict.fromkeys(("strict", "relaxed", "token"), both)
    return {
        "documents": 7,
        "publish_ratio": 0.9,
        "entity_recall": 0.8,
        **measures,
        "binary_token": {"micro": RATES},
    } | more


def attacked(**more: object) -> Values:
    who = {"learner": "crf", "features": "rich", "source": "published text", "decoding": "cost"}
    found = {"true_positives": 3, "false_positives": 9, "recall": 0.3, "precision": 0.25}
    labels = {
        "CITY": {"sensitive_words": 4, "residual_words": 8},
        "NAME": {"sensitive_words": 30, "residual_words": 2},
    }
    numbers = {"documents": 7, "words": 900, "publish_ratio": 0.9, "sensitive_words": 34, "residual_words": 10}
    told = {"statements": ["Of 34 words 10 are left."], "attackers": [who | found], "most_dangerous": 0}
    return {**numbers, "labels": labels, **told} | more


def test_the_page_of_an_evaluation_has_labels_with_their_support_the_worst_first() -> None:
    page = evaluation_page(scores(), "notes")
    check_page(page)
    assert "50.0% of the annotated words would remain readable. 25.0% of the hidden words" in page
    assert page.index('<th scope="row">CITY</th><td class="number">3</td>') < page.index('<th scope="row">NAME</th>')
    assert "Improve <b>CITY</b> first" in page
    assert "trained on" not in page


def test_an_evaluation_that_misses_nothing_is_reported_as_good_unless_the_model_knew_the_text() -> None:
    all_found: Values = {"binary_token": {"micro": RATES | {"recall": 1.0, "precision": 1.0}}}
    page = evaluation_page(scores(**all_found), "notes")
    assert "Every annotated word was found</h2>" in page
    assert '<section class="verdict good"' in page
    assert '<section class="verdict warn"' in evaluation_page(scores(**all_found, trained_on=5), "notes")
    assert '<section class="verdict warn"' in evaluation_page(scores(), "notes")


def test_what_gold_never_has_and_what_nothing_was_found_of_is_no_share() -> None:
    absent = RATES | {"recall": 0.0, "precision": 0.0, "support": 0}
    both = {"micro": RATES, "labels": {"CITY": RATES | {"support": 3}, "EMAIL": absent}}
    page = evaluation_page(scores(strict=both, token=both), "notes")
    assert "Improve <b>CITY</b> first" in page
    assert page.index('<th scope="row">CITY</th>') < page.index('<th scope="row">EMAIL</th>')
    assert page.split('<th scope="row">EMAIL</th>')[1].split("</tr>")[0].count("–") == 2
    silent = scores(binary_token={"micro": {"precision": 0.0, "recall": 0.0, "f1": 0.0}}, publish_ratio=1.0)
    page = evaluation_page(silent, "notes")
    assert "100% of the annotated words would remain readable. No word would be hidden</h2>" in page
    assert "in vain" not in page
    alone = {"micro": RATES, "labels": {"EMAIL": absent}}
    page = evaluation_page(scores(strict=alone, token=alone), "notes")
    check_page(page)
    assert "Nothing is annotated</h1>" in page
    assert "of the annotated words" not in page
    assert "Look at" not in page


def test_the_page_of_an_evaluation_reports_where_it_flatters_and_has_each_round() -> None:
    page = evaluation_page(scores(trained_on=5, rounds={"model/round-1": scores()}), "notes")
    check_page(page)
    assert "was trained on 5 of these documents" in page
    assert page.count("<td>Strict</td>") + page.count('<th scope="row">Strict</th>') == 2


def test_the_page_of_an_attack_states_first_what_is_left_then_what_was_not_tried_then_what_to_do() -> None:
    page = attack_page(attacked())
    check_page(page)
    places = ["10 identifier words are still readable", "The best attacker finds 3", "Not tried"]
    places += ["What to do now", "Readable words by label", '<th scope="row">CITY</th>', '<th scope="row">NAME</th>']
    assert [page.index(place) for place in places] == sorted(page.index(place) for place in places)
    safe = attack_page(attacked(residual_words=0, labels={}))
    assert "0 identifier words are still readable" in safe
    assert "Label further documents" in safe


def test_the_page_of_an_attack_on_surrogates() -> None:
    intervals = {"precision_interval": [0.2, 0.8], "recall_interval": [0.1, 0.9], "precision": 0.5, "recall": 0.4}
    parrots = {"missed": 4, "surrogates": 9, "learner": "crf, rich", "statements": ["He guesses."]}
    page = attack_page(attacked(surrogates={**parrots, "attackers": [{**PARROT, **CHANCES, **intervals}]}))
    check_page(page)
    assert "beside 9 surrogates" in page


def test_the_page_of_vectors() -> None:
    told = {"representation": "abc", "neighbours": 5, "dimensions": 8, "documents": 3, "tokens": 70, "labels": ["NAME"]}
    times = {"finished": "2024-05-01T10:01:00+00:00"}
    page = vectors_report({"rows": 9, "vectors": told, "versions": {"spark_deid": "1"}, "times": times})
    check_page(page)
    assert "9 sentences, 70 tokens" in page


@pytest.mark.parametrize("names", [0, 12])
def test_pseudonyms_are_a_part_of_the_report(manifest: Values, names: int) -> None:
    joined = {"pairs": 9, "of_one_document": 0.5, "seldom_pairs": 3, "seldom_of_one_document": 0.9}
    told = {
        **{"neighbours": 5, "index": "approximate", "recall": 0.98, "scope": "document", "includes_self": True},
        **{"vocabulary": 1000, "table": {"recalled": 100, "mean_subwords": 0.5}, "words": 40, "numbers": 2},
        **{"unchanged": 1, "without_vector": 2, "holding_the_word": 0.1, "mean_rank": 3.2, "names": names},
        **{"guesses": [{"tries": 1, "guessed": 0.2, "blind": 0.1}], "sentences": 20, "sentences_a_document": 2},
        "joined": joined,
    }
    page = release_report(ReportData(manifest, figures={"neighbour": told}))
    check_page(page)
    assert ("Guesses</h3>" in page) == bool(names)


def test_the_page_of_searches_for_plausible_texts() -> None:
    named = {"method": "LUBS, OSAS", "size": 4, "t": 10, "alpha": 0.5, "unfinished": 0, "milliseconds": 1.5}
    costs = {"milliseconds_most": 2.0, "cost": 0.5, "cost_ratio": 1.0, "cost_ratio_most": 1.1}
    bits = {"volume": 3.5, "variance": 0.2, "highest": 2.0, "cosine": 0.9}
    guess = {"counted": "alike", "size": 4, "t": 10, "infeasible": 0, "volume": 3.5, "entropy": 2.0, "below_t": 0.25}
    shown = {
        "settings": {"draws": 5, "ontology": "wordnet", "height": 8, "most_nodes": 1000},
        "summary": [named | costs | bits],
        "example": [{"method": "EP", "text": "uses drug for pain", "originals": 12, "cost": 0.5}],
        "guesses": [guess | {"best_guess": 1.0, "truth": 2.0, "cosine": 0.9}],
        "plots": [PLOT],
    }
    page, _ = experiment_page("plausibility", shown)
    check_page(page)
    assert "One_Step_Alternative_Search" in page


def test_the_page_of_an_experiment_on_surrogates() -> None:
    own = {"writing": "surrogates by document", "seeds": 2}
    parrot = {**PARROT, "precision": SHARE, "recall": SHARE, "random_precision": SHARE, "random_recall": SHARE}
    shown = {
        "settings": {"learner": "crf", "features": "rich"},
        "left": [{**own, "words": 10, "words_left": 2, "surrogates": 9, "missed": 1}],
        "parrots": [own | parrot],
        "paper": [
            {**own, "decoding": "cost", "true_positives": 1, "false_positives": 2, "precision": SHARE, "recall": SHARE}
        ],
        "utility": [{**own, "precision": SHARE, "recall": SHARE, "f1": SHARE}],
        "plots": [],
    }
    page, _ = experiment_page("surrogates", shown)
    check_page(page)
    assert "surrogates by document" in page


def test_the_page_of_an_experiment_on_representations() -> None:
    attack = {"accuracy": 0.5, "high": 0.55, "chance": 0.5}
    row = {"kind": "d = 8", "neighbours": 5, "seeds": 2, "f1": 0.7, "f1_least": 0.6, "f1_most": 0.8, "d": 8}
    shown = {
        "settings": {"units": 16, "epochs": 2, "method": "divergence", "casing": "on", "labels": []},
        "summary": [row | {"let_out": 1, "attacks": {"T1": attack}}],
        "plots": [PLOT],
    }
    page, _ = experiment_page("representation", shown)
    check_page(page)
    assert "T1 50.0% (55.0%)" in page


def test_the_page_of_an_experiment_on_rare_text() -> None:
    point = {"k": 4, "min_length": 6, "share": 0.6, "precision": 0.5, "recall": 0.4, "publish_ratio": 0.9, "cut": 7}
    size = {"bytes": 1000, "documents": 3, "min_length": 6, "seconds": 0.1, "unsuppressed_ratio": 0.5, "cut": 7}
    shown = {
        **{"settings": {"unit": "subject", "development": 0.25, "cap": 255}, "documents": 3, "gold": 5, "tokens": 90},
        **{"curves": {"MR": [point]}, "at_recall": [{"recall": 0.1, "precision": {"MR": 0.5}}], "sizes": [size]},
        "plots": [PLOT],
    }
    page, _ = experiment_page("repeats", shown)
    check_page(page)
    assert "Precision at equal recall" in page


def test_the_page_of_an_experiment_on_the_game() -> None:
    row = {"method": "greedy-crf", "loss_ratio": 10.0, "rounds": 1.5, "failed": 1, "publish_ratio": 0.95}
    left = {"gold_tokens": 100, "residual_tokens": 3, "residual_ratio": 0.03, "seconds": 3.0}
    hits = {"attacker": "svm", "attacker_true_positives": 1, "attacker_false_positives": 2}
    budget = {"method": "greedy-crf", "loss_ratio": 10.0, "budget": 6, "identified": 1.0, "identified_per_budget": 0.2}
    shown = {
        "settings": {
            "labels": ["PER"],
            "folds": 4,
            "documents": 5,
            "decoding": "cost",
            "counts": "train",
            "tagger": "",
            "attackers": ["svm"],
        },
        **{"documents": 5, "instances": 50, "sensitive": 4, "failed": 1},
        **{"summary": [row | left | hits], "budgets": [budget | {"uniform": 0.5}], "plots": [PLOT]},
    }
    page, _ = experiment_page("greedy", shown)
    check_page(page)
    assert "What a budget of inspections buys" in page


def test_a_table_of_a_notebook() -> None:
    assert "<th" in notebook_table("Plan", [("rule", "suppress")], ["a note"])

from collections.abc import Sequence
from typing import Any

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.core.span import Span
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.fits import assign_folds
from spark_deid.greedy.game_documents import begin_cases, remaining_gold
from spark_deid.greedy.parallel import TaskError
from spark_deid.greedy.sanitizer import GreedySanitizer
from spark_deid.greedy.train import train
from spark_deid.learners.base import TrainingExample
from spark_deid.text.patterns import PatternDetector
from spark_deid.text.view import TextView
from tests.unit.greedy.toy_learner import CORPUS, KEY, SURNAMES, FailingLearner, ToyLearner, ToyModel, document


def config(**settings: Any) -> TrainConfig:
    standing: dict[str, Any] = {"key": KEY, "workers": 1, "min_train_remaining": 0}
    return TrainConfig(**standing | settings)


def rounds_of(sanitizer: GreedySanitizer) -> list[dict[str, Any]]:
    rounds: Any = sanitizer.report["rounds"]
    return list(rounds)


def found(sanitizer: GreedySanitizer, text: str) -> list[tuple[str, str]]:
    return [(text[s.start : s.end], s.source) for s in sanitizer.detect(text)]


def test_round_two_finds_by_context_what_round_one_missed() -> None:
    sanitizer = train(CORPUS, config(), learner=ToyLearner())
    first, second, last = rounds_of(sanitizer)
    assert (first["true_positives"], first["false_positives"], first["sensitive_tokens"]) == (24, 0, 36)
    assert (second["true_positives"], second["false_positives"], second["sensitive_tokens"]) == (12, 0, 12)
    assert (last["true_positives"], last["kept"]) == (0, False)
    assert found(sanitizer, "Today Ann Yew came.") == [("Ann", "round-1"), ("Yew", "round-2")]


def test_the_test_ends_the_loop_at_a_local_optimum() -> None:
    report = train(CORPUS, config(), learner=ToyLearner()).report
    assert (report["ended_by"], report["local_optimum"]) == ("test", True)
    assert report["attacker"]["round"] == 3
    assert report["rounds"][1]["loss_after"] == 0
    assert report["rounds"][0]["loss_before"] == 360
    assert "every labelled word was found" in report["message"]


def test_max_rounds_states_that_no_local_optimum_was_reached() -> None:
    report = train(CORPUS, config(max_rounds=2), learner=ToyLearner()).report
    assert (report["ended_by"], report["local_optimum"], report["attacker"]) == ("max_rounds", False, None)
    assert "before a local optimum" in report["message"]


def test_counts_on_training_data_leave_nothing_to_learn_from() -> None:
    sanitizer = train(CORPUS, config(counts="train"), learner=ToyLearner())
    first, second = rounds_of(sanitizer)
    assert first["true_positives"] == 36
    assert second["true_positives"] == 0
    assert sanitizer.report["cross_validation"] is None
    assert found(sanitizer, "Today Ann Yew came.") == [("Ann", "round-1")]


def test_too_few_tokens_left_end_the_loop_with_a_warning() -> None:
    report = train(CORPUS, config(min_train_remaining=10_000), learner=ToyLearner()).report
    assert (report["ended_by"], report["local_optimum"]) == ("few_tokens", False)
    assert "Do not publish data" in report["message"]


def test_a_first_round_that_does_not_pay_leaves_an_empty_model() -> None:
    corpus = [document(i, f"x{i} Ann", *(["Ann"] if i % 3 == 0 else [])) for i in range(12)]
    sanitizer = train(corpus, config(loss_ratio=1), learner=ToyLearner(share=0.2))
    assert sanitizer.rounds == ()
    assert sanitizer.detect("Ann") == ()
    assert "finds no identifiers" in sanitizer.report["message"]


def test_loss_ratio_decides_how_much_is_wasted() -> None:
    corpus = [document(i, f"x{i} Ann", *(["Ann"] if i % 3 == 0 else [])) for i in range(12)]
    sanitizer = train(corpus, config(loss_ratio=10), learner=ToyLearner(share=0.2))
    assert len(sanitizer.rounds) == 1


def test_cross_validation_scores_each_round_and_the_union() -> None:
    scores = train(CORPUS, config(), learner=ToyLearner()).report["cross_validation"]
    assert scores["union"]["strict"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert scores["rounds"][0]["union"]["binary_token"]["recall"] == pytest.approx(2 / 3)
    assert scores["rounds"][1]["alone"]["strict"]["recall"] == pytest.approx(1 / 3)


def test_only_the_named_labels_count() -> None:
    corpus = [d._replace(spans=(*d.spans, Span(0, 5, "DATE"))) for d in CORPUS]
    sanitizer = train(corpus, config(labels=("NAME",)), learner=ToyLearner())
    assert sanitizer.labels == ("NAME",)
    assert rounds_of(sanitizer)[0]["sensitive_tokens"] == 36
    everything = train(corpus, config(), learner=ToyLearner())
    assert everything.labels == ("DATE", "NAME")
    assert rounds_of(everything)[0]["sensitive_tokens"] == 48


def test_a_label_without_annotations_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no annotation of PLACE .* They have NAME"):
        train(CORPUS, config(labels=("PLACE",)), learner=ToyLearner())


def test_one_document_is_not_enough() -> None:
    with pytest.raises(UsageError, match="at least two"):
        train(CORPUS[:1], config(), learner=ToyLearner())


def test_wrong_settings_are_reported_at_once() -> None:
    with pytest.raises(UsageError, match=r"(?s)loss-ratio.*folds"):
        config(loss_ratio=0, folds=1)


def test_documents_of_one_subject_share_a_fold() -> None:
    corpus = [d._replace(subject_id=f"p{i // 3}") for i, d in enumerate(CORPUS)]
    _, cases = begin_cases(corpus, config())
    folds = assign_folds([case.group for case in cases], 3, seed=0)
    assert len(set(folds)) == 3
    assert all(len(set(folds[i : i + 3])) == 1 for i in range(0, 12, 3))


def test_order_of_documents_does_not_matter() -> None:
    counts = [
        [(r["true_positives"], r["false_positives"]) for r in rounds_of(train(c, config(seed=3), learner=ToyLearner()))]
        for c in (CORPUS, CORPUS[::-1])
    ]
    assert counts[0] == counts[1]


def test_patterns_are_removed_before_the_first_round() -> None:
    corpus = [document(i, f"{d.text} Mail ann@example.org", "Ann", "Bob", "ann") for i, d in enumerate(CORPUS)]
    sanitizer = train(corpus, config(patterns=PatternDetector(kinds=("email",))), learner=ToyLearner())
    assert found(sanitizer, "Bob, a@example.org") == [("Bob", "round-1"), ("a@example.org", "round-0")]
    model = sanitizer.rounds[0].model
    assert isinstance(model, ToyModel)
    assert "ann" not in dict(model.known)


def test_listed_placeholders_are_context_and_no_instance() -> None:
    corpus = [document(i, f"Today [NAME] {s} came.", s) for i, s in enumerate(SURNAMES[:6])]
    plain = train(corpus, config(), learner=ToyLearner())
    assert found(plain, "Today [NAME] Yew came.") == []
    listing = train(corpus, config(placeholders=("[NAME]",)), learner=ToyLearner())
    assert found(listing, "Today [NAME] Yew came.") == [("Yew", "round-1")]
    assert listing.report["data"]["tokens"] == 18


def test_training_and_detection_see_the_same_placeholders() -> None:
    views = []

    class Spy(ToyLearner):
        def fit(self, examples: Sequence[TrainingExample], *, seed: int) -> ToyModel:
            views.append({example.doc_id: example.view.removed for example in examples})
            return super().fit(examples, seed=seed)

    train(CORPUS, config(counts="train"), learner=Spy())
    sanitizer = train(CORPUS, config(counts="train", max_rounds=1), learner=ToyLearner())
    for case in CORPUS:
        assert views[1][case.doc_id] == TextView(case.text).remove(sanitizer.detect(case.text)).removed


def test_workers_do_not_change_the_result() -> None:
    one, two = (train(CORPUS, config(workers=n), learner=ToyLearner()) for n in (1, 2))
    assert one == two
    assert [{**r, "seconds": 0} for r in rounds_of(one)] == [{**r, "seconds": 0} for r in rounds_of(two)]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_learner_reports_where_but_not_with_what(workers: int) -> None:
    with pytest.raises(TaskError, match=r"KeyError at toy_learner.py:\d+$") as raised:
        train(CORPUS, config(workers=workers), learner=FailingLearner())
    chain: BaseException | None = raised.value
    while chain is not None:
        assert "nurse" not in str(chain)
        chain = chain.__cause__ or chain.__context__


def test_progress_shows_rounds_without_text() -> None:
    lines: list[str] = []
    train(CORPUS, config(), lines.append, learner=ToyLearner())
    assert any(line.startswith("round 1: fold 3 of 3") for line in lines)
    assert any("24 of 36 labelled words found, 0 false positives, kept" in line for line in lines)
    assert not any("Ann" in line for line in lines)


def test_what_remains_of_gold_is_trimmed_and_has_words() -> None:
    text = "Calle Mayor , 5"
    gold = [Span(0, 15, "PLACE")]
    assert remaining_gold(text, gold, [Span(6, 11, "X")]) == (Span(0, 5, "PLACE"), Span(14, 15, "PLACE"))
    assert remaining_gold(text, gold, [Span(0, 11, "X"), Span(14, 15, "X")]) == ()


@pytest.mark.parametrize("workers", [1, 3])
def test_the_model_of_a_failing_round_is_not_waited_for(workers: int) -> None:
    learner = ToyLearner(slow_on=len(CORPUS), slow_below=4, seconds=20)
    lines: list[str] = []
    report = train(CORPUS, config(workers=workers), lines.append, learner=learner).report
    assert not report["rounds"][-1]["kept"]
    assert not any(line.startswith("round 3: model") for line in lines)
    assert any(line.startswith("round 2: model") for line in lines)

"""What a thinned model keeps: the heaviest weights, as they were, and which of them carry words."""

import numpy as np
import pytest

from resources.thinning import thinned
from spark_deid.core.span import Span
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.crf import CrfLearner
from spark_deid.learners.crf_model import CrfModel
from spark_deid.text.view import TextView

LINES = [f"{title} {name} of {place} left early" for title in ("Dr", "Mr") for name in ("Ann", "Bo") for place in "XYZ"]


@pytest.fixture(scope="module")
def model() -> CrfModel:
    spans = [(Span(3, len(line) - 15, "NAME"), Span(len(line) - 12, len(line) - 11, "PLACE")) for line in LINES]
    examples = [TrainingExample(line, TextView(line), found) for line, found in zip(LINES, spans, strict=True)]
    return CrfLearner("hide", bytes(32), c2=0.1, max_iterations=15, min_frequency=1).fit(examples, seed=0)


def weights(model: CrfModel) -> dict[int, tuple[float, ...]]:
    """Read each attribute's weights off the table: one, some, or one for every tag."""
    table, found = model.table, {}
    for head, value in table.slots.reshape(-1, 2).tolist():
        code, first = head & 255, value >> 8
        if head:
            alone = np.array([value], np.uint64).view(np.float64)
            row = table.row_weights[first : first + (value & 255)]
            found[head >> 8] = tuple((alone if code < 254 else row if code == 255 else table.wide[value:][:8]).tolist())
    return found


def test_what_is_left_are_the_heaviest_weights_as_they_were(model: CrfModel) -> None:
    before = weights(model)
    after = weights(thinned(model, 40))
    assert len(after) == 40 < len(before)
    assert after.items() <= before.items()
    lightest = min(max(map(abs, each)) for each in after.values())
    assert all(max(map(abs, before[each])) <= lightest for each in before.keys() - after.keys())


def test_a_model_that_keeps_all_is_the_model_that_was(model: CrfModel) -> None:
    same = thinned(model, 1_000_000)
    for line in LINES:
        tokens = model.extractor.tokenizer(TextView(line))
        assert np.array_equal(same.chances(TextView(line), tokens), model.chances(TextView(line), tokens))
    smaller = thinned(model, 5)
    assert not np.array_equal(
        smaller.chances(TextView(LINES[0]), model.extractor.tokenizer(TextView(LINES[0]))),
        model.chances(TextView(LINES[0]), model.extractor.tokenizer(TextView(LINES[0]))),
    )


def test_what_carries_no_words_is_still_reported(model: CrfModel) -> None:
    whole, small = model.without_words(), thinned(model, 40).without_words()
    assert 0 < len(weights(small)) < 40
    assert weights(small).items() <= weights(whole).items()

import numpy as np

from spark_deid.corpus.reject_hints import HINTS, hints, too_many
from spark_deid.report.phrases import REASONS


def test_nearly_every_reason_that_reports_explain_has_a_hint() -> None:
    assert set(REASONS) - set(HINTS) == {"no-id", "unsafe-id"}


def test_the_commonest_reason_comes_first() -> None:
    assert [line.partition(":")[0] for line in hints({"nul": 1, "empty": 2, "odd": 9})] == ["empty", "nul"]


def test_a_share_is_of_documents_and_rejects() -> None:
    random = np.random.default_rng(1)
    for _ in range(500):
        rejected, documents = map(int, random.integers(0, 20, 2))
        most = float(random.choice([0, 0.1, 0.5, 1]))
        unknown = int(random.integers(0, 2)) if rejected else 0
        over = rejected + documents > 0 and rejected / (rejected + documents) > most
        over |= unknown > 0 and most < 1
        assert (too_many({"nul": rejected}, unknown, documents, most) is not None) is over
        assert too_many({"nul": rejected}, unknown, documents, None) is None

"""A report's figures over a few documents: the bits of one show its term."""

import json
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from spark_deid.core.kinds import LabelRule
from spark_deid.plausibility import guarantee, technique
from spark_deid.plausibility.recount.cut import PlausibilityCounts
from spark_deid.plausibility.spark import recount
from spark_deid.plausibility.spark.recount import RecountTotal
from spark_deid.plausibility.spark.utility_counts import BITS, OTHERS, SEGMENTS, LossCounts, SampledSubstitutes
from spark_deid.plausibility.substitutes import SubstituteCounts
from spark_deid.plausibility.text.settings import GeneralizeRules, GeneralizeSettings

SETTINGS = GeneralizeSettings(t=64)


def figures(monkeypatch: pytest.MonkeyPatch, documents: int) -> dict[str, Any]:
    texts = Counter({("A", SEGMENTS): documents, ("A", BITS): 731 * documents, ("A", OTHERS): 702 * documents})
    counts = LossCounts(
        Counter({("A", 7): documents}), Counter({4: documents}), Counter({"xyzzy": 3}), texts, Counter({"A": documents})
    )
    monkeypatch.setattr(technique, "count_losses", lambda *_: counts)
    tried = SampledSubstitutes({"A": SubstituteCounts(16, 4)})
    tried.documents = documents
    monkeypatch.setattr(technique, "sample_substitutes", lambda *_: tried)
    plan = SimpleNamespace(rules_by_label={"A": LabelRule("generalize", SETTINGS)}, edited=("gold",))
    run: Any = SimpleNamespace(plan=plan, subjects=0)
    nobody: Any = None
    return dict(technique.report({"A": SETTINGS}, nobody, run).figures)


def test_the_figures_of_nine_documents_are_withheld_and_those_of_ten_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    few, enough = figures(monkeypatch, 9), figures(monkeypatch, 10)
    assert few["withheld"]
    assert not enough["withheld"]
    assert "bits" not in few["rules"][0]
    assert enough["rules"][0]["bits"] == pytest.approx(7.31)
    assert not few["labels"]
    assert enough["labels"]
    assert not few["similar"]
    assert not few["substitutes"]
    assert enough["substitutes"] == [{"label": "A", "tried": 16, "alike": 4}]
    assert "7.31" not in json.dumps(few)


@pytest.mark.parametrize("documents", [1, 9, 10])
def test_the_assessment_shows_no_bits_of_one_document(monkeypatch: pytest.MonkeyPatch, documents: int) -> None:
    counted = PlausibilityCounts(Counter(), 3 * documents, documents, 0.523)
    monkeypatch.setattr(recount, "recount", lambda *_: RecountTotal(counted, (), documents))
    rules = GeneralizeRules({"A": SETTINGS})
    evidence: Any = SimpleNamespace(corpus=None, plan=SimpleNamespace(exempt=()))
    assert guarantee.KIND.assess is not None
    detail = guarantee.KIND.assess(rules, evidence).assessment.evidence
    assert "bits" not in detail
    assert (f"{3 * documents} terms" in detail) == (documents >= 10)

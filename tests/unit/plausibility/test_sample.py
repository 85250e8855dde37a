import gzip
import json
from pathlib import Path

import pytest

from spark_deid.core.edit import apply_edits
from spark_deid.core.span import Span
from spark_deid.plan.load import load_plan
from spark_deid.plausibility.text.settings import rules_of
from spark_deid.samples import sample_path
from tests.unit.plausibility.generalized import decided, marked, published, recounted, rule

PLAN = Path(__file__).parents[3] / "conf" / "plausibility.yaml"


@pytest.mark.thorough
def test_the_bundled_plan_generalizes_the_bundled_mail() -> None:
    rules = rules_of(load_plan(PLAN).rules_by_label)
    assert set(rules.by_label) == {"DIAGNOSIS", "CITY"}
    terms = 0
    for line in gzip.decompress(sample_path("mail").read_bytes()).decode().splitlines():
        mail = json.loads(line)
        spans = [Span(row["start"], row["end"], row["label"], source="gold") for row in mail["spans"]]
        found = decided(mail["text"], spans, rules)
        counted = recounted(mail["text"], spans, found.edits, rules)
        assert not counted.faults
        assert counted.margin >= 0
        written = apply_edits(mail["text"], found.edits).lower()
        assert not [s for s in spans if mail["text"][s.start : s.end].lower() in written and s.label in rules.by_label]
        terms += counted.terms
    assert terms > 225


def test_the_sense_whose_gloss_fits_is_generalized() -> None:
    text = "He put money into the bank, a financial institution that accepts deposits and lends."
    spans = marked(text, "bank")
    for sense in ("first", "lesk"):
        rules = rule(sense=sense, t=4)
        found = decided(text, spans, rules)
        assert not recounted(text, spans, found.edits, rules).faults
    assert published(text, spans, rule(sense="lesk", t=4)) != published(text, spans, rule(sense="first", t=4))

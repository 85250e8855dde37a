"""A broader word that is kept beside a generalized term says more of it than what stands for it."""

from spark_deid.core.edit import LabelledEdit
from tests.unit.plausibility.generalized import decided, marked, published, recounted, rule

TEXT = "He has lung cancer. The cancer has spread, and so has a tumor; no disease was cured."


def test_broader_words_go_along_up_to_what_is_written() -> None:
    spans, rules = marked(TEXT, "lung cancer"), rule(t=64, below=["physical condition"])
    written = published(TEXT, spans, rules)
    assert "cancer" not in written
    assert "tumor" not in written
    assert not recounted(TEXT, spans, decided(TEXT, spans, rules).edits, rules).faults


def test_a_broader_word_that_is_kept_is_refused() -> None:
    spans, rules = marked(TEXT, "lung cancer"), rule(t=64, below=["physical condition"])
    edits = decided(TEXT, spans, rules).edits
    kept = [LabelledEdit(*edit) for edit in edits if TEXT[edit.start : edit.end] != "cancer"]
    assert recounted(TEXT, spans, kept, rules).faults == {"kept": 1}


def test_with_a_partition_every_word_of_the_subtree_goes() -> None:
    text = "He has lung cancer. The cancer has spread. His brother had measles and a fever."
    rules = rule(t=10, below=["disease"], search="cut", segment="sentence")
    spans = marked(text, "lung cancer")
    found = decided(text, spans, rules)
    assert [text[edit.start : edit.end] for edit in found.edits] == ["lung cancer", "cancer", "measles"]
    assert not recounted(text, spans, found.edits, rules).faults
    for edit in found.edits:
        fewer = [LabelledEdit(*each) for each in found.edits if each != edit]
        if edit.start != spans[0].start:
            assert recounted(text, spans, fewer, rules).faults["kept"] == 1

"""A plural, or "a" before a term, shows that English counts it: few originals of a part may have that form."""

from collections import Counter

import pytest

from spark_deid.plausibility.recount.contexts import is_countable
from tests.unit.plausibility.generalized import decided, marked, published, recounted, rule
from tests.unit.plausibility.substitutions import CutReader, SlottedText, TermSlot

T = 10
ARTICLE, PLURAL = TermSlot(article=True), TermSlot(several=True)
FORMS = [
    pytest.param(SlottedText(("The patient had ", "."), (ARTICLE,)), id="article"),
    pytest.param(SlottedText(("The patient had a severe ", "."), (TermSlot(),)), id="adjective"),
    pytest.param(SlottedText(("Each ", " was treated."), (TermSlot(),)), id="each"),
    pytest.param(SlottedText(("The ", " have gone."), (PLURAL,)), id="plural"),
]


@pytest.fixture(scope="module")
def reader() -> CutReader:
    return CutReader(rule(t=T, search="cut", below=["disease"], segment="sentence"))


def counted_words(reader: CutReader) -> dict[int, tuple[str, str]]:
    """Return a counted word of each original that has one, in both numbers."""
    words = {concept: [each for each in reader.words(concept) if is_countable(each[0])] for concept in reader.originals}
    return {concept: each[0] for concept, each in words.items() if each}


@pytest.mark.parametrize("text", FORMS)
def test_t_originals_with_the_form_give_the_text(reader: CutReader, text: SlottedText) -> None:
    seen = Counter(reader.published(text, [words]) for words in counted_words(reader).values())
    released = [number for told, number in seen.items() if "[TERM]" not in told]
    assert len(released) < len(seen), "some blocks have too few"
    assert min(released) >= T


def test_all_mentions_of_a_part_in_a_form_have_one_fate(reader: CutReader) -> None:
    by_block: dict[int, set[bool]] = {}
    for text in (SlottedText(("Had ", "."), (ARTICLE,)), SlottedText(("Had ", "."), (PLURAL,))):
        for concept in reader.originals:
            told = reader.published(text, [reader.words(concept)[0]])
            by_block.setdefault(reader.block(concept), set()).add("[TERM]" in told)
    assert all(len(fates) == 1 for fates in by_block.values()), "what stands there decides, not its part"


def test_one_original_may_have_all_forms_of_its_mentions(reader: CutReader) -> None:
    text = SlottedText(("Had ", ". The ", " have gone; no ", " now."), (ARTICLE, PLURAL, TermSlot()))
    seen = Counter(reader.published(text, [words] * 3) for words in counted_words(reader).values())
    whole = {told: number for told, number in seen.items() if "[TERM]" not in told}
    assert whole
    assert min(whole.values()) >= T


def test_a_bare_mention_is_written_as_the_counted_ones_of_its_block(reader: CutReader) -> None:
    pair = SlottedText(("Had a ", " with ", ". No ", " with ", " now."), (TermSlot(),) * 4)
    least = reader.parts.sizes[1]
    for other in reader.originals[::60]:
        own = reader.words(other)[0]
        texts = {
            concept: reader.published(pair, [words, own, words, own])
            for concept, words in counted_words(reader).items()
            if reader.block(concept) != reader.block(other)
        }
        seen = Counter(told for told in texts.values() if "[TERM]" not in told)
        assert all(number >= least for number in seen.values())


def test_a_mention_that_is_suppressed_counts_for_no_other(reader: CutReader) -> None:
    two = SlottedText(("Seen for ", " and ", "."), (ARTICLE, TermSlot()))
    words = counted_words(reader)
    for concept in list(words)[::5]:
        for other in reader.originals[::40]:
            if reader.block(concept) == reader.block(other):
                continue
            told = reader.published(two, [words[concept], reader.words(other)[0]])
            if told.count("[TERM]") == 1:
                one = SlottedText(("Seen for [TERM] and ", "."), (TermSlot(),))
                alone = reader.published(one, [reader.words(other)[0]])
                assert told == alone
            assert not reader.counted(two, [words[concept], reader.words(other)[0]]).faults


def test_the_recount_refuses_what_too_few_originals_with_the_form_give(reader: CutReader) -> None:
    words = counted_words(reader)
    sizes = Counter(map(reader.block, words))
    concept = next(concept for concept in words if sizes[reader.block(concept)] < T)
    name = reader.parts.words.name(reader.block(concept))
    for text, term, written in (
        (f"Had a {words[concept][0]}.", words[concept][0], name),
        (f"The {words[concept][1]} have gone.", words[concept][1], reader.parts.plurals(reader.block(concept))[-1]),
    ):
        spans = marked(text, term)
        (place,) = spans
        found = decided(text, spans, reader.rules).edits
        assert found[-1].replacement == "[TERM]"
        wrong = [found[-1]._replace(start=place.start, end=place.end, technique="generalize", replacement=written)]
        faults = recounted(text, spans, wrong, reader.rules).faults
        assert faults["part"] or faults["short"], text


def test_a_cold_that_was_caught_is_suppressed() -> None:
    rules = rule(t=64, search="cut", below=["physical condition", "symptom"], segment="sentence")
    text = "It was wet outside, and she caught a cold."
    assert published(text, marked(text, "cold"), rules) == "It was wet outside, and she caught [TERM]."

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.corpus.conll_writer import LabelledRun, read_chunks

SENTENCES = st.lists(st.tuples(st.sampled_from(["A", "B", None]), st.integers(1, 3)), max_size=6)


def chunks_of(sentence: list[tuple[str | None, int]]) -> tuple[LabelledRun, ...]:
    found: list[LabelledRun] = []
    position = 0
    for label, length in sentence:
        if label is not None:
            found.append(LabelledRun(position, position + length - 1, label))
        position += length
    return tuple(found)


@given(SENTENCES)
def test_iob2(sentence: list[tuple[str | None, int]]) -> None:
    tags = [f"{'B' if i == 0 else 'I'}-{label}" if label else "O" for label, n in sentence for i in range(n)]
    assert read_chunks(tags) == chunks_of(sentence)


@given(SENTENCES)
def test_bioes(sentence: list[tuple[str | None, int]]) -> None:
    tags = []
    for label, n in sentence:
        prefixes = ["S"] if n == 1 else ["B", *"I" * (n - 2), "E"]
        tags += [f"{prefix}-{label}" if label else "O" for prefix in prefixes]
    assert read_chunks(tags) == chunks_of(sentence)


@given(SENTENCES)
def test_iob1(sentence: list[tuple[str | None, int]]) -> None:
    tags = []
    before = None
    for label, n in sentence:
        first = "B" if label == before else "I"
        tags += [f"{first if i == 0 else 'I'}-{label}" if label else "O" for i in range(n)]
        before = label
    assert read_chunks(tags) == chunks_of(sentence)


def test_the_artefact_is_outside() -> None:
    assert read_chunks(["B-O", "B-PER"]) == (LabelledRun(1, 1, "PER"),)


@pytest.mark.parametrize("tag", ["", "B-", "B", "-", "X-PER", "PER", "o", "B_PER", "I-O-"[:2], "_"])
def test_other_tags_are_refused(tag: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        read_chunks([tag])

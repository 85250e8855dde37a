import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from spark_deid.learners.lexicon import TaggedDocument, learn_lexicon
from spark_deid.text.kernels.lookup import look_up
from spark_deid.text.token_columns.lexicon import MAX_SPAN, PREFIX_BIT, UNKNOWN, hash_spans
from spark_deid.text.token_columns.table import TrainingKnowledge

LABELS = 2
DOCUMENTS = st.lists(
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 2 * LABELS)), max_size=6), min_size=1, max_size=4
)


def tagged(document: list[tuple[int, int]]) -> TaggedDocument:
    words = np.array([word for word, _ in document], np.uint64)
    tags = [tag for _, tag in document]
    opens = [i == 0 or tags[i - 1] not in (tag, tag - 1) for i, tag in enumerate(tags)]
    repaired = [tag - 1 if tag and tag % 2 == 0 and first else tag for tag, first in zip(tags, opens, strict=True)]
    return TaggedDocument(words, np.array(repaired, np.int32))


def told(known: TrainingKnowledge, words: NDArray[np.uint64]) -> tuple[list[int], list[int]]:
    """Return the knowledge of a document about words and runs of words, as the columns look them up."""
    single = [int(look_up(*known.own_words, word) or look_up(*known.words, word)) or UNKNOWN for word in words]
    runs = []
    for first in range(len(words)):
        hashes = np.zeros(MAX_SPAN, np.uint64)
        hash_spans(words, first, len(words), hashes)
        for key in hashes[: len(words) - first]:
            found = look_up(*known.spans, key) and (look_up(*known.own_spans, key) or look_up(*known.spans, key))
            runs.append(int(found) & ~PREFIX_BIT)
    return single, runs


@given(DOCUMENTS)
def test_a_training_document_is_reported_what_the_others_state(documents: list[list[tuple[int, int]]]) -> None:
    given_documents = [tagged(document) for document in documents]
    lexicon = learn_lexicon(given_documents, LABELS)
    for number, document in enumerate(given_documents):
        others = learn_lexicon(given_documents[:number] + given_documents[number + 1 :], LABELS)
        assert told(lexicon.known(number), document.words) == told(others.lexicon.known(), document.words)


def test_values_show_label_purity_and_frequency_separately() -> None:
    def value(*tags: int) -> int:
        document = TaggedDocument(np.full(len(tags), 7, np.uint64), np.array(tags, np.int32))
        return int(look_up(*learn_lexicon([document], LABELS).lexicon.words, np.uint64(7)))

    values = [value(0), value(1), value(3), value(1, 1), value(1, 1, 1, 0), value(1, 0), value(0, 0, 1), value(0, 0, 3)]
    assert len({*values, UNKNOWN}) == len(values) + 1
    assert value(0, 0, 0) == value(0, 0, 0, 0)


def test_the_runs_that_begin_a_longer_known_span_are_marked() -> None:
    words = np.array([5, 6, 7], np.uint64)
    lexicon = learn_lexicon([TaggedDocument(words, np.array([1, 2, 2], np.int32))], 1).lexicon
    hashes = np.zeros(MAX_SPAN, np.uint64)
    hash_spans(words, 0, 3, hashes)
    found = [int(look_up(*lexicon.spans, key)) for key in hashes[:3]]
    assert found == [PREFIX_BIT, PREFIX_BIT, 1]

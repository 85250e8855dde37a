"""Sentences that are joined to documents, against plain joining."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from spark_deid.representation.spark.shuffling import PLACED, _pieces, joined

SPANS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from(["NAME", "DATE"])), max_size=2)
SENTENCES = st.lists(st.tuples(st.text(st.sampled_from("a é東👩"), max_size=5), SPANS), min_size=1, max_size=3)


def plain(texts: list[str], spans: list[list[tuple[int, int, str]]]) -> tuple[str, list[dict[str, object]]]:
    """Join sentences one by one."""
    text, found = "", list[dict[str, object]]()
    for number, (sentence, own) in enumerate(zip(texts, spans, strict=True)):
        text += "\n" if number else ""
        found += [{"start": start + len(text), "end": end + len(text), "label": label} for start, end, label in own]
        text += sentence
    return text, found


@given(st.lists(SENTENCES, max_size=4), st.integers(0, 2))
def test_sentences_are_joined_with_their_spans_where_they_stand(
    documents: list[list[tuple[str, list[tuple[int, int, str]]]]], skipped: int
) -> None:
    texts = [[text for text, _ in document] for document in documents]
    spans = [[own for _, own in document] for document in documents]
    named = [[[dict(zip(("start", "end", "label"), span, strict=True)) for span in own] for own in o] for o in spans]
    arrays = [
        pa.array(range(len(documents)), pa.int64()),
        pa.array(texts, pa.list_(pa.string())),
        pa.array(named, pa.list_(pa.list_(PLACED))),
    ]
    batch = pa.RecordBatch.from_arrays(arrays, names=["document", "text", "spans"]).slice(skipped)
    expected = [
        {"doc_id": f"{number + 1:08d}", "text": text, "spans": own}
        for number, (text, own) in enumerate(map(plain, texts, spans))
    ]
    assert joined(batch).to_pylist() == expected[skipped:]


def test_documents_are_handed_on_a_few_at_a_time_and_none_is_lost() -> None:
    groups = [pa.RecordBatch.from_pydict({"doc_id": [f"{size}-{n}" for n in range(size)]}) for size in (250, 0, 3)]
    pieces = list(_pieces(groups))
    assert [piece.num_rows for piece in pieces] == [100, 100, 50, 3]
    assert [row for piece in pieces for row in piece.to_pylist()] == [row for g in groups for row in g.to_pylist()]

import numpy as np
import pyarrow as pa

from spark_deid.repeats.findings import FINDINGS, DocumentBatch, gather_documents, lay_out_batch, write_findings
from spark_deid.repeats.rare import RarityGrid, find_rare, sweep_grid
from spark_deid.repeats.settings import CountingUnit, RaritySettings
from spark_deid.repeats.text import lay_out


def test_findings_are_a_row_a_document() -> None:
    batch = pa.RecordBatch.from_pylist(
        [
            {"doc_id": "a", "subject_id": None, "text": "x日ab", "edits": [{"start": 0, "end": 1}]},
            {"doc_id": "b", "subject_id": None, "text": "日a", "edits": None},
        ]
    )
    gathered = gather_documents([batch], ("b",))
    assert isinstance(gathered, DocumentBatch)
    assert gathered.excluded == [[(0, 1), (3, 4)], []]
    text = lay_out_batch(gathered, CountingUnit.DOCUMENT)
    found = find_rare(text, RaritySettings(k=2, min_length=1))
    rows = [
        row
        for part in write_findings(gathered.ids, text, *found, np.arange(len(text.units)))
        for row in part.to_pylist()
    ]
    assert pa.RecordBatch.from_pylist(rows, FINDINGS).num_rows == 2
    assert [(row["doc_id"], row["starts"], row["characters"], row["lengths"][:3]) for row in rows] == [
        ("a", [], 4, [0, 1, 1]),
        ("b", [], 2, [0, 1, 1]),
    ]


def test_a_grid_hides_more_as_k_and_the_least_length_rise() -> None:
    text = lay_out(["abc def", "abc xyz", "abc de"])
    rows = list(sweep_grid(text, RaritySettings(), RarityGrid((2, 3), (1, 4))))
    assert rows == [(2, 1, 20, 4), (2, 4, 20, 4), (3, 1, 20, 8), (3, 4, 20, 8)]

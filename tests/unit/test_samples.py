import gzip
import json
from collections import Counter

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.corpus.local import read_documents
from spark_deid.samples import SAMPLES, sample_path


@pytest.mark.parametrize(
    ("name", "documents", "spans"), [("meddocan-train", 160, 3676), ("meddocan-dev", 40, 896), ("mail", 40, 460)]
)
def test_sample_holds_labelled_documents(name: str, documents: int, spans: int) -> None:
    with gzip.open(sample_path(name), "rt", encoding="utf-8", newline="\n") as stream:
        records = [json.loads(line) for line in stream]
    assert len({record["doc_id"] for record in records}) == len(records) == documents
    assert sum(len(record["spans"]) for record in records) == spans
    for record in records:
        for span in record["spans"]:
            surface = record["text"][span["start"] : span["end"]]
            assert surface
            assert surface == surface.strip()


def test_the_folder_of_mail_is_read_whole() -> None:
    read = read_documents(str(sample_path("mailbox")), "mbox")
    assert (len(read.documents), read.rejects, read.inventory.attachments) == (24, (), 5)
    assert Counter(document.meta["body_type"] for document in read.documents) == {"plain": 19, "html": 5}
    assert all(document.text.startswith("Dear Dr. ") for document in read.documents)


def test_every_sample_is_there_with_its_attribution() -> None:
    folder = sample_path("meddocan-dev").parent
    attribution = (folder / "ATTRIBUTION.md").read_text(encoding="utf-8")
    assert all(file in attribution for file in SAMPLES.values())
    assert "CC BY 4.0" in attribution


def test_unknown_sample_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="meddocan-dev"):
        sample_path("meddocan-test")

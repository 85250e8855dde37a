"""Articles and apostrophes next to placeholders, read by someone who asks how a hidden name is spelled."""

import re
from pathlib import Path

from pyspark.sql import SparkSession

from tests.attacks.runs import run

TEXTS = (
    "This was an Adams. Adams' wife was there.",
    "This was a Smith. Smith's wife was there.",
    "This was an Eve. Eve's wife was there.",
    "This was a Ross. Ross\u2019 wife was there.",
)


def test_names_of_any_spelling_give_the_same_text(spark: SparkSession, tmp_path: Path) -> None:
    lines: list[dict[str, object]] = []
    for number, text in enumerate(TEXTS):
        names = [found.span() for found in re.finditer("Adams|Smith|Eve|Ross", text)]
        spans = [{"start": start, "end": end, "label": "NAME"} for start, end in names]
        lines.append({"doc_id": str(number), "text": text, "spans": spans})
    done = run(tmp_path, lines, sources=["gold"])
    rows = spark.read.format("delta").load(str(done.release / "documents")).select("text").collect()
    shown = {row["text"].replace("\u2019", "'") for row in rows}
    assert shown == {"This was a(n) [NAME]. [NAME]'s wife was there."}

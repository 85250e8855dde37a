"""How many mentions are wholly edited when characters that no one sees are inside them, against none.

Trains on the bundled training sample, and edits texts of the other bundled sample as they are and with one to three
random invisible characters inside each mention of the labels.
"""

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from spark_deid.core.document import Document
from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.core.span import Finder, Span
from spark_deid.corpus.local import read_documents
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.train import train
from spark_deid.rewriting.suppress import suppress
from spark_deid.samples import sample_path
from spark_deid.text.patterns import PatternDetector

INVISIBLE = "\u00ad\u034f\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2064\u2066\u2069\ufeff\ufff9"


def hidden_in(document: Document, draw: random.Random) -> Document:
    """Put one to three invisible characters between characters of every mention of two characters and more."""
    pieces: list[str] = []
    spans: list[Span] = []
    reached = added = 0
    for span in resolve_overlaps(document.text, document.spans):
        pieces.append(document.text[reached : span.start])
        mention, start = document.text[span.start : span.end], span.start + added
        if len(mention) > 1:
            for place in sorted(draw.choices(range(1, len(mention)), k=draw.randint(1, 3)), reverse=True):
                mention = mention[:place] + draw.choice(INVISIBLE) + mention[place:]
        added += len(mention) - (span.end - span.start)
        pieces.append(mention)
        spans.append(span._replace(start=start, end=start + len(mention)))
        reached = span.end
    return document._replace(text="".join((*pieces, document.text[reached:])), spans=tuple(spans))


def wholly_edited(document: Document, finders: Sequence[Finder]) -> int:
    """Count the mentions of a document of which every character is edited."""
    found = [span for find in finders for span in find(document.text)]
    covered = np.zeros(len(document.text), np.bool_)
    for edit in suppress(document, resolve_overlaps(document.text, found)):
        covered[edit.start : edit.end] = True
    return sum(bool(covered[span.start : span.end].all()) for span in document.spans)


def main() -> None:
    """Count, and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, default=1000)
    options.add_argument("--features", default="rich")
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    training = read_documents(str(sample_path("meddocan-train")), "jsonl").documents
    config = TrainConfig(features=given.features, counts="train", workers=1, key=bytes(32), max_rounds=2)
    finders = (train(training, config).detect, PatternDetector().detect)
    documents = read_documents(str(sample_path("meddocan-dev")), "jsonl").documents
    plain = [document._replace(spans=resolve_overlaps(document.text, document.spans)) for document in documents]
    without = {document.doc_id: wholly_edited(document, finders) for document in plain}
    draw = random.Random(0)
    counted = {"texts": given.texts, "mentions": 0, "edited": 0, "edited_with_invisible": 0}
    for number in range(given.texts):
        document = plain[number % len(plain)]
        counted["mentions"] += len(document.spans)
        counted["edited"] += without[document.doc_id]
        counted["edited_with_invisible"] += wholly_edited(hidden_in(document, draw), finders)
    told = json.dumps(counted)
    if given.json:
        given.json.write_text(told + "\n")
    print(told)


if __name__ == "__main__":
    main()

"""Train one model on hashed attributes and one on strings of what is hashed: strict F1 and processor time of both.

The strings name their template and hold the values of its columns, so nothing but the hash of these is omitted. The
features must not read what training states about words (``known``): only these differ between the two.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from peers import NO_KEY, Peer
from rich.console import Console
from rich.table import Table

from spark_deid.core.document import Document
from spark_deid.core.span import Span
from spark_deid.corpus.local import read_documents
from spark_deid.evaluation.score import evaluate
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.crf import CrfLearner, CrfSolver
from spark_deid.samples import sample_path
from spark_deid.text.extractor import FeatureExtractor
from spark_deid.text.features import feature_set
from spark_deid.text.view import TextView

Row = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    train = read_documents(options.train, options.format).documents
    test = read_documents(options.test, options.format).documents
    rows = [hashed(train, test, options), strings(train, test, options)]
    table = Table("attributes", "strict F1", "CPU s of training", title="Hashes against strings", title_justify="left")
    for row in rows:
        table.add_row(row["attributes"], f"{row['strict_f1']:.4f}", f"{row['seconds']:.1f}")
    Console(width=120).print(table)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", default=str(sample_path("meddocan-train")), help="labelled documents")
    parser.add_argument("--test", default=str(sample_path("meddocan-dev")), help="labelled documents, for F1")
    parser.add_argument("--format", default="jsonl", help="the format of both")
    parser.add_argument("--features", default="hide")
    parser.add_argument("--iterations", type=int, default=60)
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    return parser.parse_args(arguments)


def hashed(train: Sequence[Document], test: Sequence[Document], options: argparse.Namespace) -> Row:
    examples = [TrainingExample(document.doc_id, TextView(document.text), document.spans) for document in train]
    learner = CrfLearner(
        options.features, NO_KEY, max_iterations=options.iterations, copy_length=0, solver=CrfSolver.CRFSUITE
    )
    began = time.process_time()
    model = replace(replace(learner, solver=CrfSolver.CRFSUITE).fit(examples, seed=0), kinds={})
    seconds = time.process_time() - began
    f1 = strict_f1(test, lambda text: model.predict(TextView(text)))
    return {"attributes": "hashes", "strict_f1": f1, "seconds": seconds}


def strings(train: Sequence[Document], test: Sequence[Document], options: argparse.Namespace) -> Row:
    labels = sorted({span.label for document in train for span in document.spans})
    peer = Peer(FeatureExtractor(feature_set(options.features), NO_KEY), "tuples")
    with tempfile.TemporaryDirectory() as folder:
        began = time.process_time()
        peer.train(train, labels, Path(folder, "weights"), options.iterations)
        seconds = time.process_time() - began
        f1 = strict_f1(test, lambda text: tuple(peer.spans(text, labels)))
    return {"attributes": "strings", "strict_f1": f1, "seconds": seconds}


def strict_f1(test: Sequence[Document], find: Callable[[str], tuple[Span, ...]]) -> float:
    scores = evaluate((document.text, document.spans, find(document.text)) for document in test)
    return scores.micro("strict")["f1"]


if __name__ == "__main__":
    main()

"""Measure labelling on Spark: the compiled path against python-crfsuite in the same job, cold and warm.

Each way runs in a process and a separate session, Parquet of texts in, spans out to nowhere. The first pass, cold,
starts the Python workers and has them import and load what they need; of the passes after it the best is warm.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from peers import NO_KEY, Peer, tag_batches
from pyspark.sql import DataFrame, SparkSession
from rich.console import Console
from rich.table import Table

from spark_deid.core import tables
from spark_deid.core.document import Document
from spark_deid.corpus.local import read_documents
from spark_deid.engine.session import build_session
from spark_deid.greedy.decoding import PLAIN
from spark_deid.greedy.files import FittedRound
from spark_deid.greedy.sanitizer import GreedySanitizer, model_hash
from spark_deid.greedy.spark import detect, finder
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.crf import CrfLearner
from spark_deid.samples import sample_path
from spark_deid.text.extractor import FeatureExtractor
from spark_deid.text.features import feature_set
from spark_deid.text.view import TextView

Row = dict[str, Any]
OURS, PEER = "spark-deid", "python-crfsuite, lists"


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    if options.way:
        print(json.dumps(measure(options)))
        return
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as name:
        for features in options.features:
            folder = Path(name, features)
            prepare(folder, features, options)
            rows += [_child(way, features, folder, options) for way in (PEER, OURS)]
    Console(width=120).print(_rates(rows))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", default=str(sample_path("meddocan-train")), help="labelled documents")
    parser.add_argument(
        "--test", default=str(sample_path("meddocan-dev")), help="texts, repeated until there is enough"
    )
    parser.add_argument("--format", default="jsonl", help="the format of both")
    parser.add_argument("--documents", type=int, default=60, help="how many documents are learned from")
    parser.add_argument("--iterations", type=int, default=3, help="of L-BFGS; a model's speed does not depend on it")
    parser.add_argument("--features", nargs="+", default=["hide", "rich"])
    parser.add_argument("--megabytes", type=float, default=5.0, help="of text for the compiled path")
    parser.add_argument("--peer-megabytes", type=float, default=0.5, help="of text for python-crfsuite")
    parser.add_argument("--passes", type=int, default=4, help="the first is cold")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--way", choices=(OURS, PEER), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def prepare(folder: Path, features: str, options: argparse.Namespace) -> None:
    """Fit both models on the same documents, and write the texts of both ways."""
    train = read_documents(options.train, options.format).documents[: options.documents]
    texts = [document.text for document in read_documents(options.test, options.format).documents]
    labels = fit(train, features, options.iterations, folder)
    (folder / "labels.json").write_text(json.dumps(labels))
    tokenizer = FeatureExtractor(feature_set(features), NO_KEY).tokenizer
    counts = [len(tokenizer(TextView(text))) for text in texts]
    for way, megabytes in ((OURS, options.megabytes), (PEER, options.peer_megabytes)):
        chosen = list(_until(texts, megabytes * 1e6))
        size = {"bytes": _size(texts[i] for i in chosen), "tokens": sum(counts[i] for i in chosen)}
        (folder / f"{way}.json").write_text(json.dumps(size))
        rows = pa.table({"doc_id": [str(n) for n in range(len(chosen))], "text": [texts[i] for i in chosen]})
        pq.write_table(rows, folder / f"{way}.parquet")


def fit(train: Sequence[Document], features: str, iterations: int, folder: Path) -> tuple[str, ...]:
    examples = [TrainingExample(document.doc_id, TextView(document.text), document.spans) for document in train]
    model = CrfLearner(features, NO_KEY, max_iterations=iterations).fit(examples, seed=0)
    rounds = (FittedRound(model, PLAIN),)
    GreedySanitizer(rounds=rounds, labels=model.labels, loss_ratio=1.0, decoding="viterbi", key=NO_KEY).save(
        folder / "model"
    )
    Peer(model.extractor, "lists").train(train, model.labels, folder / "weights", iterations)
    return model.labels


def _until(texts: Sequence[str], size: float) -> Iterator[int]:
    """Yield the numbers of texts, over and over, until they hold that many bytes."""
    so_far = 0
    numbers = cycle(range(len(texts)))
    while so_far < size:
        number = next(numbers)
        so_far += len(texts[number].encode())
        yield number


def _size(texts: Iterator[str]) -> int:
    return sum(len(text.encode()) for text in texts)


def _child(way: str, features: str, folder: Path, options: argparse.Namespace) -> Row:
    print(f"{features}, {way}", file=sys.stderr)
    command = [sys.executable, __file__, "--way", way, "--folder", str(folder), "--features", features]
    command += ["--passes", str(options.passes), "--cores", str(options.cores)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return {"features": features, "way": way, **json.loads(done.stdout.splitlines()[-1])}


def measure(options: argparse.Namespace) -> Row:
    """Time passes of one way over its texts; Spark itself has run a job before."""
    [features] = options.features
    folder = options.folder
    spark = build_session(app_name="benchmark", master=f"local[{options.cores}]")
    spark.sparkContext.addPyFile(str(Path(__file__).with_name("peers.py")))
    documents = spread(spark, folder / f"{options.way}.parquet", folder / "texts" / options.way, 4 * options.cores)
    if options.way == OURS:
        found = detect(documents, finder(spark, str(folder / "model"), model_hash(folder / "model")))
    else:
        labels = tuple(json.loads((folder / "labels.json").read_text()))
        work = partial(tag_batches, features=features, path=str(folder / "weights"), labels=labels)
        found = documents.select("doc_id", "text").mapInArrow(work, tables.ddl(tables.SPANS))
    passes = [_seconds(found) for _ in range(options.passes)]
    size = json.loads((folder / f"{options.way}.json").read_text())
    spark.stop()
    return {**size, "cold": passes[0], "warm": min(passes[1:])}


def spread(spark: SparkSession, source: Path, place: Path, parts: int) -> DataFrame:
    """Write the texts in equal parts, and open them."""
    spark.read.parquet(str(source)).repartition(parts).write.parquet(str(place))
    return spark.read.parquet(str(place))


def _seconds(found: DataFrame) -> float:
    began = time.perf_counter()
    found.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - began


def _rates(rows: Sequence[Row]) -> Table:
    table = Table(title="Raw text to spans on Spark", title_justify="left")
    for column in ("features", "way"):
        table.add_column(column)
    for column in ("MB", "cold s", "warm s", "cold tokens/s", "warm tokens/s", "faster cold", "faster warm"):
        table.add_column(column, justify="right")
    for row in rows:
        ours = next(r for r in rows if (r["features"], r["way"]) == (row["features"], OURS))
        cells = [f"{row['bytes'] / 1e6:.2f}", *(f"{row[name]:.2f}" for name in ("cold", "warm"))]
        cells += [f"{row['tokens'] / row[name]:,.0f}" for name in ("cold", "warm")]
        cells += [f"{(ours['tokens'] / ours[n]) / (row['tokens'] / row[n]):.1f}" for n in ("cold", "warm")]
        table.add_row(row["features"], row["way"], *cells)
    return table


if __name__ == "__main__":
    main()

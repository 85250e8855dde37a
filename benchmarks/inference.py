"""Measure labelling on one core: python-crfsuite in its forms against the compiled path, and where the time goes."""

import argparse
import importlib.util
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from peers import NO_KEY, Peer
from rich.console import Console
from rich.table import Table

from spark_deid.core.document import Document
from spark_deid.corpus.local import read_documents
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.chain import best_tags
from spark_deid.learners.crf import CrfLearner
from spark_deid.learners.crf_model import CrfModel
from spark_deid.learners.propagation import copy_spans
from spark_deid.learners.scoring import score
from spark_deid.samples import sample_path
from spark_deid.text.bio import decode, tag_names
from spark_deid.text.view import TextView

Row = dict[str, Any]
OURS = "spark-deid, labels"


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    train = read_documents(options.train, options.format).documents[: options.documents]
    texts = [document.text for document in read_documents(options.test, options.format).documents]
    rows: list[Row] = []
    profiles: dict[str, dict[str, float]] = {}
    for features in options.features:
        for tags in options.tags:
            labelled, labels = relabel(train, (tags - 1) // 2)
            print(f"{features}, {tags} tags", file=sys.stderr)
            measured, profile = measure(features, labelled, labels, texts, options)
            rows += [{"features": features, "tags": 1 + 2 * len(labels)} | row for row in measured]
            profiles[f"{features}, {1 + 2 * len(labels)} tags"] = profile
    console = Console(width=120)
    console.print(_rates(rows))
    for name, profile in profiles.items():
        console.print(_profile_table(name, profile))
    if options.json:
        options.json.write_text(json.dumps({"rates": rows, "profiles": profiles}, indent=1))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", default=str(sample_path("meddocan-train")), help="labelled documents")
    parser.add_argument("--test", default=str(sample_path("meddocan-dev")), help="the texts that are labelled")
    parser.add_argument("--format", default="jsonl", help="the format of both")
    parser.add_argument("--documents", type=int, default=100, help="how many documents are learned from")
    parser.add_argument("--iterations", type=int, default=10, help="of L-BFGS; a model's speed does not depend on it")
    parser.add_argument("--features", nargs="+", default=["hide", "rich"])
    parser.add_argument("--tags", type=int, nargs="+", default=[5, 17, 45], help="O, and B and I of each label")
    parser.add_argument("--seconds", type=float, default=3.0, help="the least time that is spent on each measurement")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    return parser.parse_args(arguments)


def relabel(documents: Sequence[Document], count: int) -> tuple[list[Document], tuple[str, ...]]:
    """Give the annotations that many labels: unite some, or part the most frequent ones by odd and even length."""
    frequency = Counter(span.label for document in documents for span in document.spans)
    present = sorted(frequency)
    parted = {label for label, _ in frequency.most_common(max(0, count - len(present)))}
    if count > len(present) + len(parted):
        sys.exit(f"--tags: expected at most {1 + 4 * len(present)}, since the annotations have {len(present)} labels")

    def name(label: str, length: int) -> str:
        return f"L{present.index(label) % count:02}{'odd' if label in parted and length % 2 else ''}"

    changed = [
        document._replace(spans=tuple(s._replace(label=name(s.label, s.end - s.start)) for s in document.spans))
        for document in documents
    ]
    return changed, tuple(sorted({span.label for document in changed for span in document.spans}))


def measure(
    features: str, train: Sequence[Document], labels: Sequence[str], texts: Sequence[str], options: argparse.Namespace
) -> tuple[list[Row], dict[str, float]]:
    """Time every way of labelling the same texts, each with a model of the same features and training documents."""
    examples = [TrainingExample(document.doc_id, TextView(document.text), document.spans) for document in train]
    model = CrfLearner(features, NO_KEY, max_iterations=options.iterations).fit(examples, seed=0)
    few = texts if features == "hide" else texts[: max(1, len(texts) // 5)]
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for form in ("dictionaries", "lists"):
            peer = Peer(model.extractor, form)
            peer.train(train, labels, Path(folder, form), options.iterations)
            rows.append(_timed(f"python-crfsuite, {form}", peer.tag, few, options.seconds))
        sequences = peer.sequences(few)
        rows.append(_timed("python-crfsuite, ready sequences", peer.tag_sequences, [sequences], options.seconds))
    rows += _spacy_rows(texts, options.seconds)
    rows.append(_timed(OURS, partial(_label, model), texts, options.seconds))
    counts = {text: len(model.extractor.tokenizer(TextView(text))) for text in texts}
    rows.append(_timed("spark-deid, spans", partial(_find, model, counts), texts, options.seconds))
    return rows, profile(model, texts)


def _label(model: CrfModel, text: str) -> int:
    view = TextView(text)
    tokens = model.extractor.tokenizer(view)
    model.best(view, tokens)
    return len(tokens)


def _find(model: CrfModel, counts: dict[str, int], text: str) -> int:
    model.predict(TextView(text))
    return counts[text]


def _timed(name: str, label: Callable[[Any], int], given: Sequence[Any], seconds: float) -> Row:
    """Time skips what is given; the first is cold, the best of the others warm. CPU time, not the wall's."""
    passes: list[float] = []
    tokens = 0
    while len(passes) < 2 or sum(passes) < seconds:
        began = time.process_time()
        tokens = sum(map(label, given))
        passes.append(time.process_time() - began)
    return {"way": name, "tokens": tokens, "cold": tokens / passes[0], "warm": tokens / min(passes[1:])}


def _spacy_rows(texts: Sequence[str], seconds: float) -> Iterator[Row]:
    """Yield a yardstick where spaCy is installed: its tokenizer, and an untrained tagger behind it."""
    if importlib.util.find_spec("spacy") is None:
        print("spaCy is not installed, so its rows are left out: pip install spacy", file=sys.stderr)
        return
    import spacy

    tokenizer = spacy.blank("en")
    yield _timed("spaCy, tokenizer alone", lambda text: len(tokenizer.make_doc(text)), texts, seconds)
    tagger = spacy.blank("en")
    ner = tagger.add_pipe("ner")
    ner.add_label("NAME")
    tagger.initialize()
    yield _timed("spaCy, blank entity recognizer", lambda text: len(tagger(text)), texts[:20], seconds)


class Stopwatch:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        began = time.process_time()
        yield
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.process_time() - began


def profile(model: CrfModel, texts: Sequence[str]) -> dict[str, float]:
    """Return nanoseconds a token by stage."""
    watch, tokens = Stopwatch(), 0
    for _ in range(3):
        for text in texts:
            tokens += _profiled(model, text, watch)
    return {stage: seconds / tokens * 1e9 for stage, seconds in watch.seconds.items()}


def _profiled(model: CrfModel, text: str, watch: Stopwatch) -> int:
    gains = np.ascontiguousarray((model.transitions[None] - model.transitions[:, None]).max(2))
    order = np.array([tag_names(model.labels).index(name) for name in model.names], np.int32)
    known = model.lexicon.known()
    with watch("code points and tokens"):
        view = TextView(text)
        tokens = model.extractor.tokenizer(view)
    with watch("columns"):
        windows = list(model.extractor.windows(view, tokens, known))
    tags = np.zeros(len(tokens), np.int32)
    for start, columns, reduced, pieces in windows:
        for first, end in pieces:
            with watch("attributes and their weights"):
                scores = score(columns, reduced, first, end, model.extractor.templates, model.table, len(model.names))
            with watch("Viterbi"):
                best_tags(scores, model.transitions, gains, tags[start + first : start + end])
    with watch("spans"):
        spans = decode(tokens.starts, tokens.ends, tokens.is_apart, order[tags], model.labels)
    with watch("copies of spans"):
        copy_spans(view, tokens, spans, model.copy_length)
    return len(tokens)


def _rates(rows: Sequence[Row]) -> Table:
    table = Table(title="Tokens a second on one core", title_justify="left")
    for column in ("features", "tags", "way", "cold", "warm", "ours is faster by"):
        table.add_column(column, justify="right" if column in ("cold", "warm", "ours is faster by") else "left")
    for row in rows:
        ours = next(r for r in rows if (r["features"], r["tags"], r["way"]) == (row["features"], row["tags"], OURS))
        table.add_row(
            row["features"],
            str(row["tags"]),
            row["way"],
            f"{row['cold']:,.0f}",
            f"{row['warm']:,.0f}",
            f"{ours['warm'] / row['warm']:.1f}",
        )
    return table


def _profile_table(name: str, stages: dict[str, float]) -> Table:
    table = Table("stage", "ns a token", "share", title=f"Where the time goes: {name}", title_justify="left")
    whole = sum(stages.values())
    for stage, spent in sorted(stages.items(), key=lambda pair: -pair[1]):
        table.add_row(stage, f"{spent:,.0f}", f"{spent / whole:.0%}")
    return table


if __name__ == "__main__":
    main()

"""Time the learners on labelled text: processor seconds of one fit, features included.

    python benchmarks/learners.py --input notes/labelled --format brat --learner crf svm adaboost --features hide rich

Keeps the most frequent labels only, so that there are at most as many tags (B and I) as asked for.
"""

import argparse
import time
from collections import Counter
from collections.abc import Sequence

from spark_deid.core.overlaps import resolve_overlaps
from spark_deid.corpus.local import read_documents
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.registry import LEARNERS, LearnerSettings, make_learner
from spark_deid.text.view import TextView

KEY = bytes(32)


def labelled(path: str, form: str, tags: int) -> list[TrainingExample]:
    """Read examples with the most frequent labels."""
    documents = read_documents(path, form).documents
    counts = Counter(span.label for document in documents for span in document.spans)
    kept = {label for label, _ in counts.most_common(tags // 2)}
    return [
        TrainingExample(d.doc_id, TextView(d.text), resolve_overlaps(d.text, [s for s in d.spans if s.label in kept]))
        for d in documents
    ]


def measure(examples: Sequence[TrainingExample], name: str, features: str) -> str:
    """Fit once to compile, once to measure."""
    learner = make_learner(name, LearnerSettings(features, KEY))
    learner.fit(examples[:2], seed=0)
    began = time.process_time()
    model = learner.fit(examples, seed=0)
    seconds = time.process_time() - began
    tokens = sum(len(model.tokens(example.view)[0]) for example in examples)
    rate = 300_000 / tokens * seconds
    return f"{name:10} {features:6} {tokens:9,} tokens {seconds:8.1f} s, for 300,000 tokens {rate:6.1f} s"


def main() -> None:
    """Print one line a learner and feature set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", required=True)
    parser.add_argument("--format", required=True)
    parser.add_argument("--learner", nargs="+", default=["crf", "svm", "adaboost"], choices=LEARNERS.names())
    parser.add_argument("--features", nargs="+", default=["hide", "rich"])
    parser.add_argument("--tags", type=int, default=16)
    options = parser.parse_args()
    examples = labelled(options.input, options.format, options.tags)
    for features in options.features:
        for name in options.learner:
            print(measure(examples, name, features), flush=True)


if __name__ == "__main__":
    main()

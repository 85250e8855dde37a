"""Find out what the word baseline's lead over maximal repeats rests on: other baselines, at equal recall.

    python benchmarks/rare_words.py --input meddocan/dev --format brat

Every row hides whole tokens by one rule, for k from 2 to 18, on the test split of `spark-deid experiment repeats`; the
table has its precision at equal recall, a dash where the curve does not reach, and the fraction of tokens hidden at k =
1, where nothing can be too rare.
"""

import argparse
import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from rich.console import Console
from rich.table import Table

from spark_deid.app.experiments.repeats.curves import (
    LabelledTokens,
    hide_by_each,
    measure_curves,
    precision_at,
    run_experiment,
    unit_counts,
)
from spark_deid.app.experiments.settings import JudgedTokens, RepeatsExperimentSettings
from spark_deid.core.numerics.arrays import Bools
from spark_deid.corpus.local import read_documents
from spark_deid.repeats.settings import CountingUnit
from spark_deid.repeats.tokens import yield_documents

RECALLS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
AUTHORS_MIN_LENGTH = 3
Rule = Callable[[int], Bools]


def rules(part: LabelledTokens) -> Iterator[tuple[str, Rule]]:
    """Yield rules that state for a k which tokens are hidden."""
    words = surfaces(part)
    count = counter(part, words)
    length = np.array([len(word) for word in words])
    marked = np.array([word[:1].isupper() or any(c.isdigit() for c in word) for word in words])
    yield "Word", lambda k: count < k
    yield f"Word, below {AUTHORS_MIN_LENGTH} characters always", lambda k: (count < k) | (length < AUTHORS_MIN_LENGTH)
    yield f"Word, below {AUTHORS_MIN_LENGTH} characters never", lambda k: (count < k) & (length >= AUTHORS_MIN_LENGTH)
    folded = counter(part, [word.casefold() for word in words])
    yield "Word, case ignored", lambda k: folded < k
    shaped = counter(part, [re.sub(r"\d", "0", word) for word in words])
    yield "Word, all numerals as one", lambda k: shaped < k
    yield "Word, capitals and numbers only", lambda k: (count < k) & marked
    by_document = counter(part, words, CountingUnit.DOCUMENT)
    yield "Word, by documents", lambda k: by_document < k
    for size in (2, 3):
        near = windows(part, words, size)
        yield f"{size} words in a row, both ends", lambda k, near=near: near < k
        yield f"{size} words in a row, rare words only", lambda k, near=near: (near < k) & (count < 4 * k)


def surfaces(part: LabelledTokens) -> list[str]:
    whole = "\0".join(yield_documents(part.text))
    return [whole[start:end] for start, end in part.tokens.tolist()]


def counter(part: LabelledTokens, words: Sequence[str], unit: CountingUnit | None = None) -> np.ndarray:
    return unit_counts(words, part.text, part.tokens[:, 0], unit or part.unit)


def windows(part: LabelledTokens, words: Sequence[str], size: int) -> np.ndarray:
    """Return for every token the highest count of a window of words around it, as a kept run needs one frequent."""
    owners = np.searchsorted(part.text.characters, part.tokens[:, 0], side="right")
    joined = [" ".join(words[i : i + size]) for i in range(len(words) - size + 1)]
    counts = counter(part, joined + [""] * (size - 1))[: len(joined)]
    counts[owners[: len(joined)] != owners[size - 1 :]] = 0
    best = np.zeros(len(words), np.int64)
    for shift in range(size):
        np.maximum(best[shift : shift + len(joined)], counts, out=best[shift : shift + len(joined)])
    return best


def row(part: LabelledTokens, hidden_at: Rule) -> list[str]:
    points = []
    for k in range(2, 19):
        hidden = hidden_at(k)
        points.append(((hidden & part.gold).sum() / part.gold.sum(), (hidden & part.gold).sum() / max(1, hidden.sum())))
    points.sort()
    recalls = [recall for recall, _ in points]
    values = [
        f"{np.interp(recall, recalls, [p for _, p in points]):.3f}" if recalls[0] <= recall <= recalls[-1] else "–"
        for recall in RECALLS
    ]
    ends = f"{points[0][1]:.3f} / {points[0][0]:.3f}", f"{points[-1][1]:.3f} / {points[-1][0]:.3f}"
    return [f"{hidden_at(1).mean():.3f}", ends[0], *values, ends[1]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--input", required=True)
    parser.add_argument("--format", required=True)
    parser.add_argument("--tokens", type=JudgedTokens, choices=tuple(JudgedTokens), default=JudgedTokens.WORD)
    options = parser.parse_args()
    labelled = read_documents(options.input, options.format).documents
    experiment = RepeatsExperimentSettings(tokens=options.tokens)
    outcome = run_experiment(labelled, experiment, lambda _: None)
    part = outcome.test
    title = f"{len(part.ids)} documents, {len(part.tokens):,} tokens, gold {part.gold.mean():.3f}"
    table = Table("precision at recall", "k = 1", "at k = 2", *map(str, RECALLS), "at k = 18", title=title)
    for name, line in measure_curves(outcome).items():
        chosen = (
            f"{name} (l {line[0].min_length}, R {line[0].share})" if line[0].min_length else f"{name}, as in the page"
        )
        values = ["–" if (p := precision_at(line, recall)) is None else f"{p:.3f}" for recall in RECALLS]
        ends = [f"{p.precision:.3f} / {p.recall:.3f}" for p in (line[0], line[-1])]
        table.add_row(chosen, "0.000" if name == "Word" else "", ends[0], *values, ends[1])
    paper = RepeatsExperimentSettings(min_length=(6,), share=(0.2,), tokens=options.tokens)
    line = [each.point for each in hide_by_each("test", part, paper) if each.point.method == "MR"]
    values = ["–" if (p := precision_at(line, recall)) is None else f"{p:.3f}" for recall in RECALLS]
    ends = [f"{p.precision:.3f} / {p.recall:.3f}" for p in (line[0], line[-1])]
    table.add_row("MR (l 6, R 0.2)", "", ends[0], *values, ends[1])
    for name, rule in rules(part):
        table.add_row(name, *row(part, rule))
    Console(width=160).print(table)


if __name__ == "__main__":
    main()

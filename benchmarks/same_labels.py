"""Check on whole corpora that compiled inference labels as python-crfsuite does, and that no two attributes collide."""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite

from spark_deid.core.document import Document
from spark_deid.corpus.local import read_documents
from spark_deid.learners import crfsuite
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.crf import CrfLearner, CrfSolver
from spark_deid.learners.crf_model import CrfModel
from spark_deid.samples import sample_path
from spark_deid.text.bio import tag_names
from spark_deid.text.column_layout import PAD
from spark_deid.text.token_columns.table import COLUMNS
from spark_deid.text.view import TextView

KEY = b"no secret in an experiment"
ALPHABETS = (
    [chr(code) for code in range(32, 127)],
    list("áéíóúñüÁÉÍÓÚÑßçœ\u0301\u0308\u200d"),
    list("漢字仮名カタひらㄱ가ไทยمرحباשלום"),
    ["😀", "𝒜", "𐐀", "\U000e0100", "\U0010ffff", "\ufeff", "\u2028", "\x85", "\x1c", "\t", "\r\n"],
)
LOWER = next(row for row, column in enumerate(COLUMNS) if column.name == "lower")


@dataclass
class Found:
    """What was compared, and what differed."""

    documents: int = 0
    tokens: int = 0
    other_labels: int = 0
    largest_difference: float = 0.0


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    told: dict[str, Any] = {}
    for features in options.features:
        for corpus in options.corpus:
            format, _, path = corpus.partition(":")
            documents = read_documents(path, format).documents
            name = f"{features}, {Path(path).name}"
            print(name, file=sys.stderr)
            with tempfile.TemporaryDirectory() as folder:
                model, tagger = fit(documents, features, options.iterations, Path(folder, "weights"))
                texts = [document.text for document in documents]
                fuzzed = fuzz(texts, options.fuzzed, np.random.default_rng(options.seed))
                told[name] = {
                    "corpus": asdict(compare(model, tagger, texts, options.marginals)),
                    "fuzzed": asdict(compare(model, tagger, fuzzed, options.marginals)),
                    "collisions": collisions(model, texts),
                }
            print(json.dumps(told[name]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(told, indent=1))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    bundled = f"jsonl:{sample_path('meddocan-train')}"
    parser.add_argument("--corpus", nargs="+", default=[bundled], help="labelled corpora, each FORMAT:PATH")
    parser.add_argument("--features", nargs="+", default=["hide", "rich"])
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument(
        "--fuzzed", type=int, default=10_000, help="texts made of pieces of the corpus and odd characters"
    )
    parser.add_argument("--marginals", type=int, default=100, help="documents whose marginals are compared too")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    return parser.parse_args(arguments)


def fit(documents: Sequence[Document], features: str, iterations: int, path: Path) -> tuple[CrfModel, Any]:
    """Fit a model, and open the file that CRFsuite wrote for it in CRFsuite's own tagger."""
    write = crfsuite.write_weights

    def keep(place: Path, *rest: Any) -> None:
        write(place, *rest)
        path.write_bytes(place.read_bytes())

    crfsuite.write_weights = keep
    try:
        examples = [TrainingExample(document.doc_id, TextView(document.text), document.spans) for document in documents]
        model = CrfLearner(features, KEY, max_iterations=iterations, solver=CrfSolver.CRFSUITE).fit(examples, seed=0)
    finally:
        crfsuite.write_weights = write
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return model, tagger


def fuzz(texts: Sequence[str], count: int, draw: np.random.Generator) -> list[str]:
    """Mix pieces of texts with characters of many scripts, up to 400 characters a text."""
    made = []
    for _ in range(count):
        parts = []
        for _ in range(int(draw.integers(0, 12))):
            if draw.random() < 0.5:
                text = texts[int(draw.integers(len(texts)))]
                start = int(draw.integers(max(len(text), 1)))
                parts.append(text[start : start + int(draw.integers(1, 60))])
            else:
                alphabet = ALPHABETS[int(draw.integers(len(ALPHABETS)))]
                parts.append("".join(draw.choice(alphabet, int(draw.integers(1, 12)))))
        made.append("".join(parts))
    return made


def compare(model: CrfModel, tagger: Any, texts: Sequence[str], marginals: int) -> Found:
    """Label texts both ways; marginals are compared in the first of them alone, since CRFsuite takes long for them."""
    names, found = tag_names(model.labels), Found()
    places = [names.index(name) for name in model.names]
    for number, text in enumerate(texts):
        view = TextView(text)
        tokens = model.extractor.tokenizer(view)
        best = model.best(view, tokens)
        likely = model.probabilities(view, tokens) if number < marginals else None
        found.documents += 1
        found.tokens += len(tokens)
        for first, end, attributes in model.extractor.sequences(view, tokens, model.lexicon.known()):
            tags = tagger.tag([[f"{value:016x}" for value in column if value] for column in attributes.T.tolist()])
            found.other_labels += sum(names[mine] != his for mine, his in zip(best[first:end], tags, strict=True))
            if likely is not None:
                his = np.array([[tagger.marginal(name, t) for name in model.names] for t in range(end - first)])
                difference = float(np.abs(likely[first:end, places] - his).max())
                found.largest_difference = max(found.largest_difference, difference)
    return found


def collisions(model: CrfModel, texts: Sequence[str]) -> dict[str, int]:
    """Count words, tuples of a template, and attributes of several templates that share a hash with another."""
    words: dict[bytes, int] = {}
    templates = model.extractor.templates
    values: list[list[np.ndarray[Any, Any]]] = [[] for _ in templates.sizes]
    for columns, attributes, here in _tables(model, texts):
        words.update(here)
        for f, size in enumerate(templates.sizes.tolist()):
            n = attributes.shape[1]
            cells = [columns[c, PAD + o : PAD + o + n] for c, o in templates.cells[f, :size].tolist()]
            rows = np.stack([attributes[f], *cells])[:, attributes[f] != 0]
            values[f].append(np.unique(rows, axis=1))
    of_tuples, every = 0, []
    for parts in values:
        rows = np.unique(np.concatenate(parts, 1), axis=1)
        hashes = np.unique(rows[0])
        of_tuples += rows.shape[1] - len(hashes)
        every.append(hashes)
    return {
        "words": len(words),
        "word_collisions": len(words) - len(set(words.values())),
        "attributes": sum(map(len, every)),
        "tuple_collisions": of_tuples,
        "collisions_across_templates": sum(map(len, every)) - len(np.unique(np.concatenate(every))),
    }


def _tables(model: CrfModel, texts: Sequence[str]) -> Iterator[tuple[Any, Any, dict[bytes, int]]]:
    """Yield columns and attributes of each text, and the hash of each lower-case word; what is merged is not a word."""
    for text in texts:
        view = TextView(text)
        tokens = model.extractor.tokenizer(view)
        hashes = model.extractor.words(view, tokens).tolist()
        plain = np.flatnonzero(tokens.arrays.merged == 0).tolist()
        borders = list(zip(tokens.arrays.starts.tolist(), tokens.arrays.ends.tolist(), strict=True))
        words = {tokens.lower[slice(*borders[t])].tobytes(): hashes[t] for t in plain}
        parts = list(model.extractor.sequences(view, tokens, model.lexicon.known()))
        windows = list(model.extractor.windows(view, tokens, model.lexicon.known()))
        if len(windows) == 1 and len(windows[0].pieces) == 1:
            yield windows[0].columns, parts[0][2], words


if __name__ == "__main__":
    main()

"""See whether what a corpus states about a word finds names that a model of English leaves.

    python resources/try_corpus_rule.py --data FOLDER [--model english]

A word with a capital is a name of the corpus where it is one for certain in enough other documents, and in half of its
places; elsewhere it then counts as nearly even odds. The script prints the words that remain at equal shares, with and
without that. UNER English EWT is omitted: it is scored once a version, by the card.
"""

import argparse
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import english_trials as trials
import numpy as np

from spark_deid.greedy.sanitizer import load_sanitizer
from spark_deid.greedy.shipped import model_folder
from spark_deid.learners.crf_model import CrfModel

PUBLISHED = (0.96, 0.975, 0.98)
CERTAIN, LIKELY, RAISED = 0.9, 0.5, 0.45


class CorpusWord(NamedTuple):
    """A word of a trial: its document, itself, its kind, and its lowest and highest probability."""

    document: int
    word: str
    kind: str
    lowest: float
    highest: float


class CorpusCounts:
    """Of each word with a capital: the documents where it is a name for certain, its places, and those likely names."""

    def __init__(self, words: list[CorpusWord]) -> None:
        self.documents: defaultdict[str, set[int]] = defaultdict(set)
        self.places: Counter[str] = Counter()
        self.likely: Counter[str] = Counter()
        for each in words:
            if each.word[:1].isupper():
                self.places[each.word] += 1
                self.likely[each.word] += each.highest >= LIKELY
                if each.highest >= CERTAIN:
                    self.documents[each.word].add(each.document)

    def tell_name(self, each: CorpusWord, documents: int) -> bool:
        """Return whether that many other documents, and half of its places, state that a word is a name."""
        others = len(self.documents[each.word] - {each.document})
        return others >= documents and 2 * self.likely[each.word] >= self.places[each.word]


def words_of(model: CrfModel, made: list[trials.Trial]) -> list[CorpusWord]:
    """Return the words of all documents with what a model states about them."""
    return [
        CorpusWord(number, trial.view.text[word.start : word.end], word.kind, float(inside.min()), float(inside.max()))
        for number, trial in enumerate(made)
        for word, inside in trials.word_chances(model, trial)
    ]


def left(words: list[CorpusWord], raised: list[bool]) -> list[float]:
    """Return the fraction of words of names that remains at each fraction of innocent words published."""
    lowest = np.array([max(each.lowest, RAISED if up else 0) for each, up in zip(words, raised, strict=True)])
    highest = np.array([max(each.highest, RAISED if up else 0) for each, up in zip(words, raised, strict=True)])
    kinds = np.array([each.kind for each in words])
    return [
        float((lowest[kinds == trials.NAME] <= np.quantile(highest[kinds == ""], share)).mean()) for share in PUBLISHED
    ]


def main() -> None:
    """Print a line per text and rule."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public files")
    parser.add_argument("--model", default="english", help="a shipped model or a folder")
    given = parser.parse_args()
    model = load_sanitizer(model_folder(given.model)).rounds[0].model
    assert isinstance(model, CrfModel), "only a CRF tells marginals"
    for name, make in trials.TRIALS.items():
        if make is trials.uner:
            continue
        words = words_of(model, make(given.data))
        counts = CorpusCounts(words)
        print(f"{name}, published {', '.join(f'{share:.1%}' for share in PUBLISHED)}")
        print("  no rule:", *(f"{share:.2%}" for share in left(words, [False] * len(words))))
        for documents in (2, 3):
            raised = [each.word[:1].isupper() and counts.tell_name(each, documents) for each in words]
            print(f"  {documents} documents:", *(f"{share:.2%}" for share in left(words, raised)))


if __name__ == "__main__":
    main()

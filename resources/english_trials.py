"""What the shipped model of English is tried on: text that it was not trained on, word by word."""

import csv
import gzip
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from english_text import invented_documents
from labelled_text import GUM, INDIAN_COURTS, LITBANK, Sentence, Source, documents, example, glued, halves
from research_text import abstracts, case_reports

from spark_deid.core.span import Span
from spark_deid.learners.crf_model import CrfModel
from spark_deid.learners.document_rule import apply_rule
from spark_deid.text.view import TextView

NAME, OTHER = "NAME", "OTHER"
"""Words of names of people, and those of all other annotations; all others are innocent."""
UNER = tuple(f"uner_ewt/en_ewt-ud-{part}.iob2.gz" for part in ("train", "dev"))
PRESIDIO = "presidio_research/synth_dataset_v2.json.gz"
CLINICAL = ("aci_bench/valid.csv.gz", "aci_bench/clinicalnlp_taskB_test1.csv.gz")


class Word(NamedTuple):
    """Offsets of a word with a letter or digit; ``kind`` is NAME, OTHER, or "" for an innocent word."""

    start: int
    end: int
    kind: str


class Trial(NamedTuple):
    """A text of a genre, and its words."""

    genre: str
    view: TextView
    words: tuple[Word, ...]


class Chances(NamedTuple):
    """Each word's genre, kind, and the lowest and highest probability among its tokens, after the document rule.

    A word of a name remains where any of its tokens is; an innocent one is published where not one of them is hidden.
    """

    genres: np.ndarray
    kinds: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray

    def of(self, genre: str) -> "Chances":
        """Return the words of a genre."""
        chosen = self.genres == genre
        return Chances(*(values[chosen] for values in self))

    def left(self, threshold: float) -> float:
        """Return the fraction of words of names that remain."""
        return float((self.lowest[self.kinds == NAME] <= threshold).mean())

    def published(self, threshold: float) -> float:
        """Return the fraction of innocent words that are published."""
        return float((self.highest[self.kinds == ""] <= threshold).mean())

    def precision(self, threshold: float) -> float:
        """Return the fraction of annotated words among those that are hidden."""
        hidden = self.highest > threshold
        return float((self.kinds[hidden] != "").mean())

    def threshold(self, published: float) -> float:
        """Return the lowest threshold at which the fraction of innocent words is published."""
        return float(np.quantile(self.highest[self.kinds == ""], published))

    def threshold_of_names(self, found: float) -> float:
        """Return the highest threshold that finds the fraction of words of names."""
        return float(np.quantile(self.lowest[self.kinds == NAME], 1 - found, method="lower")) - 1e-9


def chances(model: CrfModel, trials: Iterable[Trial]) -> Chances:
    """Return what a model states about every word."""
    rows = [row for trial in trials for row in _chances(model, trial)]
    genres, kinds, lowest, highest = zip(*rows, strict=True)
    return Chances(np.array(genres), np.array(kinds), np.array(lowest), np.array(highest))


def _chances(model: CrfModel, trial: Trial) -> Iterator[tuple[str, str, float, float]]:
    for word, inside in word_chances(model, trial):
        yield trial.genre, word.kind, float(inside.min()), float(inside.max())


def word_chances(model: CrfModel, trial: Trial) -> Iterator[tuple[Word, np.ndarray]]:
    """Yield the words of a text with the probabilities of their tokens, after the document rule."""
    tokens = model.extractor.tokenizer(trial.view)
    found = apply_rule(tokens, model.chances(trial.view, tokens)).chances
    lettered = np.array([_has_letters(trial.view.text[s:e]) for s, e in zip(tokens.starts, tokens.ends, strict=True)])
    for word in trial.words:
        first, last = (
            np.searchsorted(tokens.ends, word.start, "right"),
            np.searchsorted(tokens.starts, word.end, "left"),
        )
        inside = found[first:last][lettered[first:last]]
        if len(inside):
            yield word, inside


def _has_letters(text: str) -> bool:
    return any(map(str.isalnum, text))


def uner(data: Path) -> list[Trial]:
    """Read UNER English EWT: words joined by spaces, sentences by line breaks; PER are names.

    The first token of a document carries a tag that is not one of the annotators'.
    """
    made = []
    for file in UNER:
        blocks = gzip.decompress((data / file).read_bytes()).decode().split("# newdoc id = ")[1:]
        made += [_uner(block.split("-", 1)[0], block.split("\n")) for block in blocks]
    return made


def _uner(genre: str, lines: Sequence[str]) -> Trial:
    text, words = "", []
    for line in lines[1:]:
        parts = line.split("\t")
        if line and not line.startswith("#"):
            text += " " if text and not text.endswith("\n") else ""
            kind = NAME if parts[2].endswith("-PER") else OTHER if parts[2] != "O" and words else ""
            if _has_letters(parts[1]):
                words.append(Word(len(text), len(text) + len(parts[1]), kind))
            text += parts[1]
        elif text and not text.endswith("\n"):
            text += "\n"
    return Trial(genre, TextView(text), tuple(words))


def presidio(data: Path) -> list[Trial]:
    """Return texts of the templates that are held back from training, as presidio-research filled them."""
    given = json.loads(gzip.decompress((data / PRESIDIO).read_bytes()))
    return [
        annotated("presidio", each["full_text"], [_of_presidio(span) for span in each["spans"]])
        for each in given
        if each["template_id"] % 2
    ]


def _of_presidio(span: dict[str, object]) -> Span:
    kind = NAME if span["entity_type"] == "PERSON" else OTHER
    return Span(int(str(span["start_position"])), int(str(span["end_position"])), kind)


def invention(count: int, seed: int) -> list[Trial]:
    """Synthesize documents of what is held back of the grammar."""
    return [annotated("invented", made.text, made.spans) for made in invented_documents(count, seed, held_back=True)]


def annotated(genre: str, text: str, spans: Iterable[Span]) -> Trial:
    """Cut a text into words; what a span touches has its kind."""
    kinds = ["" for _ in text]
    for span in sorted(spans, key=lambda each: each.label == NAME):
        kinds[span.start : span.end] = [NAME if span.label == NAME else OTHER] * (span.end - span.start)
    words = (Word(*match.span(), _kind(kinds[slice(*match.span())])) for match in re.finditer(r"\w+", text))
    return Trial(genre, TextView(text), tuple(words))


def _kind(kinds: Sequence[str]) -> str:
    return NAME if NAME in kinds else OTHER if OTHER in kinds else ""


_PERSON = re.compile(r"\b([A-Z][a-z]+)((?: [A-Z][a-z]+)+),? (?:is|was) an? \d|\b(?:Mr|Mrs|Ms|Miss|Dr)\. ([A-Z][a-z]+)")
_TITLES = r"(?:mr|mrs|ms|miss|dr|doctor)\.? "


def clinical(data: Path) -> list[Trial]:
    """Mark the names of ACI-BENCH: those that its notes introduce, everywhere they are in note and dialogue.

    Given names count in any case, surnames in lowercase after a title only: "white" is a colour as well.
    """
    made = []
    for file in CLINICAL:
        for row in csv.DictReader(io.StringIO(gzip.decompress((data / file).read_bytes()).decode())):
            given: set[str] = set()
            surnames: set[str] = set()
            for first, rest, titled in _PERSON.findall(row["note"]):
                given.update([first] if first else [])
                surnames.update([*rest.split(), *([titled] if titled else [])])
            for genre in ("note", "dialogue"):
                made.append(annotated(f"clinical {genre}", row[genre], _named(row[genre], given, surnames)))
    return made


def _named(text: str, given: set[str], surnames: set[str]) -> Iterator[Span]:
    for names, form in ((given, r"(?i)\b({})\b"), (surnames, r"\b({})\b"), (surnames, rf"(?i)\b{_TITLES}({{}})\b")):
        if names:
            for match in re.finditer(form.format("|".join(sorted(names))), text):
                yield Span(*match.span(1), NAME)


def research(data: Path) -> list[Trial]:
    """Return case reports and abstracts, of sentences that name no one: all words are innocent."""
    given = {"case reports": case_reports(data), "abstracts": abstracts(data)}
    return [annotated(genre, text, ()) for genre, texts in given.items() for _, text in texts]


ALIKE = Source(
    "GUM's biographies and guides for travellers, never trained on",
    ("gum/en_gum_bio.iob2.gz", "gum/en_gum_voyage.iob2.gz"),
    "amir-zeldes/gum",
    "CC BY-SA 3.0",
)
"""What must be shared alike."""
_LABELS = {"PER": NAME, "LOC": OTHER, "ORG": OTHER}


def held_back(data: Path) -> list[Trial]:
    """Return the documents that are held back of sources that the model was trained on."""
    given = (
        (source, name, each) for source in (GUM, LITBANK) for name, each in halves(data, (source,), held_back=True)
    )
    return [_running(source.name.split(",")[0], name, document) for source, name, document in given]


def courts(data: Path) -> list[Trial]:
    """Return the held back documents of Indian courts, where names are in headings of capitalised words."""
    return [_running("courts", name, each) for name, each in halves(data, (INDIAN_COURTS,), held_back=True)]


def shared_alike(data: Path) -> list[Trial]:
    """Return genres of GUM that no model is trained on."""
    return [_running(file[11:-8], file, each) for file in ALIKE.files for each in documents(data / file)]


def _running(genre: str, name: str, document: Sequence[Sentence]) -> Trial:
    made = example(name, document, _LABELS, glued)
    return annotated(genre, made.view.text, made.spans)


def told(found: Chances, threshold: float) -> str:
    """State what a threshold leaves and publishes."""
    count = Counter(found.kinds.tolist())
    return (
        f"{found.left(threshold):.1%} of {count[NAME]:,} words of names left, "
        f"{found.published(threshold):.2%} of {count['']:,} innocent words published"
    )


TRIALS: dict[str, Callable[[Path], list[Trial]]] = {
    "UNER English EWT, train and dev, all genres": uner,
    "GUM and LitBank, every other document, held back": held_back,
    "GUM's biographies and guides for travellers, never trained on": shared_alike,
    "Indian courts, every other document, held back": courts,
    "templates of presidio-research that were held back": presidio,
    "ACI-BENCH valid and test1, names marked by their cues": clinical,
    "300 documents of synthesize, another seed, templates held back": lambda _: invention(300, 20_000),
}

"""Train the model of English names that comes with the package, try it, and write its card.

    python resources/train_english.py --data FOLDER [--output FOLDER]

``FOLDER`` holds the files that README.md names. The model is an ordinary model folder of one round, which decodes by
cost. Equal files and versions give equal models.
"""

import argparse
import hashlib
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import english_trials as trials
from clinical_text import ACI_BENCH, MTS_DIALOG, public_notes, renamed_dialogues, shorthand
from english_text import TEMPLATES, filled, fix_hashes, invented, template_lines
from labelled_text import (
    BTC,
    CROSSNER,
    ENRON,
    GUM,
    INDIAN_COURTS,
    LINES,
    LITBANK,
    WIKIGOLD,
    WNUT,
    Source,
    example,
    examples,
    glued,
    halves,
    mail,
    spaced,
)
from neural_labels import labelled_by_model
from thinning import thinned
from unlabelled_text import UNLABELLED

from spark_deid.greedy.decoding import cost_sensitive
from spark_deid.greedy.files import FittedRound
from spark_deid.greedy.report import versions
from spark_deid.greedy.sanitizer import GreedySanitizer
from spark_deid.learners.base import TrainingExample
from spark_deid.learners.crf import CrfLearner
from spark_deid.learners.crf_model import CrfModel

DEFAULT = Path("spark_deid/greedy/data/english")
PUBLIC_KEY = hashlib.sha256(b"spark-deid model of English").digest()
"""Hashes the words in the model's features; it is not a secret, since the training text is public."""
LABELS = {"PER": "NAME", "LOC": "LOCATION", "ORG": "ORGANIZATION"}
REAL = (BTC, WNUT, WIKIGOLD, CROSSNER)
HALVED = (GUM, LITBANK, INDIAN_COURTS)
"""Of these every other document is held back, to choose by and to try the model on."""
FILLED = Source(
    "templates of presidio-research, every other one, filled by Faker",
    (TEMPLATES,),
    "microsoft/presidio-research",
    "MIT",
)
FEATURES = "clusters"
COPIES, INVENTED, NOTES, RENAMED, SEED = 6, 1000, 3000, 2, 3
SYNTHESIZED, SHORTHAND = "spark-deid synthesize", "shorthand"
NOTES_AND_DIALOGUES, RENAMED_DIALOGUES = "notes and dialogues", "dialogues in small letters, renamed"
"""Names of text that is invented, or has few names."""
ATTRIBUTES = 41_000
"""The heaviest of 200,000 attributes, which find as much as all of them: the table is not half full of its 2 MB."""
PUBLISHED, RECALL = (0.96, 0.975, 0.98), 0.97
LOSS_RATIOS = (5.0, 10.0, 20.0, 40.0)
NOT_FOR = (
    "languages other than English, text in capitals or in small letters throughout, source code: the run warns of them",
    "dates, numbers, addresses of mail and the net, ages, codes: patterns find those",
    "a promise: it leaves some names; try it on labelled text of your own (evaluate), and train a model of your own",
)


def training_text(data: Path, without: Collection[str] = (), seed: int = SEED) -> list[TrainingExample]:
    """Return all that the model is trained on, but what comes of the sources of some names."""
    return [example for _, examples in parts_of_text(data, without, seed) for example in examples]


def parts_of_text(
    data: Path, without: Collection[str] = (), seed: int = SEED
) -> Iterator[tuple[str, Iterable[TrainingExample]]]:
    """Yield the labelled text by the names of its sources.

    The seed draws what is invented: names, towns and firms.
    """
    parts: dict[str, Callable[[], Iterable[TrainingExample]]] = {
        **{each.name: partial(examples, data, [each], LABELS, (glued, spaced)) for each in REAL},
        ENRON.name: partial(_mail, data),
        **{each.name: partial(_halved, data, [each]) for each in HALVED},
        FILLED.name: partial(filled, template_lines(data, held_back=False), copies=COPIES, seed=seed),
        SYNTHESIZED: partial(invented, INVENTED, seed=seed),
        SHORTHAND: partial(shorthand, NOTES, seed=seed),
        NOTES_AND_DIALOGUES: partial(public_notes, data),
        RENAMED_DIALOGUES: partial(renamed_dialogues, data, RENAMED, seed=seed),
    }
    yield from ((name, make()) for name, make in parts.items() if name not in without)


def _mail(data: Path) -> Iterator[TrainingExample]:
    yield from (example(name, block, LABELS, join) for name, block in mail(data) for join in (spaced, glued))


def _halved(data: Path, sources: Sequence[Source]) -> Iterator[TrainingExample]:
    for name, document in halves(data, sources, held_back=False):
        for first in range(0, len(document), LINES):
            join = (glued, spaced)[first // LINES % 2]
            yield example(f"{name}+{first}", document[first : first + LINES], LABELS, join)


def fitted(
    given: Sequence[TrainingExample], c2: float = 2.0, iterations: int = 90, features: str = FEATURES
) -> CrfModel:
    """Fit the model of a training text, thinned."""
    learner = CrfLearner(features, PUBLIC_KEY, c2=c2, max_iterations=iterations, copy_length=0, calibrate=True)
    return thinned(learner.fit(given, seed=0), ATTRIBUTES)


def figures(model: CrfModel, data: Path, loss_ratio: float) -> Iterator[str]:
    """Yield what a card states about the model on text that it was not trained on."""
    threshold = 1 / (1 + loss_ratio)
    for name, make in trials.TRIALS.items():
        found = trials.chances(model, make(data))
        yield f"{name}, L/C {loss_ratio:g}: {trials.told(found, threshold)}"
        if make is trials.uner:
            yield from (f"  {genre}: {trials.told(found.of(genre), threshold)}" for genre in sorted({*found.genres}))
            yield from (
                f"{name}, L/C {other:g}: {trials.told(found, 1 / (1 + other))}"
                for other in LOSS_RATIOS
                if other != loss_ratio
            )
            for share in PUBLISHED:
                bound = found.threshold(share)
                yield f"{name}, threshold {bound:.3f}: {trials.told(found, bound)}"
        else:
            genres = sorted({*found.genres})
            if len(genres) > 1:
                yield from (f"  {genre}: {trials.told(found.of(genre), threshold)}" for genre in genres)
            yield f"  {found.precision(threshold):.1%} of the hidden words are annotated"
            bound = found.threshold_of_names(RECALL)
            yield f"  threshold {bound:.3f}: {trials.told(found, bound)}, {found.precision(bound):.1%} annotated"
    found = trials.chances(model, trials.research(data))
    for genre in sorted({*found.genres}):
        words = found.of(genre)
        published = ", ".join(f"{words.published(1 / (1 + other)):.2%} at L/C {other:g}" for other in LOSS_RATIOS)
        yield f"{genre} without names, never trained on, {len(words.kinds):,} innocent words: published {published}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public files")
    parser.add_argument("--output", type=Path, default=DEFAULT)
    parser.add_argument("--neural", type=Path, help="learn of what this model finds in text without labels, too")
    parser.add_argument("--c2", type=float, default=2.0)
    parser.add_argument("--iterations", type=int, default=90)
    parser.add_argument("--loss-ratio", type=float, default=10.0)
    options = parser.parse_args()
    fix_hashes()
    taught = labelled_by_model(options.data, options.neural) if options.neural else ()
    given = [*training_text(options.data), *taught]
    model = fitted(given, options.c2, options.iterations)
    told = list(figures(model, options.data, options.loss_ratio))
    print("\n".join(told))
    report = {
        "kind": "shipped model",
        "about": "names of persons, places and organizations in English notes, letters, mail, posts and articles",
        "not_for": list(NOT_FOR),
        "figures": told,
        "sources": [
            *(f"{each.name} ({each.repository}, {each.licence})" for each in (*REAL, *HALVED, ENRON, FILLED)),
            *(
                f"{each.name}, names after titles and where notes begin ({each.repository}, {each.licence})"
                for each in (MTS_DIALOG, ACI_BENCH)
            ),
            *(
                f"labelled by a neural model: {each.name} ({each.repository}, {each.licence})"
                for each in UNLABELLED
                if options.neural
            ),
            f"{ACI_BENCH.name}, dialogues with other names, {RENAMED} copies",
            f"{INVENTED:,} documents of spark-deid synthesize, a fifth of its templates held back",
            f"{NOTES:,} invented notes in shorthand (resources/clinical_shorthand.txt)",
        ],
        "settings": {
            "features": FEATURES,
            "c2": options.c2,
            "iterations": options.iterations,
            "attributes": ATTRIBUTES,
        },
        "documents": len(given),
        "versions": versions(),
    }
    decoding = cost_sensitive(options.loss_ratio)
    sanitizer = GreedySanitizer(
        rounds=(FittedRound(model, decoding),),
        labels=model.labels,
        loss_ratio=options.loss_ratio,
        decoding="cost",
        key=PUBLIC_KEY,
        report=report,
    )
    if options.output.exists():
        shutil.rmtree(options.output)
    sanitizer.save(options.output)
    size = sum(path.stat().st_size for path in options.output.rglob("*"))
    print(f"{len(given):,} examples, {size:,} bytes: {options.output}")


if __name__ == "__main__":
    main()

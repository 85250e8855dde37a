"""Train a model of names in a language beyond English, try it, and write its card.

    python resources/train_names.py --data FOLDER --language es [--output FOLDER]

``FOLDER`` holds the files that README.md names. The model is an ordinary model folder of one round, which decodes by
cost. Equal files and versions give equal models.
"""

import argparse
import hashlib
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

import english_trials as trials
import language_text as text
from thinning import thinned

from spark_deid.greedy.decoding import cost_sensitive
from spark_deid.greedy.files import FittedRound
from spark_deid.greedy.report import versions
from spark_deid.greedy.sanitizer import GreedySanitizer
from spark_deid.learners.crf import CrfLearner
from spark_deid.learners.crf_model import CrfModel

DEFAULT = Path("spark_deid/greedy/data")
FEATURES, ATTRIBUTES, SEED = "rich", 52_000, 3
PUBLISHED = (0.96, 0.975, 0.98)
TRIAL, AT = 0.05, 0.975
"""A model is a trial that leaves more than this of an unseen source where that many innocent words are published."""
LOSS_RATIO = 20.0


def tried(model: CrfModel, name: str, given: Iterable[trials.Trial]) -> tuple[str, float]:
    """Return what a card states about a source, and the fraction of words of names left at ``AT``."""
    found = trials.chances(model, given)
    names = int((found.kinds == trials.NAME).sum())
    left = ", ".join(f"{found.left(found.threshold(share)):.1%} left at {share:.3g} published" for share in PUBLISHED)
    at_ratio = trials.told(found, 1 / (1 + LOSS_RATIO))
    return f"{name}: {names:,} words of names, {left}; L/C {LOSS_RATIO:g}: {at_ratio}", found.left(found.threshold(AT))


def figures(model: CrfModel, data: Path, code: str) -> Iterator[tuple[str, float, bool]]:
    """Yield what is stated about each source, what remains of it, and whether the model never saw it."""
    language = text.LANGUAGES[code]
    for given in language.unseen:
        yield (
            *tried(model, f"{given.source.name}, never seen", text.trials(given, text.blocks(data, given, text.ALONE))),
            True,
        )
    if code == "es":
        yield *tried(model, f"{text.MEDDOCAN.name}, never seen", text.clinical_spanish(data)), True
    for given in language.seen:
        held_back = text.trials(given, text.parts(data, given, held_back=True))
        yield *tried(model, f"{given.source.name}, texts held back", held_back), False


def main() -> None:
    """Train the model that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public files")
    parser.add_argument("--language", required=True, choices=sorted(text.LANGUAGES))
    parser.add_argument("--output", type=Path)
    parser.add_argument("--c2", type=float, default=2.0)
    parser.add_argument("--iterations", type=int, default=90)
    options = parser.parse_args()
    language = text.LANGUAGES[options.language]
    output = options.output or DEFAULT / language.name
    given = list(text.examples(options.data, language, text.Swapper(options.data, language.locales, SEED)))
    key = hashlib.sha256(f"spark-deid model of {language.english_name}".encode()).digest()
    learner = CrfLearner(FEATURES, key, c2=options.c2, max_iterations=options.iterations, copy_length=0, calibrate=True)
    model = thinned(learner.fit(given, seed=0), ATTRIBUTES)
    told = list(figures(model, options.data, options.language))
    worst = max((left for _, left, is_unseen in told if is_unseen), default=1.0)
    print(*(line for line, _, _ in told), f"worst: {worst:.1%}", sep="\n")
    report = {
        "kind": "shipped model",
        "about": f"names of persons, places and organizations in {language.english_name} text"
        + (" (a trial: it leaves more than one in twenty of some text)" if worst > TRIAL else ""),
        "language": options.language,
        "not_for": [
            f"languages other than {language.english_name}, text in capitals or in small letters throughout",
            "dates, numbers, addresses of mail and the net, ages, codes: patterns find those",
            "a promise: it leaves some names; try it on labelled text of your own (evaluate), and train a model on it",
        ],
        "figures": [line for line, _, _ in told],
        "sources": [f"{each.source.name} ({each.source.repository}, {each.source.licence})" for each in language.seen]
        + ["names of persons swapped by those of Faker (MIT)"],
        "settings": {
            "features": FEATURES,
            "c2": options.c2,
            "iterations": options.iterations,
            "attributes": ATTRIBUTES,
        },
        "documents": len(given),
        "versions": versions(),
    }
    sanitizer = GreedySanitizer(
        rounds=(FittedRound(model, cost_sensitive(LOSS_RATIO)),),
        labels=model.labels,
        loss_ratio=LOSS_RATIO,
        decoding="cost",
        key=key,
        report=report,
    )
    if output.exists():
        shutil.rmtree(output)
    sanitizer.save(output)
    size = sum(path.stat().st_size for path in output.rglob("*"))
    print(f"{len(given):,} examples, {size:,} bytes: {output}")


if __name__ == "__main__":
    main()

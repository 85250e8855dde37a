"""Try Stanford CoreNLP's model of three classes on the text of `try_english.py`, beside `english`.

    python resources/try_corenlp.py --data FOLDER --jars FOLDER

``--jars`` holds `stanford-corenlp-4.5.*.jar` and its `-models.jar` (Maven: edu.stanford.nlp:stanford-corenlp, GPL);
Java must be there. A word of a name remains where any part of it is outside all that the tool marks.
"""

import argparse
import html
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import english_trials as trials
import numpy as np

from spark_deid.greedy.sanitizer import load_sanitizer
from spark_deid.greedy.shipped import model_folder
from spark_deid.learners.crf_model import CrfModel

CLASSIFIER = "edu/stanford/nlp/models/ner/english.all.3class.distsim.crf.ser.gz"
_TAG = re.compile(r"</?(?:PERSON|LOCATION|ORGANIZATION)>")
_BORDER = "\n\n@@{}@@\n\n"


def marked(texts: Sequence[str], jars: Path) -> Iterator[list[bool]]:
    """Yield for each text whether the tool marks each character."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "texts.txt")
        place.write_text("".join(_BORDER.format(number) + text for number, text in enumerate(texts)), encoding="utf-8")
        command = [
            "java",
            "-mx4g",
            "-cp",
            ":".join(map(str, jars.glob("*.jar"))),
            "edu.stanford.nlp.ie.crf.CRFClassifier",
        ]
        command += ["-loadClassifier", CLASSIFIER, "-textFile", str(place), "-outputFormat", "inlineXML"]
        said = subprocess.run([*command, "-encoding", "utf-8"], capture_output=True, check=True).stdout.decode("utf-8")
    parts = re.split(r"\s*@@(?:<[^>]+>)?(\d+)(?:<[^>]+>)?@@\s*", said)
    by_number = {int(number): part for number, part in zip(parts[1::2], parts[2::2], strict=True)}
    for number, text in enumerate(texts):
        yield _aligned(text, by_number[number])


def _aligned(text: str, said: str) -> list[bool]:
    """Return for each character of a text whether it is in tags; both differ in whitespace and escapes only."""
    flags, is_inside, place = [False] * len(text), False, 0
    for piece in re.split(rf"({_TAG.pattern})", said):
        if _TAG.fullmatch(piece):
            is_inside = not piece.startswith("</")
            continue
        for sign in html.unescape(piece):
            if sign.isspace():
                continue
            while place < len(text) and text[place].isspace():
                place += 1
            if place < len(text) and text[place] == sign:
                flags[place] = is_inside
                place += 1
    assert not text[place:].strip(), f"what the tool wrote ends {len(text) - place} characters too early"
    return flags


def counts(made: Sequence[trials.Trial], jars: Path) -> tuple[float, float]:
    """Return the fraction of words of names that remains, and of innocent words that is published."""
    left, published = [], []
    for trial, flags in zip(made, marked([each.view.text for each in made], jars), strict=True):
        for word in trial.words:
            inside = flags[word.start : word.end]
            if word.kind == trials.NAME:
                left.append(not all(inside))
            elif not word.kind:
                published.append(not any(inside))
    return float(np.mean(left)), float(np.mean(published))


def main() -> None:
    """Print a line per text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public files")
    parser.add_argument("--jars", type=Path, required=True, help="a folder with CoreNLP's two JARs")
    given = parser.parse_args()
    model = load_sanitizer(model_folder("english")).rounds[0].model
    assert isinstance(model, CrfModel), "only a CRF tells marginals"
    for name, make in trials.TRIALS.items():
        made = make(given.data)
        left, published = counts(made, given.jars)
        found = trials.chances(model, made)
        own = found.left(found.threshold(published))
        print(f"{name}: CoreNLP leaves {left:.1%} where {published:.1%} are published, english {own:.1%}", flush=True)


if __name__ == "__main__":
    main()

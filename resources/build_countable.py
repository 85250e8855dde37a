"""Build the list of English nouns that are used in the plural and with "a" or "an".

    pip download --no-deps lemminflect==0.2.3 symspellpy==6.10.1 -d WHEELS
    python resources/build_countable.py --wheels WHEELS [--output spark_deid/ontology/data]

A line has a noun of Open English WordNet in lowercase and a letter. ``c``: English counts the noun, also as the last
word of a longer term ("ulcer": "gastric ulcers"). ``s``: English counts the noun ("cold", "fever"), but rarely such a
longer term. The SPECIALIST Lexicon (as LemmInflect has it) lists which nouns are only counted. For all other nouns the
list needs a plural that texts use (frequencies of SymSpell).
"""

import argparse
import gzip
import io
import zipfile
from pathlib import Path

from spark_deid.ontology.ontology import wordnet
from spark_deid.ontology.word_forms import VERB, word_forms
from spark_deid.values.wording import plural_of

DEFAULT = Path("spark_deid/ontology/data")
LEXICON = "lemminflect/resources/infl_lu.csv.gz"
FREQUENCIES = "symspellpy/frequency_dictionary_en_82_765.txt"
SINGLE, LONGER, LIKE_VERB = 0.02, 0.2, 0.5
"""Least ratio of the plural to the singular: of a single word, in longer terms, and if the plural may be a verb."""


def read_lexicon(wheels: Path) -> dict[str, set[str]]:
    """Return the plurals of each noun; a noun that is also a mass noun is among its own plurals."""
    found: dict[str, set[str]] = {}
    with zipfile.ZipFile(next(wheels.glob("lemminflect-*.whl"))) as wheel:
        packed = io.BytesIO(wheel.read(LEXICON))
    with gzip.open(packed, "rt", encoding="utf-8") as lines:
        for line in lines:
            word, part, forms, *_ = [*line.rstrip("\n").split(","), ""]
            if part == "noun":
                found[word] = set(filter(None, forms.split("/")))
    return found


def read_frequencies(wheels: Path) -> dict[str, int]:
    with zipfile.ZipFile(next(wheels.glob("symspellpy-*.whl"))) as wheel:
        text = wheel.read(FREQUENCIES).decode("utf-8-sig")
    return {word: int(count) for word, count in (line.split() for line in text.splitlines())}


def letter_of(word: str, lexicon: dict[str, set[str]], frequencies: dict[str, int]) -> str:
    """Return how English counts a noun, an empty string if it does not."""
    forms = lexicon.get(word)
    if forms and word not in forms:
        return "c"
    ratio = 0.0
    for plural in (forms or {plural_of(word, lambda _: ())}) - {word}:
        used = frequencies.get(plural, 0) / frequencies[word] if word in frequencies else 0.0
        ratio = max(ratio, used if VERB not in word_forms().get(plural, "") or used >= LIKE_VERB else 0.0)
    return "c" if ratio >= LONGER else "s" if ratio >= SINGLE else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--wheels", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=DEFAULT)
    arguments = parser.parse_args()
    lexicon, frequencies = read_lexicon(arguments.wheels), read_frequencies(arguments.wheels)
    ontology = wordnet()
    words = {part for number in range(ontology.n_lemmas) for part in ontology.word(number).replace("-", " ").split()}
    rows = [
        (word, letter_of(word, lexicon, frequencies)) for word in sorted(words) if word.isalpha() and word.islower()
    ]
    lines = "".join(f"{word} {letter}\n" for word, letter in rows if letter)
    with gzip.GzipFile(arguments.output / "countable.txt.gz", "wb", mtime=0) as stream:
        stream.write(lines.encode())


if __name__ == "__main__":
    main()

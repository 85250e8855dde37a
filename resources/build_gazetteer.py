"""Build the table of gazetteers from public lists and public text.

    python resources/build_gazetteer.py --data FOLDER [--output spark_deid/text/data/gazetteer/words.npy]

``FOLDER`` holds the files that README.md names. Equal files give an equal table.
"""

import argparse
import csv
import gzip
import io
import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from spark_deid.text.gazetteer import WordFacts, pack

DEFAULT = Path("spark_deid/text/data/gazetteer/words.npy")
WORD = re.compile(r"[^\W\d_]+")
TOKEN = re.compile(r"[^\W\d_]+(?:'[a-z]+)?|\d+|[^\s\w]")
SENTENCE_ENDS = frozenset('.!?:"')
DIALOGUES = (
    ("aci_bench/train.csv.gz", ("dialogue", "note")),
    ("mts_dialog/MTS-Dialog-TrainingSet.csv.gz", ("section_text", "dialogue")),
)
ABSTRACTS = "pubmedqa/ori_pqal.json.gz"
DICTIONARY = "oewn_2024/oewn2024_yaml.tar.xz"


class Counts:
    """How often words are outside sentence starts with a small, and with a capital first letter."""

    def __init__(self) -> None:
        self.small: Counter[str] = Counter()
        self.large: Counter[str] = Counter()

    def add(self, tokens: Iterable[str], *, at_start: bool = True) -> None:
        for token in tokens:
            if token[0].isalpha():
                if not at_start:
                    (self.small if token[0].islower() else self.large)[token.lower()] += 1
                at_start = False
            elif token in SENTENCE_ENDS:
                at_start = True


def lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode("utf-8", "replace").splitlines()


def words(texts: Iterable[str]) -> set[str]:
    """Return the words of two letters and more, in lower case."""
    return {word.lower() for text in texts for word in WORD.findall(text) if len(word) > 1}


def rows(path: Path) -> Iterator[list[str]]:
    return csv.reader(io.StringIO("\n".join(lines(path))))


def lemmas(content: str) -> Iterator[str]:
    """Yield the words of the entries of a dictionary file that are written in lower case."""
    for line in content.splitlines():
        if line and line[0] not in " \t#" and line.rstrip().endswith(":"):
            for word in line.rstrip()[:-1].strip("'\"").split():
                if word.isalpha() and word.islower():
                    yield word


def glosses(content: str) -> Iterator[str]:
    """Yield definitions and examples."""
    block = ""
    for line in content.splitlines():
        if re.match(r"  \w+:", line):
            block = line.strip().split(":")[0]
        elif block in ("definition", "example") and line.strip().startswith("- "):
            yield line.strip()[2:].strip("'\"")


def count_sentences(counts: Counts, text: str) -> None:
    for sentence in re.split(r"\n|(?<=[.?!])\s", text):
        counts.add(TOKEN.findall(sentence))


def count_text(data: Path) -> tuple[Counts, set[str]]:
    counts, known = Counts(), set()
    with tarfile.open(data / DICTIONARY) as archive:
        for member in archive:
            if not member.isfile() or not member.name.endswith(".yaml"):
                continue
            content = archive.extractfile(member).read().decode("utf-8")
            if "entries" in member.name:
                known.update(lemmas(content))
            else:
                for gloss in glosses(content):
                    counts.add(TOKEN.findall(gloss)[1:], at_start=False)
    for name, columns in DIALOGUES:
        for row in csv.DictReader(io.StringIO(gzip.decompress((data / name).read_bytes()).decode("utf-8"))):
            for column in columns:
                count_sentences(counts, row[column] or "")
    for record in json.loads(gzip.decompress((data / ABSTRACTS).read_bytes())).values():
        for text in (record["QUESTION"], *record["CONTEXTS"], record["LONG_ANSWER"]):
            count_sentences(counts, text)
    return counts, known


def collect(data: Path) -> dict[str, WordFacts]:
    counts, known = count_text(data)
    common = words(lines(data / "names/first_names_us.txt.gz"))
    rarer = words(lines(data / "names/arx_us_firstnames.csv.gz"))
    surnames = words(lines(data / "names/surnames_us.txt.gz"))
    places = words(lines(data / "names/arx_us_cities.csv.gz")) | words(
        field for row in rows(data / "geo/world-cities.csv.gz") for field in row[:3]
    )
    everything = {*common, *rarer, *surnames, *places, *known, *counts.small, *counts.large}
    return {
        word: WordFacts(
            given=2 if word in common else int(word in rarer),
            surname=word in surnames,
            place=word in places,
            lemma=word in known,
            small=counts.small[word],
            large=counts.large[word],
        )
        for word in everything
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public files")
    parser.add_argument("--output", type=Path, default=DEFAULT)
    options = parser.parse_args()
    facts = collect(options.data)
    table = pack(facts)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    np.save(options.output, table, allow_pickle=False)
    tokens = sum(about.small + about.large for about in facts.values())
    print(f"{len(facts):,} words, {tokens:,} tokens counted, {table.nbytes:,} bytes: {options.output}")


if __name__ == "__main__":
    main()

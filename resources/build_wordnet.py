"""Pack the nouns of Open English WordNet for generalization.

    python resources/build_wordnet.py --data FOLDER [--output spark_deid/ontology/data]

``FOLDER`` holds ``oewn_2024/``, as README.md states. Equal files give an equal pack. Reading takes about two minutes.
"""

import argparse
import shutil
import tarfile
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

import yaml

from spark_deid.ontology.array_validation import save_arrays
from spark_deid.ontology.building import ConceptSource, SourceConcept, pack_source
from spark_deid.ontology.glosses import hashed_words, without_common

DEFAULT = Path("spark_deid/ontology/data")
ABOUT = {
    "name": "wordnet",
    "source": "Open English WordNet 2024, nouns (https://github.com/globalwordnet/english-wordnet)",
    "licence": "CC BY 4.0, and the WordNet licence (wordnet-LICENSE.md)",
    "attribution": "Princeton WordNet, Princeton University; Open English WordNet team",
}


def records(archive: Path, prefix: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read the records of all files whose name begins so, in the files' order."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with tarfile.open(archive) as files:
        for name in sorted(name for name in files.getnames() if Path(name).name.startswith(prefix)):
            stream = files.extractfile(name)
            assert stream is not None, name
            yield from yaml.load(stream, loader).items()


def nouns(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from (body for part, body in entry.items() if part.partition("-")[0] == "n")


def gloss(synset: dict[str, Any]) -> list[int]:
    told = [*synset["definition"], *(x if isinstance(x, str) else x["text"] for x in synset.get("example", ()))]
    words: list[int] = hashed_words(" ".join(told)).tolist()
    return words


def glosses(synsets: dict[str, dict[str, Any]], told: Container[str]) -> dict[str, tuple[int, ...]]:
    """Return the hashed words of the glosses of some synsets, without those that are common in glosses."""
    return without_common({identifier: gloss(synset) for identifier, synset in synsets.items() if identifier in told})


def sense_number(key: str) -> int:
    """Return the lexicographer's file times 100 and the number in it, as in ``marijuana%1:06:00::``."""
    _, file, number, *_ = key.split("%")[1].split(":")
    return int(file) * 100 + int(number)


def source(archive: Path) -> ConceptSource:
    senses: dict[str, list[str]] = {}
    keys: dict[str, list[int]] = {}
    forms: dict[str, str] = {}
    for word, entry in records(archive, "entries-"):
        for body in nouns(entry):
            senses.setdefault(word, []).extend(sense["synset"] for sense in body["sense"])
            keys.setdefault(word, []).extend(sense_number(sense["id"]) for sense in body["sense"])
            forms |= dict.fromkeys(body.get("form", ()), word)
    ambiguous = {sense for several in senses.values() if len(several) > 1 for sense in several}
    synsets = dict(sorted(records(archive, "noun.")))
    told = glosses(synsets, ambiguous)
    concepts = tuple(
        SourceConcept(
            identifier,
            tuple(synset["members"]),
            (*synset.get("hypernym", ()), *synset.get("instance_hypernym", ())),
            told.get(identifier, ()),
        )
        for identifier, synset in synsets.items()
    )
    return ConceptSource(
        concepts,
        {word: tuple(several) for word, several in senses.items()},
        {word: tuple(several) for word, several in keys.items()},
        forms,
        has_ids=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=DEFAULT)
    arguments = parser.parse_args()
    folder = arguments.data / "oewn_2024"
    save_arrays(arguments.output / "wordnet.npz", pack_source(source(folder / "oewn2024_yaml.tar.xz")), ABOUT)
    shutil.copyfile(folder / "LICENSE.md", arguments.output / "wordnet-LICENSE.md")


if __name__ == "__main__":
    main()

"""The nouns of a WordNet that NLTK reads."""

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spark_deid.core.errors import UsageError
from spark_deid.ontology.building import ConceptSource, SourceConcept
from spark_deid.ontology.glosses import hashed_words, without_common

FILES = ("data.noun", "index.noun", "noun.exc", "lexnames")


def source(folder: str | None = None) -> ConceptSource:
    """Return the nouns of the WordNet in a folder, or of the one among NLTK's data.

    Raises UsageError where NLTK lacks it, and for a folder that is not WordNet.
    """
    place = _found() if folder is None else Path(folder)
    with _allowed(place), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are no other languages
        return _nouns(_reader(place))


def _nouns(reader: Any) -> ConceptSource:
    synsets = sorted(reader.all_synsets("n"), key=lambda synset: int(synset.offset()))
    senses = _senses(reader, synsets)
    ambiguous = {identifier for several in senses.values() if len(several) > 1 for identifier, _ in several}
    result = without_common(
        {
            _id(each): tuple(hashed_words(" ".join((each.definition(), *each.examples()))).tolist())
            for each in synsets
            if _id(each) in ambiguous
        }
    )
    return ConceptSource(
        tuple(
            SourceConcept(
                _id(synset),
                _members(synset),
                _above(synset),
                result.get(_id(synset), ()),
            )
            for synset in synsets
        ),
        {name: tuple(identifier for identifier, _ in several) for name, several in senses.items()},
        {name: tuple(key for _, key in several) for name, several in senses.items()},
        _forms(reader, senses),
        has_ids=True,
    )


@contextmanager
def _allowed(folder: Path) -> Iterator[None]:
    """Let NLTK read a folder that is not among those of its data."""
    import nltk

    nltk.data.path.append(str(folder.resolve()))
    try:
        yield
    finally:
        nltk.data.path.pop()


def _found() -> Path:
    import nltk

    try:
        return Path(str(nltk.data.find("corpora/wordnet")))
    except LookupError:
        pass
    try:
        return Path(str(nltk.data.find("corpora/wordnet.zip")))
    except LookupError:
        raise UsageError(
            "nltk: there is no WordNet among NLTK's data; name its folder, as in nltk:/usr/share/wordnet"
        ) from None


def _reader(folder: Path) -> Any:
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.data import ZipFilePathPointer

    class Nouns(WordNetCorpusReader):  # type: ignore[misc]
        def map_wn(self, version: str = "") -> None:
            """Do without a map to WordNet 3.0, which other languages only need."""

    if folder.suffix == ".zip":
        return Nouns(ZipFilePathPointer(str(folder), "wordnet/"), None)
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise UsageError(f"{folder}: expected a WordNet; {', '.join(missing)} is not there")
    return Nouns(os.fspath(folder), None)


def _id(synset: Any) -> str:
    return f"{synset.offset():08d}-n"


def _above(synset: Any) -> tuple[str, ...]:
    """Return the ids of hypernyms in the order of their numbers: NLTK keeps none."""
    return (*sorted(map(_id, synset.hypernyms())), *sorted(map(_id, synset.instance_hypernyms())))


def _members(synset: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lemma.name().replace("_", " ") for lemma in synset.lemmas()))


def _senses(reader: Any, synsets: Sequence[Any]) -> dict[str, list[tuple[str, int]]]:
    """Return the ids of the synsets that each word as written is in, the usual one first, and its keys' numbers."""
    order: dict[str, dict[str, Sequence[int]]] = reader._lemma_pos_offset_map
    found: dict[str, list[tuple[int, str, int]]] = {}
    for synset in synsets:
        for lemma in synset.lemmas():
            offsets = order[lemma.name().lower()]["n"]
            _, file, number, *_ = lemma.key().rpartition("%")[2].split(":")
            sense = offsets.index(synset.offset()), _id(synset), int(file) * 100 + int(number)
            found.setdefault(lemma.name().replace("_", " "), []).append(sense)
    return {word: [(identifier, key) for _, identifier, key in sorted(senses)] for word, senses in found.items()}


def _forms(reader: Any, senses: Mapping[str, object]) -> dict[str, str]:
    irregular = reader._exception_map["n"]
    forms: dict[str, str] = {}
    for form, bases in irregular.items():
        known = [base.replace("_", " ") for base in bases if base.replace("_", " ") in senses]
        forms |= {form.replace("_", " "): base for base in known[:1]}
    return forms

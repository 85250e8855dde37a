"""Build the list of English words that need not be singular nouns, of Open English WordNet.

    python resources/build_word_forms.py --data FOLDER [--output spark_deid/ontology/data]

A line has a word in lowercase and the letters of what it may be: a form of a verb (v), an adjective (a), an adverb
(r), a word of a closed class (f), or the plural of a noun, though it is a separate noun (p: oxen, shingles). Words of
several tokens are omitted.
"""

import argparse
import gzip
import re
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

DEFAULT = Path("spark_deid/ontology/data")
PARTS = {"v": "v", "a": "a", "s": "a", "r": "r"}
CLOSED = """
a about above after again all am an and another any anything are as at be because been before being below between both
but by can cannot could did do does doing down during each either else every everything few for from further had has
have having he her here hers herself him himself his how i if in into is it its itself just many may me might mine
more most must my myself neither no none nor not nothing now of off on once one only or other our ours ourselves out
over own same several shall she should since so some something such than that the their theirs them themselves then
there these they this those through to too under until up us very was we were what when where whether which while who
whom whose why will with within without would you your yours yourself mr mrs ms miss dr st prof rev sr jr vs etc
"""
"""Pronouns, prepositions, conjunctions, determiners, auxiliaries and titles."""
WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


def entries(archive: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    with tarfile.open(archive) as files:
        for name in sorted(name for name in files.getnames() if Path(name).name.startswith("entries-")):
            stream = files.extractfile(name)
            assert stream is not None, name
            yield from yaml.load(stream, loader).items()


def verb_forms(verb: str) -> Iterator[str]:
    """Yield a verb and its forms by rule."""
    yield verb
    stem = verb[:-1] if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) else verb
    if re.search(r"[^aeiou]y$", verb):
        yield from (f"{verb[:-1]}ies", f"{verb[:-1]}ied", f"{verb}ing")
        return
    yield f"{verb}es" if re.search(r"(?:s|x|z|ch|sh|o)$", verb) else f"{verb}s"
    yield from (f"{stem}ed", f"{stem}ing")
    if re.search(r"(?:^|[^aeiou])[aeiou][bdfgklmnprtvz]$", verb):
        yield from (f"{verb}{verb[-1]}ed", f"{verb}{verb[-1]}ing")


def plural_forms(noun: str) -> Iterator[str]:
    """Yield the plural of a noun by rule."""
    if re.search(r"[^aeiou]y$", noun):
        yield f"{noun[:-1]}ies"
    else:
        yield f"{noun}es" if re.search(r"(?:s|x|z|ch|sh)$", noun) else f"{noun}s"


def words_of(archive: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    nouns: dict[str, tuple[str, ...]] = {}
    for word, entry in entries(archive):
        for part, body in entry.items():
            if part.partition("-")[0] == "n":
                nouns[word] = (*nouns.get(word, ()), *body.get("form", ()))
        for part, body in entry.items():
            kind = PARTS.get(part.partition("-")[0])
            if kind is None or word != word.lower():
                continue
            for form in (word, *body.get("form", ()), *(verb_forms(word) if kind == "v" else ())):
                if WORD.fullmatch(form):
                    found[form].add(kind)
    plurals = {plural for noun, forms in nouns.items() for plural in (*forms, *plural_forms(noun))}
    for word in plurals & nouns.keys():
        if WORD.fullmatch(word) and not word.endswith(("ss", "us", "is")):
            found[word].add("p")
    for word in CLOSED.split():
        found[word].add("f")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--output", type=Path, default=DEFAULT)
    arguments = parser.parse_args()
    found = words_of(arguments.data / "oewn_2024" / "oewn2024_yaml.tar.xz")
    lines = "".join(f"{word} {''.join(sorted(kinds))}\n" for word, kinds in sorted(found.items()))
    with gzip.GzipFile(arguments.output / "forms.txt.gz", "wb", mtime=0) as stream:
        stream.write(lines.encode())


if __name__ == "__main__":
    main()

"""Further uses of English words than singular nouns, and counted nouns: data of Open English WordNet in the package."""

import gzip
from collections.abc import Mapping
from functools import cache
from importlib import resources

VERB, ADJECTIVE, ADVERB, CLOSED, PLURAL = "v", "a", "r", "f", "p"
_FILE = resources.files("spark_deid.ontology") / "data" / "forms.txt.gz"


@cache
def word_forms() -> Mapping[str, str]:
    """Return the letters of what each word in lowercase may be, once a process.

    >>> word_forms()["light"], word_forms()["oxen"], word_forms().get("cancer")
    ('arv', 'p', None)
    """
    lines = gzip.decompress(_FILE.read_bytes()).decode().splitlines()
    return {word: kinds for word, _, kinds in (line.partition(" ") for line in lines)}


# Which English nouns are counted: used in the plural and with "a" or "an". The list comes with the package.


LONGER, SINGLE = "c", "s"
"""Counted also at the end of a longer term; counted as a term of one word."""
_COUNTABLE_FILE = resources.files("spark_deid.ontology") / "data" / "countable.txt.gz"


@cache
def countable_nouns() -> Mapping[str, str]:
    """Return the letter of each counted noun in lowercase, once a process.

    >>> countable_nouns()["ulcer"], countable_nouns()["cold"], countable_nouns().get("asthma")
    ('c', 's', None)
    """
    lines = gzip.decompress(_COUNTABLE_FILE.read_bytes()).decode().splitlines()
    return {word: letter for word, _, letter in (line.partition(" ") for line in lines)}

"""What English words may be beside singular nouns: data of Open English WordNet that comes with the package."""

import gzip
from collections.abc import Mapping
from functools import cache
from importlib import resources

VERB, ADJECTIVE, ADVERB, CLOSED, PLURAL = "v", "a", "r", "f", "p"
_FILE = resources.files("spark_deid.ontology") / "data" / "forms.txt.gz"


@cache
def word_forms() -> Mapping[str, str]:
    """Return the letters of what each word in small letters may be, once a process.

    >>> word_forms()["light"], word_forms()["oxen"], word_forms().get("cancer")
    ('arv', 'p', None)
    """
    lines = gzip.decompress(_FILE.read_bytes()).decode().splitlines()
    return {word: kinds for word, _, kinds in (line.partition(" ") for line in lines)}

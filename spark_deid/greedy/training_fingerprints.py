"""Which documents a model was trained on: fingerprints of their texts under the model's key, beside it.

Whoever has the folder has the key, and can test whether a text that he knows was among them. The folder is as
private as its data anyway; what ``export`` gives away has neither key nor fingerprints.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from spark_deid.core.errors import ModelError
from spark_deid.core.hashing import keyed_hash

SEEN = "documents.json"
_DIGITS = 16


def fingerprint_of(text: str, key: bytes) -> str:
    """Return what represents a text, which no one can test without the key."""
    return keyed_hash(key, "training document", text)[:_DIGITS]


def write_seen(folder: Path, texts: Iterable[str], key: bytes) -> None:
    """Write the fingerprints of the texts that a model was trained on to its folder, sorted."""
    prints = sorted({fingerprint_of(text, key) for text in texts})
    (folder / SEEN).write_text(json.dumps(prints), encoding="utf-8")


def read_seen(folder: Path) -> frozenset[str]:
    """Return the fingerprints of a model folder, if it has any. Raises ModelError for a file of another make."""
    path = folder / SEEN
    if not path.is_file():
        return frozenset()
    try:
        prints = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        prints = None
    if not isinstance(prints, list) or not all(isinstance(each, str) for each in prints):
        raise ModelError(f"{path}: expected a list of fingerprints")
    return frozenset(prints)

"""Labelled text that can be shared for training: word vectors, pseudonyms among near words, private representations.

As ``sd.representation`` it has what the commands do, loaded when it is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spark_deid.api.representing import build_embeddings as build_embeddings
    from spark_deid.api.representing import learn_embeddings as learn_embeddings
    from spark_deid.api.representing import pool as pool
    from spark_deid.api.representing import pseudonymize as pseudonymize
    from spark_deid.api.representing import train as train
    from spark_deid.api.representing import transform as transform

_FUNCTIONS = ("build_embeddings", "learn_embeddings", "pool", "pseudonymize", "train", "transform")

if not TYPE_CHECKING:  # so that checkers of types know no other names than those above

    def __getattr__(name):
        """Load a function of the package above, once."""
        if name not in _FUNCTIONS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module("spark_deid.api.representing"), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_FUNCTIONS})

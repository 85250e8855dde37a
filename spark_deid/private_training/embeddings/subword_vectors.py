"""Vectors of words by their parts (Bojanowski et al. 2017, FastText), learned by the library floret, an extra."""

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from spark_deid.core.errors import UsageError
from spark_deid.private_training.embeddings.vector_blocks import Float32s

INSTALL = "vectors of parts of words need floret, which is not installed: pip install 'spark-deid[subword]'"
PARTS = (3, 6)
"""Letters of the parts of a word, with a mark before and after it, that have vectors: the fewest and the most."""
BUCKETS = 200_000
"""Vectors of parts, which share them by a hash; a tenth of FastText's, which are for corpora of billions of words."""
_PRIVATE = ".words-"


def check_installed() -> None:
    """Raise UsageError where the library is not installed."""
    _library()


def learn_subword_vectors(
    documents: Iterable[Sequence[str]], folder: Path, *, dimensions: int, min_count: int, passes: int
) -> Callable[[str], Float32s | None]:
    """Learn skip-gram vectors of words and their parts, and return what gives any word its vector.

    That of a word that is too rare to be learned is the mean of its parts that others have; without any there is none.

    ``documents`` are words without whitespace, in the order in which they are learned from; by one thread, so that
    equal ones give equal vectors. They are written to ``folder``, for its owner only, while they are learned from.
    Takes 4 bytes a dimension for each of BUCKETS and of the words. Raises UsageError where floret is not installed.
    """
    library = _library()
    for torn in folder.glob(f"{_PRIVATE}*"):  # of a process that was killed
        shutil.rmtree(torn)
    with tempfile.TemporaryDirectory(dir=folder, prefix=_PRIVATE) as private:
        place = Path(private) / "words"
        with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.writelines(" ".join(words) + "\n" for words in documents)
        model = library.train_unsupervised(
            str(place),
            model="skipgram",
            dim=dimensions,
            minCount=min_count,
            epoch=passes,
            minn=PARTS[0],
            maxn=PARTS[1],
            bucket=BUCKETS,
            thread=1,
            verbose=0,
        )
    learned = {part for word in model.words for part in model.get_subwords(word)[1].tolist()}
    return partial(_vector_of, model=model, learned=learned)


def _vector_of(word: str, *, model: Any, learned: Collection[int]) -> Float32s | None:
    """Return a word's vector; of parts that no learned word has, the library's are random numbers."""
    if model.get_word_id(word) >= 0:
        return np.asarray(model.get_word_vector(word), np.float32)
    parts = [part for part in model.get_subwords(word)[1].tolist() if part in learned]
    return np.mean([model.get_input_vector(part) for part in parts], axis=0, dtype=np.float32) if parts else None


def _library() -> Any:
    try:
        import floret
    except ImportError as missing:
        raise UsageError(INSTALL) from missing
    return floret

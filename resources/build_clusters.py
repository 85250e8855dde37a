"""Put words into clusters by vectors of public text, and pack the numbers of their clusters.

    python resources/build_clusters.py --vectors STORE [--output spark_deid/text/data/clusters/words.npy]

``STORE`` is a folder that ``spark-deid representation embeddings`` made of public vectors, the commonest words first.
Equal vectors and versions, on one thread, give equal tables.
"""

import argparse
import os
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans

from spark_deid.private_training.embeddings.store import open_store
from spark_deid.text.gazetteer import LOAD, pack_values
from spark_deid.text.vocabulary import packed_clusters

DEFAULT = Path("spark_deid/text/data/clusters/words.npy")
NARROW, WIDE = 1000, 60
WORDS = int(LOAD * 2**18)
"""The commonest words of letters: as many as a table of 2 MB holds."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vectors", type=Path, required=True, help="the folder of public vectors")
    parser.add_argument("--output", type=Path, default=DEFAULT)
    options = parser.parse_args()
    store = open_store(str(options.vectors))
    vectors = np.asarray(store.vectors, np.float32)
    vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    settings = {"max_iter": 30, "n_init": 1, "max_no_improvement": None, "reassignment_ratio": 0.001}
    narrow = MiniBatchKMeans(NARROW, batch_size=8192, random_state=0, **settings).fit(vectors)
    sizes = np.bincount(narrow.labels_, minlength=NARROW)
    wide = KMeans(WIDE, n_init=3, random_state=0).fit(narrow.cluster_centers_, sample_weight=sizes).labels_
    values: dict[str, int] = {}
    for row, cluster in enumerate(narrow.labels_):
        word = store.word(row)
        if word.isalpha() and len(values) < WORDS:
            values.setdefault(word, packed_clusters(int(cluster), int(wide[cluster])))
    table = pack_values(values)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    np.save(options.output, table, allow_pickle=False)
    print(f"{len(values):,} words of {len(vectors):,}, {table.nbytes:,} bytes: {options.output}")


if __name__ == "__main__":
    main()

"""The de-identifier's network: vectors and casings to scores of tags (Friedrich et al. 2019, Table 1)."""

import numpy as np

from spark_deid.core.numerics.arrays import Bools, Int64s
from spark_deid.private_training.embeddings.vector_blocks import Float32s
from spark_deid.private_training.network.encoding import CASINGS
from spark_deid.private_training.network.layers import Weights, bilstm, dense, dense_shapes, lstm_shapes
from spark_deid.private_training.network.tag_chain import chain_shapes

LAYERS = ("lstm_1", "lstm_2")
_ONE_OF = np.eye(len(CASINGS) + 1, len(CASINGS), dtype=np.float32)
NO_CASING = len(CASINGS)
"""The casing of absent tokens."""


def tagging_shapes(inputs: int, units: int, tags: int) -> dict[str, tuple[int, ...]]:
    """Return the names and shapes of the network's arrays: two bidirectional layers, scores, and the chain of tags."""
    return {
        **lstm_shapes(LAYERS[0], inputs + len(CASINGS), units),
        **lstm_shapes(LAYERS[1], 2 * units, units),
        **dense_shapes("scores", 2 * units, tags),
        **chain_shapes(tags),
    }


def tag_scores(weights: Weights, vectors: Float32s, casings: Int64s, present: Bools) -> Float32s:
    """Return the scores ``[sentence, token, tag]`` of vectors ``[sentence, token, number]``, without the chain's."""
    states = np.concatenate([vectors, _ONE_OF[casings]], 2)
    for name in LAYERS:
        states = bilstm(weights, name, states, present)
    return dense(weights, "scores", states)

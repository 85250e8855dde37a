"""What a linear-chain CRF is fitted on, and what a solver finds."""

from typing import NamedTuple

from spark_deid.core.numerics.arrays import Float64s, Int32s, Int64s, UInt8s, UInt64s


class LabelledSequence(NamedTuple):
    """A sequence to learn from: attributes ``[template, token]`` with 0 for none, and the tag of each token."""

    attributes: UInt64s
    tags: Int32s


class ChainWeights(NamedTuple):
    """The weights of a linear-chain CRF over T tags.

    Attribute ``keys[a]`` gives ``weights[starts[a]:starts[a + 1]]`` to the tags at the same places of ``tags``;
    ``transitions[i, j]`` is the score of tag j after tag i.
    """

    names: tuple[str, ...]
    keys: UInt64s
    starts: Int64s
    tags: UInt8s
    weights: Float64s
    transitions: Float64s

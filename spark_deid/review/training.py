"""Training from the page: a separate process, whose model becomes the next layer of predictions."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from spark_deid.core.document import Document
from spark_deid.core.errors import SparkDeidError
from spark_deid.core.hashing import random_key
from spark_deid.core.span import Span
from spark_deid.greedy.config import TrainConfig
from spark_deid.greedy.train import train

LEAST = 10
"""The minimum number of documents to train on."""
SETTINGS: dict[str, Any] = {"features": "full", "decoding": "cost", "max_rounds": 1, "folds": 2, "iterations": 60}
"""Features with the probabilities of the shipped English model, and one round."""


class TrainingJob:
    """A process that trains a model; ``stop`` ends it, and then no model folder exists."""

    def __init__(self, output: Path, report: Callable[[str], None]) -> None:
        self.output, self._report = output, report
        self._process: subprocess.Popen[str] | None = None
        self.is_stopped = False
        self.error = ""

    def run(self, documents: Sequence[Document], labels: Sequence[str]) -> bool:
        """Train on documents that pass through a pipe; return whether there is a model."""
        command = [sys.executable, "-m", "spark_deid.review.training"]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        rows = [[each.doc_id, each.text, each.subject_id, [list(s[:3]) for s in each.spans]] for each in documents]
        given = {"output": str(self.output), "labels": list(labels), "documents": rows}
        try:
            self._process.stdin.write(json.dumps(given) + "\n")
            self._process.stdin.close()
            is_done = self._follow(self._process.stdout)
        except (OSError, ValueError):
            is_done = False
        self._process.wait()
        if not is_done and not self.error and not self.is_stopped:
            self.error = "the training ended without a model. Start it again"
        return is_done and not self.is_stopped

    def _follow(self, stream: IO[str]) -> bool:
        """Read messages until the end; return whether the process wrote a model."""
        is_done = False
        for line in stream:
            message = json.loads(line)
            self.error = message.get("error", self.error)
            is_done = is_done or message.get("done", False)
            if "progress" in message:
                self._report(message["progress"])
        return is_done

    def stop(self) -> None:
        """End the process and its workers."""
        self.is_stopped = True
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, 9)


def train_lines(incoming: IO[str], outgoing: IO[str]) -> None:
    """Train on the documents of one line; write messages of progress, which are counts, and the end."""

    def answer(**message: object) -> None:
        outgoing.write(json.dumps(message) + "\n")
        outgoing.flush()

    given = json.loads(incoming.readline())
    try:
        documents = [
            Document(doc_id, text, subject, tuple(Span(*span) for span in spans))
            for doc_id, text, subject, spans in given["documents"]
        ]
        found = {span.label for each in documents for span in each.spans}
        labels = tuple(label for label in given["labels"] if label in found)
        config = TrainConfig(**SETTINGS, labels=labels, key=random_key(), min_train_remaining=0)
        trained = train(documents, config, lambda message: answer(progress=message))
        if trained.rounds:
            trained.save(Path(given["output"]))
            answer(done=True)
        else:
            answer(error=str(trained.report["message"]))
    except SparkDeidError as error:
        answer(error=str(error))
    except Exception as error:  # its message may quote text
        answer(error=f"the training failed ({type(error).__name__})")


if __name__ == "__main__":
    train_lines(sys.stdin, sys.stdout)

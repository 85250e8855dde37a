"""Train the model of English without one of its sources at a time, to see what it misses in text of a new kind.

    python resources/leave_out_english.py --data FOLDER --output FOLDER [--iterations 90]

A model folder for each source; those that are there remain. ``tabulate_missed.py`` reads them.
"""

import argparse
import time
from pathlib import Path

from english_text import fix_hashes
from labelled_text import BTC, CROSSNER, ENRON, GUM, INDIAN_COURTS, LITBANK, WIKIGOLD, WNUT
from train_english import FILLED, PUBLIC_KEY, SYNTHESIZED, fitted, training_text

from spark_deid.greedy.decoding import cost_sensitive
from spark_deid.greedy.files import FittedRound
from spark_deid.greedy.sanitizer import GreedySanitizer

LEFT_OUT = {
    "btc": BTC.name,
    "wnut": WNUT.name,
    "wikigold": WIKIGOLD.name,
    "crossner": CROSSNER.name,
    "enron": ENRON.name,
    "gum": GUM.name,
    "litbank": LITBANK.name,
    "courts": INDIAN_COURTS.name,
    "templates": FILLED.name,
    "synthesized": SYNTHESIZED,
}
"""Names of model folders, and of the source that is omitted of each."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public files")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--iterations", type=int, default=90)
    options = parser.parse_args()
    fix_hashes()
    for name, source in LEFT_OUT.items():
        folder = options.output / name
        if folder.exists():
            continue
        started = time.perf_counter()
        model = fitted(training_text(options.data, without=[source]), iterations=options.iterations)
        sanitizer = GreedySanitizer(
            rounds=(FittedRound(model, cost_sensitive(10.0)),),
            labels=model.labels,
            loss_ratio=10.0,
            decoding="cost",
            key=PUBLIC_KEY,
            report={"kind": "left out", "without": source},
        )
        sanitizer.save(folder)
        print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main()

"""Count the word tokens a second that a plan's detectors read on one core, and the memory that they take.

    python benchmarks/detector_rates.py "model: english" "onnx: english-neural" --documents 200
    python benchmarks/detector_rates.py "onnx: english-neural" --input notes --format text

Each is timed in a separate process, in processor seconds, after it has read a tenth of the documents: what is
compiled or loaded is not part of it. Memory is the growth of the process's highest resident set from the package's
import to the end, so what other processes would share with it counts in full.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Sequence

import yaml
from rich.console import Console
from rich.table import Table

import spark_deid as sd
from spark_deid.corpus.local import read_documents
from spark_deid.corpus.synthesis.generate import make_document
from spark_deid.corpus.synthesis.pools import make_pools

WORD = re.compile(r"\w+")


def texts_of(given: argparse.Namespace) -> Sequence[str]:
    """Return the texts that are named, or else synthesized ones."""
    if given.input:
        return [each.text for each in read_documents(given.input, given.format).documents[: given.documents]]
    pools = make_pools(given.seed)
    return [make_document(given.seed, number, pools).text for number in range(given.documents)]


def measure(sections: str, texts: Sequence[str]) -> dict[str, float]:
    """Return what a plan's detectors cost on one core."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    finders = sd.Plan(**yaml.safe_load(sections)).finders
    for text in texts[: max(1, len(texts) // 10)]:
        for find in finders:
            find(text)
    start = time.process_time()
    spans = sum(len([*find(text)]) for text in texts for find in finders)
    seconds = time.process_time() - start
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    words = sum(len(WORD.findall(text)) for text in texts)
    return {"words": words, "spans": spans, "rate": words / seconds, "megabytes": grown / 1024}


def main() -> None:
    """Print a row for each plan."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="+", help="what a plan says of its detectors, as YAML")
    parser.add_argument("--input", help="documents; by default synthesized ones")
    parser.add_argument("--format", default="text")
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--times", type=int, default=3)
    given = parser.parse_args()
    if len(given.sections) == given.times == 1:
        print(json.dumps(measure(given.sections[0], texts_of(given))))
        return
    table = Table("detectors", "words", "spans", "words a second", "MB")
    same = {name: value for name, value in vars(given).items() if name not in ("sections", "times") and value}
    options = [f"--{name}={value}" for name, value in same.items()]
    for sections in given.sections:
        command = [sys.executable, __file__, sections, "--times=1", *options]
        runs = [json.loads(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(given.times)]
        rates = sorted(run["rate"] for run in runs)
        middle, *_ = (run for run in runs if run["rate"] == rates[len(rates) // 2])
        told = f"{middle['rate']:,.0f} ({rates[0]:,.0f} to {rates[-1]:,.0f})"
        table.add_row(sections, f"{middle['words']:,}", f"{middle['spans']:,}", told, f"{middle['megabytes']:,.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()

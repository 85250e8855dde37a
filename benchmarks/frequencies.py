"""Count how often the terms of an ontology are written in some files: a table for ``experiment plausibility``.

    python benchmarks/frequencies.py mts_dialog/*.gz aci_bench/*.gz pubmedqa/*.gz --output frequencies.csv

Files are taken as plain text, regardless of their format, and may be compressed. The longest term wins, as in a plan.
"""

import argparse
import csv
import gzip
from collections import Counter
from pathlib import Path

from spark_deid.ontology.ontology import ontology_at


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--ontology", default="wordnet")
    parser.add_argument("--output", type=Path, required=True)
    arguments = parser.parse_args()
    ontology, counts = ontology_at(arguments.ontology), Counter[int]()
    for path in arguments.files:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            counts.update(ontology.mentions(stream.read().decode(errors="replace"))[:, 2].tolist())
    with arguments.output.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("term", "count"))
        writer.writerows((ontology.word(lemma), count) for lemma, count in sorted(counts.items()))


if __name__ == "__main__":
    main()

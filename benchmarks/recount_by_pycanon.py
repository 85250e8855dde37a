"""Recount a table by pycanon: run by the Python of a separate environment, which prints figures as JSON.

pycanon counts rows and knows no people, drops nothing, and compares values as text; missing cells are read as a word.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq
from pycanon import anonymity


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path, help="a Delta table, or a folder of Parquet files")
    parser.add_argument("--quasi", required=True)
    parser.add_argument("--sensitive", default="")
    options = parser.parse_args()
    table = pd.concat([pq.read_table(path).to_pandas() for path in _files(options.table)])
    table = table.astype("object").where(table.notna(), "(missing)").astype(str).reset_index(drop=True)
    quasi, sensitive = ([name for name in names.split(",") if name] for names in (options.quasi, options.sensitive))
    print(json.dumps(_figures(table, quasi, sensitive)))


def _files(folder: Path) -> list[Path]:
    """Return the data files that the log of a Delta table adds and does not remove, or all of a folder."""
    log = sorted((folder / "_delta_log").glob("*.json"))
    present: dict[str, None] = {}
    for entry in (json.loads(line) for path in log for line in path.read_text().splitlines()):
        if "add" in entry:
            present[entry["add"]["path"]] = None
        if "remove" in entry:
            present.pop(entry["remove"]["path"], None)
    return [folder / path for path in present] if log else sorted(folder.glob("*.parquet"))


def _figures(table: pd.DataFrame, quasi: list[str], sensitive: list[str]) -> dict[str, Any]:
    told: dict[str, Any] = {"rows": len(table), "k": int(anonymity.k_anonymity(table, quasi))}
    if sensitive:
        alpha, _ = anonymity.alpha_k_anonymity(table, quasi, sensitive)
        told |= {
            "l": int(anonymity.l_diversity(table, quasi, sensitive)),
            "entropy_l": float(anonymity.entropy_l_diversity(table, quasi, sensitive)),
            "t": float(anonymity.t_closeness(table, quasi, sensitive)),
            "alpha": float(alpha),
        }
    return told


if __name__ == "__main__":
    main()

"""What generalization costs beyond suppression: processor time a document, growth with the corpus, workers' memory."""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from run_cost import Case, Cost, measure

from spark_deid.corpus.synthesis.generate import is_long, make_document
from spark_deid.corpus.synthesis.pools import make_pools
from spark_deid.plausibility.detector import find_terms

HERE = Path(__file__).resolve().parents[1]
SEED = 14
TERMS = 10
"""Terms that are marked in each note, as evenly as they occur."""
RULES: Mapping[str, Mapping[str, object]] = {
    "suppress": {"rules": {"TERM": "suppress"}},
    "generalize": {"rules": {"TERM": {"technique": "generalize", "t": 64}}},
}
DETECTORS: Mapping[str, Mapping[str, object]] = {
    "marked": {"sources": ["gold"]},
    "words: all": {"ontology": {"words": "all"}, "sources": ["ontology"]},
}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, nargs="+", default=[1000, 20_000, 100_000])
    parser.add_argument("--detectors", choices=tuple(DETECTORS), default="marked")
    parser.add_argument(
        "--inputs", type=Path, required=True, help="a folder for the notes; they are made where missing"
    )
    parser.add_argument("--only-make", action="store_true")
    parser.add_argument("--master", default="local[*]", help="local[1]: a core that no other one takes memory from")
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()))
    options = parser.parse_args(arguments)
    options.inputs.mkdir(parents=True, exist_ok=True)
    corpora = {number: _made(options.inputs, number) for number in options.documents}
    if options.only_make:
        return
    costs: dict[str, dict[int, Cost]] = {}
    for name, rules in RULES.items():
        for number, corpus in corpora.items():
            plan = {**DETECTORS[options.detectors], **rules}
            case = Case(f"{name} {number}", HERE, partial(_command, plan=plan, corpus=corpus, master=options.master))
            costs.setdefault(name, {})[number] = cost = measure(case, options.scratch)
            print(
                f"{case.name}: {cost.cpu:.1f} s CPU, {cost.wall:.1f} s, workers {cost.workers / 2**20:.0f} MiB",
                flush=True,
            )
    _tell(costs)


def _tell(costs: Mapping[str, Mapping[int, Cost]]) -> None:
    """Print what is spent beyond suppression, less what the smallest corpus spends: that is the start."""
    least, *others = sorted(costs["suppress"])
    beyond = {n: costs["generalize"][n].cpu - costs["suppress"][n].cpu for n in (least, *others)}
    for number in others:
        seconds = beyond[number] - beyond[least]
        more = (costs["generalize"][number].workers - costs["suppress"][number].workers) / 2**20
        print(
            f"{number} documents: {1e3 * seconds / (number - least):.3f} ms CPU each beyond suppression, "
            f"{(number - least) / seconds:.0f} documents a second and core, workers {more:+.0f} MiB together"
        )


def _command(folder: Path, *, plan: Mapping[str, object], corpus: Path, master: str) -> list[str]:
    places = {name: str(folder / name) for name in ("workspace", "release")}
    written = {"input": {"path": str(corpus), "format": "jsonl"}, **places, **plan}
    (folder / "plan.yaml").write_text(json.dumps(written))
    return [sys.executable, "-m", "spark_deid.cli", "run", str(folder / "plan.yaml"), "--master", master]


def _made(folder: Path, number: int) -> Path:
    path = folder / f"notes-{number}.jsonl"
    if not path.exists():
        with path.open("w") as stream:
            stream.writelines(f"{json.dumps(row)}\n" for row in _notes(number))
    return path


def _notes(number: int) -> Iterator[dict[str, object]]:
    pools = make_pools(SEED)
    for index in range(number):
        if is_long(SEED, index):  # one in 2,000 would outweigh hundreds of others
            continue
        note = make_document(SEED, index, pools)
        found = find_terms(note.text, source="wordnet", tagger=None)
        found = [span for span in found if span.end - span.start > 3]
        chosen = found[:: max(1, len(found) // TERMS)][:TERMS]
        spans = [{"start": span.start, "end": span.end, "label": "TERM"} for span in chosen]
        yield {"doc_id": f"note-{index}", "text": note.text, "spans": spans}


if __name__ == "__main__":
    main()

"""Count which quasi-identifiers of synthesized notes a model finds and a release shows, and link the release to people.

    python benchmarks/identity_notes.py --output out/identity --documents 1000 4000

Trains a model on notes of one seed, scores it on notes of another, releases those of a third by the identifier view
(`mode: statistical`, `link: subject`, a table of the people) and counts, with separate code: gold mentions by fate,
classes of the view, and how many people of the table agree with all that a person's notes show. Existing results
(model, corpora, releases) are used again.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import yaml

from spark_deid.values.locale import ValueLocale
from spark_deid.values.state import read_state

QUASI = {"AGE": "age", "GENDER": "gender", "ZIP": "zip", "CITY": "city", "STATE": "state", "BIRTHDATE": "birth_date"}
NAMES = {"PATIENT": "name", "MRN": "mrn"}
DICTIONARY = "identity/dictionary"
DETECTORS = ("model/", "patterns/", DICTIONARY)
FATES = ("recoded", "suppressed", "in part", "left")
AREAS = {
    "Northeast": {"New England": "CT MA ME NH RI VT", "Middle Atlantic": "NJ NY PA"},
    "Midwest": {"East North Central": "IL IN MI OH WI", "West North Central": "IA KS MN MO ND NE SD"},
    "South": {
        "South Atlantic": "DC DE FL GA MD NC SC VA WV",
        "East South Central": "AL KY MS TN",
        "West South Central": "AR LA OK TX",
    },
    "West": {"Mountain": "AZ CO ID MT NM NV UT WY", "Pacific": "AK CA HI OR WA"},
}
"""The Census Bureau's regions, divisions and states, written down apart from those of the package."""
Row = dict[str, Any]


def main() -> None:
    given = _options()
    given.output.mkdir(parents=True, exist_ok=True)
    training, held_out = (_corpus(given, f"notes-{seed}", given.labelled, seed) for seed in (1, 2))
    model = given.output / "model"
    if not model.exists():
        options = ["--max-rounds", "1", "--folds", "2", "--iterations", "60", "--output", model]
        _call("train", "--input", training, "--format", "jsonl", *options)
    scores = given.output / "scores.json"
    if not scores.exists():
        _call("evaluate", "--gold", held_out, "--format", "jsonl", "--model", model, "--json", scores)
    _tell_scores(json.loads(scores.read_text())["strict"])
    for documents in given.documents:
        _release(given, model, documents)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, required=True, help="a folder for all that is made")
    parser.add_argument("--documents", type=int, nargs="+", default=[1000], help="notes to release; several: each")
    parser.add_argument("--labelled", type=int, default=300, help="notes to train on, and as many to score")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--l", type=float, default=2)
    parser.add_argument("--patterns", action="store_true", help="find ages by patterns too")
    return parser.parse_args()


def _call(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "spark_deid.cli", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def _corpus(given: argparse.Namespace, name: str, documents: int, seed: int) -> Path:
    place: Path = given.output / name
    if not place.exists():
        people = ["--attributes", "--persons", f"{place}-persons"]
        _call("synthesize", "--documents", documents, "--seed", seed, *people, "--output", place)
    return place


def _release(given: argparse.Namespace, model: Path, documents: int) -> None:
    base = given.output / f"{documents}{'-patterns' if given.patterns else ''}"
    corpus = _corpus(given, f"released-{documents}", documents, 7)
    workspace = base / "workspace"
    if not (base / "release").exists():
        base.mkdir(exist_ok=True)
        plan = base / "plan.yaml"
        plan.write_text(yaml.safe_dump(plan_of(given, corpus, model, base)), encoding="utf-8")
        _call("run", plan, "--json", base / "figures.json")
    print(f"\n## {documents} notes")
    _tell_fates(corpus, workspace)
    _tell_dictionary(corpus, workspace)
    shown = _classes(workspace, given)
    people = rows(Path(f"{corpus}-persons"))
    persons = {row["subject_id"]: {**row, "state": read_state(row["state"], ValueLocale())} for row in people}
    _link(workspace, persons, shown, given.k)


def plan_of(given: argparse.Namespace, corpus: Path, model: Path, base: Path) -> dict[str, Any]:
    patterns = {"patterns": {"kinds": ["age"]}} if getattr(given, "patterns", False) else {}
    return {
        **patterns,
        "input": {"path": str(corpus), "format": "jsonl"},
        "workspace": str(base / "workspace"),
        "release": str(base / "release"),
        "model": str(model),
        "sources": ["model", *patterns, "identity"],
        "rules": dict.fromkeys(QUASI, "recode"),
        "identity": {
            "link": "subject",
            "mode": "statistical",
            "table": {"path": f"{corpus}-persons", "key": "subject_id"},
            "attributes": QUASI | NAMES | {"DIAGNOSIS": "diagnosis"},
            "kinds": {"mrn": "code"},
            "roles": {"identifiers": list(NAMES.values()), "quasi": list(QUASI.values()), "sensitive": ["diagnosis"]},
        },
        "anonymity": {"model": {"k": given.k, "frequency-l": given.l}, "recoding": {"age": "region"}},
    }


def rows(table: Path) -> list[Row]:
    """Read a folder of Parquet, or a Delta table of one commit."""
    log = table / "_delta_log" / "00000000000000000000.json"
    if not log.exists():
        everything: list[Row] = pq.read_table(table).to_pylist()
        return everything
    names = [json.loads(line)["add"]["path"] for line in log.read_text().splitlines() if line.startswith('{"add"')]
    return [row for name in names for row in pq.read_table(table / name).to_pylist()]


def notes(corpus: Path) -> Iterator[Row]:
    for path in sorted(corpus.glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def _tell_scores(strict: Mapping[str, Any]) -> None:
    print("| label | precision | recall | F1 |\n|---|---|---|---|")
    for label, each in [("micro", strict["micro"]), *sorted(strict["labels"].items())]:
        print(f"| {label} | {each['precision']:.3f} | {each['recall']:.3f} | {each['f1']:.3f} |")


def _tell_fates(corpus: Path, workspace: Path) -> None:
    """Count gold mentions by what edits made of them, and mentions that were found and are not wholly edited."""
    edits, found = _by_document(rows(workspace / "edits")), _by_document(rows(workspace / "spans"))
    fates: dict[str, Counter[str]] = {label: Counter() for label in QUASI}
    escaped = 0
    for note in notes(corpus):
        doc_id = note["doc_id"]
        for span in note["spans"]:
            if span["label"] in QUASI:
                fates[span["label"]][fate(span, edits[doc_id], note["text"])] += 1
        covered = [row for row in found[doc_id] if not row["source"].startswith("gold")]
        escaped += sum(fate(row, edits[doc_id], note["text"]) in FATES[2:] for row in covered)
    print("| label | " + " | ".join(FATES) + " |\n|---|" + "---|" * len(FATES))
    for label, counted in fates.items():
        print(f"| {label} | " + " | ".join(f"{counted[each]:,}" for each in FATES) + " |")
    print(f"\nfound and not wholly edited: {escaped}")


def _tell_dictionary(corpus: Path, workspace: Path) -> None:
    """Count gold mentions of a person that spans of the model touch, and those that the person's dictionary adds."""
    found = _by_document(rows(workspace / "spans"))
    counts: dict[str, Counter[str]] = {label: Counter() for label in (*NAMES, *QUASI)}
    added = wrong = 0
    for note in notes(corpus):
        spans = found[note["doc_id"]]
        by = {name: [row for row in spans if row["source"].startswith(name)] for name in DETECTORS}
        for gold in note["spans"]:
            if gold["label"] in counts:
                touched = [name for name in DETECTORS if any(_meet(gold, row) for row in by[name])]
                counts[gold["label"]][touched[0] if touched else "nothing"] += 1
        added += len(by[DICTIONARY])
        wrong += sum(not any(_meet(row, gold) for gold in note["spans"]) for row in by[DICTIONARY])
    print("\n| label | mentions | touched by the model | by patterns alone | by the dictionary alone | by none |")
    print("|---|---|---|---|---|---|")
    for label, counted in counts.items():
        told = " | ".join(f"{counted[name]:,}" for name in (*DETECTORS, "nothing"))
        print(f"| {label} | {counted.total():,} | {told} |")
    print(f"\nthe dictionary added {added:,} spans, {wrong:,} of them where no annotation is")


def _meet(one: Row, other: Row) -> bool:
    met: bool = one["start"] < other["end"] and other["start"] < one["end"]
    return met


def _by_document(table: Sequence[Row]) -> Mapping[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in table:
        found[row["doc_id"]].append(row)
    return found


def fate(mention: Row, edits: Sequence[Row], text: str) -> str:
    """Return the text that edits of its document made from a mention; spaces and marks between edits are nothing."""
    near = [edit for edit in edits if edit["start"] < mention["end"] and mention["start"] < edit["end"]]
    places = {place for place in range(mention["start"], mention["end"]) if text[place].isalnum()}
    left = places - {place for edit in near for place in range(edit["start"], edit["end"])}
    if not near:
        return "left"
    if left:
        return "in part"
    return "recoded" if any(edit["technique"] == "recode" for edit in near) else "suppressed"


def _classes(workspace: Path, given: argparse.Namespace) -> Mapping[str, Row]:
    """Recount classes from the view; return what is shown of people."""
    shown: dict[str, Row] = defaultdict(dict)
    held: dict[str, set[str]] = defaultdict(set)
    for row in rows(workspace / "identifiers"):
        if row["attribute"] == "diagnosis":
            held[row["subject_id"]].add(row["value"])
        elif row["attribute"] in QUASI.values():
            shown[row["subject_id"]][row["attribute"]] = row["generalized"]
    classes: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for person, values in shown.items():
        classes[tuple(values.get(name) for name in QUASI.values())].append(person)
    sizes = [len(members) for members in classes.values()]
    most = max(
        count / len(members)
        for members in classes.values()
        for count in Counter(value for person in members for value in held[person]).values()
    )
    print(
        f"{len(shown)} persons in {len(classes)} classes of {min(sizes)} to {max(sizes)}; the most frequent diagnosis"
    )
    print(f"of a class is held by at most {most:.3f} of it (asked: k = {given.k}, {1 / given.l:.3f})")
    return shown


def _link(workspace: Path, persons: Mapping[str, Row], known: Mapping[str, Row], k: int) -> None:
    """Return the number of people of the table who agree with all that a person's notes show."""
    owner = {row["doc_id"]: row["subject_id"] for row in rows(workspace / "documents")}
    labels = {
        (row["doc_id"], row["start"], row["end"], row["label"])
        for row in rows(workspace / "spans")
        if row["label"] in QUASI and not row["source"].startswith("gold")
    }
    at: dict[tuple[str, int, int], set[str]] = defaultdict(set)
    for doc_id, start, end, label in labels:
        at[doc_id, start, end].add(QUASI[label])
    told: dict[str, set[tuple[str, str]]] = defaultdict(set)
    unknown = 0
    for edit in rows(workspace / "edits"):
        if edit["technique"] != "recode":
            continue
        names = at[edit["doc_id"], edit["start"], edit["end"]]
        unknown += not names
        for name in names:
            told[owner[edit["doc_id"]]].add((name, edit["replacement"]))
    agreeing = {}
    strange = 0
    for person, values in told.items():
        agree = {other for other, row in persons.items() if all(agrees(text, row[name]) for name, text in values)}
        agreeing[person] = len(agree)
        strange += person not in agree
    print(f"{len(known)} persons have notes, {len(told)} show a value; of these the fewest persons of the table agree:")
    fewest = min(agreeing.values(), default=0)
    short = sum(number < k for number in agreeing.values())
    print(
        f"{fewest}; fewer than {k}: {short}; not among those who agree: {strange}; edits of no known label: {unknown}"
    )


def agrees(replacement: str, value: object) -> bool:
    """Return whether a text that shows a replacement may be of a person with a value."""
    inside = re.search(r"[\[{](.*)[\]}]", replacement)
    if inside is None:
        return False
    own, told = _plain(value), inside[1]
    if dates := re.fullmatch(r"(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)", told):
        return dates[1] <= own <= dates[2]
    if numbers := re.fullmatch(r"(\d+)-(\d+)", told):
        return int(numbers[1]) <= int(own) <= int(numbers[2])
    return own in told.split(", ") or told in ("United States", *_ABOVE.get(own, ()))


_ABOVE = {
    state: (area, division)
    for area, divisions in AREAS.items()
    for division, states in divisions.items()
    for state in states.split()
}


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


if __name__ == "__main__":
    main()

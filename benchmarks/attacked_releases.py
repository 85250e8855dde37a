"""Attack what `releases_to_attack.py` released, and count k, l and m from the files that are there, by people.

Nothing of the package is imported: labels are read as they occur.
"""

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

GENDERED = re.compile(
    r"\b(sir|ma'am|man|woman|he|she|his|her|him|mrs?|ms|mother|father|wait(er|ress)|lady|gentleman|(fe)?male)\b", re.I
)
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
TARGETS = 600


def table(folder: Path) -> pd.DataFrame:
    """Read the files of a table that its log names."""
    log = folder / "_delta_log" / f"{0:020}.json"
    actions = map(json.loads, log.read_text().splitlines())
    files = [action["add"]["path"] for action in actions if "add" in action]
    return pd.concat([pq.read_table(folder / file).to_pandas() for file in files], ignore_index=True)


def ends(label: str) -> tuple[str, str]:
    """Return the ends of a range, or a value twice."""
    inner = re.sub(r"^\{missing, |\}$", "", label).strip("[]")
    dots = re.fullmatch(r"(.+)\.\.(.+)", inner) or re.fullmatch(r"(\d+)-(\d+)", inner)
    return (dots[1], dots[2]) if dots else (inner, inner)


def covers(label: str, value: str) -> bool:
    """Return whether a label covers a value: a range, a set, or itself."""
    if label.startswith("{") and not label.startswith("{missing, ["):
        return value in label[1:-1].split(", ")
    low, high = ends(label)
    return low <= value <= high


def end_hits(values: Iterable[str], labels: Iterable[str]) -> int:
    """Count the values that are an end of a range of several that covers them, which a person shows."""
    wide = {label for label in labels if label.startswith("[")}
    at_end = {end for label in wide for end in ends(label)}
    return sum(value in at_end for value in values)


def smallest_class(rows: pd.DataFrame, quasi: list[str], person: str | None = None) -> int:
    """Return how many rows, or people, the smallest class has."""
    grouped = rows.groupby(quasi, dropna=False)
    return int((grouped.size() if person is None else grouped[person].nunique()).min())


def of_one_person(rows: pd.DataFrame, quasi: list[str]) -> tuple[int, int, int]:
    """Count classes, those that are one person, and those in which no two people can have two values, one each."""
    one = fewer = 0
    groups = rows.groupby(quasi, dropna=False)
    for _, group in groups:
        held = group.groupby("person").disease.agg(set)
        one += len(held) == 1
        fewer += not any(len(a | b) > 1 for a, b in _pairs(list(held)))
    return len(groups), one, fewer


def _pairs(held: list[set[str]]) -> Iterator[tuple[set[str], set[str]]]:
    distinct = [*map(set, {frozenset(each) for each in held})]
    if len(held) > len(distinct):
        yield from ((each, each) for each in distinct if held.count(each) > 1)
    yield from ((a, b) for at, a in enumerate(distinct) for b in distinct[at + 1 :])


class PublishedClasses:
    """The classes of a table that numbers them: their values and ids, and what they show of ages and ZIP codes."""

    def __init__(self, rows: pd.DataFrame) -> None:
        grouped = [(key, group) for key, group in rows.groupby(["class", "age", "zip"])]
        self.groups = [(set(group.disease), set(group.person)) for _, group in grouped]
        shown = {"age": [key[1] for key, _ in grouped], "zip": [key[2] for key, _ in grouped]}
        self._ends = {name: np.array([[*map(int, ends(label))] for label in labels]) for name, labels in shown.items()}

    def that_may_hold(self, values: Mapping[str, int]) -> list[tuple[set[str], set[str]]]:
        """Return values and ids of the classes that cover a person."""
        fits = [(own[:, 0] <= values[name]) & (values[name] <= own[:, 1]) for name, own in self._ends.items()]
        return [self.groups[at] for at in np.flatnonzero(np.logical_and.reduce(fits))]


def certain_targets(folder: Path) -> Mapping[str, int]:
    """Count the targets whose disease is certain from three releases: by classes, and by ids that cover them in all."""
    releases = {number: table(folder / f"m-{number}" / "table") for number in (1, 2, 3)}
    present = {number: set(pd.read_csv(folder / f"people-{number}.csv").person) for number in releases}
    people = pd.read_csv(folder / "people.csv", dtype=str).drop_duplicates("person").iloc[:TARGETS]
    classes = {number: PublishedClasses(rows) for number, rows in releases.items()}
    seen_in: dict[str, set[int]] = defaultdict(set)
    held: dict[str, str] = {}
    for number, rows in releases.items():
        held.update(zip(rows.person, rows.disease, strict=True))
        for name in rows.person:
            seen_in[name].add(number)
    by_classes = by_ids = 0
    for row in people.itertuples():
        there = {number for number in classes if row.person in present[number]}
        own = {number: classes[number].that_may_hold({"age": int(row.age), "zip": int(row.zip)}) for number in there}
        told = [set().union(*(values for values, _ in each)) for each in own.values()]
        by_classes += bool(told) and len(set.intersection(*told)) == 1
        named = [set().union(*(ids for _, ids in each)) for each in own.values()]
        followed = [name for name in (set.intersection(*named) if named else ()) if seen_in[name] == there]
        by_ids += len(there) > 1 and len({held[name] for name in followed}) == 1
    several = sum(len(numbers) > 1 for numbers in seen_in.values())
    least = min(len(values) for of_release in classes.values() for values, _ in of_release.groups)
    return {
        "targets": len(people),
        "certain by classes": by_classes,
        "certain by ids too": by_ids,
        "ids in several releases": several,
        "least values of a class": least,
    }


def texts_told(folder: Path, release: Path) -> Mapping[str, int]:
    """Count notes that still show their person's birth date, age or gender, and ends that are birth dates."""
    persons = pd.read_csv(folder / "persons.csv", dtype=str).set_index("person")
    notes = [json.loads(line) for line in (folder / "notes.jsonl").read_text().splitlines()]
    published = dict(table(release / "documents")[["doc_id", "text"]].itertuples(index=False))
    told: Counter[str] = Counter(notes=len(notes))
    shown: set[str] = set()
    for note in notes:
        text, row = published[note["doc_id"]], persons.loc[note["subject_id"]]
        shown.update(re.findall(r"\[\d{4}-\d\d-\d\d\.\.\d{4}-\d\d-\d\d\]", text))
        year, month, day = row.birth_date.split("-")
        rest = re.sub(r"[\[{][^\]}]*[\]}]", "|", text)
        word = MONTHS[int(month) - 1]
        told["birth date in full"] += bool(re.search(rf"{day} {word} {year}|{row.birth_date}", rest, re.I))
        told["day and month"] += bool(re.search(rf"{word} {day}\b", rest, re.I))
        told["age"] += bool(re.search(rf"turned {row.age}\b|\b{row.age} year", rest, re.I))
        is_hidden = re.search(r" year old (?:\[(?:fe)?male\]|\[(?:wo)?man\])", text) is None
        told["gender hidden"] += is_hidden
        told["gender hidden and told"] += is_hidden and bool(GENDERED.search(rest))
        told["doses kept"] += bool(re.search(rf"took {row.age} mg", rest, re.I))
    told["birth dates at ends"] = end_hits(persons.birth_date, shown)
    told["persons"] = len(persons)
    return told


def texts_k(folder: Path, release: Path) -> int:
    """Return the fewest people that may be meant by what any note shows, by ranges only."""
    persons = pd.read_csv(folder / "persons.csv", dtype=str)
    published = table(release / "documents")
    least = len(persons)
    for text in set(published.text.str.extract(r"^(Born .*? of \S+)\. ")[0].dropna()):
        found = re.match(r"Born (\S+), an? (.+?) year old (.+?) of (\S+)$", text)
        if found is None:
            continue
        kept = persons
        for name, label in zip(("birth_date", "age", "sex", "zip"), found.groups(), strict=True):
            if re.fullmatch(r"\[[A-Z]+\]", label):
                continue
            is_range = label[0] == "{" or len(set(ends(label))) > 1
            bare = label if is_range else label.strip("[]")
            kept = kept[[covers(bare, value) for value in kept[name]]]
        least = min(least, len(kept))
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what `releases_to_attack.py` wrote")
    folder: Path = parser.parse_args().folder
    outcomes = json.loads((folder / "outcomes.json").read_text())
    print(json.dumps({"outcomes": outcomes}, indent=1))
    people = pd.read_csv(folder / "people.csv", dtype=str)
    if outcomes["ends"] == "released":
        rows = table(folder / "ends" / "table")
        hits = end_hits(people.birth_date, rows.birth_date), end_hits(people.zip, rows.zip)
        k = smallest_class(rows, ["birth_date", "zip"])
        print("ends: birth dates and ZIP codes at ends, of", len(people), hits, "k =", k)
    if outcomes["dates"] == "released":
        rows = table(folder / "dates" / "table")
        sets = rows.born.str.startswith("{").sum()
        k = smallest_class(rows, ["born", "sex"])
        print("dates: rows that show sets of days", int(sets), "of", len(rows), "k =", k)
    if outcomes["diversity"] == "released":
        rows = table(folder / "diversity" / "table")
        print("diversity: classes, of one person, without two values for two", of_one_person(rows, ["age", "zip"]))
    if outcomes["kept-year"] == "released":
        rows = table(folder / "kept-year" / "table")
        right = sum(covers(label, str(2024 - year)) for label, year in zip(rows.age, rows.birth_year, strict=True))
        print("kept-year: ages that the kept year tells within a year", right, "of", len(rows))
    if outcomes.get("m-3") == "released":
        print("m:", json.dumps(certain_targets(folder)))
    for name in ("texts", "texts-hidden-gender", "texts-metadata", "texts-masked"):
        if outcomes.get(name) == "released":
            print(name, json.dumps(dict(texts_told(folder, folder / name))), "k >=", texts_k(folder, folder / name))


if __name__ == "__main__":
    main()

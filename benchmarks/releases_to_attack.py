"""Release tables and notes of made-up people, as people who take defaults would, for `attacked_releases.py`.

Which package releases is what Python finds (PYTHONPATH), so that versions can be compared. What a release was refused
with is written beside it, in `outcomes.json`.
"""

import argparse
import json
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

DISEASES = ("flu", "cold", "gout", "asthma", "lupus", "mumps", "scurvy", "ulcer")
GIVEN = ("Ann", "Bob", "Mary", "James", "Linda", "Robert", "Susan", "Paul")
TELLING = {
    "female": ("Works as a waitress. ", "A mother of three. ", "Mrs. Orr agreed. ", "She was told so. "),
    "male": ("Works as a waiter. ", "A father of three. ", "Mr. Orr agreed. ", "He was told so. "),
}
"""Phrases that show a gender next to the annotated mention: each note in which it is hidden ends with one, in turn."""
FAMILY = ("Leeds", "Smith", "Johnson", "Ray", "Brown", "Miller", "Fox", "Orr")
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def people(rows: int, seed: int = 5) -> pd.DataFrame:
    """Make rows of people, a fifth of whom have two."""
    random = np.random.default_rng(seed)
    number = rows * 5 // 6
    born = pd.Timestamp("1931-02-03") + pd.to_timedelta(random.integers(0, 25_000, number), unit="D")
    frame = pd.DataFrame({"person": [f"p{at:06}" for at in range(number)], "birth_date": born})
    frame["age"] = (pd.Timestamp("2024-06-01") - frame.birth_date).dt.days // 365
    frame["zip"] = [f"{code:05}" for code in random.integers(10003, 10900, number)]
    frame["sex"] = random.choice(["female", "male"], number)
    frame["name"] = [f"{random.choice(GIVEN)} {random.choice(FAMILY)}" for _ in range(number)]
    frame["email"] = [f"user{at}@example.org" for at in range(number)]
    frame["birth_year"] = frame.birth_date.dt.year
    frame["born"] = frame.birth_date.dt.strftime("%d/%m/%Y")
    frame["birth_date"] = frame.birth_date.dt.strftime("%Y-%m-%d")
    again = frame.iloc[: rows - number]
    both = pd.concat([frame, again], ignore_index=True)
    weights = np.array([0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05])
    both["disease"] = random.choice(DISEASES, len(both), p=weights)
    return both


def notes(number: int, seed: int = 6, *, telling: bool = False) -> tuple[list[dict[str, Any]], pd.DataFrame]:
    """Make notes in which one date of birth, age and gender is annotated, and others are in other forms.

    Where they are ``telling``, each ends with a further sentence that shows the gender.
    """
    random = np.random.default_rng(seed)
    persons = people(6 * number // 20, seed).drop_duplicates("person").head(number * 22 // 100)
    lines = []
    for at in range(number):
        row = persons.iloc[at % len(persons)]
        year, month, day = map(int, row.birth_date.split("-"))
        word, address = ("man", "sir") if row.sex == "male" else ("woman", "ma'am")
        parts: list[tuple[str, str]] = [("Born ", ""), (row.birth_date, "BORN"), (", a ", ""), (str(row.age), "AGE")]
        parts += [(" year old ", ""), (word, "SEX"), (" of ", ""), (row.zip, "ZIP"), (". ", "")]
        further = (
            f"DOB {day:02} {MONTHS[month - 1]} {year}. ",
            f"Turned {row.age} on {MONTHS[month - 1]} {day:02}. ",
            f'"Thank you, {address}." ',
            f"Took {row.age} mg. ",
        )
        parts += [(further[int(which)], "") for which in random.permutation(4)[:3]]
        parts += [(TELLING[row.sex][at % 4], "")] if telling else []
        text, spans = "", []
        for words, label in parts:
            if label:
                spans.append({"start": len(text), "end": len(text) + len(words), "label": label})
            text += words
        meta = {"sheet": f"S{at:05}", "cohort": str(year)}
        lines.append({"doc_id": f"d{at}", "subject_id": row.person, "text": text, "spans": spans, "meta": meta})
    return lines, persons


def main() -> None:
    options = _options()
    folder: Path = options.folder
    folder.mkdir(parents=True)
    frame = people(options.rows)
    table = folder / "people.csv"
    frame.to_csv(table, index=False)
    (folder / "key").write_text("5a" * 32)
    lines, persons = notes(options.notes)
    persons.to_csv(folder / "persons.csv", index=False)
    for name, written in (("notes", lines), ("telling-notes", notes(options.notes, telling=True)[0])):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in written))
    from spark_deid.engine.session import build_session

    # Tables are small: to compile a query takes longer than to carry it out as it is.
    slim = {"spark.sql.shuffle.partitions": "2", "spark.sql.codegen.wholeStage": "false"}
    slim |= {"spark.sql.codegen.factoryMode": "NO_CODEGEN", "spark.ui.enabled": "false"}
    build_session(app_name="attacks", master="local[2]", local_dir=folder / "spark", settings=slim)
    outcomes: dict[str, str] = {}

    def tried(name: str, release: Callable[[], object]) -> None:
        try:
            release()
            outcomes[name] = "released"
        except Exception as error:
            code = getattr(error, "exit_code", None)
            outcomes[name] = f"exit {code}: {str(error)[:200]}" if code else traceback.format_exc()[-400:]
        print(name, outcomes[name], flush=True)
        (folder / "outcomes.json").write_text(json.dumps(outcomes, indent=1))

    for release in (1, 2, 3):
        tried(f"m-{release}", partial(_again, frame, folder, release))
    for name, given in _tables().items():
        tried(name, partial(_anonymize, table, folder / name, given))
    for name, given in _plans().items():
        tried(name, partial(_run, folder, name, given))


def _tables() -> dict[str, Mapping[str, Any]]:
    ages = {"quasi": ("age", "zip"), "model": "k=5"}
    return {
        "diversity": {"quasi": ("age", "zip"), "sensitive": ("disease",), "person": "person", "model": "l=2"},
        "kept-year": {**ages, "keep": ("birth_year",)},
        "ends": {"quasi": ("birth_date", "zip"), "model": "k=5"},
        "kept-names": {**ages, "keep": ("name", "email")},
        "dates": {"quasi": ("born", "sex"), "model": "k=10", "locale": "en_GB"},
    }


def _anonymize(table: Path, output: Path, given: Mapping[str, Any]) -> None:
    from spark_deid import app

    known = {name: value for name, value in given.items() if name in app.AnonymizeOptions.model_fields}
    app.anonymize(app.AnonymizeOptions(input=str(table), output=str(output), **known))


def _again(frame: pd.DataFrame, folder: Path, release: int) -> None:
    """Release people again: some leave and come back, others come or go for good, values remain."""
    from spark_deid import app

    once = frame.drop_duplicates("person").reset_index(drop=True)
    away = {1: once.index % 6 == 5, 2: once.index % 3 == 0, 3: once.index % 6 == 1}[release]
    table = folder / f"people-{release}.csv"
    once[~away].to_csv(table, index=False)
    given: dict[str, Any] = {"key_file": folder / "key", "workspace": str(folder / f"w{release}")}
    if release > 1:
        by_workspace = "keep_identifying" in app.AnonymizeOptions.model_fields
        before = f"w{release - 1}" if by_workspace else f"m-{release - 1}/table"
        given["previous"] = str(folder / before)
    asked = {"quasi": ("age", "zip"), "sensitive": ("disease",), "person": "person", "model": "m=2"}
    app.anonymize(app.AnonymizeOptions(input=str(table), output=str(folder / f"m-{release}"), **asked, **given))


def _plans() -> dict[str, Mapping[str, Any]]:
    identity = {
        "attributes": {"BORN": "birth_date", "AGE": "age", "SEX": "gender", "ZIP": "zip"},
        "roles": {"quasi": ["birth_date", "age", "gender", "zip"]},
    }
    rules: dict[str, Any] = dict.fromkeys(("BORN", "AGE", "SEX", "ZIP"), "recode")
    plan = {"sources": ["gold", "identity"], "identity": identity, "anonymity": {"model": {"k": 20}}}
    roles = {"quasi": ["birth_date", "age", "zip"], "identifiers": ["gender"]}
    hidden = {**plan, "identity": identity | {"roles": roles}, "rules": {**rules, "SEX": "suppress"}}
    return {
        "texts": {**plan, "rules": rules},
        "texts-hidden-gender": {**hidden, "input": "telling-notes.jsonl"},
        "texts-metadata": {**plan, "rules": rules, "metadata": ["sheet", "cohort"]},
        "texts-masked": {**plan, "rules": rules | {"SEX": {"technique": "mask", "per": "character"}}},
    }


def _run(folder: Path, name: str, methods: Mapping[str, Any]) -> None:
    from spark_deid.app.releasing import run_plan
    from spark_deid.plan.load import check_plan

    given = {"input": "notes.jsonl", **methods}
    source = {"path": str(folder / given["input"]), "format": "jsonl"}
    places = {"workspace": str(folder / f"{name}-workspace"), "release": str(folder / name)}
    run_plan(check_plan({**given, **places, "input": source}, "plan"))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a new folder")
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--notes", type=int, default=2_000)
    return parser.parse_args()


if __name__ == "__main__":
    main()

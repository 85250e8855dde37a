"""The table algorithm: rows that k share remain, in a table and in what texts state about people."""

import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from spark_deid_wards.shared_rows import least_size

import spark_deid as sd
from spark_deid.extending import AnonymizeOptions, GateRefused, UsageError, anonymize

PEOPLE = [*[("71", "Boston")] * 3, *[("39", "Miami")] * 4, ("20", "Leeds"), ("20", "Leeds"), ("55", "Rome")]


def notes(folder: Path, people: list[tuple[str, str]]) -> Path:
    lines = []
    for number, (age, city) in enumerate(people):
        text, spans = "", []
        for part, label in (("Seen: a ", ""), (age, "AGE"), (" year old from ", ""), (city, "CITY"), (".", "")):
            if label:
                spans.append({"start": len(text), "end": len(text) + len(part), "label": label})
            text += part
        lines.append(json.dumps({"doc_id": f"d{number}", "subject_id": f"p{number}", "text": text, "spans": spans}))
    (folder / "notes.jsonl").write_text("\n".join(lines))
    return folder / "notes.jsonl"


def plan(folder: Path, people: list[tuple[str, str]]) -> sd.Plan:
    return sd.Plan(
        input={"path": str(notes(folder, people)), "format": "jsonl"},
        workspace=str(folder / "w"),
        release=str(folder / "r"),
        sources=["gold", "identity"],
        rules={"AGE": "recode", "CITY": "recode"},
        identity={"attributes": {"AGE": "age", "CITY": "city"}, "roles": {"quasi": ["age", "city"]}},
        anonymity={"algorithm": "shared-rows", "model": {"k": 3}},
    )


def texts(release: Path) -> Counter[str]:
    return Counter(pa.concat_tables(map(pq.read_table, (release / "documents").glob("*.parquet")))["text"].to_pylist())


def test_texts_say_of_persons_what_k_share(tmp_path: Path) -> None:
    plan(tmp_path, PEOPLE).run()
    said = texts(tmp_path / "r")
    assert sorted(said.values()) == [3, 3, 4]
    assert {text for text, number in said.items() if "[AGE]" in text and "[CITY]" in text and number == 3}
    assert not any(name in text for text in said for name in ("Leeds", "Rome", "20", "55"))
    assert any("Boston" in text and "71" in text for text in said)
    manifest = json.loads((tmp_path / "r" / "manifest.json").read_text())
    [recounted] = [each for each in manifest["assessments"] if each["guarantee"] == "k-anonymous-persons"]
    assert recounted["satisfied"]


def test_a_table_has_the_rows_that_k_share(tmp_path: Path) -> None:
    people, output = tmp_path / "people.csv", tmp_path / "out"
    people.write_text("age,city\n" + "".join(f"{age},{city}\n" for age, city in PEOPLE))
    asked = {"quasi": ("age", "city"), "algorithm": "shared-rows"}
    anonymize(AnonymizeOptions(input=str(people), output=str(output), model="k=3", **asked))
    rows = Counter(
        (str(row["age"]), row["city"])
        for part in (output / "table").glob("*.parquet")
        for row in pq.read_table(part).to_pylist()
    )
    assert rows == {("71", "Boston"): 3, ("39", "Miami"): 4}
    with pytest.raises(GateRefused, match="no row is shared by 5"):
        anonymize(AnonymizeOptions(input=str(people), output=str(tmp_path / "none"), model="k=5", **asked))


def test_who_shows_nothing_is_not_alone() -> None:
    assert least_size(Counter({4: 1, 3: 1, 1: 1}), 3) == 4
    assert least_size(Counter({4: 1, 3: 1}), 3) == 3
    with pytest.raises(GateRefused):
        least_size(Counter({4: 1, 1: 1}), 3)


def test_what_it_can_t_keep_to_is_told(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("age,ill,who\n1,a,x\n")
    asked = {"input": str(people), "output": str(tmp_path / "o"), "quasi": ("age",), "algorithm": "shared-rows"}
    with pytest.raises(UsageError, match="keeps to k alone"):
        anonymize(AnonymizeOptions(model="k=2,l=2", sensitive=("ill",), **asked))
    with pytest.raises(UsageError, match="every row for a person"):
        anonymize(AnonymizeOptions(model="k=2", person="who", **asked))

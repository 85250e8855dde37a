"""Link records to people by splink and compare with the truth: pairs of records, precision, recall and F1.

    python benchmarks/linked_persons.py --febrl dataset1.csv.gz dataset2.csv.gz
    python benchmarks/linked_persons.py --notes notes.jsonl

Febrl's records (Christen, 2008) are linked with all attributes and without `soc_sec_id`; `rec_id`, which holds the
truth, names records and is not checked. Notes are those of `spark-deid synthesize --attributes`, linked by the
attributes that their labels show, with MRN and without; `subject_id` is the truth. A document that shows fewer than two
attributes can hardly be linked: pairs of the others are counted for themselves too. So is the recall of who knows
the truth, and links what is equal in two values. The threshold is that of plans.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd
from pyspark.sql import DataFrame, SparkSession

from spark_deid.core.span import Span
from spark_deid.engine.session import session_scope
from spark_deid.identity.mentions import mentions_of
from spark_deid.identity.settings import IdentitySettings, LinkageSettings, RolesSettings
from spark_deid.identity.spark.linking import link_documents

FEBRL = {
    "given_name": "term", "surname": "term", "street_number": "term", "address_1": "term", "address_2": "term",
    "suburb": "city", "postcode": "code", "state": "state", "date_of_birth": "date", "soc_sec_id": "code",
}  # fmt: skip
NOTES = {
    "PATIENT": "patient", "AGE": "age", "BIRTHDATE": "birth_date", "GENDER": "gender", "ZIP": "zip", "CITY": "city",
    "STATE": "state", "OCCUPATION": "occupation", "MRN": "mrn",
}  # fmt: skip
Row = tuple[str, str, str]


def settings_of(
    attributes: Mapping[str, str], kinds: Mapping[str, str], locale: str, threshold: float
) -> IdentitySettings:
    chosen = LinkageSettings(threshold=threshold)
    names = tuple(dict.fromkeys(attributes.values()))
    return IdentitySettings.model_validate(
        {"attributes": attributes, "kinds": kinds, "link": "splink", "linkage": chosen, "locale": locale}
        | {"roles": RolesSettings(identifiers=names[1:], quasi=names[:1])}
    )


def febrl(path: Path, identity: IdentitySettings) -> Iterator[Row]:
    """Yield record, attribute and value; a record's cells are read as mentions are."""
    table = pd.read_csv(path, dtype=str, skipinitialspace=True, keep_default_na=False)
    table.columns = table.columns.str.strip()
    for cells in table.to_dict("records"):
        for label in identity.attributes:
            text = cells[label.lower()].strip()
            yield from told(cells["rec_id"].strip(), text, [Span(0, len(text), label)] if text else [], identity)


def told(doc_id: str, text: str, spans: list[Span], identity: IdentitySettings) -> Iterator[Row]:
    for mention in mentions_of(text, spans, identity.labels, identity.place):
        if mention.value is not None:
            yield doc_id, mention.attribute, mention.value


def notes(paths: Sequence[Path], identity: IdentitySettings) -> tuple[dict[str, str], list[Row]]:
    persons: dict[str, str] = {}
    rows: list[Row] = []
    for path in paths:
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            spans = [Span(each["start"], each["end"], each["label"]) for each in row["spans"]]
            persons[row["doc_id"]] = row["subject_id"]
            rows += told(row["doc_id"], row["text"], spans, identity)
    return persons, rows


def measured(spark: SparkSession, rows: list[Row], persons: Mapping[str, str], identity: IdentitySettings) -> str:
    start = time.perf_counter()
    mentions = spark.createDataFrame(rows, "doc_id string, attribute string, value string").localCheckpoint()
    documents = spark.createDataFrame([(doc_id, None) for doc_id in persons], "doc_id string, subject_id string")
    found = dict(map(tuple, link_documents(documents, mentions, None, identity, kept).collect()))
    seconds = time.perf_counter() - start
    telling = {doc_id for doc_id, n in Counter(doc_id for doc_id, _ in {row[:2] for row in rows}).items() if n > 1}
    some = {doc_id: person for doc_id, person in found.items() if doc_id in telling}
    of_telling = (
        f"; of {len(some)} that tell two attributes: {pairs_told(some, persons)}" if len(some) < len(found) else ""
    )
    return (
        f"{len(found)} records, {len(set(persons.values()))} persons, {len(set(found.values()))} found; "
        f"pairs: {pairs_told(found, persons)}{of_telling}; {seconds:.0f} s; "
        f"equal in two values: {pairs_told(known(rows, persons), persons)}"
    )


def known(rows: Sequence[Row], persons: Mapping[str, str]) -> dict[str, str]:
    """Link documents of one person that are equal in two values; a name's parts are two."""
    cells: dict[str, set[tuple[str, str]]] = {doc_id: set() for doc_id in persons}
    for doc_id, attribute, value in rows:
        parts = value.split(", ", 1) if attribute == "patient" else [value]
        cells[doc_id] |= {(f"{attribute}-{at}", part.split(" ")[0] if at else part) for at, part in enumerate(parts)}
    linked: dict[str, str] = {}
    of_person: dict[str, list[str]] = {}
    for doc_id, person in persons.items():
        of_person.setdefault(person, []).append(doc_id)
    for waiting in of_person.values():
        while waiting:
            cluster = [waiting.pop()]
            for doc_id in cluster:
                linked[doc_id] = cluster[0]
                near = [other for other in waiting if len(cells[doc_id] & cells[other]) > 1]
                cluster += near
                waiting[:] = [other for other in waiting if other not in near]
    return linked


def pairs_told(found: Mapping[str, str], persons: Mapping[str, str]) -> str:
    both, linked, true = (
        sum(n * (n - 1) // 2 for n in Counter(counts).values())
        for counts in (
            ((persons[doc_id], person) for doc_id, person in found.items()),
            found.values(),
            (persons[doc_id] for doc_id in found),
        )
    )
    precision, recall = both / max(linked, 1), both / max(true, 1)
    return f"precision {precision:.4f}, recall {recall:.4f}, F1 {2 * both / max(linked + true, 1):.4f}"


def kept(_: str, rows: DataFrame) -> DataFrame:
    return rows.localCheckpoint()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--febrl", nargs="*", type=Path, default=[])
    parser.add_argument("--notes", nargs="*", type=Path, default=[])
    parser.add_argument("--threshold", type=float, default=LinkageSettings().threshold)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, session_scope(app_name="link", local_dir=Path(scratch)) as spark:
        spark.sparkContext.setLogLevel("ERROR")
        for path in chosen.febrl:
            for without in ((), ("soc_sec_id",)):
                kinds = {name: kind for name, kind in FEBRL.items() if name not in without}
                identity = settings_of({name.upper(): name for name in kinds}, kinds, "en_AU", chosen.threshold)
                rows = list(febrl(path, identity))
                # rec-223-org and rec-223-dup-0 are one person's
                persons = {doc_id: doc_id.split("-")[1] for doc_id, _, _ in rows}
                told_of = f"without {without[0]}" if without else "all attributes"
                print(f"{path.name}, {told_of}: {measured(spark, rows, persons, identity)}", flush=True)
        if chosen.notes:
            for without in ((), ("MRN",)):
                kept_labels = {label: name for label, name in NOTES.items() if label not in without}
                identity = settings_of(kept_labels, {}, "en_US", chosen.threshold)
                persons, rows = notes(chosen.notes, identity)
                told_of = f"without {without[0]}" if without else "all attributes"
                print(f"notes, {told_of}: {measured(spark, rows, persons, identity)}", flush=True)


if __name__ == "__main__":
    main()

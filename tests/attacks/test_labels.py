"""Labels come from annotators: they must not carry text into placeholders, manifests and reports."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.core.span import Span
from spark_deid.corpus.local import read_documents
from spark_deid.detection.registry import DetectorError, own_spans
from spark_deid.plan.load import check_plan
from tests.attacks.runs import run

PLAN = {"input": {"path": "notes", "format": "text"}, "workspace": "w", "release": "r", "patterns": {"kinds": "all"}}


def annotated(*labels: str) -> list[dict[str, object]]:
    spans = [{"start": 0, "end": 3, "label": label} for label in labels]
    return [{"doc_id": "a", "text": "Ann wrote to ann@example.com", "spans": spans}]


def test_other_characters_become_underscores_and_nothing_is_rejected(tmp_path: Path) -> None:
    source = tmp_path / "notes.jsonl"
    given = ("ID.NUM", "Größe-2", "名前", "a\nb", " ", "", "\x00<script>")
    source.write_text("".join(json.dumps(line) + "\n" for line in annotated(*given)))
    reading = read_documents(str(source), "jsonl")
    labels = [span.label for span in reading.documents[0].spans]
    assert labels == ["ID_NUM", "Größe-2", "名前", "a_b", "_", "_", "__script_"]
    assert reading.inventory.relabelled_annotations == 5
    assert not reading.inventory.rejects


@pytest.mark.parametrize("label", ["Ann Lee", "a]b", "", "x\n"])
def test_an_installed_detector_with_other_labels_is_refused(label: str) -> None:
    with pytest.raises(DetectorError, match="expected labels of letters") as refused:
        own_spans("Ann", name="x", find=lambda text: [Span(0, 3, label, None, "x")])
    assert "Ann" not in str(refused.value)


def test_a_plan_names_labels_only() -> None:
    for key, value in (("rules", {"ID.NUM": "mask"}), ("context", {"A B": {}})):
        with pytest.raises(UsageError, match="expected a label of letters, digits, _ and -"):
            check_plan(PLAN | {key: value}, "plan")
    assert check_plan(PLAN | {"rules": {"*": "mask", "ID_NUM": "suppress"}}, "plan")


def test_of_gold_that_is_not_edited_only_labels_of_detectors_leave(spark: SparkSession, tmp_path: Path) -> None:
    lines = annotated("Quincy", "Zimt", "EMAIL")
    done = run(tmp_path, lines, patterns={"kinds": ["email"]})
    assert done.manifest["spans"]["gold"] == {"EMAIL": 1, "(other labels)": 2}
    assert done.manifest["gold_in_clear"] == {"EMAIL": 1, "(other labels)": 2}
    assert sum(done.manifest["gold_in_clear"].values()) == done.manifest["gold_unedited"]
    assert "3 input annotations are still readable" in done.report
    assert "Quincy" not in done.report + json.dumps(done.manifest)
    assert "Quincy" in (done.workspace / "manifest.json").read_text()


def test_gold_that_is_edited_is_reported_by_its_labels(spark: SparkSession, tmp_path: Path) -> None:
    done = run(tmp_path, annotated("PERSON"), patterns={"kinds": ["email"]}, sources=["gold", "patterns"])
    assert done.manifest["spans"]["gold"] == {"PERSON": 1}


def test_errors_are_of_this_package() -> None:
    assert issubclass(DetectorError, SparkDeidError)


TELLING = (
    *("Quincy Zimtmann", "Zimtmann", "zímtmann", "ZIMTMANN", "Zimt", "NAME_Zimtmann", "QuincyZimtmann", "Zimtmann7"),
    *(
        "6175550143",
        "617_555_014_3",
        "PHONE_617_555_014_3",
        "617-555-0143",
        "\U0001d419imtmann",
        "P" * 41,
        "quincy",
        "DrZimtmann",
        "namezimtmann",
        "z-i-m-t-m-a-n-n",
    ),
)
HARMLESS = ("NAME", "ID_NUM", "HOSPITAL", "Größe-2", "名前", "WARD7", "P" * 40, "zimtlabel")


def labelled(labels: tuple[str, ...]) -> list[dict[str, object]]:
    text = "Quincy Zimtmann called 617-555-0143 from Mercy Hospital."
    places = ((0, 6), (7, 15), (23, 35), (41, 55))
    return [
        {"doc_id": str(n), "text": text, "spans": [{"start": s, "end": e, "label": label} for s, e in places]}
        for n, label in enumerate(labels)
    ]


def test_labels_that_show_removed_text_are_numbered_and_the_run_goes_on(spark: SparkSession, tmp_path: Path) -> None:
    done = run(tmp_path, labelled((*TELLING, *HARMLESS)), patterns={"kinds": ["email"]}, sources=["gold", "patterns"])
    shown = done.manifest["spans"]["gold"]
    assert set(HARMLESS) <= set(shown)
    assert set(shown) - set(HARMLESS) == {f"LABEL_{n}" for n in range(1, len(TELLING) + 1)}
    assert done.manifest["hidden_labels"] == len(TELLING)
    texts = [row.text for row in spark.read.format("delta").load(str(done.release / "documents")).collect()]
    said = "".join([*texts, json.dumps(done.manifest, ensure_ascii=False), done.report])
    assert not [label for label in (*TELLING[:8], *TELLING[13:]) if label.replace(" ", "_") in said]
    workspace = json.loads((done.workspace / "manifest.json").read_text())
    assert set(workspace["labels_hidden"].values()) == {label.replace(" ", "_") for label in TELLING}
    assert any("18 labels are not valid or contain removed text" in warning for warning in workspace["warnings"])


def test_a_label_that_the_plan_names_is_shown(spark: SparkSession, tmp_path: Path) -> None:
    plan: dict[str, Any] = {"patterns": {"kinds": ["email"]}, "sources": ["gold", "patterns"]}
    done = run(tmp_path, labelled(("Zimtmann", "Quincy")), **plan, rules={"Zimtmann": "suppress"})
    assert done.manifest["spans"]["gold"] == {"Zimtmann": 4, "LABEL_1": 4}


def test_numbers_in_use_are_passed_over(spark: SparkSession, tmp_path: Path) -> None:
    done = run(tmp_path, labelled(("LABEL_1", "Quincy")), patterns={"kinds": ["email"]}, sources=["gold", "patterns"])
    assert done.manifest["spans"]["gold"] == {"LABEL_1": 4, "LABEL_2": 4}


@pytest.mark.thorough
def test_labels_are_hidden_before_rare_text_is_looked_for(spark: SparkSession, tmp_path: Path) -> None:
    done = run(
        tmp_path, labelled(("Quincy", "NAME")), repeats={"k": 2, "unit": "document"}, sources=["gold", "repeats"]
    )
    assert {"LABEL_1", "NAME"} == set(done.manifest["spans"]["gold"])
    assert "Quincy" not in json.dumps(done.manifest) + done.report

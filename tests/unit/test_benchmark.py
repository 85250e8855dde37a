import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def benchmarks_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    for name in ("end_to_end", "inference", "memory"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_corpus_is_measured_by_its_text_only(tmp_path: Path) -> None:
    from end_to_end import Size, measure_corpus

    lines = [json.dumps({"doc_id": str(n), "text": "añb c-d", "spans": []}) for n in range(3)]
    (tmp_path / "part-0.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "_SUCCESS").write_text("")

    assert measure_corpus(tmp_path) == Size(documents=3, text_bytes=24, words=9)


def test_parts_of_a_run_are_distinguished() -> None:
    from memory import part_of

    assert part_of(["python", "run.py"], is_driver=True) == "driver Python"
    assert part_of(["python", "-m", "pyspark.daemon"], is_driver=False) == "Python workers"
    assert part_of(["java", "org.apache.spark.deploy.SparkSubmit"], is_driver=False) == "driver JVM"
    own = "spark_deid.engine.daemon"
    assert part_of(["python", "-m", own], is_driver=False) == "Python workers"
    settings = ["--conf", f"spark.python.daemon.module={own}"]
    assert part_of(["java", "org.apache.spark.deploy.SparkSubmit", *settings], is_driver=False) == "driver JVM"
    assert part_of(["java", "org.apache.spark.deploy.master.Master"], is_driver=False) is None


def test_memory_of_a_child_is_seen() -> None:
    import subprocess

    import psutil
    from memory import INTERVAL, MemorySampler

    command = [sys.executable, "-c", f"import time; kept = bytearray(50 << 20); time.sleep({3 * INTERVAL})"]
    with subprocess.Popen(command) as child, MemorySampler(psutil.Process(), psutil.Process(child.pid)) as sampler:
        child.wait()

    assert sampler.peaks["driver Python"] > 50 << 20


@pytest.mark.parametrize("count", [2, 3, 5])
def test_labels_are_united_or_parted_to_the_number_asked_for(count: int) -> None:
    from inference import relabel

    from spark_deid.core.document import Document
    from spark_deid.core.span import Span

    spans = tuple(Span(3 * n, 3 * n + 1 + n % 2, "ABC"[n % 3]) for n in range(6))
    changed, labels = relabel([Document("a", "x" * 20, spans=spans)], count)

    assert len(labels) == count
    assert {span.label for span in changed[0].spans} == set(labels)
    assert [(s.start, s.end) for s in changed[0].spans] == [(s.start, s.end) for s in spans]


def test_patterns_of_peers_are_counted_by_kind_and_by_what_is_innocent(tmp_path: Path) -> None:
    import pattern_peers as peers

    given = [
        {"full_text": "On 3/4 a@b.c", "spans": [{"start_position": 7, "end_position": 12, "entity_type": "EMAIL"}]}
    ]
    (tmp_path / "a.json").write_text(json.dumps(given))
    (tmp_path / "b.jsonl").write_text(
        json.dumps({"text": "x 3/4", "spans": [{"start": 2, "end": 5, "label": "DATE"}]}) + "\n"
    )
    texts = [*peers.texts_in(tmp_path / "a.json"), *peers.texts_in(tmp_path / "b.jsonl")]
    found = {texts[0].text: [(7, 12, 0.9), (3, 6, 0.1)], texts[1].text: [(1, 4, 0.5)]}
    counted = peers.count(texts, found.__getitem__, [0.0, 0.4])
    assert [each.annotations for each in counted.values()] == [{"email": 1, "date": 1}] * 2
    assert [each.whole for each in counted.values()] == [{"email": 1, "date": 0}] * 2
    assert [each.hidden for each in counted.values()] == [{"email": 5, "date": 2}] * 2
    assert [(each.innocent, each.innocent_hidden) for each in counted.values()] == [(9, 4), (9, 1)]

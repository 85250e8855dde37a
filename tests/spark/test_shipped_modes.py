"""Plans of modes that come with the package, on notes of the bundled sample."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import spark_deid as sd
from spark_deid.plan.load import shipped_plan
from tests.attacks.runs import run

PLACES = ("input", "workspace", "release")


def notes() -> list[dict[str, Any]]:
    with gzip.open(sd.sample_path("meddocan-dev"), "rt", encoding="utf-8") as lines:
        return [json.loads(next(lines)) for _ in range(3)]


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("plan", "shown"), [("limited-data-set", "Provincia: [Sevilla].\n"), ("safe-harbor", "Ingreso: [2017].\n")]
)
def test_a_mode_writes_what_its_recount_lets_through(plan: str, shown: str, tmp_path: Path) -> None:
    content = yaml.safe_load(shipped_plan(plan).read_text(encoding="utf-8"))
    done = run(tmp_path, notes(), **{name: value for name, value in content.items() if name not in PLACES})
    texts = sd.read_corpus(done.release / "documents", "delta").documents
    assert any(shown in row.text for row in texts.collect())

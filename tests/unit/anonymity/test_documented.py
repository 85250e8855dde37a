"""The page of privacy models reveals every model."""

from pathlib import Path

import pytest

from spark_deid.anonymity.models import MODELS

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "privacy-models.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", MODELS.built_in)
def test_every_model_has_a_line(name: str) -> None:
    row = next((line for line in PAGE.splitlines() if f"| `{MODELS.find(name).guarantee}` |" in line), "")
    assert MODELS.find(name).example in row

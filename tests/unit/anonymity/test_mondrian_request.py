from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.claim import PrivacyClaim
from spark_deid.anonymity.models import read_models
from spark_deid.anonymity.recoding_modes import RecodingMode
from spark_deid.core.errors import CorpusError, GateRefused, UsageError
from tests.unit.anonymity.in_memory import recode_table

TABLE_1 = pa.table(
    {
        "zip": [53710, 53712, 53711, 53712],
        "age": [25, 28, 28, 26],
        "gender": ["Male", "Female", "Male", "Female"],
        "disease": ["flu", "cold", "asthma", "flu"],
    }
)


def test_the_papers_table_1() -> None:
    claim = PrivacyClaim(("zip", "age", "gender"), read_models("k=2,l=2"), ("disease",))
    told = recode_table(TABLE_1, claim, recoding={"age": RecodingMode.REGION})
    assert told.labels.to_pydict() == {
        "zip": ["[53710-53711]", "53712", "[53710-53711]", "53712"],
        "age": ["[25-28]"] * 4,
        "gender": ["Male", "Female", "Male", "Female"],
    }
    assert told.classes[0] == told.classes[2] != told.classes[1] == told.classes[3]


@pytest.mark.parametrize("is_relaxed", [False, True])
def test_classes_have_k_people_and_l_values_and_no_person_is_in_two(is_relaxed: bool) -> None:
    random = np.random.default_rng(1)
    n = 3000
    persons = random.integers(0, 900, n)
    table = pa.table(
        {
            "person": persons,
            "age": random.integers(20, 60, n),
            "city": pa.array([None if value == 4 else "abcd"[value] for value in random.integers(0, 5, n)]),
            "disease": pa.array([None if value == 3 else "xyz"[value] for value in random.integers(0, 4, n)]),
        }
    )
    claim = PrivacyClaim(("age", "city"), read_models("k=5,frequency-l=1.5,l=3"), ("disease",), "person")
    told = recode_table(table, claim, is_relaxed=is_relaxed, key=b"k" * 32)
    classes: dict[tuple[object, ...], set[tuple[int, object]]] = defaultdict(set)
    homes = defaultdict(set)
    for shown, person, disease in zip(
        zip(*told.labels.to_pydict().values(), strict=True), persons, table["disease"].to_pylist(), strict=True
    ):
        classes[shown].add((person, disease))
        homes[person].add(shown)
    assert len(classes) > 5
    assert all(len(shown) == 1 for shown in homes.values())
    for held in classes.values():
        members = {person for person, _ in held}
        counts = [sum(other == disease for _, other in held) for disease in {disease for _, disease in held}]
        assert len(members) >= 5
        assert len(counts) >= 3
        assert max(counts) <= len(members) / 1.5


def test_what_no_class_can_satisfy_is_refused() -> None:
    with pytest.raises(GateRefused, match="all 4 together"):
        recode_table(TABLE_1, PrivacyClaim(("zip",), read_models("k=5")))
    with pytest.raises(GateRefused):
        recode_table(TABLE_1, PrivacyClaim(("zip",), read_models("k=2,l=4"), ("disease",)))


def test_rows_without_a_person_and_columns_that_are_not_there_are_named() -> None:
    table = TABLE_1.append_column("person", pa.array(["a", None, "c", "d"]))
    with pytest.raises(CorpusError, match="1 rows have no person"):
        recode_table(table, PrivacyClaim(("zip",), read_models("k=2"), person="person"))
    with pytest.raises(UsageError, match="height"):
        recode_table(TABLE_1, PrivacyClaim(("height",), read_models("k=2")))

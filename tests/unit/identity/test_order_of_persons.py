"""What persons show does not hang on the order they stand in."""

import numpy as np
import pytest

from spark_deid.anonymity.models import read_models
from tests.unit.identity.drawn_views import CITIES, KINDS, drawn, view_of
from tests.unit.identity.in_memory import ViewRecodingSettings, generalize


@pytest.mark.parametrize("algorithm", ["mondrian", "incognito"])
@pytest.mark.parametrize("seed", range(12))
def test_people_in_another_order_show_the_same(seed: int, algorithm: str) -> None:
    rows, held = drawn(seed)
    settings = ViewRecodingSettings(
        read_models("k=2,frequency-l=1.5"), KINDS, {"city": CITIES} if seed % 2 else {}, {}, algorithm
    )
    order = np.random.default_rng(seed).permutation(len(rows))
    places = {int(old): new for new, old in enumerate(order)}
    moved = view_of([rows[old] for old in order], [(places[person], value, at) for person, value, at in held])
    shown = generalize(view_of(rows, held), settings)
    again = generalize(moved, settings)
    for name, column in shown.items():
        assert [column[int(old)].as_py() for old in order] == again[name].to_pylist()

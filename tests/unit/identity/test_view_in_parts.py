"""A view that comes in parts: coded alike however it is divided, and shown by what persons have."""

import pickle
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from spark_deid.anonymity.demands import read_models
from spark_deid.identity.coding import HeldValues, IdentifierView, ViewChunk, code, number
from spark_deid.identity.recoding import ViewRecodingSettings, fit, generalize
from spark_deid.ontology.hierarchy import ValueHierarchy, parse_hierarchy

KINDS = {"age": "age", "city": "term", "birth_date": "date"}
CITIES = parse_hierarchy("nice;South;*\nlyon;North;*\nmetz;North;*\npau;South;*", "city")
NOBODY = (None,) * 8


def view_of(rows: Sequence[tuple[str | None, ...]], held: Sequence[tuple[int, str, int]]) -> IdentifierView:
    columns = {name: pa.array([row[at] for row in rows], pa.string()) for at, name in enumerate(KINDS)}
    sensitive = [[(person, value) for person, value, attribute in held if attribute == at] for at in range(2)]
    return IdentifierView(
        len(rows),
        columns,
        tuple(
            HeldValues(np.array([p for p, _ in each], np.int64), pa.array([v for _, v in each], pa.string()))
            for each in sensitive
        ),
    )


def parts_of(
    rows: Sequence[tuple[str | None, ...]], held: Sequence[tuple[int, str, int]], starts: Sequence[int]
) -> list[ViewChunk]:
    chunks = []
    for first, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        mine = [(person - first, value, at) for person, value, at in held if first <= person < end]
        chunks.append(number(view_of(rows[first:end], mine)))
    return chunks


def drawn(seed: int) -> tuple[list[tuple[str | None, ...]], list[tuple[int, str, int]]]:
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 80))
    ages = [*map(str, random.integers(0, 99, n)), *NOBODY]
    days = [f"19{y}-0{m}-1{m}" for y, m in zip(random.integers(10, 99, n), random.integers(1, 9, n), strict=True)]
    births = [*days, *NOBODY, "1970", "--06-22"]
    cities = ["nice", "lyon", "metz", "pau", None]
    rows: list[tuple[str | None, ...]] = [
        tuple(str_of(random, each) for each in (ages, cities, births)) for _ in range(n)
    ]
    triples = zip(random.integers(0, n, n), random.choice(list("uvwxyz"), n), random.integers(0, 2, n), strict=True)
    return rows, sorted({(int(person), str(value), int(at)) for person, value, at in triples})


def str_of(random: np.random.Generator, values: Sequence[str | None]) -> str | None:
    return values[int(random.integers(len(values)))]


def how(models: str, hierarchies: dict[str, ValueHierarchy]) -> ViewRecodingSettings:
    return ViewRecodingSettings(read_models(models), KINDS, hierarchies, {})


@pytest.mark.parametrize("algorithm", ["mondrian", "incognito"])
@pytest.mark.parametrize("seed", range(12))
def test_parts_show_what_the_whole_shows(seed: int, algorithm: str) -> None:
    rows, held = drawn(seed)
    random = np.random.default_rng(seed)
    asked = replace(how("k=2,frequency-l=1.5", {"city": CITIES} if seed % 2 else {}), algorithm=algorithm)
    whole = view_of(rows, held)
    starts = sorted({0, *random.integers(0, len(rows), 6).tolist()})
    fitted = pickle.loads(pickle.dumps(fit(parts_of(rows, held, starts), asked)))
    assert fitted(whole.quasi) == generalize(whole, asked)
    order = random.permutation(len(rows))
    places = {int(old): new for new, old in enumerate(order)}
    moved = view_of([rows[old] for old in order], [(places[person], value, at) for person, value, at in held])
    assert fit([number(moved)], asked)(whole.quasi) == generalize(whole, asked)


@pytest.mark.parametrize("seed", range(10))
def test_codes_stand_for_what_persons_have_and_hold(seed: int) -> None:
    rows, held = drawn(seed)
    coded = code(parts_of(rows, held, [0, len(rows) // 2] if len(rows) > 1 else [0]), KINDS, {})
    texts = {each.name: [None, *each.texts()] for each in coded.attributes}
    for at, name in enumerate(KINDS):
        whole = [row[at] if name != "birth_date" or len(row[at] or "") == len("1970-01-01") else None for row in rows]
        if name not in texts:
            assert {*whole} <= {None}
            continue
        column = [each.name for each in coded.attributes].index(name)
        assert [texts[name][place] for place in coded.codes[:, column].tolist()] == whole
    bounds = np.cumsum([0, *map(len, coded.holders)])
    found = [
        (person, int(np.searchsorted(bounds, value, side="right")) - 1)
        for person in range(len(rows))
        for value in coded.held[coded.offsets[person] : coded.offsets[person + 1]].tolist()
    ]
    assert sorted(found) == sorted((person, at) for person, _, at in held)
    together = [[value for _, value, own in held if own == at] for at in range(2)]
    for at, counts in enumerate(coded.holders):
        assert sorted(counts.tolist()) == sorted(together[at].count(value) for value in {*together[at]})
    assert len(
        {*zip(coded.held.tolist(), np.repeat(np.arange(len(rows)), np.diff(coded.offsets)), strict=True)}
    ) == len(held)


def test_numbers_of_persons_are_as_narrow_as_values_are_few() -> None:
    ages = pa.array([str(n % 90) for n in range(40_000)])
    codes = pa.array([f"{n:05d}" for n in range(40_000)])
    chunk = number(IdentifierView(40_000, {"age": ages, "zip": codes}))
    assert [each.places.dtype.name for each in chunk.quasi.values()] == ["int8", "int32"]


@pytest.mark.parametrize("n", [127, 128, 200, 32_768])
def test_who_holds_many_values_holds_all(n: int) -> None:
    held = HeldValues(np.array([1] * n + [0]), pa.array([*map(str, range(n)), "0"]))
    coded = code([number(IdentifierView(2, {"age": pa.array(["1", "2"])}, (held,)))], KINDS, {})
    assert coded.offsets.tolist() == [0, 1, n + 1]
    assert coded.holders[0].sum() == n + 1


def test_nobody_is_a_view_without_codes() -> None:
    assert code([], KINDS, {}).persons == 0
    assert fit([], how("k=2", {}))({"age": pa.array([], pa.string())})["age"].to_pylist() == []


def test_who_has_a_value_that_was_not_there_shows_nothing_of_it() -> None:
    fitted = fit([number(IdentifierView(4, {"age": pa.array(["1", "2", "8", "9"])}))], how("k=2", {}))
    assert fitted({"age": pa.array(["2", "30"])})["age"].to_pylist() == ["[0-4]", None]

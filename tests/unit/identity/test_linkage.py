"""Linkage without Spark: what is compared, what training finds, and who is one person where links contradict keys."""

from itertools import combinations, pairwise
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from spark_deid.core.errors import UsageError
from spark_deid.identity import linkage
from spark_deid.identity.linkage import (
    RecordColumn,
    bound_probability,
    check_installed,
    columns_of,
    estimate_linkage,
    resolve_conflicts,
    sort_by_distinctness,
)
from spark_deid.plan.load import check_methods
from tests.unit.identity.test_settings import PLAN

NEAR = {("aaaa", "aabb"), ("aabb", "bbbb"), ("bbbb", "bbcc")}
"""Of the values that are drawn those that are two letters apart."""


def apart(one: set[str], other: set[str], link: tuple[str, str, float], told: dict[str, dict[str, str]]) -> bool:
    """Return whether all values of two clusters differ in a column that not both records of a link have."""
    for column in "xy":
        left, right = ({told[r][column] for r in each if column in told.get(r, {})} for each in (one, other))
        near = any(a == b or tuple(sorted((a, b))) in NEAR for a in left for b in right)
        if left and right and not near and not all(column in told.get(record, {}) for record in link[:2]):
            return True
    return False


def obvious(
    links: list[tuple[str, str, float]], known: dict[str, str], told: dict[str, dict[str, str]]
) -> set[frozenset[str]]:
    """Merge sets of records, all pairs checked, link by link."""
    records = {each for a, b, _ in links for each in (a, b)} | {*known}
    clusters = [{record} for record in sorted(records)]
    clusters = [each for each in clusters if not each & {*known}]
    clusters += [{record for record, key in known.items() if key == one} for one in sorted({*known.values()})]
    for link in sorted(links, key=lambda link: (-link[2], min(link[:2]), max(link[:2]))):
        one = next(each for each in clusters if link[0] in each)
        other = next(each for each in clusters if link[1] in each)
        if one is other or len({known[record] for record in one | other if record in known}) > 1:
            continue
        if not apart(one, other, link, told):
            clusters.remove(other)
            one |= other
    return set(map(frozenset, clusters))


@pytest.mark.parametrize("seed", range(60))
def test_clusters_are_those_of_merging_sets(seed: int) -> None:
    random = Random(seed)
    records = [f"r{number}" for number in range(random.randint(2, 14))]
    links = [(a, b, random.choice([0.95, 0.96, 0.99])) for a, b in combinations(records, 2) if random.random() < 0.3]
    known = {record: random.choice("xyz") for record in records if random.random() < 0.3}
    told = {
        record: {column: random.choice(("aaaa", "aabb", "bbbb", "bbcc")) for column in "xy" if random.random() < 0.4}
        for record in records
        if seed % 2
    }
    found = resolve_conflicts(random.sample(links, len(links)), known, told)
    clusters = {frozenset(r for r in found if found[r] == name) for name in set(found.values())}
    told = {record: values for record, values in told.items() if record in found}
    assert clusters == obvious(links, known, told)
    assert all(name == min(r for r in found if found[r] == name) for name in found.values())
    assert all(len({known[r] for r in each if r in known}) < 2 for each in clusters)


def test_the_likelier_of_two_keys_wins() -> None:
    links = [("a", "m", 0.96), ("m", "z", 0.99), ("m", "n", 0.95)]
    assert resolve_conflicts(links, {"a": "Ann", "z": "Zoe"}) == {"a": "a", "m": "m", "n": "m", "z": "m"}


def test_a_name_only_joins_no_two_people_together() -> None:
    links = [("Lee", "Lee 1961", 0.97), ("Lee", "Lee 1987", 0.96)]
    told = {"Lee 1961": {"born": "1961-05-04"}, "Lee 1987": {"born": "1987-12-30"}}
    assert resolve_conflicts(links, {}, told) == {"Lee": "Lee", "Lee 1961": "Lee", "Lee 1987": "Lee 1987"}
    likely = [*links, ("Lee 1961", "Lee 1987", 0.99)]  # as where a date was misread, and all else agrees
    assert set(resolve_conflicts(likely, {}, told).values()) == {"Lee"}


def test_a_long_chain_needs_no_deep_stack() -> None:
    records = [f"{number:05d}" for number in range(5000)]
    links = [(a, b, 0.99) for a, b in pairwise(records)]
    assert set(resolve_conflicts(links[::-1], {}).values()) == {"00000"}


def test_what_another_attribute_determines_is_not_compared_too() -> None:
    kinds = {"age": "age", "born": "date", "home": "state", "town": "city", "sex": "gender"}
    assert [each.attribute for each in columns_of(kinds)] == ["born", "town", "sex"]
    assert [each.attribute for each in columns_of({"age": "age", "home": "state"})] == ["age", "home"]


def test_the_most_disclosing_columns_are_first() -> None:
    columns = [RecordColumn(name, "term") for name in "abc"]
    assert sort_by_distinctness({"v_a": 0.3, "v_c": 0.01}, columns) == [columns[2], columns[0]]


def test_probabilities_remain_between_bounds() -> None:
    assert bound_probability(0.0) > 0
    assert bound_probability(7.0) < 1


def test_training_finds_what_agreement_shows(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("splink")
    random = Random(1)
    rows = []
    for person in range(300):
        name, born, sex = (
            f"name{random.randrange(90):02d}",
            f"19{person % 80:02d}-0{person % 9 + 1}-1{person % 7}",
            "fm"[person % 2],
        )
        for copy in range(2):
            spelled = name if random.random() < 0.8 else name[:-1] + "x"
            rows.append({"record": f"{person}-{copy}", "v_name": spelled, "v_born": born, "v_sex": sex})
    table = pa.Table.from_pylist(rows)
    columns = (RecordColumn("name", "term"), RecordColumn("born", "date"), RecordColumn("sex", "gender"))
    trained = estimate_linkage(columns, columns[:2], table, table, 1 / 600)
    again = estimate_linkage(columns, columns[:2], table.take(list(range(len(rows)))[::-1]), table, 1 / 600)
    assert trained.single(columns) == columns[1:2]
    names, sexes = trained.levels["v_name"], trained.levels["v_sex"]
    assert names[0]["m_probability"] == pytest.approx(0.64, abs=0.1)
    assert names[0]["u_probability"] == pytest.approx(1 / 90, abs=0.01)
    assert sexes[0]["m_probability"] > 0.95
    assert sexes[0]["u_probability"] == pytest.approx(0.5, abs=0.05)
    assert again == trained
    assert (caplog.text, *capfd.readouterr()) == ("", "", "")


def linked(**more: Any) -> dict[str, Any]:
    return PLAN | {"identity": PLAN["identity"] | {"link": "splink"} | more}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (linked(linkage={"attributes": ["phone"]}), "linkage.attributes: phone: expected one of the attributes"),
        (linked(linkage={"attributes": ["gender"]}), "link: splink compares at least two attributes"),
        (linked(linkage={"threshold": 1.5}), "threshold"),
        (linked(link="subject", linkage={"threshold": 0.9}), "linkage: has no effect without link: splink"),
    ],
    ids=["unknown", "one", "threshold", "subject"],
)
def test_linkage_that_does_not_fit_is_reported(content: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        check_methods(content, "plan")
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("link", "persons", "words"),
    [
        ("document", "documents", "Each document counts as one person"),
        ("subject", "named", "A document without a subject_id counts as one person"),
        ("splink", "inferred", "People are inferred"),
    ],
)
def test_whence_people_are_known_and_what_that_means_for_k_is_stated(link: str, persons: str, words: str) -> None:
    plan = check_methods(PLAN | {"identity": PLAN["identity"] | {"link": link}}, "plan")
    guarantee, keys = plan.demands["k_anonymous_persons"], plan.sections["identity"]
    from spark_deid.identity.detector import KIND
    from spark_deid.identity.guarantee import KIND as GUARANTEE

    described, public = GUARANTEE.describe(guarantee), KIND.public(keys)["identity"]
    assert words in described
    assert "k is overstated" in described
    assert public["persons"] == persons
    assert described.endswith(public["caution"])


def test_where_splink_is_missing_it_is_stated_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linkage, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'spark-deid\[linkage\]'"):
        check_installed()

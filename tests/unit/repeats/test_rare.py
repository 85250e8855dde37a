import numpy as np
import pytest

from spark_deid.core.errors import UsageError
from spark_deid.repeats.rare import find_rare
from spark_deid.repeats.settings import CountedText, CountingUnit, CoveringMethod, RaritySettings
from spark_deid.repeats.text import exclude_characters, lay_out, number_units
from tests.unit.repeats import obvious


def kept_pieces(text: str, excluded: list[tuple[int, int]], hidden: list[tuple[int, int]]) -> list[str]:
    """Return what is published between hidden runs and what is excluded."""
    cut = {i for start, end in [*excluded, *hidden] for i in range(start, end)}
    return "".join("\x01" if i in cut else c for i, c in enumerate(text)).split("\x01")


def rare_in(texts: list[str], rarity: RaritySettings) -> list[list[tuple[int, int]]]:
    runs = find_rare(lay_out(texts), rarity).runs
    return [runs.of(i) for i in range(len(texts))]


def test_the_example_of_the_definition() -> None:
    assert rare_in(["abracadabra"], RaritySettings(k=2, min_length=1, unit=CountingUnit.OCCURRENCE)) == [
        [(4, 5), (6, 7)]
    ]


@pytest.mark.parametrize("unit", list(CountingUnit))
@pytest.mark.parametrize("counted", list(CountedText))
def test_every_kept_substring_is_in_k_units(unit: CountingUnit, counted: CountedText) -> None:
    random = np.random.default_rng(11)
    for _ in range(250):
        texts, excluded, owners = obvious.random_corpus(random)
        owners = owners if unit is CountingUnit.SUBJECT else list(range(len(texts)))
        rarity = RaritySettings(
            k=int(random.integers(2, 5)),
            min_length=int(random.integers(1, 4)),
            unit=unit,
            covering=list(CoveringMethod)[random.integers(2)],
            cap=int(random.choice([5, 255])),
            counted=counted,
            whole_tokens=float(random.choice([0.2, 1.0])),
        )
        text = lay_out(texts, owners)
        exclude_characters(text, enumerate(excluded))
        runs = find_rare(text, rarity).runs
        gone = excluded if counted is CountedText.ORIGINAL else [[*excluded[i], *runs.of(i)] for i in range(len(texts))]
        counts = obvious.count_substrings(texts, gone, owners, unit)
        for number, original in enumerate(texts):
            for piece in kept_pieces(original, excluded[number], runs.of(number)):
                assert not piece or counts[piece] >= rarity.k, (texts, excluded, owners, rarity)


def test_a_run_never_crosses_what_is_excluded_and_what_is_excluded_is_no_evidence() -> None:
    text = lay_out(["the [NAME] came", "the [NAME] came"])
    exclude_characters(text, [(0, [(4, 10)])])
    runs = find_rare(text, RaritySettings(k=2, min_length=1)).runs
    assert runs.of(0) == []
    assert runs.of(1) == [(4, 10)]


def test_a_star_of_the_input_is_hidden_however_often_it_occurs() -> None:
    assert rare_in(["ab★ab", "ab★ab"], RaritySettings(k=2, min_length=1)) == [[(2, 3)], [(2, 3)]]


def test_documents_of_one_person_are_no_evidence_for_one_another() -> None:
    units = number_units(["p1", "p1", None, None, "p2"])
    assert units.tolist() == [0, 0, 1, 1, 2]
    text = lay_out(["John Doe", "John Doe", "Mary Roe", "Mary Roe", "Mary Roe"], units)
    runs = find_rare(text, RaritySettings(k=2, min_length=4, unit=CountingUnit.SUBJECT)).runs
    assert [runs.of(i) for i in range(5)] == [[(0, 8)], [(0, 8)], [], [], []]


def test_a_token_mostly_hidden_is_hidden_whole() -> None:
    texts = ["see Quux now", "see Qaax now"]
    assert rare_in(texts, RaritySettings(k=2, min_length=1)) == [[(5, 7)], [(5, 7)]]
    assert rare_in(texts, RaritySettings(k=2, min_length=1, whole_tokens=0.4)) == [[(4, 8)], [(4, 8)]]


def test_what_a_covering_hides_is_no_evidence_where_the_published_text_counts() -> None:
    texts = ["abc1def", "abc2def", "3abcdef4"]
    rarity = RaritySettings(k=3, min_length=3)
    assert rare_in(texts, rarity) == [[(3, 4)], [(3, 4)], [(0, 4), (7, 8)]]
    published = RaritySettings(k=3, min_length=3, counted=CountedText.PUBLISHED)
    assert rare_in(texts, published) == [[(0, 4)], [(0, 4)], [(0, 4), (7, 8)]]


def test_settings_name_every_wrong_value() -> None:
    with pytest.raises(UsageError, match=r"(?s)repeats\.k: expected 2 to 254, got 255.*repeats\.min_length"):
        RaritySettings(k=255, min_length=0)


@pytest.mark.parametrize("unit", list(CountingUnit))
@pytest.mark.parametrize("counted", list(CountedText))
def test_threads_find_the_same(unit: CountingUnit, counted: CountedText) -> None:
    random = np.random.default_rng(5)
    for covering in CoveringMethod:
        for _ in range(20):
            texts, excluded, owners = obvious.random_corpus(random)
            text = lay_out(texts, owners)
            exclude_characters(text, enumerate(excluded))
            rarity = RaritySettings(k=2, min_length=2, unit=unit, covering=covering, counted=counted, whole_tokens=0.5)
            alone, several = find_rare(text, rarity), find_rare(text, rarity, threads=3)
            assert (several.lengths == alone.lengths).all()
            for one, other in zip(several.runs, alone.runs, strict=True):
                assert np.array_equal(np.asarray(one), np.asarray(other))


RANDOM_619, RANDOM_100K = (
    "".join(np.random.default_rng(619).choice(list("abcdefghijklmnopqrstuvwxyz0123456789"), size))
    for size in (619, 10**5)
)


def published(texts: list[str], *, k: int, min_length: int, cap: int) -> list[str]:
    """Return texts as greedy covering publishes them by occurrence, with a star for each hidden character."""
    rarity = RaritySettings(k, min_length, CountingUnit.OCCURRENCE, CoveringMethod.GREEDY, cap)
    hidden = [{i for start, end in runs for i in range(start, end)} for runs in rare_in(texts, rarity)]
    return [
        "".join("*" if i in cut else c for i, c in enumerate(text)) for text, cut in zip(texts, hidden, strict=True)
    ]


@pytest.mark.parametrize(
    ("texts", "min_length", "cap", "expected"),
    [
        (["abracadabra xrac"], 1, 255, ["abra*a*abra**rac"]),
        (["abracadabra xrac"], 2, 255, ["abra***abra**rac"]),
        (["abcabc"], 1, 255, ["abc***"]),
        (["banana"], 1, 255, ["*ana**"]),
        (["abaababa"], 1, 255, ["aba**aba"]),
        (["Ann has flu. Bob has flu."], 5, 255, ["*** has flu.**** has flu."]),
        (["abcdefghijklm"] * 2, 1, 4, ["abcd*fghi*klm"] * 2),
        (["abcdefghijklm"] * 2, 4, 4, ["abcd*fghi****"] * 2),
        (["дом в саду"] * 2, 1, 5, ["до* в *ад*"] * 2),
    ],
)
def test_greedy_covering_keeps_the_longest_repeats_first(
    texts: list[str], min_length: int, cap: int, expected: list[str]
) -> None:
    assert published(texts, k=2, min_length=min_length, cap=cap) == expected


@pytest.mark.parametrize(
    ("texts", "cap", "hidden"),
    [
        ([RANDOM_619] * 2, 255, 4),
        ([RANDOM_619] * 2, 65533, 0),
        ([RANDOM_619 * 2], 65533, 619),
        ([RANDOM_100K] * 2, 255, 780),
        ([RANDOM_100K] * 2, 65533, 2),
    ],
)
def test_a_repeat_longer_than_the_cap_is_kept_in_parts(texts: list[str], cap: int, hidden: int) -> None:
    assert sum(text.count("*") for text in published(texts, k=2, min_length=6, cap=cap)) == hidden


def test_greedy_covering_is_the_obvious_one_for_every_cap() -> None:
    random = np.random.default_rng(1)
    long = 0
    for _ in range(2000):
        texts, excluded, owners = obvious.random_corpus(random, documents=4, longest=24)
        unit = list(CountingUnit)[random.integers(3)]
        owners = owners if unit is CountingUnit.SUBJECT else list(range(len(texts)))
        k, min_length, cap = (int(random.integers(low, high)) for low, high in ((2, 4), (1, 4), (1, 9)))
        min_length = min(min_length, cap)
        text = lay_out(texts, owners)
        exclude_characters(text, enumerate(excluded))
        runs = find_rare(text, RaritySettings(k, min_length, unit, CoveringMethod.GREEDY, cap)).runs
        lengths = obvious.extension_lengths(texts, excluded, owners, unit, k, cap)
        for number, original in enumerate(texts):
            kept = obvious.greedy_covering(original, lengths[number], min_length, cap)
            gone = {i for start, end in excluded[number] for i in range(start, end)}
            expected = {i for i, is_kept in enumerate(kept) if not is_kept} - gone
            found = {i for start, end in runs.of(number) for i in range(start, end)}
            assert found == expected, (original, lengths[number], min_length, cap)
            long += any(length * 2 > cap for length in lengths[number])
    assert long > 500

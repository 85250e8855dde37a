import random

from spark_deid.text.patterns.cues import CueIndex
from spark_deid.text.patterns.scan import TextScan


def test_cues_are_at_the_places_where_a_search_of_each_finds_them() -> None:
    rng = random.Random(4)
    for _ in range(300):
        groups = [tuple("".join(rng.choices("abñ?ı", k=rng.randint(1, 4))) for _ in range(3)) for _ in range(4)]
        text = "".join(rng.choices("abñ?ıçx", k=rng.randint(0, 60)))
        found = CueIndex(groups).places(text)
        for group in groups:
            starts = [n for cue in {*group} for n in range(len(text)) if text.startswith(cue, n)]
            assert found[group] == sorted(starts)


def test_groups_that_are_searched_later_are_found_in_the_same_text() -> None:
    scan = TextScan("On Monday, mon ami")
    assert scan.places_of(("mon",)) == [3, 11]
    assert scan.places_of(("day", "ami")) == [6, 15]
    assert scan.places_as_written(("Mon", "Ami")) == [3]


def test_places_as_written_are_right_if_lowercase_letters_have_another_length() -> None:
    assert TextScan("İİ Mon").places_as_written(("Mon",)) == [3]

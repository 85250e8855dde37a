"""The settings that a comparison of recodings tries."""

import pytest

from spark_deid.anonymity.setting_grid import TableSetting, list_settings
from spark_deid.core.errors import UsageError


def test_each_number_is_tried_by_each_algorithm() -> None:
    assert list_settings("k=5,10", ["mondrian", "incognito"]) == (
        TableSetting("k=5", "mondrian"),
        TableSetting("k=10", "mondrian"),
        TableSetting("k=5", "incognito"),
        TableSetting("k=10", "incognito"),
    )


def test_numbers_of_several_models_are_combined() -> None:
    models = [setting.model for setting in list_settings("k=5,10,l=2,3", ["mondrian"])]
    assert models == ["k=5,l=2", "k=5,l=3", "k=10,l=2", "k=10,l=3"]


def test_numbers_of_several_parts_remain_whole() -> None:
    models = [setting.model for setting in list_settings("recursive-l=3:2,2:2", ["mondrian"], "k=5")]
    assert models == ["recursive-l=3:2,k=5", "recursive-l=2:2,k=5"]


def test_a_setting_that_is_named_twice_is_tried_once() -> None:
    assert len(list_settings("k=5,5,5.0", ["mondrian", "mondrian"])) == 1


@pytest.mark.parametrize(
    ("models", "algorithms", "always", "reason"),
    [
        ("5,10", ["mondrian"], "", "--compare: expected models with their numbers"),
        (" , ", ["mondrian"], "", "--compare: expected models with their numbers"),
        ("k=5,x", ["mondrian"], "", "expected an integer >= 2"),
        ("k=5", ["mondrain"], "", "--algorithm: expected some of .*got mondrain"),
        ("k=5,10", ["mondrian"], "k=3", "listed more than once"),
    ],
)
def test_wrong_settings_are_refused(models: str, algorithms: list[str], always: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        list_settings(models, algorithms, always)

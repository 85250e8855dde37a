from pathlib import Path

import pytest

from spark_deid import app
from spark_deid.core.kinds import LabelRule
from spark_deid.rewriting.mask import MaskSettings


class Opened(Exception):
    """Ends a use case where it would begin to write."""


@pytest.mark.parametrize("output", ["out/common", "out/common/", "out/common//"])
def test_what_repeats_keeps_private_is_next_to_its_output(
    output: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def open_places(*places: str) -> None:
        raise Opened(*places)

    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").touch()
    monkeypatch.setattr("spark_deid.app.releasing.open_places", open_places)
    with pytest.raises(Opened) as caught:
        app.repeats(app.RepeatsOptions(input="in", format="text", output=output))
    assert caught.value.args[:3] == ("in", "out/common.private", output)


def test_repeats_is_a_plan_of_one_detector() -> None:
    options = app.RepeatsOptions(input="in", format="text", output="out/common", mask_length=True, k=7, whole_tokens=0)
    settings = app.repeats_plan(options)
    assert (settings.sections["repeats"].k, settings.sections["repeats"].whole_tokens) == (7, 0)
    assert app.RepeatsOptions(input="in", format="text", output="out").whole_tokens == 1
    assert settings.edited == tuple(settings.sections) == ("repeats",)
    assert settings.workspace == "out/common.private"
    assert settings.rules_by_label["RARE"] == LabelRule("mask", MaskSettings(per="character"))
    assert app.repeats_plan(app.RepeatsOptions(input="in", format="text", output="out")).workspace == "./out.private"
    named = app.RepeatsOptions(input="in", format="text", output="out", workspace="w")
    assert app.repeats_plan(named).workspace == "w"

import pytest

from spark_deid import app


class Opened(Exception):
    """Ends a use case where it would begin to write."""


@pytest.mark.parametrize("output", ["out/common", "out/common/", "out/common//"])
def test_what_repeats_keeps_private_lies_beside_its_output(output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_places(*places: str) -> None:
        raise Opened(*places)

    monkeypatch.setattr("spark_deid.release.workspace.open_places", open_places)
    with pytest.raises(Opened) as caught:
        app.repeats("in", "text", output, options={}, progress=print)
    assert caught.value.args[:3] == ("in", "out/common.private", output)

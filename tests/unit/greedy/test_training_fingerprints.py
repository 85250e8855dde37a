from pathlib import Path

import pytest

from spark_deid.core.errors import ModelError
from spark_deid.greedy.training_fingerprints import SEEN, fingerprint_of, read_seen, write_seen

KEY = b"k" * 32


def test_texts_are_known_again_under_the_key_only(tmp_path: Path) -> None:
    write_seen(tmp_path, ["I am Ann.", "I am Bo.", "I am Ann."], KEY)
    seen = read_seen(tmp_path)
    assert len(seen) == 2
    assert fingerprint_of("I am Ann.", KEY) in seen
    assert fingerprint_of("I am Ann", KEY) not in seen
    assert fingerprint_of("I am Ann.", b"l" * 32) not in seen
    assert "Ann" not in (tmp_path / SEEN).read_text()


def test_a_folder_without_fingerprints_has_none(tmp_path: Path) -> None:
    assert read_seen(tmp_path) == frozenset()


@pytest.mark.parametrize("content", ["{}", "[1]", "[", ""])
def test_a_file_of_another_make_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / SEEN).write_text(content)
    with pytest.raises(ModelError, match="list of fingerprints"):
        read_seen(tmp_path)

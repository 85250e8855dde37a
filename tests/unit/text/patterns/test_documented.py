"""The page of patterns: it lists every kind with its label, and each example is found."""

import re
from pathlib import Path

from spark_deid.text.patterns import ALL_KINDS, KINDS, PatternDetector

PAGE = (Path(__file__).parents[4] / "docs" / "reference" / "patterns.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE)


def test_every_kind_has_its_label() -> None:
    assert [(name, label) for name, label, *_ in ROWS] == [(name, kind.label) for name, kind in KINDS.items()]
    assert {name for name, *_, about in ROWS if "Not in `all`" in about} == set(KINDS) - set(ALL_KINDS)


def test_every_example_is_found() -> None:
    for name, label, example, _ in ROWS:
        text, (wanted,) = example.replace("`", ""), re.findall("`(.+?)`", example)
        found = [(span.label, text[span.start : span.end]) for span in PatternDetector((name,), ()).detect(text)]
        assert found == [(label, wanted)], name

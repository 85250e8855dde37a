"""Help: messages that troubleshooting quotes are those of the package, and the FAQ answers on its first screen."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
HELP = ROOT / "docs" / "help"
ROW = re.compile(r"^\| `([^`|]+)`(?: and `([^`|]+)`)? \|", re.MULTILINE)
OF_OTHERS = {"WARNING: Using incubator modules", "unexpected ... at FILE:LINE"}
"""A message of Java, and one with a place in the code."""


def test_quoted_messages_are_in_the_code() -> None:
    files = sorted((ROOT / "spark_deid").rglob("*.py"))
    code = re.sub(r'"\s*\n\s*f?"', "", "\n".join(path.read_text(encoding="utf-8") for path in files))
    page = (HELP / "troubleshooting.md").read_text(encoding="utf-8")
    quoted = {part for row in ROW.findall(page) for part in row if part} - OF_OTHERS
    assert len(quoted) > 15
    assert [part for part in sorted(quoted) if part not in code] == []


def test_twenty_questions_are_answered_in_thirty_lines_with_a_link() -> None:
    lines = (HELP / "faq.md").read_text(encoding="utf-8").splitlines()[:30]
    answers = [line for line in lines if re.match(r"\| [^|]+\? \| .+\]\([^)]+\)", line)]
    assert len(answers) >= 20
    assert "../help/faq.md" in (ROOT / "docs" / "start" / "index.md").read_text(encoding="utf-8")

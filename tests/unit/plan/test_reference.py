"""The pages that list what a plan may state, and what commands take."""

from resources import write_commands
from resources import write_reference as written


def test_the_page_names_what_the_registries_hold() -> None:
    page = written.PAGE.read_text(encoding="utf-8")
    assert page.endswith(written.BEGIN + written.reference()), "run resources/write_reference.py"


def test_the_page_of_commands_has_every_option_with_its_help() -> None:
    page = write_commands.PAGE.read_text(encoding="utf-8")
    assert page == write_commands.reference(), "run resources/write_commands.py"
    assert "| `--gold` | TEXT | required | A labelled corpus. |" in page
    assert not [line for line in page.splitlines() if line.startswith("| `") and line.endswith("|  |")]

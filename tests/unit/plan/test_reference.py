"""The page that lists what a plan may say."""

from resources import write_reference as written


def test_the_page_names_what_the_registries_hold() -> None:
    page = written.PAGE.read_text(encoding="utf-8")
    assert page.endswith(written.BEGIN + written.reference()), "run resources/write_reference.py"

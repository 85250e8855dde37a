"""What the recount of made-up replacements sees by itself."""

import pytest

from spark_deid.surrogates.recounting import InventedEdit, count_faults, dates_in


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        ("https://jane.doe:hunter2@files.corp.net/x", "https://jane.doe:hunter2@example.org/b", 1),
        ("ftp://margaret:Secret99@x.org/pub", "ftp://wilson:Secret99@example.org/dunn", 1),
        ("ftp://margaret:Secret99@x.org/pub", "ftp://wilson:baker12@example.org/dunn", 0),
        ("https://corp.net/page.html?email=jane.roe@mail.org", "https://ray.net/dunn.html?baker=ann.kim@lee.org", 0),
        ("mailto:jane.doe@corp.net", "mailto:ann.kim@ray.net", 0),
        ("Clinic@Oakwood", "Clinic@Ray", 0),
        ("https://corp.net/lee", "https://ray.net/lee", 0),
    ],
)
def test_links_that_keep_who_logs_in_are_counted(before: str, after: str, kept: int) -> None:
    assert count_faults([InventedEdit("surrogate", False, before, after)]).kept == kept


@pytest.mark.parametrize(("text", "days"), [("2\u00b2 5 2014", []), ("March 5, 2014 \u2460", ["2014-03-05"])])
def test_digits_in_a_circle_or_raised_are_no_numbers_of_a_date(text: str, days: list[str]) -> None:
    assert [str(day) for day in dates_in(text)] == days

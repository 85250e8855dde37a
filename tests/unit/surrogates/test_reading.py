"""Parts of mentions that are replaced: the rest of a surface reveals no one."""

import pytest

from spark_deid.surrogates.reading import read_mention
from spark_deid.values.locale import ValueLocale


def form_of(kind: str, surface: str, *, is_reserved: bool = False, country: str = "US") -> str | None:
    """Return a surface with a star for each part that gives way; None where it is not read."""
    parts = read_mention(kind, surface, ValueLocale(country=country), is_reserved=is_reserved)
    if parts is None:
        return None
    for part in reversed(parts):
        surface = f"{surface[: part.start]}*{surface[part.end :]}"
    return surface


@pytest.mark.parametrize(
    ("surface", "form", "reserved"),
    [
        ("a.d.cole@hospital.org", "*.*.*@*.org", "*.*.*@*"),
        ("k.lee@bank.co.uk", "*.*@*.co.uk", "*.*@*"),
        ("ann.lee@city.hospital.org", "*.*@*.*.org", "*.*@*"),
        ("info@st.com", "*@*.com", "*@*"),
        ("bob@co.uk", "*@*.uk", "*@*"),
        ("ann@jane.doe", "*@*.*", "*@*"),
        ("ann@jane.li", "*@*.*", "*@*"),
    ],
)
def test_of_mail_addresses_what_many_hosts_share_is_left(surface: str, form: str, reserved: str) -> None:
    assert form_of("email", surface) == form
    assert form_of("email", surface, is_reserved=True) == reserved


@pytest.mark.parametrize(
    ("surface", "form", "reserved"),
    [
        ("https://jane.doe:hunter2@files.corp.net/x", "https://*.*:**@*.*.net/*", "https://*.*:**@*/*"),
        ("ssh://tomas@10.2.3.4:22/home/ann", "ssh://*@*:*/*/*", "ssh://*@*:*/*/*"),
        ("http://www.corp.net/annlee/index.html", "http://www.*.net/*/index.html", "http://*/*/index.html"),
        ("http://intranet.hospital.org/smith", "http://*.*.org/*", "http://*/*"),
        ("http://198.51.100.7/x", "http://*/*", "http://*/*"),
        ("https://jane.doe:pw/x@files.corp.net/", "https://*.*:*/*@*.*.*/", "https://*:*/*@*.*.*/"),
        ("https://jane.doe:p@ss@files.corp.net/x", "https://*.*:*@*@*.*.net/*", "https://*.*:*@*@*/*"),
        ("https://jane.doe:pw12@localhost:8080/x", "https://*.*:**@*:*/*", "https://*.*:**@*:*/*"),
        ("jane.doe:pw12@nas", "*.*:**@*", "*.*:**@*"),
        ("https://jane.doe:pw@[2001:db8::1]/x", "https://*.*:*@[*:**::*]/*", "https://*.*:*@*/*"),
        ("mailto:jane.doe@corp.net", "mailto:*.*@*.net", "mailto:*.*@*"),
        ("https://www.corp.net?user=jane@corp.net", "https://www.*.net?*=*@*.*", "https://*?*=*@*.*"),
        ("http://pacs.stmaryshospital/img", "http://*.*/*", "http://*/*"),
        ("www.jane.smith", "www.*.*", "*"),
    ],
)
def test_of_links_users_passwords_and_generic_hosts_give_way(surface: str, form: str, reserved: str) -> None:
    assert form_of("url", surface) == form
    assert form_of("url", surface, is_reserved=True) == reserved


@pytest.mark.parametrize(
    ("kind", "surface", "form"),
    [
        ("username", "s_lee", "*_*"),
        ("organization", "B.C.D.", "*.*.*."),
        ("organization", "AT&T", "AT&*"),
        ("hospital", "St. Mary’s Hospital", "St. *’s Hospital"),
        ("hospital", "MARY'S HOSPITAL", "*'S HOSPITAL"),
        ("organization", "O'Brien Clinic", "O'* Clinic"),
        ("organization", "Clinic@Oakwood", "*@*"),
        ("organization", "Caja y Banco Sol", "* y * *"),
        ("street", "12 N Main St", "* N * St"),
        ("address", "P.O. Box 12", "P.O. Box *"),
        ("address", "Apt B, 4 Elm Rd", "Apt *, * * Rd"),
    ],
)
def test_letters_give_way_but_for_those_that_are_words(kind: str, surface: str, form: str) -> None:
    assert form_of(kind, surface) == form


@pytest.mark.parametrize(
    ("surface", "country", "is_read"),
    [
        ("617-555-2213", "US", True),
        ("+1 617 555 2213", "GB", True),
        ("1-617-555-2213", "US", True),
        ("555-2213", "CA", True),
        ("+44 7911 123456", "US", False),
        ("0049 30 12345678", "US", False),
        ("0115 496 0123", "US", False),
        ("617-555-0023", "US", True),
        ("+1 (617) 555-0045", "US", True),
        ("+(45) 12345678", "US", False),
        ("617-555-2213", "GB", False),
    ],
)
def test_numbers_of_north_america_only_have_a_range_that_is_no_one_s(surface: str, country: str, is_read: bool) -> None:
    assert (form_of("phone", surface, is_reserved=True, country=country) is not None) == is_read

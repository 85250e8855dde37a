import pytest

from spark_deid.text.patterns import PatternDetector


def found(kind: str, text: str) -> list[str]:
    return [text[span.start : span.end] for span in PatternDetector(kinds=(kind,)).detect(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Write to ann.lee+x@mail.example.org.", ["ann.lee+x@mail.example.org"]),
        ("<josé.pérez@hospital.es>, o'neil@x.ie", ["josé.pérez@hospital.es", "o'neil@x.ie"]),
        ("mailto:a_b-c@sub.x-y.co.uk?subject=1", ["a_b-c@sub.x-y.co.uk"]),
        ("a@b.com;c@d.net", ["a@b.com", "c@d.net"]),
        ("full width ａｎｎ＠ｅｘａｍｐｌｅ．ｏｒｇ", ["ａｎｎ＠ｅｘａｍｐｌｅ．ｏｒｇ"]),
        ("a@b.com.2015", ["a@b.com"]),
        ("by e\u0301mile@exa\u0308mple.de", ["e\u0301mile@exa\u0308mple.de"]),
    ],
)
def test_email_fires(text: str, expected: list[str]) -> None:
    assert found("email", text) == expected


@pytest.mark.parametrize(
    "text", ["5 mg @ 12h", "@handle", "root@localhost", "a@b", "x@1.2", "mail@ example.org", "@.com"]
)
def test_email_near_miss(text: str) -> None:
    assert found("email", text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see https://x.org/a(b)?c=1). Then", ["https://x.org/a(b)?c=1"]),
        ("(http://x.org), ftp://f.example/a.txt!", ["http://x.org", "ftp://f.example/a.txt"]),
        ("WWW.Foo.es y www2.bar.org/x", ["WWW.Foo.es", "www2.bar.org/x"]),
        ("at hospital.org/path, bbc.co.uk; x.com:8080/a", ["hospital.org/path", "bbc.co.uk", "x.com:8080/a"]),
        ("jdbc:postgresql://db1:5432/notes", ["postgresql://db1:5432/notes"]),
        ('<a href="https://x.org/1">', ["https://x.org/1"]),
    ],
)
def test_url_fires(text: str, expected: list[str]) -> None:
    assert found("url", text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "end.Common cold",
        "1://2",
        "a :// b",
        "http://",
        "www. is",
        "awww.x",
        "e.g. com",
        "ann@example.com",
        "x.communal",
    ],
)
def test_url_near_miss(text: str) -> None:
    assert found("url", text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from 10.0.0.1:80, 192.168.255.254/24.", ["10.0.0.1", "192.168.255.254"]),
        ("fe80::1%eth0 and 2001:db8::8a2e:370:7334.", ["fe80::1", "2001:db8::8a2e:370:7334"]),
        ("[2001:0db8:0000:0000:0000:ff00:0042:8329]", ["2001:0db8:0000:0000:0000:ff00:0042:8329"]),
        ("::ffff:192.0.2.128", ["192.0.2.128", "::ffff:192.0.2.128"]),
    ],
)
def test_ip_fires(text: str, expected: list[str]) -> None:
    assert sorted(found("ip", text)) == sorted(expected)


@pytest.mark.parametrize(
    "text", ["256.1.1.1", "1.2.3", "v1.2.3.4.5", "v1.2.3.4", "10:30:45", "a::b::c", "::", "std::vector", "1.2.3.400"]
)
def test_ip_near_miss(text: str) -> None:
    assert found("ip", text) == []


@pytest.mark.parametrize("address", ["00:1A:2b:3C:4d:5E", "00-1a-2b-3c-4d-5e", "001a.2b3c.4d5e"])
def test_mac_fires(address: str) -> None:
    assert found("mac", f"card {address}, up") == [address]


@pytest.mark.parametrize(
    "text",
    ["00:1A:2b:3C:4d", "00:1A:2b:3C:4d:5E:6F", "00:1A-2b:3C:4d:5E", "00:1G:2b:3C:4d:5E", "2015.1234.5678", "1a.2b.3c"],
)
def test_mac_near_miss(text: str) -> None:
    assert found("mac", text) == []

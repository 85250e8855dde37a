import random
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from spark_deid.core.document import Document
from spark_deid.core.errors import FormatError, UsageError
from spark_deid.corpus import html_text
from spark_deid.corpus.format import CorpusFormat
from spark_deid.corpus.formats import find_format
from spark_deid.corpus.html_text import text_of_html
from spark_deid.corpus.items import list_items, with_ranges
from spark_deid.corpus.local import LocalReading, read_documents
from spark_deid.corpus.mail import parse_mail
from spark_deid.corpus.reading import count_records, read_item

FROM = b"From ann@example.org Mon Jan  1 10:30:00 2024\n"


def mail(**headers: str) -> EmailMessage:
    made = EmailMessage()
    for name, value in ({"From": "Ann Lee <Ann@Example.org>", "Subject": "Visit"} | headers).items():
        made[name] = value
    return made


def parsed(message: EmailMessage | bytes) -> Document:
    return parse_mail(message if isinstance(message, bytes) else message.as_bytes(), "x", "x")


def refused(data: bytes) -> str:
    with pytest.raises(FormatError) as caught:
        parsed(data)
    return caught.value.reason


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64", "8bit"])
@pytest.mark.parametrize("charset", ["utf-8", "cp1252"])
def test_bodies_are_decoded(encoding: str, charset: str) -> None:
    message = mail()
    message.set_content("Dear José,\nsee you – Ann\n", charset=charset, cte=encoding)
    assert parsed(message).text == "Dear José,\nsee you – Ann"


def test_plain_text_goes_before_html_that_states_the_same() -> None:
    message = mail()
    message.set_content("plain")
    message.add_alternative("<p>marked</p>", subtype="html")
    assert (parsed(message).text, parsed(message).meta["body_type"]) == ("plain", "plain")


@pytest.mark.parametrize(
    ("parameters", "body", "text"),
    [
        ("format=flowed", "Dear Ann \nLee,\n see you\n-- \nBob \nRay", "Dear Ann Lee,\nsee you\n-- \nBob Ray"),
        (
            "format=flowed; delsp=yes",
            "ann.smith@exam \nple.com\n>> so \n>>said\n> I",
            "ann.smith@example.com\n>> sosaid\n> I",
        ),
        ("format=flowed", "> Ann \nLee \n", "> Ann \nLee "),
        ("format=fixed", "Ann \n Lee", "Ann \n Lee"),
    ],
    ids=["paragraphs", "broken-words", "quoted", "fixed"],
)
def test_lines_that_were_broken_to_be_short_are_joined(parameters: str, body: str, text: str) -> None:
    head = f"From: a@b.c\nContent-Type: text/plain; {parameters}\n\n"
    assert parsed((head + body).encode()).text == text


def test_html_is_read_where_plain_text_is_blank() -> None:
    message = mail()
    message.set_content(" \n")
    message.add_alternative("<p>Dear <b>Bob</b>,<br>yes</p>", subtype="html")
    assert (parsed(message).text, parsed(message).meta["body_type"]) == ("Dear Bob,\nyes", "html")


def test_attachments_and_pictures_are_counted() -> None:
    message = mail()
    message.set_content("see the files")
    message.add_alternative("<p>see the files</p>", subtype="html")
    message.get_payload()[1].add_related(b"png", "image", "png")
    message.add_attachment(b"pdf", maintype="application", subtype="pdf", filename="a.pdf")
    message.add_attachment("a,b", subtype="csv", filename="b.csv")
    assert (parsed(message).text, parsed(message).meta["attachments"]) == ("see the files", "3")


def test_a_mail_in_a_mail_is_text_with_its_headers() -> None:
    inner = mail(From="Zeb Quist <zeb@example.org>", Subject="Knee")
    inner.set_content("It hurts.\n")
    message = mail()
    message.set_content("FYI\n")
    message.add_attachment(inner)
    assert parsed(message).text == "FYI\n\nFrom: Zeb Quist <zeb@example.org>\nSubject: Knee\n\nIt hurts."


def test_headers_are_metadata() -> None:
    data = (
        b'From: =?utf-8?q?Jos=C3=A9?= <Jo@Example.org>\r\nTo: a@b.c,\r\n "D, E" <D@e.f>\r\n'
        b"Date: Mon, 1 Jan 2024 10:30:00 +0100\r\n"
        b"Subject: =?iso-8859-1?q?caf=E9?=\r\n and more\r\nX-Ward: 7\r\n\r\nbody\r\n"
    )
    format = find_format("eml", {"headers": "X-Ward, absent", "subject_column": "sender", "id_column": "x_ward"})
    assert format.parse_document is not None
    document = format.parse_document(data, None, "x", "x")
    assert (document.doc_id, document.subject_id, document.text) == ("7", "jo@example.org", "body")
    assert document.meta == {
        "sender": "jo@example.org",
        "recipients": "a@b.c, d@e.f",
        "sent": "2024-01-01T10:30:00+01:00",
        "subject": "café and more",
        "x_ward": "7",
        "body_type": "plain",
        "attachments": "0",
    }


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"Dear Bob,\nno header here\n", "malformed"),
        (b" : continued\nFrom: a@b.c\n\nx\n", "malformed"),
        (b"From: a@b.c\n\n\n", "no-text"),
        (b"From: a@b.c\nContent-Type: application/pdf\n\nx\n", "no-text"),
        (b"From: a@b.c\nContent-Type: multipart/mixed; boundary=b\n\nx\n", "malformed"),
        (b"From: a@b.c\nContent-Type: multipart/mixed\n\nx\n", "malformed"),
        (b"From: a@b.c\nContent-Transfer-Encoding: base64\n\nQQ==\n!!? footer\n", "malformed"),
        (b"From: a@b.c\n\nJos\xe9\n", "invalid-utf8"),
        (b"From: a@b.c\n\na\0b\n", "nul"),
    ],
    ids=["no-headers", "continued", "empty", "pdf", "no-start", "no-boundary", "base64", "latin", "nul"],
)
def test_malformed_mails_are_refused(data: bytes, reason: str) -> None:
    assert refused(data) == reason


def test_text_without_a_charset_is_read_as_the_option_states(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(b"From: a@b.c\n\nJos\xe9\n")
    (tmp_path / "b.eml").write_bytes("From: a@b.c\nContent-Type: text/plain; charset=utf-8\n\nZoë\n".encode())
    read = read_documents(str(tmp_path), "eml", options={"encoding": "cp1252"})
    assert [d.text for d in read.documents] == ["José", "Zoë"]
    (reject,) = read_documents(str(tmp_path), "eml").rejects
    assert "--option encoding=cp1252" in reject.detail


@pytest.mark.parametrize("options", [{"headers": "a b"}, {"id_column": "x_ward"}, {"encoding": "klingon"}])
def test_options_that_cannot_be_are_refused(options: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        find_format("eml", options)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<head><title>t</title><style>p {}</style></head><p>a\n  b</p><p>c</p>", "a b\nc"),
        ("<head><title>never closed<p>Dear Bob", "Dear Bob"),
        ("<html><head><meta charset=utf-8><title>t</title>Dear <b>Bob</b>,<br>yes", "Dear Bob,\nyes"),
        ("<a title='1>2' href=x>a</a> <![if !mso]>b<![endif]> <b <i>c < d &lt; e</b x>", "a b c < d < e"),
        ("a<!-- b --!>c<!-->d<script>x<p></SCRIPT >e</>f</3>g<?xml h?>i", "acdefgi"),
        ("a<style>p {}", "a"),
        ("a<b title='never closed>b", "a"),
        ("a<!-- never closed", "a"),
        ("<p>a<![CDATA[b]]>c<3 d", "ac<3 d"),
        ("<center>Ann</center>Lee<select><option>a<option>b</select>", "Ann\nLee\na\nb"),
        ("<ul><li>a<li>b</ul><table><tr><td>1</td><td>2</td></tr></table>", "a\nb\n1 2"),
        ("a&amp;b &#233; <!-- c --><img alt='Ann'><script>x</script>", "a&b é Ann"),
        ("<pre>a\nb</pre>", "a\nb"),
    ],
)
def test_html_becomes_the_text_that_readers_see(html: str, text: str) -> None:
    assert text_of_html(html) == text


def test_each_character_of_a_page_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    def counted(name: str) -> Any:
        pattern = getattr(html_text, name)

        class Counted:
            def match(self, text: str, place: int) -> Any:
                nonlocal looked
                found = pattern.match(text, place)
                looked += 1 + (len(found[0]) if found else 0)
                return found

        return Counted()

    for name in ("_NAME", "_GAP", "_ATTRIBUTE", "_EQUALS", "_BARE"):
        monkeypatch.setattr(html_text, name, counted(name))
    for piece in ("<a ", "<a", "<a b='", "<!--", "</a ", "<![", "<a b=c"):
        looked = 0
        text_of_html(piece * 500)
        assert looked < 10 * 500 * len(piece), piece


def write_mbox(path: Path, bodies: list[str]) -> None:
    mails = (FROM + b"From: a@b.c\n\n" + body.encode() + b"\n\n" for body in bodies)
    path.write_bytes(b"".join(mails))


def outcomes(read: LocalReading) -> list[str]:
    return [d.text for d in read.documents] + [r.reason for r in read.rejects]


def test_a_folder_of_mails_is_split(tmp_path: Path) -> None:
    write_mbox(
        tmp_path / "a.mbox", ["one", ">From here\n>>From there", "From here on\nFrom what I saw at 10:30 in 2024"]
    )
    read = read_documents(str(tmp_path), "mbox")
    assert [(d.doc_id, d.text) for d in read.documents] == [
        ("a.mbox#1", "one"),
        ("a.mbox#2", "From here\n>From there"),
        ("a.mbox#3", "From here on\nFrom what I saw at 10:30 in 2024"),
    ]


def test_what_occurs_before_the_first_mail_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_bytes(b"\nnotes\nof mine\n" + FROM + b"From: a@b.c\n\nx\n")
    assert outcomes(read_documents(str(tmp_path), "mbox")) == ["x", "malformed"]


def test_a_byte_order_mark_before_the_first_mail_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_bytes(b"\xef\xbb\xbf" + FROM + b"From: a@b.c\n\nx\n")
    assert outcomes(read_documents(str(tmp_path), "mbox")) == ["x"]


def ranged(path: Path, format: CorpusFormat, size: int) -> list[tuple[int, str]]:
    """Read in ranges as Spark does, each numbered by what the ranges before it hold."""
    found: list[tuple[int, str]] = []
    before = 0
    for item in with_ranges(list_items(str(path), format).items, format, size):
        records = list(read_item(item._replace(before=before), format))
        assert len(records) == count_records(item, format)
        before += len(records)
        found += [(record.number, record.outcome[1]) for record in records]
    return found


@pytest.mark.parametrize("seed", range(5))
def test_ranges_of_a_large_file_hold_each_mail_once(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    bodies = [f"mail {number} " + "x\n" * rng.randrange(60) + "x" for number in range(rng.randrange(1, 20))]
    path = tmp_path / "a.mbox"
    write_mbox(path, bodies)
    expected = list(enumerate(bodies, start=1))
    assert all(ranged(path, find_format("mbox"), size) == expected for size in (40, 97, 200, 10_000))


GIT = b"From 9f1c2ab7d4e8112233445566778899aabbccddee Mon Sep 17 00:00:00 2001\n"
PATCH = GIT + b"From: c@example.org\nSubject: [PATCH] fix\n\nReviewed-by: Ann\n"


def texts_of(path: Path, *mails: bytes) -> list[str]:
    path.write_bytes(b"".join(mails))
    return outcomes(read_documents(str(path), "mbox"))


def test_a_patch_of_git_that_a_mail_quotes_is_text(tmp_path: Path) -> None:
    path = tmp_path / "a.mbox"
    quoting = FROM + b"From: a@b.c\n\nPlease apply:\n\n" + PATCH + b"\n"
    first, second = texts_of(path, quoting, FROM + b"From: a@b.c\n\nbye\n")
    assert first == "Please apply:\n\n" + PATCH.decode().rstrip("\n")
    assert second == "bye"
    assert texts_of(path, PATCH + b"\n", PATCH) == ["Reviewed-by: Ann"] * 2


def test_a_line_without_a_date_begins_a_mail_between_an_empty_line_and_a_header(tmp_path: Path) -> None:
    path = tmp_path / "a.mbox"
    bare = b"From a@b.c\nSubject: x\n\n"
    assert texts_of(path, bare + b"one\n\n", bare + b"two\n") == ["one", "two"]
    assert texts_of(path, bare + b"one\n", bare + b"two\n") == ["one\nFrom a@b.c\nSubject: x\n\ntwo"]
    prose = b"one\n\nFrom memory, Ann\nsaid: no\n\nFrom here\nNote: call\n\nFrom\nTo: me\n"
    assert texts_of(path, bare + prose) == [prose.decode().rstrip("\n")]


def test_lines_before_the_first_mail_count_the_mails_that_they_can_be(tmp_path: Path) -> None:
    (tmp_path / "a.mbox").write_bytes(b"x\nFrom a\nb\nFrom c\nd\n" + FROM + b"From: a@b.c\n\nx\n")
    (reject,) = read_documents(str(tmp_path), "mbox").rejects
    assert reject.records == 2


@pytest.mark.parametrize("first", [FROM, GIT, b"From a@b.c\n"])
@pytest.mark.parametrize("seed", range(3))
def test_ranges_hold_each_mail_once_by_every_kind_of_first_line(tmp_path: Path, first: bytes, seed: int) -> None:
    rng = random.Random(seed)
    lines = [FROM, GIT, b"From a@b.c\n", b"\n", b"\r\n", b"Subject: x\n", b"From: y\n", b"x\n", b" " * 70 + b"x\n"]
    path = tmp_path / "a.mbox"
    path.write_bytes(first + b"Subject: x\n\n" + b"".join(rng.choices(lines, k=300)))
    format = find_format("mbox")
    whole = [(number, outcome) for number, outcome in ranged(path, format, 1 << 20)]
    assert len(whole) > 3
    assert all(ranged(path, format, size) == whole for size in (7, 40, 97, 500))


@pytest.mark.parametrize("charset", ["punycode", "idna", "unicode_escape", "base64", "undefined", "no-such"])
def test_a_charset_is_an_encoding_of_text(tmp_path: Path, charset: str) -> None:
    mail = f"From: a@b.c\nSubject: =?{charset}?q?a=C3=A9?=\nContent-Type: text/plain; charset={charset}\n\né \\u0041-\n"
    (tmp_path / "a.eml").write_bytes(mail.encode())
    (document,) = read_documents(str(tmp_path), "eml").documents
    assert (document.text, document.meta["subject"]) == ("é \\u0041-", "aé")


def test_utf_7_is_read(tmp_path: Path) -> None:
    mail = b"From: a@b.c\nContent-Type: text/plain; charset=utf-7\n\nRen+AOk-\n"
    (tmp_path / "a.eml").write_bytes(mail)
    assert [d.text for d in read_documents(str(tmp_path), "eml").documents] == ["René"]

"""Texts and headers that once took the square of their length: bounds are far from what either takes."""

import random
import time
import unicodedata
from collections.abc import Callable
from email.header import decode_header, make_header
from pathlib import Path
from typing import Any

import pytest

from spark_deid.corpus.local import read_documents
from spark_deid.corpus.mail import header_pieces
from spark_deid.text.base_letters import MOST_MARKS, normalize, same_letters
from spark_deid.text.patterns import PatternDetector
from spark_deid.text.visible import visible
from spark_deid.values.plain import plain_form

SECONDS = 8  # of the quadratic ones each took 20 at least
MARKS = "e" + "\u0301\u0323" * 80_000


@pytest.mark.parametrize("read", [visible, same_letters, plain_form, PatternDetector().detect])
def test_a_run_of_marks_is_read_in_linear_time(read: Callable[[str], object]) -> None:
    began = time.process_time()
    read(MARKS)
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize("between", [" ", "\r\n ", " and "])
def test_a_subject_of_encoded_words_is_read_in_linear_time(tmp_path: Path, between: str) -> None:
    words = between.join(["=?utf-8?q?ab?="] * 200_000)
    mail = tmp_path / "a.eml"
    mail.write_bytes(f"From: a@example.org\r\nSubject: {words}\r\n\r\nHello.\r\n".encode())
    began = time.process_time()
    (document,) = read_documents(str(mail), "eml").documents
    assert time.process_time() - began < SECONDS
    assert len(document.meta["subject"] or "") >= 400_000


@pytest.mark.parametrize("charset", ["punycode", "idna"])
def test_a_charset_that_is_no_encoding_of_text_is_not_decoded(tmp_path: Path, charset: str) -> None:
    mail = tmp_path / "a.eml"
    mail.write_bytes(f"From: a@b.c\nContent-Type: text/plain; charset={charset}\n\n{'a-b9' * 200_000}\n".encode())
    began = time.process_time()
    (document,) = read_documents(str(mail), "eml").documents
    assert time.process_time() - began < SECONDS
    assert len(document.text) == 800_000


def test_short_runs_of_marks_are_what_unicode_makes_of_them() -> None:
    draw = random.Random(3)
    for _ in range(2_000):
        runs = ("".join(draw.choices("\u0301\u0323\u0308", k=draw.randint(0, MOST_MARKS))) for _ in range(4))
        text = "".join(draw.choice("aeo 가ᄀ") + run for run in runs)
        forms: Any = ("NFC", "NFD", "NFKC", "NFKD")
        for form in forms:
            assert normalize(form, text) == unicodedata.normalize(form, text)


PIECES = [
    "=?utf-8?q?=C3?=",
    "=?utf-8?q?=A9?=",
    "=?utf-8?b?w6k=?=",
    "=?iso-8859-1?q?=E9_x?=",
    "a",
    "b, c",
    " ",
    "  ",
    "é?",
    "=?",
]


def test_headers_are_read_as_the_standard_library_reads_them() -> None:
    draw = random.Random(5)
    for _ in range(3_000):
        header = " ".join(draw.choices(PIECES[:8], k=draw.randint(1, 8)))
        told = "".join(
            each if isinstance(each, str) else each[0].decode(each[1], "replace") for each in header_pieces(header)
        )
        expected = "".join(
            piece if isinstance(piece, str) else piece.decode(charset or "ascii", "replace")
            for piece, charset in decode_header(header)
        )
        assert told.split() == expected.split(), header
    assert str(make_header(decode_header("=?utf-8?q?=C3?= =?utf-8?q?=A9?="))) == "é"

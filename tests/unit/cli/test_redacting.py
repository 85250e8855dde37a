"""The filter of lines, and the plans that come with the package."""

import io
import json
import sys
from pathlib import Path

import pytest

import spark_deid as sd
from spark_deid import cli
from spark_deid.plan.load import describe_plan, shipped_plan, shipped_plans

ROOT = Path(__file__).parents[3]
EMAILS = ("--plan", "patterns", "--set", "patterns.kinds=[email]")


def filtered(
    given: bytes, *arguments: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> tuple[bytes, str, object]:
    monkeypatch.setenv("SPARK_DEID_DEBUG", "1")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
    with pytest.raises(SystemExit) as end:
        cli.main(["redact", *arguments])
    written = capsysbinary.readouterr()
    return written.out, written.err.decode(), end.value.code


def test_each_line_is_a_document_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    given = b"\xef\xbb\xbfWrite to ann@example.org\r\n\nbad \xff ann@example.org\n\xf0\x9f\x98\x80 ann@example.org"
    out, err, code = filtered(given, *EMAILS, monkeypatch=monkeypatch, capsysbinary=capsysbinary)
    assert out == b"Write to [EMAIL]\r\n\n\n\xf0\x9f\x98\x80 [EMAIL]"
    assert "line 3: invalid-utf8: expected UTF-8, byte 4 is not" in err
    assert "ann" not in err
    assert code == 0


def test_of_a_json_line_come_its_id_its_text_and_what_the_plan_lets_through(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    rows = [{"id": 7, "note": "ann@example.org", "ward": "north", "by": "bo@example.org"}, {"note": "x"}, {"note": 7}]
    given = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    named = ("--option", "text_column=note", "--option", "id_column=id", "--set", "metadata={by: detect}")
    out, err, code = filtered(given, "--json", *EMAILS, *named, monkeypatch=monkeypatch, capsysbinary=capsysbinary)
    assert [json.loads(line) for line in out.splitlines()] == [
        {"id": "7", "note": "[EMAIL]", "by": "[EMAIL]"},
        {"note": "x"},
        {"line": 3, "rejected": "no-text"},
    ]
    assert "line 3: no-text" in err
    assert "the output has no value" not in err
    assert code == 0


def test_an_object_without_an_id_is_reported_how_ids_and_other_fields_come_out(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    rows = [{"Ann Lee": 7, "text": "x", "ward": "north"}, {"Ann Lee": 8, "text": "y"}]
    given = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    named = ("--json", *EMAILS, "--set", "metadata={ward: keep}")
    out, err, _ = filtered(given, *named, monkeypatch=monkeypatch, capsysbinary=capsysbinary)
    assert [json.loads(line) for line in out.splitlines()] == [{"text": "x", "ward": "north"}, {"text": "y"}]
    assert (
        "line 1: has no field 'doc_id' for the id, and the output has no value of its other fields (1 field). "
        "Set --option id_column=NAME"
    ) in err
    assert err.count("the output has no value") == 1
    assert "Ann" not in err
    _, err, _ = filtered(b'{"text": "x"}\n', *named[:-2], monkeypatch=monkeypatch, capsysbinary=capsysbinary)
    assert err == ""


def test_lines_are_in_the_language_that_is_named_and_objects_in_their_own(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    text = "Mi tía Pilar Blanco vive en Cuenca desde 2003."
    english, spanish = (str(sd.redact(text, {"model": name})) for name in ("english", "spanish"))
    plan = ("--set", "model={en: english, es: spanish}", "--set", "patterns=null", "--set", "sources=[model]")
    out, err, code = filtered(
        f"{text}\n".encode(), "--lang", "en", *plan, monkeypatch=monkeypatch, capsysbinary=capsysbinary
    )
    assert (out.decode(), err, code) == (f"{english}\n", "", 0)
    rows = [{"text": text, "lang": lang} for lang in ("es", "?", "fi")] + [{"text": text}]
    given = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    named = ("--json", "--lang", "en", "--set", "language_column=lang")
    out, err, code = filtered(given, *named, *plan, monkeypatch=monkeypatch, capsysbinary=capsysbinary)
    assert [json.loads(line) for line in out.splitlines()] == [
        {"text": spanish},
        {"text": english},
        {"text": text},
        {"text": english},
    ]
    assert "1 of the 4 documents with a stated language (25.0%) is in a language without a model" in err
    assert code == 0
    _, err, code = filtered(b"", "--lang", "spanish", monkeypatch=monkeypatch, capsysbinary=capsysbinary)
    assert "--lang: expected a language" in err
    assert code == 2


def test_a_field_that_a_plan_names_and_lines_lack_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    named = ("--json", *EMAILS, "--set", "language_column=lagn", "--set", "metadata={ward: keep}")
    rows = [{"text": "a", "ward": "north", "lang": "es"}, {"text": "b", "lang": "es"}]
    given = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    out, err, code = filtered(given, *named, monkeypatch=monkeypatch, capsysbinary=capsysbinary)
    assert (len(out.splitlines()), code) == (2, 0)
    assert "line 1: has no field 'lagn', which" in err
    assert "no line has the field 'lagn', which" in err
    _, err, _ = filtered(given.replace(b"lang", b"lagn"), *named, monkeypatch=monkeypatch, capsysbinary=capsysbinary)
    assert "lagn" not in err
    named = ("--json", *EMAILS, "--option", "subject_column=pid", "--set", "metadata={ward: keep}")
    _, err, _ = filtered(given, *named, monkeypatch=monkeypatch, capsysbinary=capsysbinary)
    assert "no line has the field 'pid', which" in err
    _, err, _ = filtered(given.replace(b"lang", b"pid"), *named, monkeypatch=monkeypatch, capsysbinary=capsysbinary)
    assert "'pid'" not in err


def test_a_refused_line_ends_the_stream_before_it(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr("spark_deid.pipeline.one_document.apply_edits", lambda text, edits: text)
    out, err, code = filtered(
        b"fine\nann@example.org\nfine\n", *EMAILS, monkeypatch=monkeypatch, capsysbinary=capsysbinary
    )
    assert (out, code) == (b"fine\n", 3)
    assert "nothing is released" in err


def test_the_folder_conf_holds_the_plans_of_the_package() -> None:
    conf = {path.stem: path.read_bytes() for path in (ROOT / "conf").glob("*.yaml")}
    assert conf == {name: shipped_plan(name).read_bytes() for name in shipped_plans()}, (
        "cp spark_deid/plan/data/*.yaml conf/"
    )


def test_each_plan_reports_what_it_does_in_a_sentence() -> None:
    for name in shipped_plans():
        told = describe_plan(name)
        assert 20 < len(told) < 220
        assert told.endswith(".")


def test_a_plan_is_listed_shown_and_copied_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPARK_DEID_DEBUG", "1")
    monkeypatch.chdir(tmp_path)
    for arguments, expected in (
        ([], 0),
        (["names"], 0),
        (["names", "--copy"], 0),
        (["names", "--copy"], 2),
        (["namse"], 2),
        (["--copy"], 2),
    ):
        with pytest.raises(SystemExit) as end:
            cli.main(["plans", *arguments])
        assert end.value.code == expected
    assert (tmp_path / "names.yaml").read_bytes() == shipped_plan("names").read_bytes()
    assert "did you mean names" in capsys.readouterr().err


def test_a_plan_is_known_by_name_in_any_folder_and_a_file_goes_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPARK_DEID_DEBUG", "1")
    monkeypatch.chdir(tmp_path)
    for told in ("patterns: email,", "patterns: phone\n"):
        with pytest.raises(SystemExit) as end:
            cli.main(["explain", "patterns"])
        assert end.value.code == 0
        assert told in capsys.readouterr().out
        Path("patterns").write_text(
            shipped_plan("patterns").read_text().replace("kinds: all ", "kinds: [phone] "), encoding="utf-8"
        )

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_deid.core.errors import GateRefused
from spark_deid.release.metadata_leaks import ENTRY, NAMES, OTHERS, is_common, is_own, residual_pieces, texts_about
from spark_deid.release.publish import look_for_leaks
from spark_deid.storage.folder import LocalFolder

SECRET = "Zoë Quincy"
PART = "part-01234567-89ab-cdef-0123-456789abcdef.snappy.parquet"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    log = tmp_path / "documents" / "_delta_log"
    log.mkdir(parents=True)
    (log / "00000000000000000000.json").write_text(json.dumps({"add": {"path": PART}}) + "\n")
    table = pa.table({"doc_id": ["a"], "text": [f"{SECRET} is kept"]})
    pq.write_table(table, tmp_path / "documents" / PART, write_statistics=False)
    (tmp_path / "manifest.json").write_text(json.dumps({"versions": {"x": "1"}, "hmac": "0" * 64, "words": 1}))
    (tmp_path / "report.html").write_text("<style>.figure {}</style><p>1,234,567 documents</p>")
    return tmp_path


def places(release: Path, *pieces: str, entry: bytes | None = None) -> set[str]:
    return {place for _, place in residual_pieces(pieces, texts_about(release, entry))}


def test_rows_are_no_leak_nor_what_this_package_makes_up(release: Path) -> None:
    assert places(release, SECRET, "456789abcdef", "000000", "figure", "versions", "234,567") == set()


def test_what_was_removed_is_found_in_another_case(release: Path) -> None:
    for written in (SECRET.upper(), SECRET.lower(), "ZOË Quincy"):
        (release / "manifest.json").write_text(json.dumps({"plan": f"of ({written})"}))
        assert places(release, SECRET) == {"manifest.json"}
    (release / "manifest.json").write_text(
        json.dumps({"plan": "zoë quincyx, the hospital, e-mail address, wards of nine"})
    )
    assert places(release, SECRET, "THE Hospital", "E-Mail Address") == set()
    text = {"manifest.json": "in wards of quimby"}
    assert residual_pieces(["Wards Of Quimby"], text) == {("Wards Of Quimby", "manifest.json")}
    assert residual_pieces(["Wards Of Quimby"], text, ["The Wards of Quimby"]) == set()


@pytest.mark.parametrize(
    ("removed", "left"),
    [
        ("İZMİRLİ", "izmirli"),
        ("Izmirli", "ızmirlı"),
        ("Łódźka", "LODZKA"),
        ("Weißhof", "WEISSHOF"),
        ("ﬁnnson", "Finnson"),
        ("Jörg Öst", "JOERG OEST"),
    ],
)
def test_what_was_removed_is_found_by_its_base_letters(release: Path, removed: str, left: str) -> None:
    for piece, written in ((removed, left), (left, removed)):
        (release / "manifest.json").write_text(json.dumps({"plan": f"of ({written})"}))
        assert places(release, piece) == {"manifest.json"}
        (release / "manifest.json").write_text(json.dumps({"plan": f"of {written}x"}))
        assert places(release, piece) == set()
    assert residual_pieces(["Straße ø"], {"manifest.json": "STRASSE O"}, ["Strasse Oe"]) == set()


def test_short_pieces_of_long_spelling_are_found_as_they_occur(release: Path) -> None:
    (release / "manifest.json").write_text(json.dumps({"plan": "xZo\u0308\u00ade\u0308y"}, ensure_ascii=False))
    assert places(release, "Zo\u0308\u00ade\u0308") == {"manifest.json"}


def test_ranges_of_numbers_that_a_page_is_made_of_are_no_leak(release: Path) -> None:
    (release / "report.html").write_text("<td>4 to 7</td><td> 1,000 or more</td><td>16 and more</td>")
    (release / "manifest.json").write_text(json.dumps({"lengths": [{"name": "8 to 15"}]}))
    assert places(release, "4 to 7", "0 or more", "6 and more", "8 to 15") == set()
    (release / "report.html").write_text("<td>by 4 to 7</td>")
    assert places(release, "4 to 7") == {"report.html"}


def test_whatever_is_next_to_the_documents_is_looked_through(release: Path) -> None:
    (release / f"of {SECRET}").mkdir()
    assert places(release, SECRET) == {NAMES}
    (release / f"of {SECRET}").rmdir()
    (release / "manifest.json").write_text(json.dumps({"plan": {"x": [json.dumps({"deep": SECRET})]}}))
    assert places(release, SECRET) == {"manifest.json"}
    (release / "manifest.json").unlink()
    (release / "report.html").write_text('<p title="by Zo&euml; Quincy">1</p>')
    assert places(release, SECRET) == {"report.html"}
    (release / "report.html").unlink()
    entry = json.dumps({"add": {"stats": json.dumps({"min": SECRET})}})
    assert places(release, SECRET, entry=entry.encode()) == {ENTRY}


@pytest.mark.parametrize(
    "content",
    [
        SECRET.encode(),
        SECRET.encode("utf-16-le"),
        b"x" + SECRET.encode("utf-16-be"),
        gzip.compress(f"<p>{SECRET}</p>".encode()),
        gzip.compress(gzip.compress(SECRET.encode("utf-16-le"))),
    ],
    ids=["utf-8", "utf-16-le", "utf-16-be", "gzip", "twice gzip"],
)
def test_files_of_no_known_kind_are_read_in_every_way(release: Path, content: bytes) -> None:
    (release / "documents" / ".odd.crc").write_bytes(content)
    assert places(release, SECRET) == {OTHERS}


def test_a_file_of_rows_shows_more_than_rows(release: Path) -> None:
    table = pa.table({"text": [f"{SECRET} is kept"]})
    target = release / "documents" / PART
    pq.write_table(table, target, write_statistics=True)
    assert places(release, SECRET) == {OTHERS}
    pq.write_table(table.replace_schema_metadata({"note": SECRET}), target, write_statistics=False)
    assert places(release, SECRET) == {OTHERS}
    pq.write_table(pa.table({SECRET: [1]}), target, write_statistics=False)
    assert places(release, SECRET) == {OTHERS}
    pq.write_table(table, release / "documents" / "_delta_log" / "1.checkpoint.parquet", write_statistics=False)
    pq.write_table(table, target, write_statistics=False)
    assert places(release, SECRET) == {OTHERS}


@pytest.mark.parametrize("piece", ["hospital", "Hospital", "the patients", "[...]"])
def test_common_words_identify_no_one(piece: str) -> None:
    assert is_common(piece)


@pytest.mark.parametrize("piece", ["Quincy", "Walker", "123456", "hospital 17", "Hospital Zimt"])
def test_names_and_numbers_are_not_common(piece: str) -> None:
    assert not is_common(piece)


def test_what_every_release_states_is_no_leak() -> None:
    assert is_own("publish ratio", ())
    assert is_own("ontologies", ())
    assert is_own("quasi", ())
    assert is_own("the release has the unchanged texts of the input", ())
    assert is_own("HOSPITAL", ("HOSPITAL_NAME",))
    assert not is_own("John Smith", ())


class Far:
    """A folder that is reached as one on another storage is."""

    uri = "far://away"

    def __init__(self, path: Path) -> None:
        self._near = LocalFolder(path)
        self.names, self.read, self.remove, self.make = (
            self._near.names,
            self._near.read,
            self._near.remove,
            self._near.make,
        )
        self.write = self._near.write

    def child(self, name: str) -> "Far":
        return Far(self._near.path / name)


@pytest.mark.parametrize("place", ["manifest.json", "report.html", ENTRY, NAMES])
def test_a_release_on_another_storage_is_looked_through_and_taken_back(release: Path, place: str) -> None:
    class Removed:
        def residuals_in(self, texts: Mapping[str, str], apart: object) -> dict[str, dict[str, int]]:
            return {place: {"X": 1} for _, place in residual_pieces([SECRET], texts)}

    removed: Any = Removed()
    before = look_for_leaks(Far(release), Far(release / "documents"), removed, (), b"{}", {})
    log = release / "documents" / "_delta_log" / "00000000000000000000.json"
    if place == NAMES:
        (release / f"of {SECRET}").mkdir()
    else:
        path = log if place == ENTRY else release / place
        path.write_text(json.dumps({"of": SECRET}, ensure_ascii=False))
    with pytest.raises(GateRefused, match=f"contain removed text .{place}: X 1"):
        look_for_leaks(Far(release), Far(release / "documents"), removed, (), None, before)
    assert not log.exists()
    assert not [*release.iterdir()]

"""Documents to search are drawn by the release only."""

import json
import stat
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_deid.app import SampleOptions, run, sample
from spark_deid.core.errors import UsageError
from spark_deid.release.commit import ReleaseError


def released_notes(folder: Path, number: int) -> Path:
    """Release notes, each with a number that patterns find; ids are note-0 and so on."""
    notes, release = folder / "notes.jsonl", folder / "release"
    rows = ({"doc_id": f"note-{at}", "text": f"Call {617_555_0100 + at} at noon."} for at in range(number))
    notes.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    places = {"input.path": str(notes), "input.format": "jsonl", "workspace": str(folder / "workspace")}
    to = ("text", str(folder / "texts"))
    run(Path("patterns"), ("release_ids=keep",), places | {"release": str(release)}, to=to)
    return release


def drawn(page: Path) -> list[str]:
    """Return the ids on a page, in its order."""
    return [part.split("</code>")[0] for part in page.read_text().split("is left in <code>")[1:]]


def options(release: Path, output: Path, documents: int = 100, draw: int = 1) -> SampleOptions:
    return SampleOptions(release=str(release), output=str(output), documents=documents, draw=draw)


@pytest.mark.thorough
def test_documents_are_drawn_by_the_release_and_shown_without_originals(spark: SparkSession, tmp_path: Path) -> None:
    release = released_notes(tmp_path, 40)
    texts = {file.name: file.read_text() for file in (tmp_path / "texts").iterdir()}
    assert texts == {f"note-{at}.txt": "Call [PHONE] at noon." for at in range(40)}
    pages = [tmp_path / "pages" / f"{at}.html" for at in range(4)]
    figures = sample(options(release, pages[0], documents=10))
    assert (figures.documents, figures.of, figures.draw) == (10, 40, 1)
    assert 0 < figures.bound_without_ticks < 0.3
    sample(options(release, pages[1], documents=10))
    assert drawn(pages[0]) == drawn(pages[1])
    assert len({*drawn(pages[0])}) == 10
    again = sample(options(release, pages[2], documents=10, draw=2))
    assert drawn(pages[2]) != drawn(pages[0])
    assert again.bound_without_ticks > figures.bound_without_ticks
    assert sample(options(release, pages[3], documents=99)).bound_without_ticks == 0
    assert sorted(drawn(pages[3])) == sorted(f"note-{at}" for at in range(40))
    assert not any("555" in page.read_text() for page in pages)
    assert stat.S_IMODE(pages[0].stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("to", "told"),
    [
        (("txt", "texts"), "--to: expected one of .* did you mean text"),
        (("text", "release/texts"), r"release \(.*\) and output"),
        (("text", "workspace"), r"workspace \(.*\) and output"),
        (("text", "there"), "is not empty"),
    ],
)
def test_a_copy_is_refused_before_anything_is_done(tmp_path: Path, to: tuple[str, str], told: str) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine").write_text("mine")
    (tmp_path / "note.txt").write_text("Call 617-555-0143.")
    places = {"input.path": str(tmp_path / "note.txt"), "input.format": "text"}
    places |= {name: str(tmp_path / name) for name in ("workspace", "release")}
    with pytest.raises(UsageError, match=told):
        run(Path("patterns"), (), places, to=(to[0], str(tmp_path / to[1])))
    assert not (tmp_path / "release").exists()


def test_pages_are_next_to_releases_and_replace_nothing(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="not a release"):
        sample(options(tmp_path, tmp_path / "page.html"))
    (tmp_path / "there.html").write_text("mine")
    for output in (tmp_path / "there.html", tmp_path / "out" / "page.html"):
        (tmp_path / "out" / "documents" / "_delta_log").mkdir(parents=True, exist_ok=True)
        with pytest.raises((UsageError, ValueError), match=r"exists|expected a"):
            options(tmp_path, output)

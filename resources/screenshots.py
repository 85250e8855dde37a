"""Take screenshots of pages, wide, narrow, in the dark and as printed, to be checked.

    python resources/screenshots.py out/notes/release/report.html models/notes/training.html --output shots

It needs Chromium (``--browser``) and, for what is printed, pdftoppm (``apt-get install chromium poppler-utils``). A
page gives ``NAME-wide.png``, ``-narrow``, ``-dark``, ``-dark-narrow``, and a ``-print-1`` for each sheet of paper.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

WIDE, NARROW = 1200, 390
"""Pixels, of a laptop's window and of a phone."""
FRAME = "<!doctype html><body style='margin:0'><iframe src={page} style='border:0;width:{width}px;height:{height}px'>"
DARK = "--blink-settings=preferredColorScheme=0"
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--allow-file-access-from-files")


def browse(browser: str, *arguments: str) -> str:
    """Run the browser once, and return what it prints."""
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, *QUIET, f"--user-data-dir={profile}", *arguments]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    return done.stdout


def framed(page: Path, width: int, height: int, folder: Path) -> str:
    """Return the address of a page that shows another in a frame: windows have a least width, frames have none."""
    file = folder / f"{page.stem}-{width}.html"
    file.write_text(FRAME.format(page=json.dumps(page.resolve().as_uri()), width=width, height=height))
    return file.as_uri()


def shots(browser: str, page: Path, name: str, output: Path, height: int) -> Iterator[Path]:
    """Take the screenshots of a page; yield their files."""
    looks = (("wide", WIDE, ""), ("narrow", NARROW, ""), ("dark", WIDE, DARK), ("dark-narrow", NARROW, DARK))
    with tempfile.TemporaryDirectory() as scratch:
        for look, width, setting in looks:
            file = output / f"{name}-{look}.png"
            tall = height if width == WIDE else 2 * height
            given = [f"--window-size={max(width, 500)},{tall}", f"--screenshot={file}", *([setting] if setting else [])]
            browse(browser, *given, framed(page, width, tall, Path(scratch)))
            yield file
        printed = Path(scratch) / "page.pdf"
        browse(browser, f"--print-to-pdf={printed}", "--no-pdf-header-footer", page.resolve().as_uri())
        if shutil.which("pdftoppm"):
            subprocess.run(["pdftoppm", "-r", "70", "-png", printed, output / f"{name}-print"], check=True)
            yield from sorted(output.glob(f"{name}-print-*.png"))
        else:
            yield Path(shutil.copy(printed, output / f"{name}.pdf"))


def main() -> None:
    """Take screenshots of the pages that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--output", type=Path, default=Path("shots"))
    parser.add_argument("--browser", default="chromium")
    parser.add_argument(
        "--height", type=int, default=2600, help="pixels of a wide window; a narrow one has twice as many"
    )
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    for page in given.pages:
        for file in shots(given.browser, page, f"{page.resolve().parent.name}-{page.stem}", given.output, given.height):
            print(file)


if __name__ == "__main__":
    main()

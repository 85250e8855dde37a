"""Look at pages with axe-core in a headless Chromium, wide and narrow, in light and in the dark.

    python resources/check_pages.py                       # every kind of page, as unit tests draw them, and of the site
    python resources/check_pages.py out/notes/release/report.html                                        # these pages

It prints every violation of axe-core's rules with its place, each page that is wider than its window, and each report
whose verdict or key figures are below the first screen. The exit code is then 1. Without pages it also fails if no test
draws a template of the package, or if the documentation's site is not built.

axe-core (Deque Systems, MPL-2.0, https://github.com/dequelabs/axe-core) is downloaded once from npm's registry, and its
hash is checked.
"""

import argparse
import base64
import hashlib
import io
import sys
import tarfile
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from chromium import BrowserTab, open_tab

from spark_deid.report import render

ROOT = Path(__file__).parents[1]
VERSION = "4.14.1"
AXE = f"https://registry.npmjs.org/axe-core/-/axe-core-{VERSION}.tgz"
INTEGRITY = "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
CACHE = ROOT / ".cache" / f"axe-core-{VERSION}.tgz"
DRAWING = (
    *(
        f"tests/unit/report/test_{name}.py"
        for name in ("anonymization", "curves", "highlight", "pages", "persons", "render", "sampled", "sections")
    ),
    "tests/unit/app/test_comparing.py",
)
"""Tests that draw pages."""
SITE = ROOT / ".cache" / "site"
OF_SITE = ("index", "reference/commands", "reference/python", "help/architecture", "repository/CHANGELOG")
"""A page of each kind of the documentation's site."""
FRAGMENT = '<!doctype html><html lang="en"><title>A fragment</title><main><h1>A fragment</h1>{}</main></html>'
"""What a notebook's page is to a fragment."""
WindowLook = tuple[int, int, bool]
"""Width and height of a window in pixels, and whether the reader prefers the dark."""
LOOKS: tuple[WindowLook, ...] = ((1280, 800, False), (390, 800, True), (1280, 800, True), (390, 800, False))
FEW: tuple[WindowLook, ...] = LOOKS[:2]
"""Of the many pages of tests: each colour and each width once."""
FAULTY = (
    "<!doctype html><html><title></title><body style='width: 9999px'><p style='color: #ddd'>Pale<img src='x.png'></p>"
    "<h2 id='verdict' style='margin-top: 900px'>Late</h2>"
)
"""A page with many faults. A check that finds nothing shows a wrong set-up."""
EXPECTED = {"color-contrast", "document-title", "html-has-lang", "image-alt", "wider", "below the first screen"}
OPENED = """
for (const folded of document.querySelectorAll("details")) folded.open = true;
const plain = document.createElement("style");
plain.textContent = ".scroll { background: none !important } * { transition: none !important }";
document.head.append(plain);
"""
"""Open folded parts, so that they are checked as well; axe-core finds no contrast of words on a scrolling shade."""
ASKED = """
axe.run(document, {resultTypes: ["violations"]}).then(found => ({
  wide: Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth),
  low: Math.max(0, ...[...document.querySelectorAll("#verdict, #verdict + .tiles, header .tiles")].map(
    each => Math.round(each.getBoundingClientRect().bottom + window.scrollY - window.innerHeight))),
  violations: found.violations.flatMap(rule =>
    rule.nodes.map(node => [rule.id, node.target.join(" "), node.failureSummary])),
}))
"""


def axe_source() -> str:
    """Return axe-core's script out of its archive, fetched where it lacks. Raises ValueError for another file."""
    if not CACHE.is_file():
        with urllib.request.urlopen(AXE, timeout=60) as response:
            content = response.read()
        CACHE.parent.mkdir(parents=True, exist_ok=True)
        CACHE.write_bytes(content)
    content = CACHE.read_bytes()
    if f"sha512-{base64.b64encode(hashlib.sha512(content).digest()).decode()}" != INTEGRITY:
        CACHE.unlink()
        raise ValueError(f"{AXE}: its sha512 is not the pinned one; it was removed")
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        script = archive.extractfile("package/axe.min.js")
        assert script is not None
        return script.read().decode("utf-8")


class DrawnPages:
    """Keep what templates gave while tests run: each page once, by its template and its number."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.pages, self._numbers = folder, dict[str, Path](), dict[str, int]()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Iterator[None]:
        drawn = render._render
        patch = pytest.MonkeyPatch()
        patch.setattr(render, "_render", lambda template, **values: self._keep(template, drawn(template, **values)))
        try:
            return (yield)
        finally:
            patch.undo()

    def _keep(self, template: str, page: str) -> str:
        if page not in self.pages:
            name = template.removesuffix(".html").replace("/", ".")
            self._numbers[name] = number = self._numbers.get(name, 0) + 1
            whole = page if page.startswith("<!doctype") else FRAGMENT.format(page)
            self.pages[page] = self.folder / f"{name}-{number}.html"
            self.pages[page].write_text(whole, encoding="utf-8")
        return page


def templates_of_package() -> set[str]:
    """Return the templates of the package, as they are named to be drawn."""
    package = ROOT / "spark_deid"
    found = set()
    for path in package.rglob("templates/*.html"):
        package = ".".join(path.relative_to(ROOT).parts[:-2])
        found.add(path.name if package == "spark_deid.report" else f"{package}/{path.name}")
    return found


def drawn_pages(folder: Path) -> list[Path]:
    """Run the tests that draw pages, and return these. Raises ValueError where one fails, or a template is omitted."""
    drawn = DrawnPages(folder)
    tests = [str(ROOT / test) for test in DRAWING]
    if pytest.main(["-q", "-p", "no:cacheprovider", *tests], plugins=[drawn]):
        raise ValueError("the tests that draw pages failed")
    cache = render._environment().cache
    used = set() if cache is None else {name for _, name in cache}
    if unused := templates_of_package() - used:
        raise ValueError(f"no test of {', '.join(DRAWING)} draws {', '.join(sorted(unused))}")
    return sorted(drawn.pages.values())


def site_pages() -> list[Path]:
    """Return a page of each kind of the documentation's site. Raises ValueError where one is not built."""
    pages = [SITE / f"{name}.html" for name in OF_SITE]
    if lacking := [page for page in pages if not page.is_file()]:
        raise ValueError(f"{lacking[0]}: expected this page of the documentation's site; ./dev docs builds it")
    return pages


def complaints(tab: BrowserTab, page: Path, axe: str, looks: Sequence[WindowLook]) -> Iterator[str]:
    """Yield what is wrong with a page, each once, with the look that shows it first."""
    seen: set[tuple[str, ...]] = set()
    for width, height, is_dark in looks:
        look = f"{width} pixels, {'dark' if is_dark else 'light'}"
        tab.look(width, height, is_dark=is_dark)
        tab.show(page)
        tab.evaluate(OPENED)
        tab.evaluate(axe)
        found: dict[str, Any] = tab.evaluate(ASKED)
        if found["wide"]:
            yield f"{page.name} ({look}): {found['wide']} pixels wider than its window"
        if found["low"]:
            yield f"{page.name} ({look}): verdict or key figures are {found['low']} pixels below the first screen"
        for rule, place, told in found["violations"]:
            if (rule, place, told) not in seen:
                seen.add((rule, place, told))
                yield f"{page.name} ({look}): {rule} at {place}\n    {told.replace(chr(10), chr(10) + '    ')}"


def check_itself(tab: BrowserTab, folder: Path, axe: str) -> None:
    """Raise ValueError where a faulty page passes for sound."""
    page = folder / "faulty.html"
    page.write_text(FAULTY, encoding="utf-8")
    told = " ".join(complaints(tab, page, axe, FEW))
    if passed := {name for name in EXPECTED if name not in told}:
        raise ValueError(f"expected complaints about {', '.join(sorted(passed))} in a page that has such faults")


def main(arguments: Sequence[str] | None = None) -> int:
    """Look at the pages that the command line names, or at those that tests draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--browser", default="chromium")
    parser.add_argument("--keep", type=Path, help="a folder for the pages that tests draw")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        pages = given.pages or [*site_pages(), *drawn_pages(folder)]
        looks = LOOKS if given.pages else FEW
        axe = axe_source()
        with open_tab(given.browser) as tab:
            check_itself(tab, folder, axe)
            found = [each for page in pages for each in complaints(tab, page, axe, looks)]
    print("\n".join(found))
    print(f"axe-core {VERSION}: {len(found)} complaints about {len(pages)} pages")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

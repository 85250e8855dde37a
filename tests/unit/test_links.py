"""Links of the documentation: pages, headings, and the pages that messages, plans and comments name."""

import posixpath
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from pymdownx.slugs import slugify  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
NAMED = re.compile(r"\bdocs/[\w/.-]+\.md\b")
SOURCES = (
    "spark_deid",
    "conf",
    "jobs",
    "docker",
    "examples",
    "packages",
    "resources",
    "benchmarks",
    "dev",
    "mkdocs.yml",
)
MOST_PAGES, MOST_ENTRIES = 60, 10


def files(*places: str) -> tuple[str, ...]:
    """Return the files of the repository below some places."""
    listed = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "--", *places]
    done = subprocess.run(listed, capture_output=True, text=True, check=True)
    return tuple(path for path in done.stdout.splitlines() if (ROOT / path).is_file())


PAGES = files("*.md")


@cache
def anchors(path: str) -> frozenset[str]:
    """Return the anchors of a page: its headings, numbered if they repeat."""
    slug, found = slugify(case="lower"), list[str]()
    for heading in HEADING.findall(FENCE.sub("", (ROOT / path).read_text(encoding="utf-8"))):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        anchor = slug(re.sub(r"[*]", "", plain), "-")
        found.append(f"{anchor}_{found.count(anchor)}" if anchor in found else anchor)
    return frozenset(found)


def broken(path: str) -> Iterator[str]:
    """Yield the links of a page that lead to no file or heading of the repository."""
    for place, anchor in LINK.findall(FENCE.sub("", (ROOT / path).read_text(encoding="utf-8"))):
        if "://" in place or place.startswith("mailto:"):
            continue
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), place)) if place else path
        if not (ROOT / target).exists():
            yield f"{path}: {place}"
        elif anchor and target.endswith(".md") and anchor not in anchors(target):
            yield f"{path}: {place}#{anchor}"


@pytest.mark.parametrize("path", PAGES)
def test_links_of_a_page_lead_to_pages_and_headings(path: str) -> None:
    assert [*broken(path)] == []


def test_messages_plans_and_comments_name_pages_that_exist() -> None:
    named = {
        (path, page)
        for path in files(*SOURCES)
        if path.endswith((".py", ".yaml", ".yml", ".ipynb", ".html", ".conf", "dev"))
        for page in NAMED.findall((ROOT / path).read_text(encoding="utf-8"))
    }
    assert len(named) > 5
    assert [(path, page) for path, page in sorted(named) if not (ROOT / page).is_file()] == []


def navigation() -> list[tuple[str, list[object]]]:
    """Return the tabs of the site with their entries."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    tabs: list[dict[str, list[object]]] = yaml.safe_load(text[text.index("\nnav:") :])["nav"]
    return [(name, entries) for tab in tabs for name, entries in tab.items()]


def leaves(entry: object) -> Iterator[str]:
    """Yield the pages of an entry of the navigation."""
    if isinstance(entry, dict):
        for each in entry.values():
            yield from leaves(each)
    elif isinstance(entry, list):
        for each in entry:
            yield from leaves(each)
    else:
        yield str(entry)


def test_the_site_has_seven_tabs_of_few_entries_and_shows_every_page() -> None:
    tabs = navigation()
    assert [name for name, _ in tabs] == [
        "Start",
        "Tutorials",
        "How-to",
        "Reference",
        "Explanation",
        "Measured",
        "Help",
    ]
    assert all(len(entries) <= MOST_ENTRIES for _, entries in tabs)
    shown = [page for _, entries in tabs for page in leaves(entries) if not page.startswith("repository/")]
    assert len(shown) == len(set(shown)) <= MOST_PAGES
    there = {path.removeprefix("docs/") for path in PAGES if path.startswith("docs/")} - {"start/index.md"} | {
        "index.md"
    }
    assert {page for page in there if not page.startswith(("experiments/", "benchmarks/"))} == set(shown)


def test_old_pages_of_the_site_lead_to_pages_that_exist() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    redirects = yaml.safe_load(text[: text.index("markdown_extensions:")])["extra"]["redirects"]
    assert len(redirects) == 23
    assert [new for new in redirects.values() if not (ROOT / "docs" / new).is_file()] == []
    assert [old for old in redirects if (ROOT / "docs" / old).exists()] == []

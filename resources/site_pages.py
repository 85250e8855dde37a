"""The hook of MkDocs that adds pages from outside docs/ and redirects to the documentation's site.

docs/start/index.md is the first page. A file of the repository that a page links to is also a page of the site, below
``repository/``: Markdown unchanged, other text as a block of code, and a folder as its README.md. One link therefore
works on the host of the repository and in the site.
"""

import logging
import posixpath
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from resources.site_access import with_access  # noqa: E402

log = logging.getLogger("mkdocs.hooks.site_pages")
DOCS, START, ELSEWHERE = "docs", "docs/start/index.md", "repository"
_ALWAYS = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
"""Pages of the navigation that are outside docs/."""
_FENCE = re.compile(r"^```.*?^```[^\n]*$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()([^)\s#]*)(#[^)\s]*)?(?=\))")
_LANGUAGES = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".conf": "properties", ".sh": "bash"}
_FETCHED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=[\"']?(?:https?:)?//[^>]*>")
_REDIRECT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Moved</title><meta name="robots" content="noindex">
<script>location.replace("{url}" + location.hash)</script><meta http-equiv="refresh" content="0; url={url}"></head>
<body><main><h1>Moved</h1><p><a href="{url}">This page has moved.</a></p></main></body></html>
"""


def site_path(path: str) -> str:
    """Return the page of the site that shows a file of the repository; both are relative to their roots.

    >>> site_path("docs/reference/plans.md"), site_path("docs/start/index.md"), site_path("conf/mail.yaml")
    ('reference/plans.md', 'index.md', 'repository/conf/mail.yaml.md')
    """
    if path == START:
        return "index.md"
    if path.startswith(f"{DOCS}/"):
        return path.removeprefix(f"{DOCS}/")
    return f"{ELSEWHERE}/{path}" if path.endswith(".md") else f"{ELSEWHERE}/{path}.md"


def linked(text: str, path: str) -> Iterator[str]:
    """Yield the files of the repository, outside docs/, that a page links to; ``path`` is its own."""
    for place in _outside_fences(text, lambda part: _LINK.findall(part)):
        target = _target(place[0], path)
        if target is not None and not target.startswith(f"{DOCS}/"):
            yield target


def relinked(text: str, path: str) -> str:
    """Write links to files of the repository as links between pages of the site."""
    here = posixpath.dirname(site_path(path))

    def link(match: re.Match[str]) -> str:
        target = _target(match[1], path)
        if target is None:
            return match[0]
        return posixpath.relpath(site_path(target), here or ".") + (match[2] or "")

    return "".join(_outside_fences(text, lambda part: [_LINK.sub(link, part)], str))


def redirect(old: str, new: str) -> str:
    """Return the HTML page at ``old`` that leads to ``new``; both are Markdown files of the site.

    >>> "../b/new.html" in redirect("a/old.md", "b/new.md")
    True
    """
    place = posixpath.relpath(new, posixpath.dirname(old) or ".")
    return _REDIRECT.format(url=f"{place.removesuffix('.md')}.html")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the start page, the pages from outside docs/ that other pages link to, and the redirects."""
    waiting = [*_ALWAYS]
    for file in files.documentation_pages():
        waiting += linked(file.content_string, f"{DOCS}/{file.src_uri}")
    if start := files.get_file_from_path(START.removeprefix(f"{DOCS}/")):
        files.remove(start)
        files.append(File.generated(config, "index.md", content=relinked(start.content_string, START)))
    done = set()
    while waiting:
        path = waiting.pop()
        if path not in done:
            done.add(path)
            text = _page_of(path)
            waiting += linked(text, path)
            files.append(File.generated(config, site_path(path), content=relinked(text, path)))
    for old, new in config.extra.get("redirects", {}).items():
        if files.get_file_from_path(old) is None:
            if files.get_file_from_path(new) is None:
                log.warning(f"mkdocs.yml: extra.redirects: {old}: there is no page {new}")
            files.append(File.generated(config, f"{old.removesuffix('.md')}.html", content=redirect(old, new)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Write the links and pictures of a page in docs/."""
    return markdown if page.file.generated_by else relinked(markdown, f"{DOCS}/{page.file.src_uri}")


def on_post_page(output: str, page: Page, **_: Any) -> str:
    """Refuse a page that would fetch something, and make it usable without a mouse."""
    if found := _FETCHED.search(output):
        raise PluginError(f"{page.file.src_uri}: expected nothing that is fetched from a network: {found[0]}")
    return with_access(output)


def _target(place: str, path: str) -> str | None:
    """Return the file that a link of a page names; None if it is outside the repository or not a file."""
    if not place or "://" in place or place.startswith(("mailto:", "/")):
        return None
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), place))
    file = ROOT / target
    if file.is_dir():
        target, file = f"{target}/README.md", file / "README.md"
    return target if not target.startswith("..") and file.is_file() else None


def _page_of(path: str) -> str:
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    return f"# {path}\n\n```{_LANGUAGES.get(posixpath.splitext(path)[1], 'text')}\n{text}```\n"


def _outside_fences(
    text: str, parts: Callable[[str], list[Any]], fence: Callable[[str], Any] | None = None
) -> list[Any]:
    """Return what a function gives of the text outside blocks of code, and the blocks by another, in order."""
    found, end = [], 0
    for match in _FENCE.finditer(text):
        found += parts(text[end : match.start()])
        if fence is not None:
            found.append(fence(match[0]))
        end = match.end()
    return found + parts(text[end:])

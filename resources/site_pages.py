"""Pages of the documentation's site that do not lie in docs/: a hook of MkDocs.

README.md is the start. A file of the repository that a page links to is a page of the site, too, below ``repository/``:
Markdown as it is, other text as a block of code; a folder stands for its README.md. So one link is right on the host of
the repository and in the site. ``api.md`` is made of the names that ``spark_deid`` has.
"""

import posixpath
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import spark_deid  # noqa: E402 (of this checkout, and nothing of it is loaded)
from resources.site_access import with_access  # noqa: E402
from resources.site_map import with_pictures  # noqa: E402

DOCS, START, API, ELSEWHERE = "docs", "README.md", "api.md", "repository"
_ALWAYS = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "examples/plugin/README.md", "benchmarks/README.md")
"""What the navigation names."""
_FENCE = re.compile(r"^```.*?^```[^\n]*$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()([^)\s#]*)(#[^)\s]*)?(?=\))")
_LANGUAGES = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".conf": "properties", ".sh": "bash"}
_FETCHED = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=[\"']?(?:https?:)?//[^>]*>")
_SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Strings": ("redact", "aredact", "Redactor", "RedactedText", "detect", "show", "compare", "Span", "Edit"),
    "DataFrames": ("sanitize", "Sanitized", "anonymize", "AnonymizedTable", "build_session"),
    "Files": ("Plan", "run", "read_corpus", "Document", "sample_path"),
    "Models": ("train", "evaluate", "attack", "representation"),
    "Errors": ("SparkDeidError", "UsageError", "CorpusError", "ModelError", "GateRefused", "VerdictRefused"),
}


def site_path(path: str) -> str:
    """Return the page of the site that shows a file of the repository; both are relative to their roots.

    >>> site_path("docs/plans.md"), site_path("README.md"), site_path("conf/mail.yaml")
    ('plans.md', 'index.md', 'repository/conf/mail.yaml.md')
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


def api_page() -> str:
    """Write the page of what ``spark_deid`` names, each by its docstring; raise PluginError where one has no place."""
    named = {name for names in _SECTIONS.values() for name in names}
    if wrong := sorted(named ^ set(spark_deid._MODULES)):
        raise PluginError(f"resources/site_pages.py: expected each public name in one section: {', '.join(wrong)}")
    about = "What stands behind `import spark_deid as sd`; [Python](python.md) explains it."
    lines = ["# Python, name by name", "", about]
    for section, names in _SECTIONS.items():
        lines += ["", f"## {section}", ""]
        lines += [f"::: spark_deid.{spark_deid._MODULES[name]}.{name}\n" for name in names]
    return "\n".join(lines) + "\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that lie elsewhere, and those that these link to."""
    files.append(File.generated(config, API, content=api_page()))
    waiting = [START, *_ALWAYS]
    for file in files.documentation_pages():
        if file.src_uri != API:
            waiting += linked(file.content_string, f"{DOCS}/{file.src_uri}")
    done = set()
    while waiting:
        path = waiting.pop()
        if path not in done:
            done.add(path)
            text = _page_of(path)
            waiting += linked(text, path)
            files.append(File.generated(config, site_path(path), content=relinked(text, path)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Write the links and pictures of a page that lies in docs/."""
    return markdown if page.file.generated_by else with_pictures(relinked(markdown, f"{DOCS}/{page.file.src_uri}"))


def on_post_page(output: str, page: Page, **_: Any) -> str:
    """Refuse a page that would fetch something, and let who has no mouse read it."""
    if found := _FETCHED.search(output):
        raise PluginError(f"{page.file.src_uri}: expected nothing that is fetched from a network: {found[0]}")
    return with_access(output)


def _target(place: str, path: str) -> str | None:
    """Return the file that a link of a page names; None of one that leads elsewhere, or to nothing."""
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

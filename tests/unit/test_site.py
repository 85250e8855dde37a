"""The documentation's site: links between pages of the repository, and what no page may have."""

import doctest
import re
from types import SimpleNamespace

import pytest
from mkdocs.exceptions import PluginError

import spark_deid
from resources import site_access, site_docstrings, site_pages


def test_examples_hold() -> None:
    assert not doctest.testmod(site_access).failed
    assert not doctest.testmod(site_docstrings).failed
    assert not doctest.testmod(site_pages).failed


@pytest.mark.parametrize(
    ("path", "link", "site"),
    [
        ("README.md", "docs/reference/plans.md#deny", "../reference/plans.md#deny"),
        ("README.md", "docs/start/index.md", "../index.md"),
        ("README.md", "examples/plugin", "examples/plugin/README.md"),
        ("docs/help/faq.md", "../../conf/surrogates.yaml", "../repository/conf/surrogates.yaml.md"),
        ("docs/tutorials/mail.md", "../reference/plans.md", "../reference/plans.md"),
        ("docs/tutorials/mail.md", "../../README.md", "../repository/README.md"),
        ("docs/start/index.md", "../reference/plans.md", "reference/plans.md"),
        ("SECURITY.md", "README.md#licence", "README.md#licence"),
        ("docs/reference/plans.md", "nowhere.md", "nowhere.md"),
        ("docs/reference/plans.md", "../../../beside", "../../../beside"),
        ("docs/reference/plans.md", "https://example.org/docs/plans.md", "https://example.org/docs/plans.md"),
        ("docs/reference/plans.md", "#deny", "#deny"),
    ],
)
def test_links_lead_to_pages_of_the_site(path: str, link: str, site: str) -> None:
    text = f"See [it]({link}).\n\n```text\n[it]({link})\n```\n"
    assert site_pages.relinked(text, path) == f"See [it]({site}).\n\n```text\n[it]({link})\n```\n"


def test_files_outside_docs_come_along() -> None:
    links = "[a](../../conf/mail.yaml) [b](index.md) [c](../../examples/plugin#x)"
    text = f"{links}\n```\n[d](../../conf/names.yaml)\n```\n"
    assert [*site_pages.linked(text, "docs/start/install.md")] == ["conf/mail.yaml", "examples/plugin/README.md"]


def test_old_pages_lead_to_new_ones() -> None:
    assert 'href="../reference/plans.html"' in site_pages.redirect("tutorials/plans.md", "reference/plans.md")
    assert 'href="reference/plans.html"' in site_pages.redirect("plans.md", "reference/plans.md")


def test_keys_reach_blocks_of_code_with_long_lines_and_folded_parts_of_the_menu_have_names() -> None:
    short, long = (f"<pre><span></span><code>{line}\n</code></pre>" for line in ("a &lt; b", "x" * 60))
    assert site_access.with_access(short) == short
    assert site_access.with_access(short + long).count('<span tabindex="0">') == 1
    menu = (
        '<nav class="md-nav" aria-labelledby="__nav_1_label" aria-expanded="true">\n'
        '<label class="md-nav__title" for="x"><span class="md-icon"></span>\n Start\n</label>'
    )
    assert 'aria-label="Start" aria-expanded="true"' in site_access.with_access(menu)


def test_every_public_name_is_in_the_reference_once() -> None:
    page = (site_pages.ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    named = [line for line in page.splitlines() if line.startswith(":::")]
    assert sorted(named) == sorted(f"::: spark_deid.{module}.{name}" for name, module in spark_deid._MODULES.items())


def test_pictures_have_alternative_text_and_assets_a_title_and_a_description() -> None:
    docs = site_pages.ROOT / "docs"
    pictures = [
        (page, alternative, target)
        for page in docs.rglob("*.md")
        for alternative, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    ]
    assert not [target for page, alternative, target in pictures if len(alternative.split()) < 6]
    assert not [target for page, _, target in pictures if not (page.parent / target).is_file()]
    shown = {(page.parent / target).name for page, _, target in pictures}
    assert {"document-path.svg", "greedy-game.svg", "identifier-view.svg"} <= shown
    for name in ("document-path.svg", "greedy-game.svg", "identifier-view.svg"):
        drawing = (docs / "assets" / name).read_text(encoding="utf-8")
        assert drawing.index("<title") < drawing.index("<desc")
        assert "href=" not in drawing
        assert "url(http" not in drawing


@pytest.mark.parametrize(
    "fetched",
    [
        '<script src="https://example.org/a.js"></script>',
        "<link rel=stylesheet href=//example.org/a.css>",
        "<img alt='x' src='http://example.org/a.png'>",
    ],
)
def test_a_page_that_would_fetch_something_is_refused(fetched: str) -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="a.md"))
    kept = '<a href="https://example.org">x</a><script src="assets/a.js"></script><script>x="https://a"</script>'
    assert site_pages.on_post_page(kept, page) == kept  # type: ignore[arg-type]
    with pytest.raises(PluginError, match=r"a\.md"):
        site_pages.on_post_page(kept + fetched, page)  # type: ignore[arg-type]

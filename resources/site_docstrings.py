"""Docstrings for the documentation's site: examples that run become blocks of code, and ``x`` becomes `x`."""

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^|(?<=\n))>>> .*(?:\n(?!\n).+)*")


def as_markdown(docstring: str) -> str:
    r"""Write a docstring as Markdown.

    >>> as_markdown("Add ``a``.\n\n>>> 1 + 1\n2\n")
    'Add `a`.\n\n```pycon\n>>> 1 + 1\n2\n```\n'
    """
    parts, end = [], 0
    for match in _EXAMPLE.finditer(docstring):
        parts += [docstring[end : match.start()].replace("``", "`"), f"```pycon\n{match[0]}\n```"]
        end = match.end()
    return "".join((*parts, docstring[end:].replace("``", "`")))


class MarkdownDocstrings(griffe.Extension):
    """Writes the docstrings that are shown as Markdown."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Write an object's docstring again, as it is read."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)

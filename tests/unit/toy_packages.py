"""Packages that are installed for a test only: a module, and the entry points that name it."""

from collections.abc import Mapping
from pathlib import Path

import pytest


def install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, module: str, source: str, points: Mapping[str, Mapping[str, str]]
) -> None:
    """Install a package with one module; ``points`` are its entry points, by group and name."""
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (folder / f"{module}.py").write_text(source)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module.replace('_', '-')}\nVersion: 1.0\n")
    lines = [f"[{group}]\n" + "".join(f"{n} = {v}\n" for n, v in named.items()) for group, named in points.items()]
    (info / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(folder)

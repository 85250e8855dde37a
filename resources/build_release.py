"""Build what is published of a version: source archive, wheels, bill of materials, hashes.

Wheels are of the package, of Delta's JARs and of the neural model of English.

    python resources/build_release.py [--output dist]

Equal commits give equal files, byte by byte: times are that of the commit (``SOURCE_DATE_EPOCH``, where it is set).
"""

import argparse
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from bill_of_materials import PACKAGE, bill_of_materials
from plain_archive import with_one_moment

from spark_deid.engine.jars import keep_jars, pinned_jars

ROOT = Path(__file__).parents[1]


LEFTOVERS = shutil.ignore_patterns(".*", "build", "dist", "out", "*.egg-info", "__pycache__")
"""Names that are not sources in a folder that is not a clone."""


def moment_of(source: Path) -> int:
    """Return the seconds since 1970 that the environment names, or else those of the commit, or of pyproject.toml."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    told = _git(source, "log", "-1", "--format=%ct")
    return int((source / "pyproject.toml").stat().st_mtime) if told is None else int(told)


def _git(source: Path, *arguments: str) -> bytes | None:
    """Return what git states about a clone; None for a folder that is not a clone."""
    if not (source / ".git").exists():
        return None
    try:
        done = subprocess.run(["git", "-C", str(source), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


def build(source: Path, output: Path) -> tuple[Path, ...]:
    """Build what is committed in a clone into ``output``, which must be new; return the files.

    What is in the clone and is not committed takes no part.
    """
    moment = moment_of(source)
    output.mkdir(parents=True)
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(moment)}
    with tempfile.TemporaryDirectory() as folder:
        committed = Path(folder) / "committed"
        _copy_source(source, committed)
        _run_build(committed, Path(folder), "--sdist", environment)
        (archive,) = Path(folder).glob("*.tar.gz")
        sdist = output / archive.name
        sdist.write_bytes(with_one_moment(archive.read_bytes(), moment))
        with tarfile.open(sdist) as packed:
            packed.extractall(folder, filter="data")
        _run_build(Path(folder) / archive.name.removesuffix(".tar.gz"), output, "--wheel", environment)
        (wheel,) = output.glob("*.whl")
        _build_jars(committed, output, environment)
        _run_build(committed / "packages" / "english_neural", output, "--wheel", environment)
        content = bill_of_materials(committed, wheel, datetime.fromtimestamp(moment, UTC).isoformat())
    bill = output / f"{PACKAGE}.cdx.json"
    bill.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    others = (next(output.glob(f"spark_deid_{name}-*.whl")) for name in ("jars", "english_neural"))
    built = (sdist, wheel, *others, bill)
    sums = output / "SHA256SUMS"
    sums.write_text("".join(f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}\n" for each in built))
    return (*built, sums)


def _copy_source(source: Path, folder: Path) -> None:
    """Copy what is committed; of a folder that is no clone, such as an unpacked source archive, all but leftovers."""
    packed = _git(source, "archive", "--format=tar", "HEAD")
    if packed is None:
        shutil.copytree(source, folder, ignore=LEFTOVERS)
        return
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")


def _run_build(source: Path, output: Path, kind: str, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "build", kind, "--outdir", str(output), str(source)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"building {kind.removeprefix('--')} failed:\n{done.stdout[-3000:]}")


def _build_jars(source: Path, output: Path, environment: dict[str, str]) -> None:
    """Build the wheel of the package that brings Delta's JARs: those of every Spark, fetched where they lack."""
    package = source / "packages" / "jars"
    folder = package / "spark_deid_jars" / "jars"
    folder.mkdir()
    for jar in keep_jars(pinned_jars()):
        shutil.copyfile(jar, folder / jar.name)
    shutil.copyfile(source / "LICENSE", package / "LICENSE")
    _run_build(package, output, "--wheel", environment)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="a new folder")
    options = parser.parse_args()
    if options.output.exists():
        sys.exit(f"{options.output}: exists already; remove it, or name another folder by --output")
    for path in build(ROOT, options.output):
        print(f"{path.stat().st_size:>12,} bytes  {path}")


if __name__ == "__main__":
    main()

"""Build what is published of a version: a source archive, a wheel built from it, a bill of materials, their hashes.

    python resources/build_release.py [--output dist]

Equal commits give equal files, byte by byte: times are that of the commit (``SOURCE_DATE_EPOCH``, where it is set).
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from bill_of_materials import PACKAGE, bill_of_materials
from plain_archive import with_one_moment

ROOT = Path(__file__).parents[1]


def moment_of(source: Path) -> int:
    """Return the seconds since 1970 that the environment names, or else those of the commit."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    command = ["git", "-C", str(source), "log", "-1", "--format=%ct"]
    return int(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout)


def build(source: Path, output: Path) -> tuple[Path, ...]:
    """Build a folder of source into ``output``, which must be new; return the files."""
    moment = moment_of(source)
    output.mkdir(parents=True)
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(moment)}
    with tempfile.TemporaryDirectory() as folder:
        _run_build(source, Path(folder), "--sdist", environment)
        (archive,) = Path(folder).glob("*.tar.gz")
        sdist = output / archive.name
        sdist.write_bytes(with_one_moment(archive.read_bytes(), moment))
        with tarfile.open(sdist) as packed:
            packed.extractall(folder, filter="data")
        _run_build(Path(folder) / archive.name.removesuffix(".tar.gz"), output, "--wheel", environment)
    (wheel,) = output.glob("*.whl")
    bill = output / f"{PACKAGE}.cdx.json"
    content = bill_of_materials(source, wheel, datetime.fromtimestamp(moment, UTC).isoformat())
    bill.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    built = (sdist, wheel, bill)
    sums = output / "SHA256SUMS"
    sums.write_text("".join(f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.name}\n" for each in built))
    return (*built, sums)


def _run_build(source: Path, output: Path, kind: str, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "build", kind, "--outdir", str(output), str(source)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"building {kind.removeprefix('--')} failed:\n{done.stdout[-3000:]}")


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

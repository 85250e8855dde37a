"""Make a corpus of English text from the documentation of Debian's packages, near-duplicates dropped.

    python benchmarks/documentation.py --output corpus/documentation --megabytes 300

Without ``--root`` the packages are downloaded and unpacked beside the output, not installed. The corpus is a folder of
JSON lines; HTML is reduced to its text.
"""

import argparse
import gzip
import html
import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

INSTALLED = Path("/usr/share/doc")
PACKAGES = (
    "linux-doc-6.1",
    "python3.11-doc",
    "postgresql-doc-15",
    "cmake-doc",
    "git-doc",
    "libboost1.74-doc",
    "perl-doc",
    "debian-reference-en",
    "debian-faq",
    "openjdk-17-doc",
    "rust-doc",
    "ghc-doc",
    "python-pandas-doc",
    "ansible",
    "erlang-doc",
    "wx3.2-doc",
    "libstdc++-12-doc",
    "dpdk-doc",
    "libgtk-4-doc",
    "libgtk-3-doc",
    "petsc3.18-doc",
    "libghc-pandoc-doc",
    "python-sqlalchemy-doc",
    "python-django-doc",
    "llvm-14-doc",
    "apache2-doc",
    "libglib2.0-doc",
    "lilypond-doc-html",
    "python-scipy-doc",
    "sagemath-doc",
    "python-sympy-doc",
    "racket-doc",
    "nova-doc",
    "neutron-doc",
    "cinder-doc",
    "keystone-doc",
    "clang-14-doc",
    "ns3-doc",
    "ruby3.1-doc",
    "pike8.0-doc",
    "sqlite3-doc",
)
NO_PROSE = frozenset(
    (
        ".js",
        ".css",
        ".svg",
        ".json",
        ".map",
        ".xml",
        ".c",
        ".h",
        ".cpp",
        ".hpp",
        ".py",
        ".pl",
        ".png",
        ".pdf",
        ".woff2",
        ".inv",
        ".d",
        ".csv",
        ".el",
    )
)
LARGEST = 2_000_000
SEEN_SHARE = 0.5
FILE_BYTES = 16_000_000
_UNSEEN = re.compile(r"(?is)<(script|style|nav)\b.*?</\1>|<!--.*?-->")
_TAG = re.compile(r"(?s)<[^>]+>")
_BLANK_LINES = re.compile(r"\n\s*\n")


def documents(root: Path) -> Iterator[tuple[str, str]]:
    """Yield path and text of files of which at most half the lines were in earlier ones; packages are mixed."""
    seen: set[int] = set()
    for path in sorted(root.rglob("*"), key=lambda path: sha256(str(path.relative_to(root)).encode()).digest()):
        text = read_text(path)
        lines = [hash(line.strip()) for line in text.splitlines() if line.strip()]
        if not lines:
            continue
        is_near_duplicate = sum(line in seen for line in lines) > SEEN_SHARE * len(lines)
        seen.update(lines)
        if not is_near_duplicate:
            yield path.as_posix(), text


def read_text(path: Path) -> str:
    """Return a file's prose; nothing if it lacks one, or is not text, or is too large."""
    plain = path.with_suffix("") if path.suffix == ".gz" else path
    if plain.suffix in NO_PROSE or path.is_symlink() or not path.is_file():
        return ""
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        text = data.decode()
    except (OSError, EOFError, UnicodeDecodeError, gzip.zlib.error):
        return ""
    if plain.suffix in (".html", ".htm"):
        text = _BLANK_LINES.sub("\n\n", html.unescape(_TAG.sub("", _UNSEEN.sub("", text)))).strip()
    return "" if "\0" in text or len(text) > LARGEST else text


def add_text_options(parser: argparse.ArgumentParser, megabytes: float) -> None:
    """Add the options that choose a corpus to those of a benchmark."""
    parser.add_argument("--input", type=Path, help=f"a folder of JSON lines; without it, what lies in {INSTALLED}")
    parser.add_argument("--megabytes", type=float, default=megabytes)


def corpus(folder: Path | None, megabytes: float) -> list[str]:
    """Return texts of a folder of JSON lines, or of the documentation that is installed, from the first on."""
    return first_of(read_corpus(folder) if folder else (text for _, text in documents(INSTALLED)), megabytes)


def first_of(texts: Iterable[str], megabytes: float) -> list[str]:
    """Return texts from the first on, until they are large enough together; raises SystemExit where they are not."""
    taken: list[str] = []
    size = 0
    for text in texts:
        taken.append(text)
        size += len(text.encode())
        if size >= megabytes * 1e6:
            return taken
    raise SystemExit(f"the corpus has {size / 1e6:.1f} MB of text, {megabytes:g} are asked for")


def read_corpus(folder: Path) -> Iterator[str]:
    """Yield the texts of a folder of JSON lines, in the order of their files."""
    for path in sorted(folder.glob("[!._]*.jsonl*")):
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield from (json.loads(line)["text"] for line in file)


def unpack(packages: Iterable[str], folder: Path) -> Path:
    """Download packages by apt and unpack them into a folder; return where their documentation is."""
    folder.mkdir(parents=True)
    subprocess.run(["apt-get", "download", *packages], cwd=folder, check=True)
    for package in sorted(folder.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", package.name, "."], cwd=folder, check=True)
        package.unlink()
    return folder / "usr" / "share" / "doc"


def write_corpus(found: Iterable[tuple[str, str]], root: Path, output: Path, megabytes: float) -> int:
    """Write texts as JSON lines, many to a file, until they are large enough together; return the bytes of text."""
    output.mkdir(parents=True)
    size = written = 0
    lines: list[str] = []
    for name, text in found:
        size += len(text.encode())
        lines.append(json.dumps({"doc_id": name.removeprefix(f"{root}/"), "text": text}))
        if size - written >= FILE_BYTES:
            _write_part(lines, output, size)
            written, lines = size, []
        if size >= megabytes * 1e6:
            break
    _write_part(lines, output, size)
    return size


def _write_part(lines: list[str], output: Path, size: int) -> None:
    (output / f"until-{size:012}.jsonl").write_text("".join(f"{line}\n" for line in lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--megabytes", type=float, default=300, help="stop at this size")
    parser.add_argument("--packages", nargs="+", default=PACKAGES, help="Debian packages to download")
    parser.add_argument("--root", type=Path, help=f"take what lies there instead, such as {INSTALLED}")
    options = parser.parse_args()
    root = options.root or unpack(options.packages, options.output.with_suffix(".packages"))
    size = write_corpus(documents(root), root, options.output, options.megabytes)
    print(f"{size / 1e6:.1f} MB of text in {options.output}")


if __name__ == "__main__":
    main()

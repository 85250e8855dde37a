"""Check how the project's prose is written: words to replace, lengths of sentences and paragraphs.

The word list is `resources/words.txt`. The check is a ratchet against the commit that the list names as its base. A
file that has changed since then may exceed a limit by no more than it did there. A new or rewritten file must meet all
limits.

    words.py                 prose by kind, then each breach of a limit; exit code 1 if there is one
    words.py --pages         every page with its measures at the base and now
    words.py --list PATH...  every word of level E, as file:line: word (replacement)
    words.py --tighten       make the current commit the base, if no file is worse
"""

import argparse
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from math import ceil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from resources.prose import Kind, ProseLine, exemptions, has_prose, is_page, prose_of  # noqa: E402

WORDS = ROOT / "resources" / "words.txt"
MOST_EXEMPTIONS = 30
STRICT_KINDS: tuple[Kind, ...] = ("docs", "messages", "templates")
CODE_KINDS: tuple[Kind, ...] = ("docstrings", "comments")
ADVICE = "Rewrite the sentence: subject first, verb active."


@dataclass(frozen=True)
class WordRule:
    """A pattern of the word list: its level and what replaces a match."""

    level: str
    pattern: re.Pattern[str]
    replacement: str


@dataclass(frozen=True)
class WordList:
    """The rules of `words.txt`, the exempt words and the base commit."""

    rules: tuple[WordRule, ...]
    exempt: re.Pattern[str]
    base: str

    def matches(self, line: str, level: str) -> list[tuple[str, str]]:
        """Return each match of a level in a line, with its replacement."""
        line = self.exempt.sub("EXEMPT", line)
        rules = (rule for rule in self.rules if rule.level.startswith(level))
        return [(found.group().strip(), rule.replacement) for rule in rules for found in rule.pattern.finditer(line)]


@cache
def word_list() -> WordList:
    """Read the word list."""
    rows = [line.split(" :: ") for line in WORDS.read_text(encoding="utf-8").splitlines() if " :: " in line]
    by_level = {level: rest[0] for level, *rest in rows}
    rules = tuple(
        WordRule(level, re.compile(pattern, 0 if pattern.startswith("(^") else re.IGNORECASE), replacement)
        for level, pattern, replacement, *_ in rows
        if level not in {"X", "base"}
    )
    return WordList(rules, re.compile(by_level["X"], re.IGNORECASE), by_level["base"])


@dataclass
class ProseMeasures:
    """Counts of a file or of several: words and matches by kind, lengths of sentences and paragraphs in words."""

    words: Counter[str] = field(default_factory=Counter)
    strong: Counter[str] = field(default_factory=Counter)
    weak: Counter[str] = field(default_factory=Counter)
    sentences: list[int] = field(default_factory=list)
    paragraphs: list[int] = field(default_factory=list)
    semicolons: int = 0

    def add(self, other: "ProseMeasures") -> None:
        """Add the counts of another file."""
        for mine, theirs in ((self.words, other.words), (self.strong, other.strong), (self.weak, other.weak)):
            mine.update(theirs)
        self.sentences += other.sentences
        self.paragraphs += other.paragraphs
        self.semicolons += other.semicolons


def measure(lines: list[ProseLine]) -> ProseMeasures:
    """Measure the prose of one file. Sentences and paragraphs are those of its docs."""
    listed, result = word_list(), ProseMeasures()
    for line in lines:
        result.words[line.kind] += len(re.findall(r"[A-Za-z][A-Za-z'-]*", line.text))
        result.strong[line.kind] += len(listed.matches(line.text, "E"))
        result.weak[line.kind] += len(listed.matches(line.text, "W"))
    text = "\n".join(line.text for line in lines if line.kind == "docs")
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:[#|>*+-]|\d+\. ))", text):
        if paragraph.strip() and not paragraph.lstrip().startswith(("|", "#")):
            _measure_paragraph(paragraph.replace("\n", " "), result)
    return result


def _measure_paragraph(paragraph: str, result: ProseMeasures) -> None:
    result.paragraphs.append(len(paragraph.split()))
    for sentence in re.split(r"(?<=[.!?])[\"')\]]*\s+", paragraph):
        if len(sentence.split()) > 2:
            result.sentences.append(len(sentence.split()))
            result.semicolons += ";" in sentence


@dataclass(frozen=True)
class LimitValue:
    """A measure of a file that a limit bounds: lower is better, and `limit` depends on the file's size."""

    name: str
    value: float
    limit: float


def limit_values(measures: ProseMeasures, page: bool) -> list[LimitValue]:
    """Return a file's measures with their limits. A percentage always allows one case."""
    code_words = sum(measures.words[kind] for kind in CODE_KINDS)
    values = [LimitValue(f"words of level E in {kind}", measures.strong[kind], 0) for kind in STRICT_KINDS]
    code = sum(measures.strong[kind] for kind in CODE_KINDS)
    values.append(LimitValue("words of level E in docstrings and comments", code, code_words // 1000))
    return values + _page_values(measures) if page else values


def _page_values(measures: ProseMeasures) -> list[LimitValue]:
    words, sentences, paragraphs = measures.words["docs"], measures.sentences, measures.paragraphs
    weak_limit = max(2.0, 0.012 * words)
    return [
        LimitValue(
            "words of level W per 1,000 words",
            _rate(measures.weak["docs"], words, 1000),
            _rate(weak_limit, words, 1000),
        ),
        LimitValue("words per sentence", _rate(sum(sentences), len(sentences)), 16),
        _fraction("sentences over 25 words", sum(size > 25 for size in sentences), len(sentences), 0.12),
        _fraction("sentences over 35 words", sum(size > 35 for size in sentences), len(sentences), 0.01),
        _fraction("sentences with a semicolon", measures.semicolons, len(sentences), 0.01),
        _fraction("paragraphs over 70 words", sum(size > 70 for size in paragraphs), len(paragraphs), 0.02),
    ]


def _rate(count: float, total: int, per: int = 1) -> float:
    return per * count / total if total else 0.0


def _fraction(name: str, count: int, total: int, limit: float) -> LimitValue:
    return LimitValue(f"{name} (%)", _rate(count, total, 100), _rate(ceil(limit * total), total, 100))


def breaches(now: ProseMeasures, base: ProseMeasures | None, page: bool) -> list[str]:
    """Return how a file exceeds its limits, and where it has a base, by more than it did there."""
    before = [value.value for value in limit_values(base, page)] if base else None
    found = []
    for position, measured in enumerate(limit_values(now, page)):
        allowed = max(measured.limit, before[position]) if before else measured.limit
        if measured.value > allowed + 1e-9:
            found.append(f"{measured.name}: {measured.value:.4g}, at most {allowed:.4g}")
    return found


def is_rewritten(now: list[ProseLine], base: list[ProseLine]) -> bool:
    """Return whether fewer than half of a file's lines of prose have the text that they had at the base."""
    old = Counter(line.text.strip() for line in base)
    lines = Counter(line.text.strip() for line in now if line.text.strip())
    return sum((lines & old).values()) * 2 < sum(lines.values())


def git(*arguments: str) -> str:
    """Return what a command of git prints. Raises SystemExit with git's reason if it fails."""
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise SystemExit(
            f"words.py: git {arguments[0]} failed: {done.stderr.strip()}. It needs the history of a full clone."
        )
    return done.stdout


def project_files() -> list[str]:
    """Return the files that are read: those in git and new ones that it does not ignore."""
    listed = git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    return sorted(path for path in set(listed) if has_prose(path) and (ROOT / path).is_file())


def base_paths(base: str) -> dict[str, str]:
    """Return the path at the base of each file that it had there, by its path now."""
    kept = {path: path for path in git("ls-tree", "-r", "--name-only", base).splitlines()}
    for row in git("diff", "-M", "--name-status", "--diff-filter=R", base).splitlines():
        _, old, new = row.split("\t")
        kept[new] = old
    return kept


def prose_now(path: str) -> list[ProseLine]:
    """Return the prose of a file of the working tree."""
    return prose_of(path, (ROOT / path).read_text(encoding="utf-8", errors="replace"))


def prose_at(base: str, path: str) -> list[ProseLine]:
    """Return the prose that a file has at a commit."""
    return prose_of(path, git("show", f"{base}:{path}"))


def changed_files(base: str) -> set[str]:
    """Return the files that differ from the base, new ones included."""
    tracked = git("diff", "--name-only", base).splitlines()
    return set(tracked) | set(git("ls-files", "--others", "--exclude-standard").splitlines())


def file_breaches(base: str) -> dict[str, list[str]]:
    """Return the breaches of each changed file, by its path; lines of code files that were moved do not count."""
    origins, found = base_paths(base), {}
    changed = sorted(changed_files(base) & set(project_files()))
    now = {path: prose_now(path) for path in changed}
    old = {path: prose_at(base, origins[path]) for path in changed if path in origins}
    kept = {origins[path] for path in old}
    deleted = git("diff", "--name-only", "--diff-filter=D", "--no-renames", base).splitlines()
    gone = [prose_at(base, path) for path in deleted if path not in kept and has_prose(path) and not is_page(path)]
    left = [counted(old[path]) - counted(now[path]) for path in old if not is_page(path)]
    moved = sum([*map(counted, gone), *left], Counter[str]())
    for path in changed:
        before = old.get(path)
        lines = now[path] if is_page(path) else without_moved(now[path], before or [], moved)
        reference = None if before is None or is_rewritten(lines, before) else measure(before)
        if worse := breaches(measure(lines), reference, is_page(path)):
            found[path] = worse
    return found


def counted(lines: list[ProseLine]) -> Counter[str]:
    """Count equal lines of prose."""
    return Counter(line.text.strip() for line in lines)


def without_moved(now: list[ProseLine], base: list[ProseLine], moved: Counter[str]) -> list[ProseLine]:
    """Return the lines of a file without those that another file lost; take these from ``moved``."""
    own, kept = counted(base), []
    for line in now:
        text = line.text.strip()
        if own[text] > 0:
            own[text] -= 1
        elif text and moved[text] > 0:
            moved[text] -= 1
            continue
        kept.append(line)
    return kept


def exemption_breaches() -> list[str]:
    """Return each exempt line without a reason, and whether there are too many exempt lines."""
    sources = {path: (ROOT / path).read_text(encoding="utf-8", errors="replace") for path in project_files()}
    exempt = [(path, *found) for path, text in sources.items() if path not in _CHECKER for found in exemptions(text)]
    missing = [f"{path}:{number}: words: ok needs a reason" for path, number, reason in exempt if not reason]
    many = [f"{len(exempt)} lines are exempt, at most {MOST_EXEMPTIONS}"] if len(exempt) > MOST_EXEMPTIONS else []
    return missing + many


_CHECKER = {"resources/prose.py", "resources/words.py", "tests/unit/test_words.py"}
"""Files that write about exemptions."""


def print_kinds() -> None:
    """Print words and matches by kind, and the sentences of all pages."""
    total = ProseMeasures()
    for path in project_files():
        total.add(measure(prose_now(path)))
    print(f"{'kind':12}{'words':>9}{'E/1,000':>9}{'W/1,000':>9}")
    for kind in sorted(total.words):
        words = total.words[kind]
        rates = (_rate(counts[kind], words, 1000) for counts in (total.strong, total.weak))
        print(f"{kind:12}{words:9,}" + "".join(f"{rate:9.1f}" for rate in rates))
    for value in _page_values(total)[1:]:
        print(f"{value.name}: {value.value:.1f}")


_COLUMNS = ("words", "E/1,000", "W/1,000", "a sentence", "over 25 %", "over 35 %", "with ; %")


def print_pages(base: str) -> None:
    """Print the measures of every page at the base and now."""
    origins = base_paths(base)
    print(f"{'page':42}" + "".join(f"{name:>13}" for name in _COLUMNS))
    for path in filter(is_page, project_files()):
        then = _page_row(prose_at(base, origins[path])) if path in origins else ["-"] * 7
        print(
            f"{path:42}"
            + "".join(f"{old + ' ' + new:>13}" for old, new in zip(then, _page_row(prose_now(path)), strict=True))
        )


def _page_row(lines: list[ProseLine]) -> list[str]:
    measures = measure(lines)
    words = measures.words["docs"]
    weak, average, over_25, over_35, semicolons, _ = (value.value for value in _page_values(measures))
    strong = _rate(measures.strong["docs"], words, 1000)
    return [str(words), *(f"{value:.0f}" for value in (strong, weak, average, over_25, over_35, semicolons))]


def listed_words(paths: list[str]) -> Iterator[str]:
    """Yield each match of level E in files and folders."""
    for path in project_files():
        if any(path == wanted or path.startswith(wanted.rstrip("/") + "/") for wanted in paths):
            for line in prose_now(path):
                for word, replacement in word_list().matches(line.text, "E"):
                    yield f"{path}:{line.number}: {word!r} ({replacement})"


def check(base: str) -> int:
    """Print prose by kind and each breach, and return the exit code."""
    print_kinds()
    faults = [f"{path}: {breach}" for path, found in file_breaches(base).items() for breach in found]
    faults += exemption_breaches()
    for fault in faults:
        print(fault)
    if faults:
        print(f"{len(faults)} limits are exceeded. {ADVICE} `./dev words --list PATH` names the words.")
    return 1 if faults else 0


def tighten(base: str) -> int:
    """Write the current commit as the base, unless a file is worse than at the old base."""
    if code := check(base):
        return code
    head = git("rev-parse", "--short=12", "HEAD").strip()
    text = WORDS.read_text(encoding="utf-8")
    WORDS.write_text(re.sub(r"(?m)^base :: \S+", f"base :: {head}", text), encoding="utf-8")
    return 0


def main(arguments: list[str]) -> int:
    """Run the command line, and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_mutually_exclusive_group()
    actions.add_argument("--pages", action="store_true", help="Measures of every page at the base and now.")
    actions.add_argument("--list", nargs="+", metavar="PATH", help="Words of level E in files and folders.")
    actions.add_argument("--tighten", action="store_true", help="Make the current commit the base.")
    options = parser.parse_args(arguments)
    base = word_list().base
    if options.list:
        print("\n".join(listed_words(options.list)))
        return 0
    if options.pages:
        print_pages(base)
        return 0
    return tighten(base) if options.tighten else check(base)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Compare what `representation pseudonymize` costs with `convert`, in turns, on the same labelled text.

Neighbours are searched once before, and kept; that run is timed apart.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from run_cost import Case, Cost, measure

CONVERT, PSEUDONYMIZE = "convert", "pseudonymize"
ROOT = Path(__file__).resolve().parents[1]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _options(arguments)
    found: dict[str, list[Cost]] = {}
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        for megabytes in options.megabytes:
            corpus = _cut(options.input, Path(scratch) / f"notes-{megabytes:g}", megabytes, options.files)
            cache = Path(scratch) / "neighbours"
            first = measure(_case(PSEUDONYMIZE, corpus, cache, options), Path(scratch))
            found[f"{megabytes:g} MB, with the search"] = [first]
            for turn in range(options.times):
                for name in (CONVERT, PSEUDONYMIZE):
                    cost = measure(_case(name, corpus, cache, options), Path(scratch))
                    found.setdefault(f"{megabytes:g} MB, {name}", []).append(cost)
                    print(f"{turn + 1} {megabytes:g} MB {name} {cost}", file=sys.stderr, flush=True)
    _print_table(options.megabytes, found)
    if options.json:
        options.json.write_text(json.dumps({name: [asdict(cost) for cost in costs] for name, costs in found.items()}))


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", type=Path, required=True, help="a folder of labelled JSON lines, of `synthesize`")
    parser.add_argument("--embeddings", type=Path, required=True, help="a store of vectors")
    parser.add_argument("--to", default="jsonl", help="the format that both write")
    parser.add_argument("--megabytes", type=float, nargs="+", default=[10, 30, 100], help="of text, in UTF-8")
    parser.add_argument("--files", type=int, default=4, help="files that text is dealt to")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    return parser.parse_args(arguments)


def _cut(corpus: Path, folder: Path, megabytes: float, count: int) -> Path:
    """Write the first documents of a corpus that have that much text, to ``count`` files; exits where there is less."""
    folder.mkdir()
    files = [(folder / f"part-{number}.jsonl").open("w", encoding="utf-8") for number in range(count)]
    size = 0.0
    for number, line in enumerate(_lines(corpus)):
        if size >= megabytes * 1e6:
            break
        files[number % count].write(line)
        size += len(json.loads(line)["text"].encode())
    for file in files:
        file.close()
    if size < megabytes * 1e6:
        sys.exit(f"{corpus}: {size / 1e6:.1f} MB of text, expected {megabytes:g} MB")
    return folder


def _lines(corpus: Path) -> Iterator[str]:
    for path in sorted(corpus.glob("*.jsonl")):
        with path.open(encoding="utf-8") as lines:
            yield from lines


def _case(name: str, corpus: Path, cache: Path, options: argparse.Namespace) -> Case:
    def command(folder: Path) -> list[str]:
        python = [sys.executable, "-m", "spark_deid.cli"]
        if name == CONVERT:
            return [*python, "convert", "--from", "jsonl", "--to", options.to, str(corpus), str(folder / "out")]
        places = {"input": corpus, "embeddings": options.embeddings.resolve(), "output": folder / "out", "cache": cache}
        given = [word for option, place in places.items() for word in (f"--{option}", str(place))]
        return [*python, "representation", "pseudonymize", *given, "--format", "jsonl", "--to", options.to]

    return Case(name, options.checkout.resolve(), command)


def _print_table(sizes: Sequence[float], found: dict[str, list[Cost]]) -> None:
    print("| text | convert: CPU s | pseudonymize: CPU s | ratio | with the search | a worker: MiB | MiB |")
    print("|---|---|---|---|---|---|---|")
    for size in sizes:
        names = (f"{size:g} MB, {name}" for name in (CONVERT, PSEUDONYMIZE, "with the search"))
        one, other, first = (found[name] for name in names)
        cpu, own, whole = (statistics.median(cost.cpu for cost in costs) for costs in (one, other, first))
        ratios = [two.cpu / turn.cpu for turn, two in zip(one, other, strict=True)]
        workers = [max(cost.largest_worker for cost in costs) / 2**20 for costs in (one, other)]
        print(
            f"| {size:g} MB | {cpu:.1f} | {own:.1f} | {min(ratios):.2f} to {max(ratios):.2f} | {whole:.1f} "
            f"| {workers[0]:.0f} | {workers[1]:.0f} |"
        )


if __name__ == "__main__":
    main()

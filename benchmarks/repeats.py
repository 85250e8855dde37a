"""Time rare-text detection on one core against a plain-Python port of the paper and against its suffix array only.

    python benchmarks/repeats.py --megabytes 10

The corpus is a folder of JSON lines, such as documentation.py makes, or what Debian's packages have installed here,
near-duplicates dropped. Times are CPU seconds of one process, best of three; ratios are of one run. With ``--threads``
those of several threads are by the clock.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from documentation import add_text_options, corpus
from pydivsufsort import divsufsort, kasai

from spark_deid.repeats.extension import character_lengths, count_sorted, extension_lengths, sort_suffixes, suffix_array
from spark_deid.repeats.rare import cover_rare, find_rare
from spark_deid.repeats.settings import CountingUnit, CoveringMethod, RaritySettings
from spark_deid.repeats.text import TextLayout, lay_out

K, MIN_LENGTH, CAP, TRIES = 5, 6, 255, 3


def seconds(work: Callable[[], object], tries: int = TRIES) -> float:
    best = float("inf")
    for _ in range(tries):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def port(text: np.ndarray) -> np.ndarray:
    """Carry out Algorithms 1 to 3 as printed, with their index ranges fixed: which bytes are hidden."""
    suffixes = divsufsort(text)
    lcp = [0, *kasai(text, suffixes)[:-1].tolist()]
    size = len(text)
    window = [0] * (size + K)
    for i in range(K - 1, size):
        window[i] = min(lcp[i - K + 2 : i + 1])
    starts: dict[int, int] = {}
    for i, place in enumerate(suffixes.tolist()):
        length = max(window[i : i + K])
        if length:
            end = place + length - 1
            starts[end] = min(starts.get(end, size), place)
    by_length: dict[int, list[tuple[int, int]]] = {}
    for end, start in starts.items():
        if end - start + 1 >= MIN_LENGTH:
            by_length.setdefault(end - start, []).append((start, end))
    flags = bytearray(size + 1)
    for length in sorted(by_length, reverse=True):
        for start, end in sorted(by_length[length]):
            clear = (start == 0 or not flags[start - 1]) and not flags[end + 1]
            if clear and not flags[start] and not flags[end]:
                flags[start : end + 1] = b"\1" * (end - start + 1)
    return ~np.frombuffer(bytes(flags[:size]), bool)


def stages(text: TextLayout, unit: CountingUnit, cap: int = CAP) -> dict[str, float]:
    """Time the way from the suffix array to the flags, and coverings separately."""
    found = sort_suffixes(text, unit=unit, cap=cap)
    lengths = character_lengths(text, count_sorted(found, text, k=K, cap=cap))
    times = {"suffix array": seconds(lambda: suffix_array(text.data[: text.size]))}
    for covering in CoveringMethod:
        rarity = RaritySettings(K, MIN_LENGTH, unit, covering, cap)
        times[f"all, {covering}"] = seconds(lambda r=rarity: find_rare(text, r))
        times[f"{covering} covering"] = seconds(
            lambda c=covering: cover_rare(text.data[: text.size], lengths, covering=c, min_length=MIN_LENGTH, cap=cap)
        )
    return times


def in_threads(text: TextLayout, threads: int) -> dict[str, object]:
    """Time extension lengths by the clock and on all cores: one suffix array, and ranges, the ways in turn."""
    ways = {
        "suffix array": lambda n: count_sorted(
            sort_suffixes(text, unit=CountingUnit.DOCUMENT, cap=CAP, threads=n), text, k=K, cap=CAP
        ),
        "ranges": lambda n: extension_lengths(text, k=K, unit=CountingUnit.DOCUMENT, cap=CAP, threads=n),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(TRIES):
        for name, way in ways.items():
            began, worked = time.perf_counter(), time.process_time()
            way(threads)
            times[name].append((time.perf_counter() - began, time.process_time() - worked))
    best = {name: [min(column) for column in zip(*pairs, strict=True)] for name, pairs in times.items()}
    return {
        name: {"seconds": round(wall, 3), "MB/s": round(text.size / wall / 1e6, 1), "cpu seconds": round(cpu, 3)}
        for name, (wall, cpu) in best.items()
    }


def ported(texts: list[str]) -> dict[str, object]:
    """Compare with the port on one string of ASCII, by occurrence."""
    whole = "".join(texts).encode("ascii", "replace").decode()
    text = lay_out([whole])
    data = text.data[: text.size - 1].copy()
    plain = seconds(lambda: port(data), tries=1)
    ours = RaritySettings(K, MIN_LENGTH, CountingUnit.OCCURRENCE, CoveringMethod.GREEDY, CAP)
    same = RaritySettings(K, MIN_LENGTH, CountingUnit.OCCURRENCE, CoveringMethod.GREEDY, 0xFFFD)
    runs = find_rare(text, same).runs
    hidden = np.zeros(len(data), bool)
    for start, end in zip(runs.starts, runs.ends, strict=True):
        hidden[start:end] = True
    return {
        "port_seconds": plain,
        "port_over_ours": plain / seconds(lambda: find_rare(text, ours)),
        "port_over_ours_long_cap": plain / seconds(lambda: find_rare(text, same)),
        "flags_equal": bool(np.array_equal(hidden, port(data))),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_text_options(parser, 10)
    parser.add_argument("--port-megabytes", type=float, default=5)
    parser.add_argument("--threads", type=int, default=1, help="time extension lengths in so many threads as well")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    texts = corpus(options.input, options.megabytes)
    text = lay_out(texts)
    figures: dict[str, object] = {"bytes": text.size, "documents": len(texts), "k": K, "min_length": MIN_LENGTH}
    for unit in (CountingUnit.DOCUMENT, CountingUnit.OCCURRENCE):
        times = stages(text, unit)
        alone = times["suffix array"]
        figures[unit] = {
            name: {"seconds": round(t, 3), "MB/s": round(text.size / t / 1e6, 1), "suffix arrays": round(t / alone, 2)}
            for name, t in times.items()
        }
    if options.threads > 1:
        figures[f"{options.threads} threads"] = in_threads(text, options.threads)
    if options.port_megabytes:
        figures["port"] = ported(corpus(options.input, options.port_megabytes))
    print(json.dumps(figures, indent=2))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()

"""Whether anything that lies about a release tells what its text does not: what tests look through."""

import html
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq

from spark_deid.release.commit import DOCUMENTS
from spark_deid.storage.delta_log import LOG


class Finding(NamedTuple):
    """A file of a release (path inside it) and what it gives away; never the text itself."""

    file: str
    kind: str
    times: int


def scan_release(release: Path, probes: Iterable[str] = ()) -> tuple[Finding, ...]:
    """Look through everything of a local release but its published data.

    Finds ``statistics`` (values of columns in the table's log or checkpoints), ``partition`` (values of columns in
    partition names) and ``probe`` (one of the probes, as it stands or as JSON or HTML write it). Meant for tests
    and small lists of probes; a probe should be long enough not to stand in a manifest by chance.
    """
    return _findings(release, _metadata_files(release), probes)


def scan_data(release: Path, probes: Iterable[str]) -> tuple[Finding, ...]:
    """Look for probes in the Parquet files of a local release, those of no version included."""
    files = (path for path in release.rglob("*.parquet") if LOG not in path.parts)
    return _findings(release, files, probes)


def _findings(release: Path, files: Iterable[Path], probes: Iterable[str]) -> tuple[Finding, ...]:
    forms = tuple(form for probe in probes for form in _forms(probe))
    found = (finding for path in sorted(files) for finding in _scan_file(release, path, forms))
    return tuple(finding for finding in found if finding.times)


def _metadata_files(release: Path) -> Iterator[Path]:
    for path in release.rglob("*"):
        if path.is_file() and (path.suffix != ".parquet" or LOG in path.parts):
            yield path


def _scan_file(release: Path, path: Path, forms: Sequence[bytes]) -> Iterator[Finding]:
    name = path.relative_to(release).as_posix()
    content = _parquet_as_json(path) if path.suffix == ".parquet" else path.read_bytes()
    yield Finding(name, "probe", sum(form in content for form in forms))
    if name.startswith(f"{DOCUMENTS}/{LOG}/"):
        actions = list(_actions(content))
        yield Finding(name, "statistics", sum(_has_statistics(action) for action in actions))
        yield Finding(name, "partition", sum(bool(action.get("partitionValues")) for action in actions))


def _forms(probe: str) -> Iterator[bytes]:
    forms = {probe, html.escape(probe), json.dumps(probe)[1:-1], json.dumps(probe, ensure_ascii=False)[1:-1]}
    yield from (form.encode() for form in forms if form)


def _parquet_as_json(path: Path) -> bytes:
    stream = io.BytesIO()
    for batch in pq.ParquetFile(path).iter_batches():
        for row in batch.to_pylist(maps_as_pydicts="lossy"):
            stream.write(json.dumps(row, ensure_ascii=False, default=str).encode() + b"\n")
    return stream.getvalue()


def _actions(content: bytes) -> Iterator[dict[str, object]]:
    """Yield the ``add`` and ``remove`` actions of a log or checkpoint."""
    for line in content.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield from (entry[kind] for kind in ("add", "remove") if isinstance(entry.get(kind), dict))


def _has_statistics(action: dict[str, object]) -> bool:
    statistics = action.get("stats_parsed") or action.get("stats") or {}
    if isinstance(statistics, str):
        statistics = json.loads(statistics)
    return isinstance(statistics, dict) and any(_values(statistics.get(key)) for key in ("minValues", "maxValues"))


def _values(statistics: object) -> bool:
    if isinstance(statistics, dict):
        return any(_values(value) for value in statistics.values())
    return statistics is not None

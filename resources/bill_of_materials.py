"""What comes with an installed spark_deid, as a CycloneDX 1.6 document: packages, Delta's JARs, models and lists."""

import hashlib
import re
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from email import message_from_bytes
from email.message import Message
from importlib.metadata import PackageMetadata, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from spark_deid.engine.jars import MAVEN_CENTRAL, delta_jars

PACKAGE = "spark-deid"
DATA = re.compile(r"spark_deid/(?:(?:.+/)?data|samples)/[^/]+")
"""Folders and files of data, each a component with one hash."""
Component = Mapping[str, Any]


def dependencies(required: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return what a package that requires this needs, extras aside, and what that needs, each with its own needs."""
    found = {PACKAGE: tuple(sorted(_needed(required)))}
    waiting = [*found[PACKAGE]]
    while waiting:
        each = waiting.pop()
        if each not in found:
            found[each] = tuple(sorted(_needed(distribution(each).requires or ())))
            waiting += found[each]
    return found


def _needed(required: Iterable[str]) -> set[str]:
    needed = map(Requirement, required)
    return {
        str(canonicalize_name(each.name))
        for each in needed
        if each.marker is None or each.marker.evaluate({"extra": ""})
    }


def bill_of_materials(source: Path, wheel: Path, moment: str) -> dict[str, Any]:
    """Return the document of a wheel and its source; ``moment`` is that of its build, in ISO 8601.

    Versions are those of the environment that this is called in: those with which the tests were run.
    """
    with zipfile.ZipFile(wheel) as packed:
        (place,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        about = message_from_bytes(packed.read(place))
    needs = dependencies(about.get_all("Requires-Dist", []))
    hashed = {"alg": "SHA-256", "content": hashlib.sha256(wheel.read_bytes()).hexdigest()}
    own = _python_component(about) | {"type": "application", "hashes": [hashed]}
    installed = {name: _python_component(distribution(name).metadata) for name in needs if name != PACKAGE}
    components = [
        *(installed[name] for name in sorted(installed)),
        *_jars(),
        *_data(source),
    ]
    places = {name: each["bom-ref"] for name, each in (installed | {PACKAGE: own}).items()}
    jars = [each["bom-ref"] for each in _jars()]
    graph = [
        {
            "ref": places[name],
            "dependsOn": sorted([*(places[each] for each in needs[name]), *(jars if name == PACKAGE else ())]),
        }
        for name in sorted(needs)
    ]
    seed = hashlib.sha256(repr((own, components, graph, moment)).encode()).hexdigest()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, seed)}",
        "version": 1,
        "metadata": {"timestamp": moment, "component": own},
        "components": components,
        "dependencies": graph,
    }


def _python_component(about: Message | PackageMetadata) -> dict[str, Any]:
    place = f"pkg:pypi/{canonicalize_name(about['Name'])}@{about['Version']}"
    licence = next(iter(about.get_all("License-Expression") or ()), None)
    named = next((text for text in about.get_all("Classifier") or () if text.startswith("License :: ")), None)
    found: dict[str, Any] = {
        "type": "library",
        "bom-ref": place,
        "name": about["Name"],
        "version": about["Version"],
        "purl": place,
    }
    if licence:
        found["licenses"] = [{"expression": licence}]
    elif named:
        found["licenses"] = [{"license": {"name": named.rpartition(" :: ")[2]}}]
    return found


def _jars() -> Iterator[Component]:
    for jar in delta_jars():
        place = f"pkg:maven/{jar.group}/{jar.artifact}@{jar.version}"
        yield {
            "type": "library",
            "bom-ref": place,
            "group": jar.group,
            "name": jar.artifact,
            "version": jar.version,
            "purl": place,
            "hashes": [{"alg": "SHA-256", "content": jar.sha256}],
            "licenses": [{"license": {"id": "Apache-2.0"}}],
            "externalReferences": [{"type": "distribution", "url": f"{MAVEN_CENTRAL}/{jar.path}"}],
        }


def _data(source: Path) -> Iterator[Component]:
    """Yield models, lists and samples: the hash of one is that of its files' names and hashes."""
    places: dict[str, list[Path]] = {}
    for path in sorted((source / "spark_deid").rglob("*")):
        matched = DATA.match(path.relative_to(source).as_posix())
        if matched and path.is_file() and "__pycache__" not in path.parts and path.suffix != ".py":
            places.setdefault(matched[0], []).append(path)
    for place, files in places.items():
        lines = (f"{hashlib.sha256(each.read_bytes()).hexdigest()}  {each.relative_to(source)}\n" for each in files)
        yield {
            "type": "machine-learning-model" if (source / place / "model.json").is_file() else "data",
            "bom-ref": place,
            "name": place,
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256("".join(lines).encode()).hexdigest()}],
        }

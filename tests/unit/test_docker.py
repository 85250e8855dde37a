import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
INSTRUCTIONS = {"FROM", "RUN", "WORKDIR", "COPY", "ENV", "USER", "VOLUME", "ENTRYPOINT", "CMD"}


@pytest.fixture
def services() -> dict[str, Any]:
    composed: dict[str, Any] = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())["services"]
    return composed


@pytest.fixture
def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"^#.*\n", "", (ROOT / "docker" / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines if line.strip())]


def test_cluster_has_a_master_two_workers_and_a_driver(services: dict[str, Any]) -> None:
    commands = [service["command"] for service in services.values()]

    assert sum("deploy.master.Master" in command for command in commands) == 1
    assert sum("deploy.worker.Worker" in command and "spark://master:7077" in command for command in commands) == 2
    assert services["driver"]["profiles"]


def test_only_loopback_is_published(services: dict[str, Any]) -> None:
    ports = [port for service in services.values() for port in service.get("ports", ())]

    assert ports
    assert all(port.startswith("127.0.0.1:") for port in ports)


def test_every_service_shares_the_data_and_has_the_secret_and_no_rights(services: dict[str, Any]) -> None:
    for service in services.values():
        assert "data:/data" in service["volumes"]
        assert service["environment"]["_SPARK_AUTH_SECRET"].startswith("${SPARK_DEID_SECRET:?")
        assert (service["user"], service["cap_drop"]) == ("spark", ["ALL"])


def test_image_is_built_from_known_instructions_and_runs_as_a_user(instructions: list[tuple[str, str]]) -> None:
    words = [word for word, _ in instructions]

    assert set(words) <= INSTRUCTIONS
    assert words[0] == "FROM"
    assert [rest for word, rest in instructions if word == "USER"] == ["spark"]
    assert words.index("USER") < words.index("CMD")


def test_copied_files_exist_and_are_let_into_the_build(instructions: list[tuple[str, str]]) -> None:
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    sources = {source for word, rest in instructions if word == "COPY" for source in rest.split()[:-1]}

    assert sources == let_in
    assert all((ROOT / source).exists() for source in sources)


def test_commands_of_the_image_are_well_quoted(instructions: list[tuple[str, str]]) -> None:
    for word, rest in instructions:
        if word == "RUN":
            assert shlex.split(rest)
        elif rest.startswith("["):
            assert yaml.safe_load(rest)

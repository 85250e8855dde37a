"""The page of a review project answers its owner only: not other sites, other users, or holders of used links."""

import http.client
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.review.project import ProjectSettings, ReviewProject, create_project, open_project
from spark_deid.review.serving import ReviewServer, open_review

SECRET = "Ann Smith"


@pytest.fixture
def project(tmp_path: Path) -> ReviewProject:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text(f"{SECRET} was here.\n")
    return create_project(tmp_path / "project", ProjectSettings(str(tmp_path / "notes"), "text", labels=("NAME",)))


@pytest.fixture
def server(project: ReviewProject) -> Iterator[ReviewServer]:
    with open_review(project, "a1", origins=["https://hub.example.org"]) as running:
        thread = running.start()
        yield running
        running.stop()
        thread.join(20)


def status_of(server: ReviewServer, method: str, path: str, headers: dict[str, str], body: bytes = b"{}") -> int:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.putrequest(method, path, skip_host="host" in headers)
    for name, value in {"content-type": "application/json", "content-length": str(len(body)), **headers}.items():
        connection.putheader(name, value)
    connection.endheaders(body)
    answer = connection.getresponse()
    assert SECRET.encode() not in answer.read()
    return answer.status


def session(server: ReviewServer) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    body = json.dumps({"link": server.link.partition("#")[2]})
    connection.request("POST", "/api/session", body, {"content-type": "application/json"})
    return str(json.loads(connection.getresponse().read())["token"])


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example", "file://"])
def test_a_foreign_origin_is_refused_even_with_a_token(server: ReviewServer, origin: str) -> None:
    headers = {"authorization": f"Bearer {session(server)}", "origin": origin}
    assert status_of(server, "POST", "/api/project", headers) == 403


FOREIGN_HOSTS = ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "")


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_dns_rebinding_is_refused(server: ReviewServer, host: str) -> None:
    headers = {"authorization": f"Bearer {session(server)}", "host": host}
    assert status_of(server, "POST", "/api/project", headers) == 403
    assert status_of(server, "GET", "/", {"host": host}) == 403


def test_another_site_reads_no_file_and_sends_no_request(server: ReviewServer) -> None:
    foreign = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    token = {"authorization": f"Bearer {session(server)}"}
    assert status_of(server, "GET", "/main.js", foreign) == 403
    assert status_of(server, "POST", "/api/project", foreign | token) == 403
    same_site = foreign | token | {"sec-fetch-site": "same-site"}
    assert status_of(server, "POST", "/api/project", same_site) == 403
    assert status_of(server, "GET", "/", foreign | {"sec-fetch-mode": "navigate"}) == 200


def test_a_form_of_another_site_is_no_request(server: ReviewServer) -> None:
    headers = {"authorization": f"Bearer {session(server)}", "content-type": "text/plain"}
    assert status_of(server, "POST", "/api/project", headers) == 415


def test_named_origins_and_tunnels_may_use_the_page(server: ReviewServer) -> None:
    token = {"authorization": f"Bearer {session(server)}"}
    for host, origin in (
        ("localhost:9999", "http://localhost:9999"),
        ("[::1]:80", "http://[::1]:80"),
        ("hub.example.org", "https://hub.example.org"),
        ("127.0.0.1:1", "https://hub.example.org"),
    ):
        assert status_of(server, "POST", "/api/project", {**token, "host": host, "origin": origin}) == 200


def test_a_used_link_opens_nothing(server: ReviewServer) -> None:
    session(server)
    body = json.dumps({"link": server.link.partition("#")[2]}).encode()
    assert status_of(server, "POST", "/api/session", {}, body) == 401


def test_tokens_are_not_guessed_from_the_folder_of_another_user(project: ReviewProject) -> None:
    project.folder.chmod(0o755)
    with pytest.raises(UsageError, match="chmod 700"):
        open_project(project.folder)


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("setpriv") is None, reason="needs root to become another user")
def test_another_user_of_the_machine_reads_no_secret(server: ReviewServer, project: ReviewProject) -> None:
    script = "import sys, pathlib; print([p.read_bytes() for p in pathlib.Path(sys.argv[1]).iterdir()])"
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-c", script]
    found = subprocess.run([*command, str(project.folder)], capture_output=True, text=True, check=False)
    assert found.returncode != 0
    listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert server.link.partition("#")[2] not in listed


def test_the_secret_of_the_link_is_in_no_file(server: ReviewServer, project: ReviewProject) -> None:
    secret = server.link.partition("#")[2].encode()
    assert all(secret not in path.read_bytes() for path in project.folder.rglob("*") if path.is_file())

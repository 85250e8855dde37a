"""Requests to a server that runs: links, tokens, hosts, origins, and errors without text."""

import http.client
import json
import os
import socket
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from spark_deid.core.errors import UsageError
from spark_deid.review.access import LINK_SECONDS, SESSION_SECONDS, AccessTokens
from spark_deid.review.project import ReviewProject
from spark_deid.review.server import page_files
from spark_deid.review.serving import ReviewServer, open_review, request_link
from spark_deid.storage.lock import LockedError


class JsonAnswer(NamedTuple):
    status: int
    content: Any
    headers: Mapping[str, str]


@pytest.fixture
def server(project: ReviewProject) -> Iterator[ReviewServer]:
    with open_review(project, "a1") as running:
        thread = running.start()
        running.service.texts.read.wait(20)
        yield running
        running.stop()
        thread.join(20)


def ask(server: ReviewServer, path: str, body: object = None, **headers: str) -> JsonAnswer:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    if body is None:
        connection.request("GET", path, headers=given)
    else:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", path, sent, {"content-type": "application/json", **given})
    answer = connection.getresponse()
    content = answer.read()
    is_json = answer.headers.get_content_type() == "application/json"
    return JsonAnswer(answer.status, json.loads(content) if is_json else content, dict(answer.headers))


def token_of(server: ReviewServer, link: str = "") -> str:
    answer = ask(server, "/api/session", {"link": (link or server.link).partition("#")[2]})
    assert answer.status == 200
    return f"Bearer {answer.content['token']}"


def test_a_link_opens_one_session(server: ReviewServer) -> None:
    token = token_of(server)
    assert ask(server, "/api/session", {"link": server.link.partition("#")[2]}).status == 401
    found = ask(server, "/api/project", {}, authorization=token)
    assert found.status == 200
    assert found.content["annotator"] == "a1"
    assert found.content["labels"] == ["NAME", "CITY"]


def test_links_and_sessions_end() -> None:
    now = [0.0]
    tokens = AccessTokens(lambda: now[0])
    late, used = tokens.new_link("a1"), tokens.new_link("a2")
    session = tokens.redeem(used)
    assert session is not None
    now[0] = LINK_SECONDS + 1
    assert tokens.redeem(late) is None
    assert tokens.annotator(session[0]) == "a2"
    now[0] += SESSION_SECONDS - 1
    assert tokens.annotator(session[0]) == "a2"
    now[0] += SESSION_SECONDS + 1
    assert tokens.annotator(session[0]) is None


def test_the_owner_requests_links_for_others(server: ReviewServer, project: ReviewProject) -> None:
    token = token_of(server, request_link(project, "a2"))
    assert ask(server, "/api/project", {}, authorization=token).content["annotator"] == "a2"
    assert ask(server, "/api/link", {"owner": "guess", "annotator": "a3"}).status == 401


def test_a_second_process_is_refused_with_host_and_process(server: ReviewServer, project: ReviewProject) -> None:
    owner = f"process {os.getpid()} on {socket.gethostname()}"
    with pytest.raises(LockedError, match=owner), open_review(project, "a2"):
        pass


def test_no_server_gives_no_link(project: ReviewProject) -> None:
    with pytest.raises(UsageError, match="no server"):
        request_link(project, "a1")


@pytest.mark.parametrize("path", ["project", "next", "document", "act", "undo", "statistics"])
def test_requests_without_a_token_are_refused(server: ReviewServer, path: str) -> None:
    for headers in ({}, {"authorization": "Bearer x"}, {"authorization": server.link.partition("#")[2]}):
        answer = ask(server, f"/api/{path}", {}, **headers)
        assert (answer.status, answer.content) == (401, {"error": "token"})


def test_the_files_of_the_page_have_a_strict_policy(server: ReviewServer) -> None:
    for name in ("", *page_files()):
        if name != "index.html":
            answer = ask(server, f"/{name}")
            assert answer.status == 200
            assert "default-src 'none'" in answer.headers["content-security-policy"]
            assert answer.headers["cache-control"] == "no-store"
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert b"http://" not in answer.content
            assert b"https://" not in answer.content
            assert b"innerHTML" not in answer.content


def test_an_action_is_saved_and_undone(server: ReviewServer) -> None:
    token = token_of(server)
    doc = ask(server, "/api/next", {"order": "chance"}, authorization=token).content["doc"]
    found = ask(server, "/api/document", {"doc": doc}, authorization=token).content
    change = {"op": "add", "span": "s1", "start": 0, "end": 2, "label": "NAME"}
    action = {"id": "action-1", "kind": "add", "changes": [change]}
    action |= {name: found[name] for name in ("doc", "digest", "version")}
    assert ask(server, "/api/act", action, authorization=token).content["version"] == 1
    stale = ask(server, "/api/act", action | {"id": "action-2"}, authorization=token)
    assert (stale.status, stale.content) == (409, {"error": "stale"})
    assert ask(server, "/api/undo", {"id": "undo-001"}, authorization=token).content["doc"] == doc
    assert ask(server, "/api/annotations", {"doc": doc}, authorization=token).content["spans"] == []


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("act", {"kind": "add"}, 422, "wrong-id"),
        ("act", {"id": "12345678", "kind": "drop", "doc": "d"}, 422, "unknown-action"),
        ("document", {"doc": "Ann Smith"}, 422, "no-document"),
        ("document", {"doc": 5}, 422, "wrong-request"),
        ("next", {"order": "best"}, 422, "unknown-order"),
        ("next", [], 400, "json"),
        ("next", b"{", 400, "json"),
        ("occurrences", {"doc": "d", "start": True, "end": 2}, 422, "wrong-request"),
    ],
)
def test_errors_are_words_without_text(server: ReviewServer, path: str, body: object, status: int, code: str) -> None:
    answer = ask(server, f"/api/{path}", body, authorization=token_of(server))
    assert (answer.status, answer.content) == (status, {"error": code})


def test_unexpected_errors_show_only_their_type(server: ReviewServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("Ann Smith")

    monkeypatch.setattr(server.service, "statistics", fail)
    answer = ask(server, "/api/statistics", {}, authorization=token_of(server))
    assert (answer.status, answer.content) == (500, {"error": "server-RuntimeError"})


def test_a_full_disk_is_an_error_of_its_own(server: ReviewServer, monkeypatch: pytest.MonkeyPatch) -> None:
    token = token_of(server)
    doc = ask(server, "/api/next", {"order": "chance"}, authorization=token).content["doc"]
    found = ask(server, "/api/document", {"doc": doc}, authorization=token).content
    action = {"id": "action-1", "kind": "done", "changes": []} | {n: found[n] for n in ("doc", "digest", "version")}

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fdatasync", full)
        refused = ask(server, "/api/act", action, authorization=token)
        assert (refused.status, refused.content) == (507, {"error": "not-saved"})
    assert ask(server, "/api/annotations", {"doc": doc}, authorization=token).content["status"] == "open"
    assert ask(server, "/api/act", action, authorization=token).content["version"] == 1

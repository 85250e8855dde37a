"""Run the server of a project: one process per project, one link per person."""

import asyncio
import http.client
import json
import os
import secrets
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from spark_deid.core.errors import SparkDeidError, UsageError
from spark_deid.core.labels import is_label
from spark_deid.review.access import AccessTokens, AddressRules
from spark_deid.review.commands import ProjectRequest, ready_project
from spark_deid.review.event_log import EventLog
from spark_deid.review.project import OWNER, ReviewProject, open_project
from spark_deid.review.server import make_app
from spark_deid.review.service import ReviewService
from spark_deid.storage.lock import hold_surely

ADDRESS = "127.0.0.1"


@dataclass(frozen=True)
class ReviewServer:
    """A server that is ready: the link of the first person, the port, and the service.

    ``run`` answers requests until ``stop`` or a signal; ``start`` does so in a thread.
    """

    link: str
    port: int
    service: ReviewService
    _server: uvicorn.Server
    _listening: socket.socket

    def run(self) -> None:
        """Answer requests until the process is stopped."""
        asyncio.run(self._server.serve(sockets=[self._listening]))

    def start(self) -> threading.Thread:
        """Answer requests in a thread."""
        thread = threading.Thread(target=self.run, daemon=True, name="review-server")
        thread.start()
        return thread

    def stop(self) -> None:
        """End the server after the requests that it answers now."""
        self._server.should_exit = True


@contextmanager
def open_review(
    project: ReviewProject, annotator: str, *, port: int = 0, origins: Sequence[str] = ()
) -> Iterator[ReviewServer]:
    """Own a project and make its server ready.

    Args:
        project: The project.
        annotator: The name of the person of the first link.
        port: The port, 0 for a free one.
        origins: Further origins, such as ``https://hub.example.org``.

    Yields:
        The server with its link.

    Raises:
        LockedError: Another process owns the project, or its file system has no locks.
        LogError: The log was changed or cut.
    """
    with hold_surely(project.folder), EventLog(project.folder, project.key) as log, _listen(port) as listening:
        service, tokens = ReviewService(project, log), AccessTokens()
        number, owner = listening.getsockname()[1], secrets.token_urlsafe(32)
        app = make_app(service, tokens, AddressRules(origins), owner)
        config = uvicorn.Config(
            app, access_log=False, log_level="critical", log_config=None, server_header=False, lifespan="off"
        )
        try:
            service.start()
            _write_owner(project.folder, number, owner)
            link = link_of(number, tokens.new_link(annotator))
            yield ReviewServer(link, number, service, uvicorn.Server(config), listening)
        finally:
            service.close()
            with suppress(OSError):
                (project.folder / OWNER).unlink()


def link_of(port: int, secret: str) -> str:
    """Return the link of a person. Its secret follows ``#``, so that no browser sends it to a server."""
    return f"http://{ADDRESS}:{port}/#{secret}"


def serve(
    folder: Path,
    given: ProjectRequest,
    annotator: str,
    *,
    port: int,
    origins: Sequence[str],
    show: Callable[[str], None],
) -> None:
    """Serve the page of a project until the process is stopped; ``show`` receives the link."""
    _check_annotator(annotator)
    project = ready_project(folder, given)
    with open_review(project, annotator, port=port, origins=origins) as server:
        show(server.link)
        server.run()


def new_link(folder: Path, annotator: str) -> str:
    """Return a new link of the server that runs for a project."""
    _check_annotator(annotator)
    return request_link(open_project(folder), annotator)


def _check_annotator(name: str) -> None:
    if not is_label(name) or len(name) > 50:
        raise UsageError("--annotator: expected at most 50 letters, digits, _ and -")


def request_link(project: ReviewProject, annotator: str) -> str:
    """Return a new link of a server that runs, for another person or after ten minutes.

    Raises UsageError if no server runs for this project.
    """
    try:
        owner = json.loads((project.folder / OWNER).read_text(encoding="utf-8"))
        connection = http.client.HTTPConnection(ADDRESS, int(owner["port"]), timeout=10)
        body = json.dumps({"owner": owner["token"], "annotator": annotator})
        connection.request("POST", "/api/link", body, {"content-type": "application/json"})
        answer = json.loads(connection.getresponse().read())
        return link_of(int(owner["port"]), answer["link"])
    except (OSError, ValueError, KeyError, http.client.HTTPException):
        raise UsageError(f"{project.folder}: no server runs for this project. Start it without --link") from None


def _listen(port: int) -> socket.socket:
    """Open a socket that only this machine can reach."""
    try:
        return socket.create_server((ADDRESS, port))
    except OSError as error:
        raise SparkDeidError(f"--port {port}: cannot use this port ({error.strerror}). Choose another one") from None


def _write_owner(folder: Path, port: int, token: str) -> None:
    (folder / OWNER).unlink(missing_ok=True)
    with os.fdopen(os.open(folder / OWNER, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as stream:
        json.dump({"port": port, "token": token}, stream)

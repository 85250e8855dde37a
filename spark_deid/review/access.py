"""Access to the local server: links of one use, sessions, and the addresses that may use it."""

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

LINK_SECONDS, SESSION_SECONDS = 600.0, 43_200.0
"""A link is valid for ten minutes, a session for twelve hours after its last use."""
LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})


class AccessSession(NamedTuple):
    """The person who uses the page, and the end of the session."""

    annotator: str
    until: float


class AccessTokens:
    """Links and sessions of a server; only hashes of their secrets are kept."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._links: dict[str, AccessSession] = {}
        self._sessions: dict[str, AccessSession] = {}

    def new_link(self, annotator: str) -> str:
        """Return the secret of a new link for a person."""
        secret = secrets.token_urlsafe(32)
        with self._lock:
            self._links[_digest(secret)] = AccessSession(annotator, self._clock() + LINK_SECONDS)
        return secret

    def redeem(self, secret: str) -> tuple[str, str] | None:
        """Return a new session's token and person for the secret of a link, None if it was used or is too old."""
        with self._lock:
            link = self._links.pop(_digest(secret), None)
            if link is None or link.until < self._clock():
                return None
            token = secrets.token_urlsafe(32)
            self._sessions[_digest(token)] = AccessSession(link.annotator, self._clock() + SESSION_SECONDS)
            return token, link.annotator

    def annotator(self, token: str) -> str | None:
        """Return the person of a session and prolong it, None if the token is unknown or expired."""
        digest = _digest(token)
        with self._lock:
            session = self._sessions.get(digest)
            if session is None or session.until < self._clock():
                self._sessions.pop(digest, None)
                return None
            self._sessions[digest] = session._replace(until=self._clock() + SESSION_SECONDS)
            return session.annotator


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class AddressRules:
    """The hosts and origins that may use the server: this machine by any port, and those that the owner named.

    >>> rules = AddressRules(["https://hub.example.org"])
    >>> rules.is_host("127.0.0.1:8000"), rules.is_host("hub.example.org"), rules.is_host("evil.example")
    (True, True, False)
    >>> rules.is_origin("http://localhost:9"), rules.is_origin("https://evil.example"), rules.is_origin("null")
    (True, False, False)
    """

    def __init__(self, origins: Iterable[str] = ()) -> None:
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)
        self._hosts = frozenset(urlsplit(origin).netloc for origin in self._origins)

    def is_host(self, host: str) -> bool:
        """Return whether a Host header may name the server."""
        return host.lower() in self._hosts or _without_port(host.lower()) in LOCAL

    def is_origin(self, origin: str) -> bool:
        """Return whether a page of an origin may send requests."""
        parts = urlsplit(origin.lower())
        is_local = parts.scheme in ("http", "https") and _without_port(parts.netloc) in LOCAL
        return origin.lower() in self._origins or is_local

    def frame_ancestors(self) -> str:
        """Return the sources of the policy for pages that may show the page in a frame."""
        local = [f"http://{host}:*" for host in ("localhost", "127.0.0.1")]
        return " ".join(["'self'", *local, *sorted(self._origins)])


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() and (not host.startswith("[") or name.endswith("]")) else host

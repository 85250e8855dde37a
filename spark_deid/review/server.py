"""The local server of the page: JSON requests with a token, and the files of the page. No text in addresses or logs."""

import json
from collections.abc import Awaitable, Callable, Mapping
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from spark_deid.review.access import AccessTokens, AddressRules
from spark_deid.review.annotations import ReviewError
from spark_deid.review.event_log import NotSavedError
from spark_deid.review.service import Json, ReviewService

PAGE = resources.files("spark_deid.review") / "data"
MOST_BYTES = 8 << 20
"""The maximum size of a request; one action on 5,000 spans has about 1 MB."""
TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
CONFLICTS = frozenset({"stale", "frozen", "text-changed"})
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors "
)
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


class GuardedApp:
    """Refuse requests of other hosts and pages before they reach the server, and add headers to every answer."""

    def __init__(self, app: ASGIApp, rules: AddressRules) -> None:
        self._app, self._rules = app, rules
        policy = (_POLICY + rules.frame_ancestors()).encode()
        self._headers = [*_HEADERS, (b"content-security-policy", policy)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._headers]
            await send(message)

        code = self._refusal(scope)
        answer = self._app if code is None else _failure(code, 403)
        await answer(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> str | None:
        """Return a word for the reason why a request is refused, None if it may pass."""
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if not self._rules.is_host(headers.get("host", "")):
            return "host"
        origin = headers.get("origin")
        if origin is not None and not self._rules.is_origin(origin):
            return "origin"
        # Another site may link to the page, but may neither read it nor send requests.
        is_page = scope["method"] == "GET" and headers.get("sec-fetch-mode", "navigate") == "navigate"
        is_foreign = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        allowed = is_page or (origin is not None and self._rules.is_origin(origin))
        return "site" if is_foreign and not allowed else None


def _answer(content: Mapping[str, Any], status: int = 200) -> Response:
    body = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    return Response(body, status, media_type="application/json")


def _failure(code: str, status: int) -> Response:
    """Answer with a word for the reason; errors never contain text."""
    return _answer({"error": code}, status)


Question = Callable[[ReviewService, str, Mapping[str, Any]], Json]
"""A function of the service, the person and the request."""


def _of(given: Mapping[str, Any], name: str, kind: type) -> Any:
    """Return a field of a request; raise ReviewError if it is missing or of another type."""
    value = given.get(name)
    if type(value) is not kind:
        raise ReviewError("wrong-request")
    return value


QUESTIONS: Mapping[str, Question] = {
    "project": lambda service, who, _: service.project_status(who),
    "statistics": lambda service, *_: service.statistics(),
    "next": lambda service, _, given: service.next_document(_of(given, "order", str)),
    "document": lambda service, _, given: service.document(_of(given, "doc", str)),
    "annotations": lambda service, _, given: service.annotations(_of(given, "doc", str)),
    "documents": lambda service, _, given: service.documents_of(_of(given, "status", str)),
    "occurrences": lambda service, _, given: service.find_occurrences(
        _of(given, "doc", str), _of(given, "start", int), _of(given, "end", int)
    ),
    "act": lambda service, who, given: service.act(who, given),
    "undo": lambda service, who, given: service.undo(who, _of(given, "id", str)),
    "realign": lambda service, who, given: service.realign(who, _of(given, "id", str), _of(given, "doc", str)),
    "add-label": lambda service, who, given: service.add_label(who, _of(given, "id", str), _of(given, "label", str)),
    "preview-label": lambda service, _, given: service.preview_label(_of(given, "label", str), _of(given, "into", str)),
    "merge-label": lambda service, who, given: service.merge_label(
        who, _of(given, "id", str), _of(given, "label", str), _of(given, "into", str)
    ),
    "place": lambda service, _, given: service.keep_place(given),
    "figures": lambda service, *_: service.figures(),
    "train": lambda service, who, _: service.start_training(who),
    "stop-training": lambda service, *_: service.stop_training(),
    "start-predictions": lambda service, *_: service.start_predictions(),
    "stop-predictions": lambda service, *_: service.stop_predictions(),
}


def make_app(service: ReviewService, tokens: AccessTokens, rules: AddressRules, owner_token: str = "") -> Starlette:
    """Make the server of a project.

    Args:
        service: The project.
        tokens: The links and sessions.
        rules: The hosts and origins that may use the server.
        owner_token: A secret of the project folder, with which the owner requests further links.

    Returns:
        The application.
    """

    def session(given: Mapping[str, Any]) -> Response:
        made = tokens.redeem(_of(given, "link", str))
        return _failure("link", 401) if made is None else _answer({"token": made[0], "annotator": made[1]})

    def link(given: Mapping[str, Any]) -> Response:
        if not owner_token or _of(given, "owner", str) != owner_token:
            return _failure("token", 401)
        return _answer({"link": tokens.new_link(_of(given, "annotator", str))})

    def guarded(question: Question) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            scheme, _, token = request.headers.get("authorization", "").partition(" ")
            who = tokens.annotator(token) if scheme == "Bearer" else None
            if who is None:
                return _failure("token", 401)
            return await _carried_out(request, lambda given: _answer(question(service, who, given)))

        return answer

    def public(work: Callable[[Mapping[str, Any]], Response]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            return await _carried_out(request, work)

        return answer

    routes = [Route(f"/api/{name}", guarded(question), methods=["POST"]) for name, question in QUESTIONS.items()]
    routes += [Route("/api/session", public(session), methods=["POST"])]
    routes += [Route("/api/link", public(link), methods=["POST"])]
    routes += [Route(f"/{'' if name == 'index.html' else name}", _file(name)) for name in page_files()]
    return Starlette(routes=routes, middleware=[Middleware(GuardedApp, rules=rules)])


def page_files() -> tuple[str, ...]:
    """Return the names of the files of the page."""
    return tuple(sorted(each.name for each in PAGE.iterdir() if each.name.rpartition(".")[2] in TYPES))


def _file(name: str) -> Callable[[Request], Response]:
    content, media_type = (PAGE / name).read_bytes(), TYPES[name.rpartition(".")[2]]

    def answer(request: Request) -> Response:
        return Response(content, media_type=media_type)

    return answer


async def _carried_out(request: Request, work: Callable[[Mapping[str, Any]], Response]) -> Response:
    """Read a request of JSON and answer it in a thread; errors become words."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        return _failure("json", 415)
    try:
        given = json.loads(await _body(request))
        if not isinstance(given, dict):
            raise ValueError
    except ValueError:
        return _failure("json", 400)
    try:
        return await run_in_threadpool(work, given)
    except ReviewError as error:
        return _failure(error.code, 409 if error.code in CONFLICTS else 422)
    except NotSavedError:
        return _failure("not-saved", 507)
    except Exception as error:  # the border: its message may quote text
        return _failure(f"server-{type(error).__name__}", 500)


async def _body(request: Request) -> bytes:
    """Return the body of a request; raise ValueError if it is too long."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise ValueError
    return bytes(body)

"""The page of a review project in Chromium: keys only, exact positions, two windows, a restart, a path prefix."""

import http.client
import http.server
import json
import random
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from resources.chromium import BrowserTab, open_tab
from spark_deid.review.event_log import EventLog
from spark_deid.review.project import ProjectSettings, ReviewProject, create_project
from spark_deid.review.service import ReviewService
from spark_deid.review.serving import ReviewServer, open_review, request_link

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
TEXT = "Ann Smith met Müller 😀 and Ann Smith.\r\n👩‍👩‍👧 東京 שלום עולם\tend.\n"


@pytest.fixture(scope="module")
def tab() -> Iterator[BrowserTab]:
    assert CHROMIUM is not None
    with open_tab(CHROMIUM) as opened:
        opened.look(1280, 900, is_dark=False)
        yield opened


@pytest.fixture
def project(tmp_path: Path) -> ReviewProject:
    (tmp_path / "notes").mkdir()
    for name in ("one", "two"):
        (tmp_path / "notes" / f"{name}.txt").write_bytes(f"{TEXT}Note {name}.".encode())
    return create_project(
        tmp_path / "project", ProjectSettings(str(tmp_path / "notes"), "text", labels=("NAME", "CITY"))
    )


@pytest.fixture
def server(project: ReviewProject) -> Iterator[ReviewServer]:
    with open_review(project, "a1") as running:
        thread = running.start()
        yield running
        running.stop()
        thread.join(20)


def until(tab: BrowserTab, script: str, seconds: float = 15) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := tab.evaluate(script):
            return found
        time.sleep(0.03)
    raise AssertionError(f"{script}: {tab.evaluate('document.body.innerText')}")


def ready(tab: BrowserTab, link: str) -> None:
    tab.visit("about:blank")
    tab.visit(link)
    until(tab, "document.documentElement.dataset.ready === 'yes'")


def saved(tab: BrowserTab) -> None:
    until(tab, "document.getElementById('saved').textContent.startsWith('Saved')")


def spans_of(service: ReviewService) -> dict[str, list[list[Any]]]:
    found = [service.document(doc) for doc in service.texts.documents()]
    return {each["name"]: [span[1:4] for span in each["spans"]] for each in found}


def name_of(tab: BrowserTab) -> str:
    return str(tab.evaluate("document.getElementById('place').textContent")).split(" ")[0]


def test_a_person_annotates_by_keys_only(tab: BrowserTab, server: ReviewServer) -> None:
    ready(tab, server.link)
    assert "#" not in tab.evaluate("location.href")
    first = name_of(tab)
    tab.press("ArrowRight")
    tab.press("ArrowLeft")
    tab.press("ArrowRight", modifiers=8)
    tab.press("1")
    saved(tab)
    assert spans_of(server.service)[first] == [[0, 9, "NAME"]]
    for keys, end in (("[[[[[[", 3), ("]]]]]]", 9)):
        for key in keys:
            tab.press(key)
        until(tab, "document.querySelector('#saved').className === ''")
        assert spans_of(server.service)[first] == [[0, end, "NAME"]]
    tab.press("g")
    until(tab, "document.getElementById('dialog').open")
    tab.press("Enter")
    until(tab, "!document.getElementById('dialog').open && document.querySelectorAll('.row').length === 2")
    saved(tab)
    assert spans_of(server.service)[first] == [[0, 9, "NAME"], [27, 36, "NAME"]]
    tab.press("2")
    until(tab, "document.getElementById('list').innerText.includes('CITY')")
    tab.press("u")
    until(tab, "!document.getElementById('list').innerText.includes('CITY')")
    tab.press("d")
    until(tab, f"!document.getElementById('place').textContent.startsWith('{first}')")
    second = name_of(tab)
    assert second != first
    tab.press("u")
    until(tab, f"document.getElementById('place').textContent.startsWith('{first}')")
    assert server.service.statistics()["done"] == 0
    assert spans_of(server.service)[second] == []


def test_a_reload_continues_and_a_stopped_server_loses_no_action(tab: BrowserTab, project: ReviewProject) -> None:
    with open_review(project, "a1") as one:
        thread = one.start()
        ready(tab, one.link)
        port, name = one.port, name_of(tab)
        tab.evaluate("location.reload()")
        time.sleep(0.5)
        until(tab, "document.documentElement.dataset.ready === 'yes'")
        one.stop()
        thread.join(20)
    tab.evaluate("document.getElementById('text').focus()")
    tab.press("ArrowRight")
    tab.press("1")
    until(tab, "document.getElementById('saved').textContent.startsWith('NOT SAVED')")
    with open_review(project, "a1", port=port) as other:
        thread = other.start()
        until(tab, "!document.getElementById('link-form').hidden")
        secret = request_link(project, "a1")
        tab.evaluate(f"document.getElementById('link').value = {json.dumps(secret)}")
        tab.evaluate("document.querySelector('#link-form button').click()")
        saved(tab)
        assert len(spans_of(other.service)[name]) == 1
        other.stop()
        thread.join(20)


def test_two_windows_lose_no_action(server: ReviewServer, project: ReviewProject) -> None:
    assert CHROMIUM is not None
    with open_tab(CHROMIUM) as one, open_tab(CHROMIUM) as other:
        ready(one, server.link)
        ready(other, request_link(project, "a2"))
        assert name_of(one) == name_of(other)
        for tab, label in ((one, "1"), (other, "2")):
            tab.press("ArrowRight")
            tab.press(label)
            saved(tab)
        until(other, "document.querySelectorAll('.row').length === 2")
        labels = sorted(span[2] for span in spans_of(server.service)[name_of(one)])
    assert labels == ["CITY", "NAME"]


PREFIX = "/user/someone/proxy/8700"


@pytest.fixture
def proxy(server: ReviewServer) -> Iterator[int]:
    """Serve the page below a path prefix, as jupyter-server-proxy does."""

    class PrefixProxy(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _forward(self) -> None:
            assert self.path.startswith(f"{PREFIX}/")
            connection = http.client.HTTPConnection("127.0.0.1", server.port)
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            connection.request(self.command, self.path.removeprefix(PREFIX), body, dict(self.headers))
            answer = connection.getresponse()
            content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("content-length", "transfer-encoding"):
                    self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _forward

        def log_message(self, *_: object) -> None: ...

    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PrefixProxy)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield running.server_address[1]
    running.shutdown()


def test_the_page_works_through_another_port_and_a_path_prefix(
    tab: BrowserTab, server: ReviewServer, proxy: int
) -> None:
    ready(tab, f"http://localhost:{proxy}{PREFIX}/#{server.link.partition('#')[2]}")
    tab.press("ArrowRight")
    tab.press("1")
    saved(tab)
    assert any(spans_of(server.service).values())


def random_text(seed: int, length: int) -> str:
    """Return lines of several scripts, with emoji, line ends of Windows, and control characters."""
    draw = random.Random(seed)
    parts = [
        "abc",
        " ",
        "😀",
        "👩‍👩‍👧",
        "東京",
        "שלום",
        "\r\n",
        "\n",
        "é",
        "\u0301",
        "\t",
        "\u0007",
        "𝔘",
        "🇩🇪",
        "مرحبا",
        "-",
    ]
    return "".join(draw.choice(parts) for _ in range(length))


def test_positions_are_exact_in_both_directions(tab: BrowserTab, server: ReviewServer) -> None:
    ready(tab, server.link)
    text = random_text(1, 20_000)
    script = f"""(async () => {{
      const {{ Positions }} = await import("./positions.js");
      const text = {json.dumps(text)}, positions = new Positions(text), points = [...text];
      const units = [0];
      for (const point of points) units.push(units.at(-1) + point.length);
      if (positions.length !== points.length) return "length";
      for (let point = 0; point <= points.length; point++) {{
        if (positions.toUnit(point) !== units[point]) return `unit of ${{point}}`;
        if (positions.toPoint(units[point]) !== point) return `point of ${{point}}`;
      }}
      return points.length;
    }})()"""
    assert tab.evaluate(script) == len(text) > 30_000


def test_marked_passages_are_those_of_the_server(tab: BrowserTab, tmp_path: Path) -> None:
    text = random_text(2, 4_000)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_bytes(text.encode())
    project = create_project(tmp_path / "p", ProjectSettings(str(tmp_path / "in"), "text", labels=("NAME",)))
    draw = random.Random(3)
    with open_review(project, "a1") as running:
        running.service.texts.read.wait(20)
        (doc,) = running.service.texts.documents()
        found = running.service.document(doc)
        text = found["text"]
        places = sorted({(start, start + draw.randrange(1, 9)) for start in draw.sample(range(len(text) - 10), 300)})
        changes = [
            {"op": "add", "span": f"s{number}", "start": start, "end": end, "label": "NAME"}
            for number, (start, end) in enumerate(places)
        ]
        action = {"id": "action-1", "kind": "add", "changes": changes, "version": 0}
        running.service.act("a1", action | {name: found[name] for name in ("doc", "digest")})
        thread = running.start()
        ready(tab, running.link)
        shown = until(tab, "document.getElementById('list-title').textContent === 'Spans (300)'")
        assert shown
        marked = tab.evaluate(
            """(async () => {
              const list = document.getElementById("list"), scroller = document.getElementById("text"), found = {};
              const keep = (block, mark) => {
                const place = block.blockAt * 1e6 + [...block.childNodes].indexOf(mark);
                for (const id of mark.itemIds) (found[id] ??= new Map()).set(place, mark.textContent);
              };
              for (let top = 0; top <= scroller.scrollHeight; top += 400) {
                scroller.scrollTop = top;
                await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
                for (const block of document.querySelectorAll(".block"))
                  for (const mark of block.querySelectorAll("mark")) keep(block, mark);
              }
              return Object.fromEntries(Object.entries(found).map(([id, parts]) => [id, [...parts.values()].join("")]));
            })()"""
        )
        running.stop()
        thread.join(20)
    assert marked == {f"s{number}": text[start:end] for number, (start, end) in enumerate(places)}
    with EventLog(project.folder, project.key) as log:
        assert log.last >= 1

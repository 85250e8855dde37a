"""Drive a headless Chromium by its own protocol over a pipe: pages, sizes, light and dark, scripts, screenshots.

https://chromedevtools.github.io/devtools-protocol; ``--remote-debugging-pipe`` reads messages from descriptor 3 and
writes them to 4, each a JSON object that a NUL byte ends.
"""

import base64
import json
import os
import select
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage")
PATIENCE = 60.0
"""Seconds, of the longest wait for an answer."""
CHUNK = 1 << 16


class BrowserError(RuntimeError):
    """The browser could not do what was asked of it."""


class BrowserTab:
    """A tab of a browser: show a page, and evaluate scripts in it, whatever its policy forbids to its own scripts."""

    def __init__(self, commands: BinaryIO, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._read, self._last, self._session = b"", 0, ""
        target = self._asked("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._asked("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._asked("Page.enable")

    def look(self, width: int, height: int, *, is_dark: bool) -> None:
        """Set the size of the window in pixels, and what the reader prefers."""
        self._asked(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        preferred = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self._asked("Emulation.setEmulatedMedia", features=[preferred])

    def show(self, page: Path) -> None:
        """Show the page of a file, and wait until it is loaded."""
        self.visit(page.resolve().as_uri())

    def visit(self, address: str) -> None:
        """Show the page of an address, and wait until it is loaded."""
        failed = self._asked("Page.navigate", url=address).get("errorText")
        if failed:
            raise BrowserError(f"the page cannot be shown: {failed}")
        while self._message()["method"] != "Page.loadEventFired":
            pass

    def evaluate(self, script: str) -> Any:
        """Evaluate an expression in the page, and return its value, once it is there where it is promised."""
        answer = self._asked("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def press(self, key: str, *, modifiers: int = 0) -> None:
        """Press and release a key; ``modifiers`` adds 1 for Alt, 2 for Ctrl, 4 for Meta, 8 for Shift."""
        text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        self._asked("Input.dispatchKeyEvent", type="keyDown", key=key, modifiers=modifiers, **text)
        self._asked("Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=modifiers)

    def photograph(self, file: Path) -> None:
        """Write a picture of the window."""
        file.write_bytes(base64.b64decode(self._asked("Page.captureScreenshot", format="png")["data"]))

    def _asked(self, method: str, **parameters: object) -> Mapping[str, Any]:
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._commands.write(json.dumps(message).encode() + b"\0")
        self._commands.flush()
        while (answer := self._message()).get("id") != self._last:
            pass
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        result: Mapping[str, Any] = answer["result"]
        return result

    def _message(self) -> Mapping[str, Any]:
        until = time.monotonic() + PATIENCE
        while b"\0" not in self._read:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, until - time.monotonic()))
            read = os.read(self._answers, CHUNK) if ready else b""
            if not read:
                raise BrowserError("the browser ended, or gave no answer")
            self._read += read
        message, self._read = self._read.split(b"\0", 1)
        told: Mapping[str, Any] = json.loads(message)
        return told


@contextmanager
def open_tab(browser: str) -> Iterator[BrowserTab]:
    """Start a browser with one tab; it ends with the block."""
    its_input, commands = os.pipe()
    answers, its_output = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        shell = f'exec "$0" "$@" 3<&{its_input} 4>&{its_output}'
        command = [browser, *FLAGS, f"--user-data-dir={profile}", "--remote-debugging-pipe"]
        process = subprocess.Popen(
            ["bash", "-c", shell, *command], pass_fds=(its_input, its_output), stderr=subprocess.DEVNULL
        )
        os.close(its_input)
        os.close(its_output)
        try:
            with os.fdopen(commands, "wb") as sent:
                yield BrowserTab(sent, answers)
        finally:
            process.terminate()
            process.wait()
            os.close(answers)

"""Servers that can be told to misbehave: the built site, and a second origin as the CDN."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sitekit.static_server import StaticHandler, serving


class Faults:
    """How a server misbehaves at the moment, and what it was asked for."""

    def __init__(self) -> None:
        self.mode = "ok"
        self.only = ""
        self.requests: list[str] = []
        self.released = threading.Event()

    def set(self, mode: str, only: str = "") -> None:
        """One of ok, hang, missing, html, corrupt, cut; for paths that contain `only`."""
        self.mode, self.only = mode, only
        if mode == "hang":
            self.released = threading.Event()  # one that an earlier test has not set

    def mode_of(self, path: str) -> str:
        return self.mode if self.only in path else "ok"


class FaultyHandler(StaticHandler):
    """Serves a folder, to any origin, as well as its faults allow."""

    def __init__(self, *args: Any, faults: Faults, **kwargs: Any) -> None:
        self.faults = faults
        super().__init__(*args, **kwargs)

    def end_headers(self) -> None:
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()

    def do_GET(self) -> None:  # noqa: N802
        self.faults.requests.append(self.path)
        mode = self.faults.mode_of(self.path)
        if mode == "ok":
            super().do_GET()
        elif mode == "hang":
            released = self.faults.released
            released.wait(60)
            self.close_connection = True
        elif mode == "missing":
            self.send_error(404)
        elif mode == "html":
            self._body(b"<!doctype html><title>Sign in to the hotel's network</title>", "text/html")
        else:
            path = Path(self.translate_path(self.path))
            good = path.read_bytes()
            # Same length, so that only the digest can tell; or half of it.
            bad = b"\0" * len(good) if mode == "corrupt" else good[: len(good) // 2]
            self._body(bad, self.guess_type(str(path)))

    def _body(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def serve(folder: Path) -> Iterator[tuple[str, Faults]]:
    """Serve `folder`; the address of its root, and the faults to set."""
    faults = Faults()
    with serving(folder, FaultyHandler, faults=faults) as url:
        try:
            yield url, faults
        finally:
            faults.released.set()

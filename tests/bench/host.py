"""A static host as readers meet it: compressed, cached, on request as slow as a phone's line."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sitekit.paths import ROOT
from sitekit.static_server import StaticHandler, serving

PLAIN = ROOT / "tests" / "bench" / "plain"
COMPRESSED = {".html", ".js", ".mjs", ".css", ".json", ".wasm", ".svg", ".xml"}
PIECE = 16_384  # bytes sent between two looks at the clock


class Line:
    """A line of so many bytes per second that all connections share; None: no limit."""

    def __init__(self, bytes_per_second: float | None, delay: float) -> None:
        self.bytes_per_second = bytes_per_second
        self.delay = delay
        self._free_at = 0.0
        self._lock = threading.Lock()

    def wait_for(self, size: int) -> None:
        """Return when `size` bytes have gone through."""
        if self.bytes_per_second is None:
            return
        with self._lock:
            start = max(time.monotonic(), self._free_at)
            self._free_at = start + size / self.bytes_per_second
            wait = self._free_at - time.monotonic()
        time.sleep(max(0.0, wait))


@cache
def body_of(path: Path) -> tuple[bytes, bool]:
    """The bytes to send, and whether they are compressed."""
    content = path.read_bytes()
    if path.suffix in COMPRESSED:
        return gzip.compress(content, 6, mtime=0), True
    return content, False


class HostHandler(StaticHandler):
    """Serves the site, and the plain page for comparison beside it."""

    def __init__(self, *args: Any, line: Line, **kwargs: Any) -> None:
        self.line = line
        super().__init__(*args, **kwargs)

    def translate_path(self, path: str) -> str:
        plain = path.split("?")[0].removeprefix("/napkin/plain/")
        if plain != path.split("?")[0]:
            return str(PLAIN / (plain or "index.html"))
        return super().translate_path(path)

    def do_GET(self) -> None:  # noqa: N802
        path = Path(self.translate_path(self.path.split("?")[0]))
        if path.is_dir():
            path /= "index.html"
        if self.path.endswith("/sitemap.xml") or not path.is_file():
            super().do_GET()
            return
        time.sleep(self.line.delay)
        body, compressed = body_of(path)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(body)))
        if compressed:
            self.send_header("Content-Encoding", "gzip")
        # As a CDN says of versioned files; pages are asked for anew.
        lasting = "runtime" in path.parts and path.name != "config.js"
        self.send_header("Cache-Control", "max-age=31536000, immutable" if lasting else "no-cache")
        self.end_headers()
        for start in range(0, len(body), PIECE):
            piece = body[start : start + PIECE]
            self.line.wait_for(len(piece))
            self.wfile.write(piece)


@contextmanager
def host(site: Path, megabits: float | None = None, delay: float = 0.0) -> Iterator[str]:
    """Serve `site`; `megabits` per second, `delay` seconds a request."""
    line = Line(megabits * 1e6 / 8 if megabits else None, delay)
    with serving(site, HostHandler, line=line) as url:
        yield url

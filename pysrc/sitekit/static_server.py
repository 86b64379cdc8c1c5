"""A local stand-in for a static host: one folder under `/napkin/`, as a project page has it."""

from __future__ import annotations

import functools
import http.server
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class StaticHandler(http.server.SimpleHTTPRequestHandler):
    """Serves one folder under `/napkin/`, with the content types that browsers insist on."""

    protocol_version = "HTTP/1.1"
    # Else a body waits for the receipt of its header, which systems put off for 40 ms.
    disable_nagle_algorithm = True
    extensions_map = {  # noqa: RUF012
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
        ".json": "application/json",
        ".svg": "image/svg+xml",
    }

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix("/napkin"))

    def do_GET(self) -> None:
        if self.path.endswith("/sitemap.xml"):
            self._send_sitemap()
        else:
            super().do_GET()

    def _send_sitemap(self) -> None:
        """The sitemap as if built for this address: instant navigation follows only its links."""
        text = Path(self.translate_path(self.path)).read_text("utf-8")
        here = f"<loc>http://{self.headers['Host']}/napkin/"
        body = re.sub(r"<loc>https?://[^/]+/napkin/", here, text).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Quiet: what matters is seen in the browser."""


class StaticServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *args: Any) -> None:
        """A browser that closes a connection early is no error of ours."""


@contextmanager
def serving(
    folder: Path, handler: type[StaticHandler] = StaticHandler, **options: Any
) -> Iterator[str]:
    """Serve `folder` on a free local port; the address of its root."""
    bound = functools.partial(handler, directory=str(folder), **options)
    server = StaticServer(("127.0.0.1", 0), bound)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/napkin/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)

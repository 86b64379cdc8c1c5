"""A server that sends a strict content-security policy with every file."""

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

from sitekit.static_server import StaticHandler


def policy(page: str, cdn: str = "") -> str:
    """Scripts from this site and by the digest of the theme's own inline ones; no eval."""
    inline = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode() for s in inline]
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'self'; script-src 'self' 'wasm-unsafe-eval' {cdn} {hashes}; "
        f"worker-src 'self'; connect-src 'self' blob: {cdn}; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'"
    )


class StrictHandler(StaticHandler):
    """Sends the policy with every file, workers' scripts included."""

    def __init__(self, *args: Any, cdn: str = "", **kwargs: Any) -> None:
        self.cdn = cdn
        super().__init__(*args, **kwargs)

    def end_headers(self) -> None:
        path = Path(self.translate_path(self.path.split("?")[0]))
        page = path / "index.html"
        text = page.read_text("utf-8") if page.exists() else ""
        self.send_header("Content-Security-Policy", policy(text, self.cdn))
        super().end_headers()

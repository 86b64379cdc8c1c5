"""A strict content-security policy on every page and script: all of ours works under it."""

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from sitekit.static_server import StaticHandler, serving

from .conftest import LESSON, Visitor, button, cell, part, run, with_runtime_at, write_code
from .server import serve


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

    def __init__(self, *args: Any, cdn: str, **kwargs: Any) -> None:
        self.cdn = cdn
        super().__init__(*args, **kwargs)

    def end_headers(self) -> None:
        path = Path(self.translate_path(self.path.split("?")[0]))
        page = path / "index.html"
        text = page.read_text("utf-8") if page.exists() else ""
        self.send_header("Content-Security-Policy", policy(text, self.cdn))
        super().end_headers()


@pytest.fixture(params=["self-hosted", "cdn"])
def strict(request: pytest.FixtureRequest, built_site: Path, tmp_path: Path) -> Iterator[str]:
    if request.param == "self-hosted":
        with serving(built_site, StrictHandler, cdn="") as url:
            yield url
        return
    with serve(built_site / "assets/runtime/pyodide") as (cdn, _):
        copy = with_runtime_at(cdn, built_site, tmp_path)
        with serving(copy, StrictHandler, cdn=cdn.removesuffix("/napkin/")) as url:
            yield url


def test_everything_works_under_a_strict_policy(visitor: Visitor, strict: str) -> None:
    page = visitor.page
    violations: list[Any] = []
    page.expose_function("violated", lambda text: violations.append(text))
    page.add_init_script(
        "document.addEventListener('securitypolicyviolation',"
        " e => violated(`${e.violatedDirective}: ${e.blockedURI} ${e.sourceFile}`))"
    )
    page.goto(strict + LESSON)
    element = cell(page)
    write_code(element, "import numpy as np\nprint(float(np.ones(3) @ np.ones(3)))")
    assert run(element) == "3.0\n"
    write_code(element, "while True: pass")
    button(element, "run").click()
    expect(element).to_have_attribute("data-state", "running")
    button(element, "stop").click()
    expect(element).to_have_attribute("data-state", "stopped", timeout=2_000)
    expect(part(element, "status")).to_contain_text("Variables are kept")
    assert violations == []

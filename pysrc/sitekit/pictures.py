"""The calculators' charts, drawn when the site is built by the module that draws them in the page.

Node runs it; what was drawn is kept until the chart, the drawing or a library changes.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sitekit.modules import SCRIPTS, needed
from sitekit.provision import node
from sitekit.provision.paths import CACHE, ROOT, VENDOR
from sitekit.provision.steps import StepFailure, fingerprint, run, write_atomically
from sitekit.sections import SiteError

__all__ = ["pictures"]

SCRIPT = Path(__file__).with_suffix(".mjs")
DRAWING = SCRIPTS / "lib" / "calculator" / "drawing.js"
FOLDER = CACHE / "pictures"


def pictures(charts: Sequence[dict[str, Any]]) -> list[str]:
    """The HTML of each chart's picture; a chart is ``Chart.to_dict()`` of ``napkin.answers``.

    Raises SiteError where Node cannot draw, with what it said.
    """
    if not charts:
        return []
    text = json.dumps(charts)
    try:
        kept = FOLDER / f"{fingerprint([text, *sources()])}.json"
        if not kept.exists():
            write_atomically(kept, drawn(text))
        found: list[str] = json.loads(kept.read_text("utf-8"))
    except OSError as error:
        raise SiteError(f"no chart can be drawn: {error}; run `make setup`") from error
    except StepFailure as failure:
        raise SiteError(str(failure)) from failure
    return found


def sources() -> list[Path]:
    """What a picture depends on besides its chart."""
    return [SCRIPT, *needed(DRAWING), VENDOR / "plot.js", ROOT / "package-lock.json"]


def drawn(text: str) -> bytes:
    """What the script makes of this JSON."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder, "charts.json"), Path(folder, "pictures.json")
        given.write_text(text, "utf-8")
        run(
            [node.find_node().node, SCRIPT, given, made],
            what="draw a calculator's charts",
            remedy="Correct what it names, in docs/assets/js/lib/calculator or in the chart.",
            cwd=ROOT,
        )
        return made.read_bytes()

"""The fence `machine`: the reader's own machine, measured in the page."""

from __future__ import annotations

from sitekit.sections import SiteError, nearest

KINDS = {
    "matmul": "matrix products of growing size, in NumPy and through WebGPU, and their ratio",
    "roofline": "bandwidth and peak, in NumPy and through WebGPU, and the ridge where they meet",
}


def machine_html(kind: str) -> str:
    """The element for one of KINDS.

    Without scripts there is nothing to measure with, and the text says so.
    """
    if kind not in KINDS:
        raise SiteError(f"a machine cannot measure {kind!r}" + nearest(kind, KINDS, "kind"))
    return (
        f'<div class="napkin-block"><napkin-machine class="napkin-machine" kind="{kind}">'
        f"<p>With scripts on, this measures your own machine: {KINDS[kind]}.</p>"
        "</napkin-machine></div>"
    )

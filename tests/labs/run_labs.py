"""The labs on real PyTorch, on the CPU: `make test-labs`. What they estimate is what they measure.

Not named test_*.py, so that `make test` needs no PyTorch.  Wide bounds where a busy machine moves
a timing; narrow ones where bytes and FLOP are counted.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sitekit.labs import lab_slugs, run

PROBES = {
    "measure-mfu": "dict(rule=rule, counted=counted, plain=plain, mfus=list(mfus.values()))",
    "memory-bound-decoding": "dict(memory=memory, bound=bound, rates=rates)",
    "data-parallel-to-sharded": "dict(agreement=agreement, largest=largest)",
}


def found(slug: str, folder: Path) -> Any:
    """Run a lab; the values that its probe asks for."""
    probe = f"import json\nprint(json.dumps({PROBES[slug]}))"
    cells = run(slug, folder, probe)["cells"]
    return json.loads("".join(cells[-1]["outputs"][0]["text"]))


def test_every_lab_is_tried() -> None:
    assert sorted(PROBES) == lab_slugs()


def test_mfu(tmp_path: Path) -> None:
    value = found("measure-mfu", tmp_path)
    assert value["plain"] == pytest.approx(value["counted"], rel=1e-4)
    assert value["rule"] < value["counted"]
    small, _, large = value["mfus"]
    assert 0 < small < large
    assert large < 1.5, "more than the machine can do: the count or the clock is wrong"


def test_decoding(tmp_path: Path) -> None:
    value = found("memory-bound-decoding", tmp_path)
    predicted, taken = value["memory"]["weights"]
    assert taken == pytest.approx(predicted, rel=0.03)
    predicted, taken = value["memory"]["KV cache"]
    assert taken == pytest.approx(predicted, rel=0.03)
    predicted, taken = value["memory"]["training state"]
    assert taken == pytest.approx(predicted, rel=0.2)
    rates = value["rates"]
    assert rates["1"] < 1.2 * value["bound"]
    assert rates["16"] > 1.5 * rates["1"]


def test_sharding(tmp_path: Path) -> None:
    value = found("data-parallel-to-sharded", tmp_path)
    for name, (copied, shared) in value["agreement"].items():
        assert copied == pytest.approx(1), name
        assert shared == pytest.approx(1, rel=0.01), name
    assert value["largest"] < 1e-3

"""Models by name: each against its published total and against the full configuration."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from napkin.models import from_config
from napkin.models.presets import preset, preset_config, preset_names, preset_source

VECTORS = Path(__file__).parents[1] / "vectors"
EXACT = {
    row["name"]: int(row["params_total"])
    for row in csv.DictReader((VECTORS / "exact_params.csv").read_text("utf-8").splitlines())
}


def full(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((VECTORS / "configs" / f"{name}.json").read_text("utf-8"))
    return data


@pytest.mark.parametrize("name", sorted(EXACT))
def test_a_shortened_configuration_describes_the_same_model(name: str) -> None:
    model = preset(name)
    assert model.total == EXACT[name]
    assert model.estimate == ""
    whole = from_config(full(name))
    assert (model.stacks, model.tied, model.max_context) == (
        whole.stacks,
        whole.tied,
        whole.max_context,
    )


@pytest.mark.parametrize("name", sorted(set(preset_names()) - set(EXACT)))
def test_a_recalled_configuration_gives_the_published_total(name: str) -> None:
    # Both were recalled apart: that they agree to the last parameter vouches for both.
    found = re.search(r"\(([\d,]+)(?:, ([\d,]+) of them buffers)?\)$", preset_source(name))
    assert found
    published, buffers = (int((text or "0").replace(",", "")) for text in found.groups())
    assert published - buffers in (preset(name).total, preset(name).stored)


def test_every_preset_says_its_source() -> None:
    for name in preset_names():
        assert len(preset_source(name)) > 10


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("Llama 3.1 8B", "llama-3.1-8b"),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("llama3.1-8b", "llama-3.1-8b"),
        ("LLAMA_3.1_8B", "llama-3.1-8b"),
        ("Qwen/Qwen2.5-72B-Instruct", "qwen2.5-72b"),
        ("google/gemma-2-9b-it", "gemma2-9b"),
        ("mixtral", "mixtral-8x7b"),
        ("deepseek-r1", "deepseek-v3"),
        ("DeepSeek-V3-0324", "deepseek-v3"),
        ("whisper", "whisper-large-v3"),
        ("t5", "t5-base"),
        ("gpt2", "gpt2"),
        ("bert", "bert-base-uncased"),
    ],
)
def test_spellings(spelling: str, name: str) -> None:
    assert preset(spelling).name == name


def test_every_name_means_itself() -> None:
    for name in preset_names():
        assert preset(name).name == name
        assert preset(name.upper()).name == name


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"'llame-3.1-8b' is not known by name; nearest: llama-3"):
        preset("llame-3.1-8b")
    with pytest.raises(ValueError, match="preset_names"):
        preset("zzzzzz")
    with pytest.raises(ValueError, match=r"llama-3\.1-8b"):
        preset("")


def test_a_configuration_handed_out_is_a_copy() -> None:
    preset_config("gpt2")["n_layer"] = 1
    assert preset_config("gpt2")["n_layer"] == 12

"""Memory to run a model: against measured peaks, the course's figures, and by properties."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from napkin.memory_inference import OVERHEADS, inference_memory
from napkin.models import Model, from_config
from napkin.table import Table

VECTORS = Path(__file__).parents[1] / "vectors"
with (VECTORS / "published.csv").open(encoding="utf-8", newline="") as lines:
    MEASURED = [row for row in csv.DictReader(lines) if row["quantity"] == "memory_mib"]
SMALL = ["gpt2", "llama-3.2-1b", "mixtral-8x7b", "deepseek-v3", "t5-small", "mamba-130m",
         "gpt-oss-120b", "jamba-v0.1"]  # fmt: skip


@cache
def model(name: str) -> Model:
    text = (VECTORS / "configs" / f"{name}.json").read_text(encoding="utf-8")
    return from_config(json.loads(text), name=name)


def untyped(value: object) -> Any:
    """Hides a wrong argument from the type checker."""
    return value


FORMATS = {"BF16": "bf16", "FP8": "fp8", "AWQ-INT4": "awq", "GPTQ-Int8": "gptq_8bit"}


@pytest.mark.parametrize("row", MEASURED, ids=[row["case_id"] for row in MEASURED])
def test_qwens_measured_peaks(row: dict[str, str]) -> None:
    """QwenLM/Qwen3 speed_benchmark.md, transformers on an H20: within 1.2%."""
    given = json.loads(row["inputs"])
    quant = given["quant"]
    table = inference_memory(
        model(given["model"]),
        given["prompt_len"] + given["gen_len"],
        weights=FORMATS[quant],
        scope="auto" if quant == "BF16" else "linear",
        second_head=quant == "FP8",
        # The AWQ path runs SDPA over keys repeated for every query head.
        attention="repeat" if quant == "AWQ-INT4" else "kernel",
    )
    assert table.value("total") / 2**20 == pytest.approx(float(row["value"]), rel=0.012)


def test_the_courses_figures() -> None:
    """7B: 14 GB in bf16; 70B: 140 GB in bf16."""
    seven, seventy = model("llama-2-7b"), model("llama-2-70b")
    assert inference_memory(seven, 1).value("weights") == pytest.approx(14e9, rel=0.04)
    assert inference_memory(seven, 1, weights="int4").value("weights") < 4e9
    assert inference_memory(seventy, 1).value("weights") == pytest.approx(140e9, rel=0.02)
    assert inference_memory(seventy, 1, weights="nf4").value("weights") < 48e9


def test_embeddings_stay_in_16_bits_under_block_formats() -> None:
    gemma = model("gemma-2b")
    # huggingface/transformers#31474: AWQ but for head and embedding, 3,127,075,840 bytes on disk,
    # with the head written a second time.
    table = inference_memory(gemma, 1, weights="awq", second_head=True)
    assert table.value("weights") == pytest.approx(3_127_075_840, rel=0.01)


def test_a_device_of_several_holds_its_share() -> None:
    llama = model("llama-3.1-70b")
    whole = inference_memory(llama, 8192, 4)
    for tensor, pipeline in ((8, 1), (1, 8), (4, 2)):
        part = inference_memory(llama, 8192, 4, tensor=tensor, pipeline=pipeline)
        for key in ("weights", "cache"):
            assert part.value(key) * 8 == pytest.approx(whole.value(key), rel=1e-6)
    # Eight key-value heads cannot be shared by more than eight devices; latents not at all.
    sixteen = inference_memory(llama, 8192, 4, tensor=16)
    assert sixteen.value("cache") * 8 == whole.value("cache")
    latent = model("deepseek-v3")
    assert inference_memory(latent, 8192, tensor=8).value("cache") == inference_memory(
        latent, 8192
    ).value("cache")


def test_eager_attention_writes_its_scores() -> None:
    llama = model("llama-2-7b")
    kernel = inference_memory(llama, 8192, step_tokens=8192)
    eager = inference_memory(llama, 8192, step_tokens=8192, attention="eager")
    more = eager.value("activations") - kernel.value("activations")
    scores = 6 * 32 * 8192**2
    assert scores * 0.9 < more < scores


@settings(deadline=None, max_examples=50)
@given(
    name=st.sampled_from(SMALL),
    context=st.integers(0, 20_000),
    more=st.integers(0, 20_000),
    sequences=st.integers(0, 16),
    weights=st.sampled_from(["bf16", "fp8", "int8", "nf4", "awq", "Q4_0"]),
    overhead=st.sampled_from(sorted(OVERHEADS)),
)
def test_more_never_takes_less(
    name: str, context: int, more: int, sequences: int, weights: str, overhead: str
) -> None:
    subject = model(name)
    base = inference_memory(subject, context, sequences, weights=weights, overhead=overhead)
    longer = inference_memory(
        subject, context + more, sequences, weights=weights, overhead=overhead
    )
    wider = inference_memory(subject, context, sequences + 1, weights=weights, overhead=overhead)
    assert longer.value("total") >= base.value("total")
    assert wider.value("total") >= base.value("total")
    assert base.value("weights") == wider.value("weights")
    assert sum(row.value for row in base.rows) == base.value("total")
    assert Table.from_dict(json.loads(json.dumps(base.to_dict()))) == base


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: inference_memory(m, -1), "context must be at least 0"),
        (lambda m: inference_memory(m, weights="Q4_9"), "Q4_9"),
        (lambda m: inference_memory(m, cache="fp7"), "cache format 'fp7'"),
        (lambda m: inference_memory(m, tensor=0), "tensor must be at least 1"),
        (lambda m: inference_memory(m, pipeline=13), "more than the 12 layers"),
        (lambda m: inference_memory(m, attention=untyped("flash")), "use kernel, repeat or eager"),
        (lambda m: inference_memory(m, overhead="proces"), "use process"),
        (lambda m: inference_memory(m, overhead=-1), "overhead must be at least 0"),
        (lambda m: inference_memory(m, step_tokens=0), "step_tokens must be at least 1"),
    ],
)
def test_bad_input_is_refused_with_the_rule(call: Callable[[Model], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(model("gpt2"))

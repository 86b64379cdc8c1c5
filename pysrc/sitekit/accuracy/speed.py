"""Tokens per second: every published row with the range that the package gives."""

from __future__ import annotations

from napkin.achieved import Range
from napkin.models import Model
from napkin.speed import Setup, decode_seconds, prefill_seconds
from sitekit.accuracy.comparison import Comparison, Family
from sitekit.accuracy.published import model_named, rows_of

__all__ = ["decode_family", "prefill_family", "request_family"]

# Engines without ranges of their own: theory, and a phone whose memory is not in the table.
_LEFT_OUT = {
    "bound": "step times that are calculated, not measured: they test the roofline itself",
    "executorch": "a phone: its bandwidth is not in the hardware table",
}
_WHY = {
    "M1": "unpacking k-quants is arithmetic, and the GPU of the M1 family is short of it",
    "A100_SXM_80GBx1-llama-3-8b-F16": "published far below every neighbour: likely a slip",
    "A100_SXM_80GBx4-llama-3-8b-F16": "published far below every neighbour: likely a slip",
    "L40S_48GBx1-llama-3-8b-F16": "published below its own Q4 row: likely a slip",
    "AWQ-INT4": "ran with another attention kernel, which copies the cache less often",
    "FP8": "fp8 kernels of this release are slower than the fixed factor assumed",
    "qwen3-0.6b-BF16": "the smallest model is the slowest at long prompts in the same table",
    "xd-H100_PCIe_80GBx4": "builds of May 2024 gained nothing from more than one H100",
    "xd-4090_24GBx8-llama-3-8b-Q4_K_M": "the small model gains less from eight cards than larger",
    "xd-RTX_5000_Ada_32GBx4-llama-3-70b": "more cards bring less here than elsewhere in the table",
    "80GBx4-llama-3-70b-F16": "gained more from four cards than n^0.4",
    "ttft": "short prompts: fixed costs other than kernels weigh most",
    "H100-llama-2-70b": "fp8 over several devices, old release",
}


def _why(case: str) -> str:
    return next((text for word, text in _WHY.items() if word in case), "")


def _rate(row: dict[str, str], model: Model) -> Range:
    weights = {"F16": "fp16"}.get(row["weights"], row["weights"])
    setup = Setup.of(row["gpu"], int(row["gpus"]), row["engine"], weights)
    batch, prompt, generated = (int(row[name]) for name in ("batch", "prompt", "generated"))
    cache = "fp8" if weights == "fp8" and setup.engine == "compiled" else "bf16"
    count = batch * (prompt if row["phase"] == "prefill" else generated)
    if row["phase"] == "total":
        count += batch * prompt
    seconds = Range(0, 0, 0)
    if row["phase"] != "decode":
        seconds = prefill_seconds(model, setup, prompt=prompt, batch=batch)
    if generated:
        context = prompt + generated // 2
        step = decode_seconds(model, setup, context=context, batch=batch, cache=cache)
        seconds = Range(
            seconds.low + generated * step.low,
            seconds.typical + generated * step.typical,
            seconds.high + generated * step.high,
        )
    return Range(count / seconds.high, count / seconds.typical, count / seconds.low)


def _too_big(row: dict[str, str], model: Model) -> bool:
    """The batch does not fit at once, so the benchmark ran it in several waves."""
    tokens = int(row["batch"]) * (int(row["prompt"]) + int(row["generated"]))
    size = 1 if row["weights"] == "fp8" else 2
    need = size * model.total + tokens * model.kv_bytes_per_token(float(size))
    gpu = Setup.of(row["gpu"]).gpu
    return need > int(row["gpus"]) * gpu.memory


def _family(family: Family, phases: tuple[str, ...]) -> Family:
    left: dict[str, int] = {}
    waves = 0
    for row in rows_of("speed"):
        if row["phase"] not in phases:
            continue
        model = model_named(row["model"])
        if row["engine"] in _LEFT_OUT:
            left[row["engine"]] = left.get(row["engine"], 0) + 1
        elif model is not None and row["phase"] == "total out" and _too_big(row, model):
            waves += 1
        elif model is not None:
            rate = _rate(row, model)
            family.rows.append(
                Comparison(
                    row["case"], float(row["tokens_per_s"]), rate.typical, "tokens/s",
                    row["source"], row["provenance"], rate.low, rate.high, row["split"],
                    _why(row["case"]),
                )
            )  # fmt: skip
    family.left_out = [(number, engine, _LEFT_OUT[engine]) for engine, number in left.items()]
    if waves:
        family.left_out.append((waves, "large batches", "do not fit at once: run in waves"))
    return family


def decode_family() -> Family:
    """Generation, one or more GPUs."""
    return _family(
        Family(
            "decode", "Generated tokens per second",
            "the measured value inside the range in at least 80% of rows, no range wider than "
            "2.5×",
            "llama.cpp on NVIDIA and Apple, compiled engines on A100: bytes ÷ (bandwidth × "
            "share) + layers × launch.",
            share=0.8, ranged=True,
        ),
        ("decode",),
    )  # fmt: skip


def request_family() -> Family:
    """Prompt and generation together, batches up to 1,280."""
    return _family(
        Family(
            "requests", "Whole requests: prompt and answer",
            "the measured value inside the range in at least 80% of rows, no range wider than "
            "2.5×",
            "LMDeploy and TensorRT-LLM at fixed lengths and batches of 1 to 1,280; Hugging Face "
            "transformers one request at a time.",
            share=0.8, ranged=True,
        ),
        ("total out", "total"),
    )  # fmt: skip


def prefill_family() -> Family:
    """Prompt processing."""
    return _family(
        Family(
            "prefill", "Prompt tokens per second",
            "the measured value inside the range in at least 80% of rows",
            "llama.cpp and TensorRT-LLM: FLOP ÷ (peak × share) + layers × launch.",
            share=0.8, ranged=True,
        ),
        ("prefill",),
    )  # fmt: skip

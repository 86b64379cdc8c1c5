"""How fast a model serves: seconds per token and tokens per second, as ranges.

Each pass takes the larger of arithmetic and reading, plus a fixed cost per layer:

    max(FLOP ÷ (share × peak), bytes ÷ (share × bandwidth)) + layers × launch + all-reduces

The shares and fixed costs are ranges (``napkin.achieved``), so the answer is one too: the low end
takes the worst of each, the high end the best.
"""

from __future__ import annotations

from dataclasses import dataclass

from napkin.achieved import Achieved, Range, achieved, engine_named, memory_kind
from napkin.collectives import whole
from napkin.hardware import Accelerator, accelerator
from napkin.models import Model
from napkin.passes import Pass, decode_pass, prefill_pass

__all__ = [
    "Setup",
    "decode_seconds",
    "pass_seconds",
    "peak_share",
    "prefill_seconds",
    "prefill_workers",
    "verify_seconds",
]

LINK_SHARE = Range(0.5, 0.75, 0.9)  # of the interconnect's nominal bandwidth, in all-reduces
PIPELINED = 0.4
# The best bf16 matmul of an MI300X reaches 51% of its peak, that of an H100 80% (Bekman, "Machine
# Learning Engineering", table of maximum achievable matmul FLOP/s).
AMD_MATMUL = 0.51 / 0.80
_PLAIN = ("bf16", "fp16", "fp32", "f16", "f32", "bfloat16", "float16", "float32")
_FP8 = ("fp8", "fp8_e4m3", "fp8_e5m2", "mxfp8")


@dataclass(frozen=True)
class Setup:
    """Devices, engine and weight format, with what they achieve.

    ``split`` is ``"tensor"`` (all devices work on every layer) or ``"layers"`` (one after the
    other: no faster for one user); engines split by tensor, llama.cpp by layers, unless told.
    """

    gpu: Accelerator
    gpus: int
    engine: str
    weights: str
    split: str
    rates: Achieved

    @classmethod
    def of(
        cls,
        gpu: Accelerator | str,
        gpus: int = 1,
        engine: str = "auto",
        weights: str = "bf16",
        split: str = "auto",
    ) -> Setup:
        """Look up names and settle what ``auto`` means here."""
        gpu = accelerator(gpu)
        gpus = whole(gpus, "gpus")
        if not isinstance(weights, str):
            raise ValueError(f"weights is {weights!r}: name a format such as 'bf16' or 'Q4_K_M'")
        engine = engine_named(engine)
        memory = memory_kind(gpu)
        if engine == "auto":
            gguf = weights.strip().lower().startswith(("q", "iq"))
            engine = "llama.cpp" if gguf or memory != "hbm" else "compiled"
        if split not in ("auto", "tensor", "layers"):
            raise ValueError(f"split {split!r} is not known: use auto, tensor or layers")
        if split == "auto":
            split = "layers" if engine == "llama.cpp" else "tensor"
        return cls(gpu, gpus, engine, weights, split, achieved(engine, memory))

    @property
    def compute_format(self) -> str:
        """The format in which matmuls run: weights in 8 or 4 bits are unpacked to 16."""
        form = self.weights.strip().lower()
        peaks = self.gpu.peaks
        if form in _FP8 and "fp8" in peaks and self.engine == "compiled":
            return "fp8"
        if form in ("fp32", "f32", "float32"):
            return next((name for name in ("tf32", "fp32") if name in peaks), "bf16")
        return next((name for name in ("bf16", "fp16", "fp32") if name in peaks), "bf16")

    @property
    def peak(self) -> float:
        """Dense FLOP/s of one device in ``compute_format``."""
        return self.gpu.peak(self.compute_format)

    @property
    def workers(self) -> int:
        """Devices that work at the same time on one token."""
        return self.gpus if self.split == "tensor" else 1


def _reading(setup: Setup) -> Range:
    """Share of the bandwidth for weights."""
    form = setup.weights.strip().lower()
    native = form in _PLAIN or setup.compute_format == "fp8"
    return setup.rates.bandwidth.scaled(1.0 if native else setup.rates.quantised)


def peak_share(setup: Setup) -> Range:
    """Share of the dense peak that matmuls reach in prefill."""
    share = setup.rates.peak_fp8 if setup.compute_format == "fp8" else setup.rates.peak
    return share.scaled(AMD_MATMUL) if setup.gpu.vendor == "AMD" else share


def prefill_workers(setup: Setup) -> float:
    """Devices busy at the same time during prefill.

    With layers on different devices, pieces of a long prompt follow each other as on an assembly
    line: measured with 2 to 8 cards, about n^0.4 of them are busy.
    """
    return float(setup.gpus**PIPELINED if setup.split == "layers" else setup.gpus)


def pass_seconds(work: Pass, setup: Setup, workers: float) -> Range:
    """Time of one pass: best of every rate, typical, worst of every rate."""
    rates = setup.rates
    shares = peak_share(setup)
    reading = _reading(setup)
    peak, bandwidth = setup.peak * workers, setup.gpu.bandwidth * workers
    eight_bit = setup.weights.strip().lower().replace("-", "_") in (*_FP8, "int8", "gptq_8bit")
    launch = rates.unpacking if eight_bit else 1.0

    def seconds(read: float, cache: float, share: float, layer: float, hop: float, link: float,
                copies: float, expert: float) -> float:  # fmt: skip
        linear = max(work.linear / (peak * share), work.weights / (bandwidth * read))
        moved = work.cache + copies * work.expanded
        attention = max(work.attention / (peak * share), moved / (bandwidth * cache))
        fixed = launch * (work.layers * layer + work.experts * expert)
        busy = linear + attention
        total = max(busy, fixed) if rates.hidden else busy + fixed
        if setup.split == "layers":
            return total + (setup.gpus - 1) * hop
        if setup.gpus > 1:
            sent = 2 * (setup.gpus - 1) / setup.gpus * work.activation
            transfer = sent / (setup.gpu.link * link) if setup.gpu.link else 0.0
            total += 2 * work.layers * (hop + transfer)
        return total

    def at(best: str, worst: str) -> float:
        return seconds(
            getattr(reading, best), getattr(rates.bandwidth, best), getattr(shares, best),
            getattr(rates.layer, worst), getattr(rates.hop, worst), getattr(LINK_SHARE, best),
            getattr(rates.copies, worst), getattr(rates.expert, worst),
        )  # fmt: skip

    return Range(at("high", "low"), at("typical", "typical"), at("low", "high"))


def decode_seconds(
    model: Model,
    setup: Setup,
    *,
    context: int = 1024,
    batch: int = 1,
    cache: str = "bf16",
) -> Range:
    """Seconds that one decoding step takes (one token for each sequence of the batch)."""
    return verify_seconds(model, setup, context=context, batch=batch, cache=cache)


def verify_seconds(
    model: Model,
    setup: Setup,
    *,
    context: int = 1024,
    batch: int = 1,
    cache: str = "bf16",
    tokens: int = 1,
) -> Range:
    """Seconds to run ``tokens`` tokens per sequence at once, as a check of drafted tokens does."""
    work = decode_pass(model, setup.weights, cache, context, batch, tokens)
    return pass_seconds(work, setup, setup.workers)


def prefill_seconds(model: Model, setup: Setup, *, prompt: int = 1024, batch: int = 1) -> Range:
    """Seconds that the prompts of a batch take: the time to first token with no queue."""
    work = prefill_pass(model, setup.weights, prompt, batch)
    return pass_seconds(work, setup, prefill_workers(setup))

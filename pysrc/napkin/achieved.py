"""What real engines reach of a chip's nominal bandwidth and peak, as ranges.

A data sheet promises bandwidth and FLOP/s; an engine gets a share of each and pays a fixed cost
per layer (launching kernels, normalising, adding).  The shares here are fitted to measured
tokens/s on half of the published rows and checked on the other half: ``reference/accuracy`` shows
both.  A range says "four of five measurements fall inside", and each comes with its reason.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from napkin.table import nearest_name

if TYPE_CHECKING:
    from napkin.hardware import Accelerator

__all__ = ["ENGINES", "Achieved", "Range", "achieved", "engine_named", "memory_kind"]


@dataclass(frozen=True)
class Range:
    """A low, a typical and a high value of one quantity.

    >>> Range(2, 3, 5).width
    2.5
    """

    low: float
    typical: float
    high: float

    def __post_init__(self) -> None:
        if not (0 <= self.low <= self.typical <= self.high < math.inf):
            raise ValueError(
                f"a range goes from low over typical to high, got {self.low!r}, "
                f"{self.typical!r}, {self.high!r}"
            )

    @property
    def width(self) -> float:
        """High ÷ low."""
        return self.high / self.low if self.low else math.inf

    def __contains__(self, value: object) -> bool:
        return isinstance(value, (int, float)) and self.low <= value <= self.high

    def scaled(self, factor: float) -> Range:
        """All three values times ``factor``."""
        return Range(self.low * factor, self.typical * factor, self.high * factor)


@dataclass(frozen=True)
class Achieved:
    """What one kind of engine gets out of one kind of device.

    ``bandwidth``: share of the nominal bandwidth while reading 16-bit weights and the cache.
    ``peak``, ``peak_fp8``: share of the dense peak in prefill, 16-bit and fp8.
    ``layer``: fixed seconds per layer and pass.  ``hop``: seconds per all-reduce or hand-over
    between devices, on top of the transfer.  ``reason``: one sentence.
    ``quantised``: factor on the bandwidth share for weights that must be unpacked first.

    Eager frameworks also have: ``hidden``, the fixed cost runs beside the device's work instead of
    adding to it; ``unpacking``, the factor on the fixed cost for 8-bit weights; ``expert``,
    seconds per expert of a layer; ``copies``, how often the cache, spread out to every query head,
    is moved.
    """

    bandwidth: Range
    peak: Range
    layer: Range
    hop: Range
    reason: str
    quantised: float = 1.0
    peak_fp8: Range = Range(0.25, 0.4, 0.6)
    hidden: bool = False
    unpacking: float = 1.0
    expert: Range = Range(0, 0, 0)
    copies: Range = Range(0, 0, 0)


def _us(low: float, typical: float, high: float) -> Range:
    """A range of microseconds, in s."""
    return Range(low * 1e-6, typical * 1e-6, high * 1e-6)


_GRAPHS = "kernels captured in CUDA graphs, little waiting between them"
_ONE_BY_ONE = "kernels started one by one from the CPU"
_LLAMA_GDDR = (
    f"{_ONE_BY_ONE}: 0.05-0.13 ms per layer whatever the card, so a small file on a fast card "
    "falls short of the bandwidth; the rest of the time 76-100% of it"
)

# (engine, kind of device).  llama.cpp was measured on builds of May 2024 (NVIDIA) and on those of
# its Apple table; newer builds tend to the fast end.
ACHIEVED: dict[tuple[str, str], Achieved] = {
    ("compiled", "hbm"): Achieved(
        bandwidth=Range(0.52, 0.78, 0.92), quantised=0.78, peak=Range(0.35, 0.58, 0.80),
        layer=_us(28, 45, 70), hop=_us(5, 8, 12),
        reason=f"{_GRAPHS}; HBM gives 52-92% of its nominal bandwidth, less for packed weights",
    ),
    ("compiled", "gddr"): Achieved(
        bandwidth=Range(0.60, 0.82, 0.94), quantised=0.85, peak=Range(0.42, 0.68, 0.95),
        layer=_us(28, 45, 70), hop=_us(10, 16, 25),
        reason=f"{_GRAPHS}; GDDR gives 60-94% of its nominal bandwidth",
    ),
    ("compiled", "gddr pro"): Achieved(
        bandwidth=Range(0.60, 0.82, 0.94), quantised=0.85, peak=Range(0.30, 0.50, 0.75),
        peak_fp8=Range(0.25, 0.45, 0.62), layer=_us(28, 45, 70), hop=_us(10, 16, 25),
        reason=f"{_GRAPHS}; GDDR gives 60-94% of its bandwidth; power limits cap the peak",
    ),
    ("llama.cpp", "gddr"): Achieved(
        bandwidth=Range(0.76, 0.89, 1.0), peak=Range(0.42, 0.68, 1.0),
        layer=_us(50, 85, 125), hop=_us(100, 200, 250), reason=_LLAMA_GDDR,
    ),
    ("llama.cpp", "gddr pro"): Achieved(
        bandwidth=Range(0.76, 0.89, 1.0), peak=Range(0.18, 0.27, 0.44),
        layer=_us(50, 85, 125), hop=_us(100, 200, 250),
        reason=f"{_LLAMA_GDDR}; prefill as on the GeForce card of the same chip",
    ),
    ("llama.cpp", "hbm"): Achieved(
        bandwidth=Range(0.38, 0.57, 0.85), peak=Range(0.16, 0.27, 0.40),
        layer=_us(75, 110, 175), hop=_us(100, 200, 250),
        reason=f"{_ONE_BY_ONE}, and written for GDDR cards: about half of an HBM part's bandwidth",
    ),
    ("llama.cpp", "unified"): Achieved(
        bandwidth=Range(0.76, 0.92, 1.0), peak=Range(0.45, 0.65, 0.85),
        layer=_us(130, 190, 320), hop=_us(100, 200, 250),
        reason=f"{_ONE_BY_ONE}, 0.13-0.3 ms per layer; memory shared with the CPU",
    ),
    ("llama.cpp", "two dies"): Achieved(
        bandwidth=Range(0.60, 0.78, 0.95), peak=Range(0.45, 0.65, 0.85),
        layer=_us(130, 190, 300), hop=_us(100, 200, 250),
        reason="two dies joined reach a smaller share of their bandwidth than one",
    ),
    ("transformers", "hbm"): Achieved(
        bandwidth=Range(0.45, 0.65, 0.85), quantised=0.6, peak=Range(0.30, 0.45, 0.65),
        layer=_us(450, 610, 850), hop=_us(20, 30, 50), hidden=True, unpacking=2.4,
        expert=_us(60, 90, 150), copies=Range(10, 11, 13),
        reason="eager PyTorch: Python starts every kernel, about 0.6 ms per layer whatever the "
        "chip, and copies the cache for every token (measured with transformers 4.51)",
    ),
}  # fmt: skip
for _kind in ("unified", "two dies"):
    ACHIEVED["compiled", _kind] = ACHIEVED["llama.cpp", _kind]
for _kind in ("gddr", "gddr pro", "unified", "two dies"):
    ACHIEVED["transformers", _kind] = ACHIEVED["transformers", "hbm"]

ENGINES = ("auto", "compiled", "llama.cpp", "transformers")
_ALIASES = {
    "vllm": "compiled",
    "tensorrt-llm": "compiled",
    "trt-llm": "compiled",
    "trtllm": "compiled",
    "sglang": "compiled",
    "lmdeploy": "compiled",
    "gpt-fast": "compiled",
    "cuda graphs": "compiled",
    "tensorrt": "compiled",
    "tgi": "compiled",
    "exllama": "compiled",
    "exllamav2": "compiled",
    "mlc": "llama.cpp",
    "mlx": "llama.cpp",
    "llamacpp": "llama.cpp",
    "ollama": "llama.cpp",
    "lm studio": "llama.cpp",
    "gguf": "llama.cpp",
    "hf": "transformers",
    "huggingface": "transformers",
    "hugging face": "transformers",
    "eager": "transformers",
    "pytorch": "transformers",
}


def engine_named(name: str) -> str:
    """The kind of engine: a known engine's name, or the kind itself.

    >>> engine_named("vLLM 0.11"), engine_named("ollama"), engine_named("auto")
    ('compiled', 'llama.cpp', 'auto')
    """
    folded = str(name).strip().lower()
    for spelling in (folded, folded.split(" ")[0]):  # "vLLM 0.11" and "transformers 4.51.3" too
        spelling = _ALIASES.get(spelling, spelling)
        if spelling in ENGINES:
            return spelling
    close = nearest_name(folded, [*ENGINES, *_ALIASES], 1)
    hint = f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(ENGINES)}"
    raise ValueError(
        f"engine {name!r} is not known: {hint} (vllm, sglang and others are known too)"
    )


def achieved(engine: str, memory: str) -> Achieved:
    """Ranges for an engine (``auto`` picks the usual one) on a kind of memory.

    ``memory`` is what ``memory_kind`` gives: ``hbm``, ``gddr``, ``gddr pro``, ``unified`` or
    ``two dies``.

    >>> achieved("auto", "unified").bandwidth
    Range(low=0.76, typical=0.92, high=1.0)
    """
    engine = engine_named(engine)
    if engine == "auto":
        engine = "compiled" if memory == "hbm" else "llama.cpp"
    if (engine, memory) not in ACHIEVED:
        kinds = sorted({kind for _, kind in ACHIEVED})
        raise ValueError(f"memory {memory!r} is not known: use one of {', '.join(kinds)}")
    return ACHIEVED[engine, memory]


_HBM = {
    "Pascal", "Volta", "Hopper", "CDNA1", "CDNA2", "CDNA3", "CDNA4", "Gaudi", "TPU", "Trn2",
    "Inf2", "Blackwell Ultra",
}  # fmt: skip
_HBM_NAMES = ("A100", "A30", "B100", "B200", "B300", "GB200", "GB300", "GH200", "A800")
_UNIFIED_NAMES = ("Jetson", "DGX Spark", "Strix Halo")


def memory_kind(gpu: Accelerator) -> str:
    """What the efficiency of a device goes by.

    ``hbm``; ``gddr`` (GeForce, Radeon, Arc) and ``gddr pro`` (workstation and server cards, whose
    peak is not halved for fp32 accumulation); ``unified``; ``two dies`` (Apple Ultra).

    >>> from napkin.hardware import accelerator
    >>> [memory_kind(accelerator(name)) for name in ("H100", "4090", "M3 Max 40-core", "M2 Ultra \
76-core")]
    ['hbm', 'gddr', 'unified', 'two dies']
    """
    if gpu.vendor == "Apple":
        return "two dies" if "Ultra" in gpu.name else "unified"
    if any(word in gpu.name for word in _UNIFIED_NAMES):
        return "unified"
    if gpu.name.startswith("GTX"):
        return "gddr"
    if gpu.architecture in _HBM or gpu.name.startswith(_HBM_NAMES):
        return "hbm"
    geforce = re.match(r"(GTX|RTX) \d{4}( Ti| Super| SUPER| D|\b)(?! Ada)|RX|Arc", gpu.name)
    return "gddr" if geforce else "gddr pro"

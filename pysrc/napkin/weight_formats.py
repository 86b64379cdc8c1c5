"""What a quantised weight really takes: blocks of weights that share scales.

``bits per weight = 8 × block bytes ÷ block length``.  A format also says what it covers: gguf
files mix formats tensor by tensor (``napkin.gguf``), while the formats of PyTorch libraries cover
the linear layers and leave embeddings, norms and biases in 16 bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from napkin.formats import ALIASES, FORMATS, INTEGER_BITS, bytes_per_value
from napkin.table import Row, Table, nearest_name

__all__ = [
    "BLOCK_FORMATS",
    "GGML_FORMATS",
    "WeightFormat",
    "bits_per_weight",
    "weight_format_named",
    "weight_formats_table",
]

GGML = "ggml-common.h (llama.cpp): sizes of the block structures"


@dataclass(frozen=True)
class WeightFormat:
    """``block`` weights stored in ``block_bits`` bits, scales and zero points included."""

    name: str
    block: int
    block_bits: int
    working: str
    source: str

    @property
    def bits(self) -> float:
        """Bits per weight."""
        return self.block_bits / self.block

    @property
    def block_bytes(self) -> Fraction:
        """Bytes per block, exactly (a block may end inside a byte)."""
        return Fraction(self.block_bits, 8)

    def bytes_for(self, weights: int) -> int:
        """Bytes of ``weights`` weights, the last block padded.

        >>> weight_format_named("Q4_0").bytes_for(4096)
        2304
        """
        blocks = -(-weights // self.block)
        return -(-blocks * self.block_bits // 8)


def _ggml(name: str, block: int, size: int, working: str) -> WeightFormat:
    return WeightFormat(name, block, 8 * size, f"{size} B per {block}: {working}", GGML)


GGML_FORMATS: dict[str, WeightFormat] = {
    f.name: f
    for f in (
        _ggml("F32", 1, 4, "plain fp32"),
        _ggml("F16", 1, 2, "plain fp16"),
        _ggml("BF16", 1, 2, "plain bf16"),
        _ggml("Q4_0", 32, 18, "32 × 4 bit + fp16 scale"),
        _ggml("Q4_1", 32, 20, "32 × 4 bit + fp16 scale + fp16 minimum"),
        _ggml("Q5_0", 32, 22, "32 × 5 bit + fp16 scale"),
        _ggml("Q5_1", 32, 24, "32 × 5 bit + fp16 scale + fp16 minimum"),
        _ggml("Q8_0", 32, 34, "32 × 8 bit + fp16 scale"),
        _ggml("Q2_K", 256, 84, "256 × 2 bit + 16 × (4 + 4) bit + 2 fp16"),
        _ggml("Q3_K", 256, 110, "256 × 3 bit + 16 × 6 bit + fp16"),
        _ggml("Q4_K", 256, 144, "256 × 4 bit + 8 × (6 + 6) bit + 2 fp16"),
        _ggml("Q5_K", 256, 176, "256 × 5 bit + 8 × (6 + 6) bit + 2 fp16"),
        _ggml("Q6_K", 256, 210, "256 × 6 bit + 16 × 8 bit + fp16"),
        _ggml("IQ1_S", 256, 50, "codebook indices and signs"),
        _ggml("IQ1_M", 256, 56, "codebook indices and signs"),
        _ggml("IQ2_XXS", 256, 66, "codebook indices and signs"),
        _ggml("IQ2_XS", 256, 74, "codebook indices and signs"),
        _ggml("IQ2_S", 256, 82, "codebook indices and signs"),
        _ggml("IQ3_XXS", 256, 98, "codebook indices and signs"),
        _ggml("IQ3_S", 256, 110, "codebook indices and signs"),
        _ggml("IQ4_NL", 32, 18, "32 × 4 bit index into 16 fixed levels + fp16 scale"),
        _ggml("IQ4_XS", 256, 136, "256 × 4 bit + 8 × 6 bit + fp16"),
        _ggml("TQ1_0", 256, 54, "ternary, 5 weights in a byte + fp16"),
        _ggml("TQ2_0", 256, 66, "ternary, 2 bits each + fp16"),
        _ggml("MXFP4", 32, 17, "32 × 4 bit + e8m0 scale"),
    )
}


def _blocks(name: str, block: int, bits: int, working: str, source: str) -> WeightFormat:
    return WeightFormat(name, block, bits, working, source)


_QLORA = "Dettmers et al. 2023 (QLoRA)"
_MX = "OCP Microscaling Formats 1.0"
_AWQ = "AutoAWQ and GPTQModel packing: fp16 scale and 4-bit zero point per group"

BLOCK_FORMATS: dict[str, WeightFormat] = {
    f.name: f
    for f in (
        _blocks("nf4", 64, 64 * 4 + 32, "4 + 32/64 bit: fp32 scale per 64 weights", _QLORA),
        _blocks("nf4_dq", 16384, 16384 * 4 + 256 * 8 + 32,
                "4 + 8/64 + 32/(64·256) bit: the scales quantised to 8 bits", _QLORA),
        _blocks("awq", 128, 128 * 4 + 16 + 4, "4 + 16/128 + 4/128 bit: scale and zero point", _AWQ),
        _blocks("gptq", 128, 128 * 4 + 16 + 4, "4 + 16/128 + 4/128 bit: scale and zero point",
                _AWQ),
        _blocks("gptq_8bit", 128, 128 * 8 + 16 + 8, "8 + 16/128 + 8/128 bit", _AWQ),
        _blocks("mxfp8", 32, 32 * 8 + 8, "8 + 8/32 bit: e8m0 scale per 32", _MX),
        _blocks("mxfp6", 32, 32 * 6 + 8, "6 + 8/32 bit: e8m0 scale per 32", _MX),
        _blocks("mxfp4", 32, 32 * 4 + 8, "4 + 8/32 bit: e8m0 scale per 32", _MX),
        _blocks("nvfp4", 16, 16 * 4 + 8,
                "4 + 8/16 bit: e4m3 scale per 16 (and one fp32 per tensor)",
                "NVIDIA NVFP4 description (2025)"),
        _blocks("int8", 1, 8, "8 bit; one scale per row adds less than 0.01 bit",
                "Dettmers et al. 2022 (LLM.int8())"),
        _blocks("int4", 1, 4, "4 bit without scales: the ideal, not a file format", "definition"),
    )
}  # fmt: skip

_ALIASES = {
    "bnb_4bit": "nf4", "bnb4": "nf4", "qlora": "nf4_dq", "nf4_double_quant": "nf4_dq",
    "nf4dq": "nf4_dq", "awq_g128": "awq", "awq4": "awq", "gptq_g128": "gptq", "gptq4": "gptq",
    "gptq8": "gptq_8bit", "llm_int8": "int8", "q4": "int4", "q8": "int8",
}  # fmt: skip


def weight_format_named(name: str) -> WeightFormat:
    """The block format of that name (``nf4``, ``awq``, ``mxfp4``, ``Q4_K`` …) or number format.

    A gguf mix (``Q4_K_M``) is no single format: see ``napkin.gguf``.

    >>> weight_format_named("Q6_K").bits, weight_format_named("nf4").bits
    (6.5625, 4.5)
    """
    folded = str(name).strip().lower().replace("-", "_")
    folded = _ALIASES.get(folded, folded)
    if folded in BLOCK_FORMATS:
        return BLOCK_FORMATS[folded]
    if folded.upper() in GGML_FORMATS and folded not in ALIASES:
        return GGML_FORMATS[folded.upper()]
    if folded in FORMATS or folded in ALIASES or folded in INTEGER_BITS:
        bits = int(8 * bytes_per_value(folded))
        return WeightFormat(folded, 1, bits, f"{bits} bit, no scales", "definition")
    names = [*BLOCK_FORMATS, *GGML_FORMATS, *FORMATS, *_ALIASES]
    if folded.upper().startswith(("Q3_K_", "Q4_K_", "Q5_K_", "Q2_K_", "IQ3_", "IQ2_")):
        raise ValueError(f"{name!r} is a gguf mix of several formats: use napkin.gguf for its size")
    close = nearest_name(folded, names)
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(names[:12])} …"
    raise ValueError(f"{name!r} is not a weight format: {hint}")


def bits_per_weight(name: str) -> float:
    """True bits per weight, scales and zero points included.

    >>> bits_per_weight("nvfp4"), bits_per_weight("awq"), round(bits_per_weight("nf4_dq"), 3)
    (4.5, 4.15625, 4.127)
    """
    return weight_format_named(name).bits


def weight_formats_table() -> Table:
    """True bits per weight of every block format."""
    rows = tuple(
        Row(f.name.lower(), f.name, f.bits, "bits", f.working, f.source)
        for f in (*BLOCK_FORMATS.values(), *GGML_FORMATS.values())
        if f.name != "MXFP4"  # listed once, under its general name
    )
    return Table("Bits per weight", rows)

"""Number formats: how many bits, what range, and exactly which value a number becomes.

A format stores sign, exponent and mantissa: ``(-1)^s × 2^(e-bias) × 1.mantissa``, or
``0.mantissa`` when the exponent field is zero (subnormals).  ``encode`` rounds to nearest, ties to
even, once; what lies past the largest finite value becomes what the format defines: infinity,
NaN, or the largest value itself (saturation).

Sources: IEEE 754-2019 (fp64, fp32, fp16); OCP 8-bit Floating Point Specification 1.0 (fp8);
OCP Microscaling Formats 1.0 (fp6, fp4, e8m0); NVIDIA A100 white paper (tf32); Google (bf16).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from napkin.table import nearest_name

__all__ = [
    "FORMATS",
    "Format",
    "bit_text",
    "bytes_per_value",
    "decode",
    "encode",
    "format_named",
    "spacing",
    "stored",
]

Overflow = Literal["inf", "nan", "saturate"]


@dataclass(frozen=True)
class Format:
    """A binary floating-point format.

    ``stored_bits`` is what a value takes in memory (tf32 has 19 bits but is kept in 32);
    ``special`` says which patterns are not numbers: ``ieee`` (top exponent: infinities and NaNs),
    ``top`` (only the all-ones pattern is NaN), ``minus_zero`` (the pattern of -0 is NaN, and there
    is no -0), ``none``.
    """

    name: str
    exponent_bits: int
    mantissa_bits: int
    bias: int
    special: Literal["ieee", "top", "minus_zero", "none"]
    overflow: Overflow
    use: str
    source: str
    stored_bits: int
    signed: bool = True

    @property
    def bits(self) -> int:
        """Sign, exponent and mantissa bits."""
        return int(self.signed) + self.exponent_bits + self.mantissa_bits

    @property
    def bytes(self) -> float:
        """Bytes one value takes in memory."""
        return self.stored_bits / 8

    @property
    def sign_bit(self) -> int:
        return 1 << (self.exponent_bits + self.mantissa_bits) if self.signed else 0

    @property
    def largest_bits(self) -> int:
        """The pattern of the largest finite value."""
        top = (1 << (self.exponent_bits + self.mantissa_bits)) - 1
        if self.special == "ieee":
            return (((1 << self.exponent_bits) - 1) << self.mantissa_bits) - 1
        return top - 1 if self.special == "top" else top

    @property
    def nan_bits(self) -> int | None:
        if self.special == "ieee":
            return self.largest_bits + 1 + (1 << max(self.mantissa_bits - 1, 0))
        return {"top": self.largest_bits + 1, "minus_zero": self.sign_bit}.get(self.special)

    @property
    def largest(self) -> float:
        """The largest finite value."""
        return decode(self.largest_bits, self)

    @property
    def smallest_normal(self) -> float:
        """The smallest positive value with the full mantissa."""
        return math.ldexp(1.0, self.lowest_exponent)

    @property
    def smallest_subnormal(self) -> float:
        """The smallest positive value at all."""
        return math.ldexp(1.0, self.lowest_exponent - self.mantissa_bits)

    @property
    def lowest_exponent(self) -> int:
        return (1 if self.signed else 0) - self.bias

    @property
    def epsilon(self) -> float:
        """The gap between 1 and the next value, 2^-mantissa_bits."""
        return math.ldexp(1.0, -self.mantissa_bits)


_IEEE = "IEEE 754-2019"
_OFP8 = "OCP 8-bit Floating Point Specification 1.0"
_MX = "OCP Microscaling Formats 1.0"

FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        Format("fp64", 11, 52, 1023, "ieee", "inf",
               "scientific computing; Python's own float", _IEEE, 64),
        Format("fp32", 8, 23, 127, "ieee", "inf",
               "master weights, reductions, optimiser state", _IEEE, 32),
        Format("tf32", 8, 10, 127, "ieee", "inf",
               "inside fp32 matmuls on Ampere and later", "NVIDIA A100 white paper", 32),
        Format("fp16", 5, 10, 15, "ieee", "inf",
               "training with loss scaling, inference", _IEEE, 16),
        Format("bf16", 8, 7, 127, "ieee", "inf",
               "the training default; fp32's range, no loss scaling", "Google Brain", 16),
        Format("fp8_e4m3", 4, 3, 7, "top", "nan",
               "fp8 weights and activations, with scaling", _OFP8, 8),
        Format("fp8_e5m2", 5, 2, 15, "ieee", "inf",
               "fp8 gradients, with scaling", _OFP8, 8),
        Format("fp8_e4m3fnuz", 4, 3, 8, "minus_zero", "nan",
               "fp8 on AMD MI300", "Graphcore, AMD and Qualcomm proposal (2022)", 8),
        Format("fp8_e5m2fnuz", 5, 2, 16, "minus_zero", "nan",
               "fp8 on AMD MI300", "Graphcore, AMD and Qualcomm proposal (2022)", 8),
        Format("fp6_e3m2", 3, 2, 3, "none", "saturate", "MXFP6 elements", _MX, 6),
        Format("fp6_e2m3", 2, 3, 1, "none", "saturate", "MXFP6 elements", _MX, 6),
        Format("fp4_e2m1", 2, 1, 1, "none", "saturate", "MXFP4 and NVFP4 elements", _MX, 4),
        Format("e8m0", 8, 0, 127, "top", "nan",
               "the shared scale of a block in MXFP8, MXFP6, MXFP4", _MX, 8, signed=False),
    )
}  # fmt: skip

INTEGER_BITS = {"int8": 8, "uint8": 8, "int4": 4, "uint4": 4, "int2": 2, "int16": 16, "int32": 32}

ALIASES = {
    "float64": "fp64", "double": "fp64", "f64": "fp64",
    "float32": "fp32", "float": "fp32", "single": "fp32", "f32": "fp32",
    "tensorfloat32": "tf32",
    "float16": "fp16", "half": "fp16", "f16": "fp16",
    "bfloat16": "bf16",
    "fp8": "fp8_e4m3", "f8": "fp8_e4m3", "float8": "fp8_e4m3", "e4m3": "fp8_e4m3",
    "e4m3fn": "fp8_e4m3", "fp8_e4m3fn": "fp8_e4m3", "float8_e4m3fn": "fp8_e4m3",
    "e5m2": "fp8_e5m2", "float8_e5m2": "fp8_e5m2",
    "e4m3fnuz": "fp8_e4m3fnuz", "float8_e4m3fnuz": "fp8_e4m3fnuz",
    "e5m2fnuz": "fp8_e5m2fnuz", "float8_e5m2fnuz": "fp8_e5m2fnuz",
    "e3m2": "fp6_e3m2", "float6_e3m2fn": "fp6_e3m2", "e2m3": "fp6_e2m3",
    "float6_e2m3fn": "fp6_e2m3",
    "fp4": "fp4_e2m1", "e2m1": "fp4_e2m1", "float4_e2m1fn": "fp4_e2m1",
    "ue8m0": "e8m0", "float8_e8m0fnu": "e8m0", "e8m0fnu": "e8m0",
}  # fmt: skip


def _folded(name: str) -> str:
    return name.strip().lower().removeprefix("torch.").replace("-", "_").replace(" ", "_")


def format_named(name: str | Format) -> Format:
    """The format of that name; ``fp8`` alone is e4m3, ``float16`` and ``half`` are fp16, …

    >>> format_named("bfloat16").name, format_named("fp8").name
    ('bf16', 'fp8_e4m3')
    """
    if isinstance(name, Format):
        return name
    folded = _folded(str(name))
    known = FORMATS.get(ALIASES.get(folded, folded))
    if known is None:
        if folded in INTEGER_BITS:
            raise ValueError(f"{name!r} is an integer format; a floating-point one is wanted")
        close = nearest_name(folded, [*FORMATS, *ALIASES])
        hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(FORMATS)}"
        raise ValueError(f"{name!r} is not a number format: {hint}")
    return known


def bytes_per_value(name: str | Format) -> float:
    """Bytes that one value takes in memory, for floating-point and integer formats.

    >>> bytes_per_value("bf16"), bytes_per_value("tf32"), bytes_per_value("int4")
    (2.0, 4.0, 0.5)
    """
    if isinstance(name, str) and _folded(name) in INTEGER_BITS:
        return INTEGER_BITS[_folded(name)] / 8
    return format_named(name).bytes


def encode(value: float, name: str | Format, saturate: bool | None = None) -> int:
    """The bit pattern of ``value``, rounded to nearest, ties to even.

    Past the largest value: infinity (fp32, fp16, bf16, e5m2), NaN (e4m3, e8m0) or the largest
    value (fp6, fp4).  ``saturate=True`` gives the largest value always, as fp8 training does.

    >>> hex(encode(1.0, "bf16")), hex(encode(-0.1, "fp16")), hex(encode(65520, "fp16"))
    ('0x3f80', '0xae66', '0x7c00')
    """
    form = format_named(name)
    value = float(value)
    if math.isnan(value) or (value < 0 and not form.signed):
        return _nan(form)
    sign = form.sign_bit if math.copysign(1.0, value) < 0 else 0
    size = abs(value)
    if math.isinf(size):
        return _past_largest(sign, form, saturate)
    exponent = max(math.frexp(size)[1] - 1, form.lowest_exponent) if size else form.lowest_exponent
    # At most mantissa_bits + 1 bits stand left of the point: scaling is exact, round() is to even.
    count = round(math.ldexp(size, form.mantissa_bits - exponent))
    if form.signed:
        bits = ((exponent + form.bias - 1) << form.mantissa_bits) + count
    else:
        bits = max(exponent + form.bias + count - 1, 0)
    if bits > form.largest_bits:
        return _past_largest(sign, form, saturate)
    return bits if form.special == "minus_zero" and bits == 0 else sign | bits


def _past_largest(sign: int, form: Format, saturate: bool | None) -> int:
    rule = form.overflow if not saturate else "saturate"
    if rule == "nan":
        return _nan(form)
    return sign | (form.largest_bits + (rule == "inf"))


def _nan(form: Format) -> int:
    if form.nan_bits is None:
        raise ValueError(f"{form.name} has no NaN: give it a number")
    return form.nan_bits


def decode(bits: int, name: str | Format) -> float:
    """The value of a bit pattern.

    >>> decode(0x3F80, "bf16"), decode(0x7E, "fp8_e4m3"), decode(0b0111, "fp4_e2m1")
    (1.0, 448.0, 6.0)
    """
    form = format_named(name)
    if isinstance(bits, bool) or not isinstance(bits, int) or not 0 <= bits < 1 << form.bits:
        raise ValueError(f"{bits!r} is not a pattern of {form.name}: 0 to {(1 << form.bits) - 1}")
    sign = -1.0 if bits & form.sign_bit else 1.0
    size = bits & ~form.sign_bit
    if form.special == "minus_zero" and bits == form.sign_bit:
        return math.nan
    if size > form.largest_bits:
        infinite = form.special == "ieee" and size == form.largest_bits + 1
        return sign * math.inf if infinite else math.nan
    exponent, mantissa = divmod(size, 1 << form.mantissa_bits)
    if exponent or not form.signed:
        mantissa += 1 << form.mantissa_bits
    else:
        exponent = 1
    return sign * math.ldexp(mantissa, exponent - form.bias - form.mantissa_bits)


def stored(value: float, name: str | Format, saturate: bool | None = None) -> float:
    """The value that the format keeps in place of ``value``.

    >>> stored(0.1, "bf16"), stored(1000, "fp8_e4m3", saturate=True)
    (0.10009765625, 448.0)
    """
    form = format_named(name)
    return decode(encode(value, form, saturate), form)


def bit_text(bits: int, name: str | Format) -> str:
    """Sign, exponent and mantissa bits, in groups.

    >>> bit_text(encode(0.1, "bf16"), "bf16")
    '0 01111011 1001101'
    """
    form = format_named(name)
    text = f"{bits:0{form.bits}b}"
    cut = len(text) - form.mantissa_bits
    groups = (text[: cut - form.exponent_bits], text[cut - form.exponent_bits : cut], text[cut:])
    return " ".join(group for group in groups if group)


def spacing(value: float, name: str | Format) -> float:
    """The gap between neighbouring values of the format around ``value``.

    An update below half of it, added to ``value``, is lost.

    >>> spacing(1.0, "bf16"), spacing(300.0, "fp16")
    (0.0078125, 0.25)
    """
    form = format_named(name)
    size = abs(stored(value, form, saturate=True))
    exponent = max(math.frexp(size)[1] - 1, form.lowest_exponent) if size else form.lowest_exponent
    return math.ldexp(1.0, exponent - form.mantissa_bits)

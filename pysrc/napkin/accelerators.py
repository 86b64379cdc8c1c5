"""The accelerators of ``accelerators.json``: figures and facts of each device, in SI units.

Peaks are dense (data sheets often print the sparse figure, twice as high) and, on GeForce cards,
with fp32 accumulation, which is what training frameworks use.  Interconnect is per direction.
A row marked ``recalled`` deserves a second look.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files

from napkin.printing import format_bytes
from napkin.table import Row, Table

__all__ = ["GIB", "Accelerator", "accelerators", "rate_unit"]

GIB = 2**30
GDDR_ECC = {"T4", "A10", "A10G (AWS g5)", "A40", "L4", "L40", "L40S"}


@dataclass(frozen=True)
class Accelerator:
    """One device as software sees it, in SI units.

    ``peaks`` are dense FLOP/s (operations per second for int8) by format; ``bandwidth`` is of its
    memory, ``link`` per direction between devices, both in B/s; ``memory`` is what a framework can
    use, in bytes, before the driver's own half gigabyte or so.
    """

    name: str
    vendor: str
    architecture: str
    year: int
    marketed_gb: float
    usable_gib: float | None
    bandwidth: float
    peaks: dict[str, float] = field(hash=False)
    link: float | None
    link_name: str
    watts: float | None
    provenance: str
    source: str
    note: str

    @cached_property
    def memory(self) -> int:
        """Usable memory, bytes: as reported by software where known, else by rule.

        Memory sold as 80 GB is 80 GiB of chips; about 1% is kept back, 6.25% more where ECC
        takes its bits from the same chips.  Apple lets the GPU hold two thirds of the memory,
        three quarters above 36 GB.
        """
        if self.usable_gib is not None:
            return round(self.usable_gib * GIB)
        if self.vendor == "Apple":
            return round(self.marketed_gb * GIB * (0.75 if self.marketed_gb > 36 else 2 / 3))
        return round(self.marketed_gb * GIB * (0.9375 if self.name in GDDR_ECC else 0.985))

    @property
    def memory_is_measured(self) -> bool:
        """True where ``memory`` is a reported figure, False where it follows the rule."""
        return self.usable_gib is not None

    def peak(self, form: str = "bf16") -> float:
        """Dense peak in FLOP/s for matmuls in that format.

        >>> next(a for a in accelerators() if a.name == "H100 SXM").peak("bf16")
        989000000000000.0
        """
        name = {"fp8_e4m3": "fp8", "fp8_e5m2": "fp8", "float16": "fp16", "bfloat16": "bf16",
                "float32": "fp32", "fp4_e2m1": "fp4", "nvfp4": "fp4", "mxfp4": "fp4"}.get(
            str(form).lower(), str(form).lower()
        )  # fmt: skip
        if name not in self.peaks:
            raise ValueError(
                f"{self.name} has no published {form} rate: use one of {', '.join(self.peaks)}"
            )
        return self.peaks[name]

    @property
    def peak_16bit(self) -> float:
        """The 16-bit matmul rate: bf16, or fp16 on devices without bf16."""
        return self.peaks.get("bf16", self.peaks.get("fp16", self.peaks.get("fp32", 0.0)))

    def ridge(self, form: str = "bf16") -> float:
        """FLOP per byte at which compute and memory take equally long.

        >>> round(next(a for a in accelerators() if a.name == "H100 SXM").ridge())
        295
        """
        return self.peak(form) / self.bandwidth

    def table(self) -> Table:
        """Everything known of the device."""
        rows = [
            Row(f"peak_{form}", f"Dense peak, {form}", peak, rate_unit(form), "", self.source)
            for form, peak in self.peaks.items()
        ]
        rows.append(Row("bandwidth", "Memory bandwidth", self.bandwidth, "B/s", "", self.source))
        how = "reported by software" if self.memory_is_measured else "estimated by rule"
        rows.append(
            Row(
                "memory",
                "Usable memory",
                self.memory,
                "B",
                f"sold as {self.marketed_gb:g} GB; {how}: {format_bytes(self.memory, True)}",
                self.source,
            )
        )
        if self.link is not None:
            rows.append(
                Row("link", f"Interconnect, per direction ({self.link_name})", self.link, "B/s")
            )
        if self.watts is not None:
            rows.append(Row("power", "Board power", self.watts, "W", "", self.source))
        notes = [self.note] if self.note else []
        if self.provenance == "recalled":
            notes.append("from memory of the data sheet, not read again")
        return Table(f"{self.name} ({self.vendor}, {self.year})", tuple(rows), notes=tuple(notes))


def rate_unit(form: str) -> str:
    return "OP/s" if form.startswith("int") else "FLOP/s"


@cache
def accelerators() -> tuple[Accelerator, ...]:
    """Every accelerator known here.

    >>> len(accelerators()) > 100
    True
    """
    data = json.loads(files("napkin").joinpath("accelerators.json").read_text("utf-8"))
    found = []
    for row in data["rows"]:
        cell = dict(zip(data["columns"], row, strict=True))
        found.append(
            Accelerator(
                name=cell["name"],
                vendor=cell["vendor"],
                architecture=cell["architecture"],
                year=cell["year"],
                marketed_gb=cell["memory_gb"],
                usable_gib=cell["usable_gib"],
                bandwidth=cell["bandwidth_gbs"] * 1e9,
                peaks={form: peak * 1e12 for form, peak in cell["peak_tflops"].items()},
                link=None if cell["link_gbs"] is None else cell["link_gbs"] * 1e9,
                link_name=cell["link"],
                watts=cell["watts"],
                provenance=cell["provenance"],
                source=cell["source"],
                note=cell["note"],
            )
        )
    return tuple(found)

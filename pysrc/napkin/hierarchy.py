"""The memory ladder of an H100: how much each rung holds, how fast it is read, what a byte costs.

Each figure says where it comes from.  Bandwidths marked as estimates follow from the clock and
the width of the wires.  Energies are of the memory itself, published for older chips than the
H100: good for the order of magnitude and for ratios, not for the second digit.

Sources: NVIDIA H100 data sheet, white paper and Hopper tuning guide (sizes, HBM, links);
OpenXLA, dot cost model (L2 bandwidth, measured); Horowitz, "Computing's energy problem", ISSCC
2014 (45 nm); O'Connor et al., "Fine-grained DRAM", MICRO 2017 (HBM2).
"""

from __future__ import annotations

from dataclasses import dataclass

from napkin.hardware import accelerator

__all__ = ["CLOCK", "SMS", "Rung", "flop_energy", "memory_ladder"]

SMS = 132
"""Streaming multiprocessors (the blocks of cores) of an H100 SXM."""

CLOCK = 1.83e9
"""Cycles per second at which the H100 reaches its peak of 989 TFLOP/s."""

PICO = 1e-12


@dataclass(frozen=True)
class Rung:
    """One kind of memory as one H100 sees it.

    ``capacity`` in bytes, ``bandwidth`` in B/s (one direction), ``energy`` in J per byte or None
    where no figure is known to us.  ``estimated`` says that the bandwidth is not published.
    """

    key: str
    name: str
    capacity: float
    bandwidth: float
    energy: float | None
    estimated: bool
    bandwidth_source: str
    energy_source: str

    @property
    def seconds_per_byte(self) -> float:
        """Time of one byte when the memory runs at full speed, s."""
        return 1 / self.bandwidth

    def flops_per_byte(self, peak: float) -> float:
        """FLOP that units of ``peak`` FLOP/s can do while one byte arrives.

        >>> round(memory_ladder()[3].flops_per_byte(989e12))
        295
        """
        return peak / self.bandwidth


def memory_ladder() -> tuple[Rung, ...]:
    """The rungs from the nearest to the farthest.

    >>> [rung.key for rung in memory_ladder()]
    ['registers', 'sram', 'l2', 'hbm', 'nvlink', 'host', 'disk']
    """
    h100 = accelerator("H100 SXM")
    horowitz = "Horowitz 2014, 45 nm"
    if h100.link is None:
        raise ValueError("the H100's row of the catalogue lacks its NVLink rate")
    return (
        # 128 fp32 multiply-adds per cycle and multiprocessor, three operands of 4 bytes each.
        Rung("registers", "Registers", SMS * 2**18, SMS * 128 * 3 * 4 * CLOCK, None, True,
             "estimate: 132 × 128 × 3 × 4 B × 1.83 GHz", ""),
        # 128 bytes per cycle and multiprocessor.
        Rung("sram", "Shared memory and L1", SMS * 2**18, SMS * 128 * CLOCK, 20 / 8 * PICO, True,
             "estimate: 132 × 128 B × 1.83 GHz", f"{horowitz}: 20 pJ per 8 B from 32 KB"),
        Rung("l2", "L2 cache", 50e6, 6.65e12, 100 / 8 * PICO, False,
             "OpenXLA, measured", f"{horowitz}: 100 pJ per 8 B from 1 MB"),
        Rung("hbm", "HBM3", h100.marketed_gb * 1e9, h100.bandwidth, 3.92 * 8 * PICO, False,
             "NVIDIA H100 data sheet", "O'Connor et al. 2017: HBM2, 3.92 pJ per bit"),
        Rung("nvlink", "Another GPU's HBM, by NVLink", 7 * h100.marketed_gb * 1e9, h100.link,
             None, False, "NVIDIA H100 data sheet: 900 GB/s, both directions together", ""),
        Rung("host", "Host RAM, by PCIe", 2e12, 64e9, (1300 + 2600) / 2 / 8 * PICO, False,
             "NVIDIA H100 data sheet: PCIe 5, 128 GB/s, both directions together",
             f"{horowitz}: 1.3 to 2.6 nJ per 8 B from DRAM"),
        Rung("disk", "Solid-state disk", 8e12, 7e9, 12 / 7e9, True,
             "estimate: one PCIe 4 drive", "estimate: 12 W while reading 7 GB/s"),
    )  # fmt: skip


def flop_energy() -> float:
    """Joules of one bf16 FLOP on an H100, board power ÷ peak: an estimate.

    Horowitz's adder and multiplier for 16 bits need (0.4 + 1.1) / 2 = 0.75 pJ per FLOP (45 nm,
    without anything around them).

    >>> round(flop_energy() * 1e12, 2)
    0.71
    """
    h100 = accelerator("H100 SXM")
    if h100.watts is None:
        raise ValueError("the H100's row of the catalogue lacks its power")
    return h100.watts / h100.peak("bf16")

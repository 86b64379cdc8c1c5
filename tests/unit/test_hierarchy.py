"""The memory ladder against independent derivations and published figures."""

import pytest

from napkin.hardware import accelerator
from napkin.hierarchy import CLOCK, SMS, flop_energy, memory_ladder

RUNGS = {rung.key: rung for rung in memory_ladder()}


def test_each_rung_is_slower_than_the_one_before_and_costs_more() -> None:
    rungs = list(RUNGS.values())
    bandwidths = [rung.bandwidth for rung in rungs]
    energies = [rung.energy for rung in rungs if rung.energy is not None]
    assert bandwidths == sorted(bandwidths, reverse=True)
    assert energies == sorted(energies)
    assert [rung.capacity for rung in rungs] == sorted(rung.capacity for rung in rungs)


def test_the_clock_gives_the_published_peak() -> None:
    """Four tensor cores of 512 multiply-adds per cycle in each multiprocessor (white paper)."""
    from_clock = SMS * 4 * 512 * 2 * CLOCK
    assert from_clock == pytest.approx(accelerator("H100").peak("bf16"), rel=0.001)


def test_the_estimate_for_sram_scales_to_the_published_figure_of_the_a100() -> None:
    """Dao et al. 2022 print 19 TB/s for the A100: 108 multiprocessors at 1.41 GHz."""
    a100 = RUNGS["sram"].bandwidth * 108 * 1.41e9 / (SMS * CLOCK)
    assert a100 == pytest.approx(19e12, rel=0.03)


def test_l2_measured_is_below_what_its_wires_allow() -> None:
    """The A100 white paper gives L2 reads of 5,120 B per cycle; the H100 kept the two halves."""
    assert 0.5 < RUNGS["l2"].bandwidth / (5120 * CLOCK) < 1


def test_links_follow_from_their_lanes() -> None:
    pcie = 32e9 * 16 * 128 / 130 / 8  # transfers/s × lanes × coding ÷ bits
    nvlink = 18 * 25e9  # links of 25 GB/s per direction
    assert RUNGS["host"].bandwidth == pytest.approx(pcie, rel=0.02)
    assert RUNGS["nvlink"].bandwidth == nvlink


def test_energy_of_a_flop_agrees_with_horowitz_within_a_factor_of_two() -> None:
    adder, multiplier = 0.4e-12, 1.1e-12  # 16 bits, 45 nm
    assert 0.5 < flop_energy() / ((adder + multiplier) / 2) < 2


def test_the_energy_of_hbm_fits_into_the_board() -> None:
    """At full speed the memory draws a part of the board's 700 W, not a multiple of it."""
    hbm = RUNGS["hbm"]
    assert hbm.energy is not None
    assert 0.05 < hbm.energy * hbm.bandwidth / 700 < 0.3


def test_a_byte_from_hbm_is_worth_295_flop() -> None:
    assert RUNGS["hbm"].flops_per_byte(989e12) == pytest.approx(295, rel=0.01)

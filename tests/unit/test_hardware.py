"""Accelerators against independently published figures, and the names people say."""

from __future__ import annotations

import csv
import re
from datetime import date
from pathlib import Path

import pytest

from napkin.hardware import GIB, accelerator, accelerators, hardware_table
from napkin.prices import hourly_price, prices, prices_table, purchase_price

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests" / "vectors"
with (VECTORS / "hardware_second_opinions.csv").open(newline="", encoding="utf-8") as lines:
    OPINIONS = list(csv.DictReader(lines))


@pytest.mark.parametrize("row", OPINIONS, ids=lambda row: f"{row['name']} {row['quantity']}")
def test_a_second_source_agrees(row: dict[str, str]) -> None:
    device = accelerator(row["name"])
    quantity = row["quantity"]
    ours = {"bandwidth": device.bandwidth, "memory": device.memory}.get(quantity)
    if ours is None:
        ours = device.peak(quantity)
    assert ours == pytest.approx(float(row["value"]), rel=float(row["tolerance"]))


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("rtx-4090", "RTX 4090"), ("4090", "RTX 4090"), ("NVIDIA GeForce RTX 4090", "RTX 4090"),
        ("rtx4090 24gb", "RTX 4090"), ("4070 ti", "RTX 4070 Ti"), ("4070", "RTX 4070"),
        ("H100", "H100 SXM"), ("h100_80gb", "H100 SXM"), ("h100-sxm5-80gb", "H100 SXM"),
        ("NVIDIA H100 80GB HBM3", "H100 SXM"), ("h100 pcie", "H100 PCIe"), ("h100-nvl", "H100 NVL"),
        ("A100", "A100 SXM 80GB"), ("a100-40gb", "A100 SXM 40GB"),
        ("NVIDIA A100-SXM4-80GB", "A100 SXM 80GB"), ("A100 80GB PCIe", "A100 PCIe 80GB"),
        ("v100", "V100 SXM2 32GB"), ("Tesla T4", "T4"), ("a6000", "RTX A6000"), ("l40", "L40"),
        ("l40s", "L40S"), ("mi300x", "MI300X"), ("tpu-v5e", "TPU v5e"), ("v5e", "TPU v5e"),
        ("trillium", "TPU v6e (Trillium)"), ("dgx spark", "DGX Spark (GB10)"),
        ("M2 Ultra 76-core", "Apple M2 Ultra (76-core GPU)"), ("b200", "B200 SXM"),
        ("M1 7-Core GPU 8GB", "Apple M1 (7-core GPU)"), ("trn2", "AWS Trainium2"),
    ],
)  # fmt: skip
def test_names_people_say(said: str, meant: str) -> None:
    assert accelerator(said).name == meant


@pytest.mark.parametrize(
    ("said", "choices"),
    [
        ("m2 ultra", ["60-core", "76-core"]), ("4060 ti", ["8GB", "16GB"]),
        ("gaudi", ["Gaudi 2", "Gaudi 3"]), ("2080", ["did you mean RTX 2080 Ti"]),
        ("mi250", ["did you mean MI250X"]), ("rtx 4091", ["did you mean", "RTX 4090"]),
        ("6000", ["did you mean", "RTX A6000", "RTX 6000 Ada"]),
    ],
)  # fmt: skip
def test_a_name_that_fits_several_or_none_is_refused_with_choices(
    said: str, choices: list[str]
) -> None:
    with pytest.raises(ValueError, match=r"accelerator|may be any of") as refusal:
        accelerator(said)
    assert all(choice in str(refusal.value) for choice in choices)


@pytest.mark.parametrize("said", ["", "   ", "xyz", "🚀", "a" * 1000, None, 4090])
def test_no_accelerator_at_all(said: object) -> None:
    with pytest.raises(ValueError, match="accelerator"):
        accelerator(said)  # type: ignore[arg-type]


def test_every_row_finds_itself_and_its_figures_are_sane() -> None:
    for row in accelerators():
        assert accelerator(row.name) is row
        assert 1e10 < row.bandwidth < 1e13
        assert min(row.peaks.values()) >= 1e11
        assert max(row.peaks.values()) < 2e16
        assert row.provenance in ("read", "recalled")
        assert row.source
        assert 0.6 * row.marketed_gb * GIB < row.memory <= row.marketed_gb * GIB
        # Halving the bits never lowers the rate, and no peak is a sparse one among dense ones.
        for wide, narrow in (("fp32", "tf32"), ("tf32", "bf16"), ("bf16", "fp8"), ("fp8", "fp4")):
            if wide in row.peaks and narrow in row.peaks and row.vendor == "NVIDIA":
                assert row.peaks[wide] <= row.peaks[narrow] < 17 * row.peaks[wide]
    assert len({row.name for row in accelerators()}) == len(accelerators())


def test_geforce_tensor_rates_are_those_with_fp32_accumulation() -> None:
    """There the 16-bit rate is twice the fp32 rate; with fp16 accumulation it would be 4 times."""
    for row in accelerators():
        if row.name.startswith("RTX") and row.name.split()[1][:2] in ("30", "40", "50"):
            if "Ada" in row.name:
                continue
            assert row.peak("fp16") / row.peak("fp32") == pytest.approx(2, rel=0.01), row.name


def test_a_missing_format_names_the_ones_there_are() -> None:
    with pytest.raises(ValueError, match="no published fp8 rate: use one of fp32, tf32, fp16"):
        accelerator("A100").peak("fp8")
    assert accelerator("V100").peak_16bit == accelerator("V100").peak("fp16")
    assert accelerator("H100").peak("fp8_e4m3") == accelerator("H100").peak("fp8")


def test_memory_of_an_apple_chip_follows_the_size_asked_for() -> None:
    assert accelerator("M3 Max 40-core 64GB").memory == 48 * GIB
    with pytest.raises(ValueError, match="at most 128 GB"):
        accelerator("M3 Max 40-core 256GB")


def test_tables_of_a_device_and_of_a_format() -> None:
    table = accelerator("H100").table()
    assert table.value("peak_bf16") == 989e12
    assert "sold as 80 GB" in table["memory"].working
    assert hardware_table("fp4").value("gpu_b200_sxm") == 9e15
    with pytest.raises(ValueError, match="no accelerator lists 'fp3'"):
        hardware_table("fp3")


def test_prices_are_dated_ordered_and_of_known_devices() -> None:
    for price in prices():
        assert accelerator(price.accelerator).name == price.accelerator
        assert 0 < price.low <= price.typical <= price.high
        assert date(2017, 1, 1) < price.date
        assert price.source
    # The course plans with $2 to $4 for an H100-hour (2025-26); the newest rent must fit that.
    assert 2 <= hourly_price("H100").typical <= 4
    assert hourly_price("H100").date > date(2026, 1, 1)
    assert purchase_price("4090").typical == 1599
    assert prices_table()["gpu_h100_sxm"].unit == "$/h"
    with pytest.raises(ValueError, match="no rent price is known for MI100"):
        hourly_price("MI100")


def test_the_home_page_states_the_memory_that_cards_are_sold_with() -> None:
    home = (ROOT / "pysrc" / "lessons" / "home.py").read_text("utf-8")
    stated = dict(re.findall(r'\("([^"]+)", (\d+)\)', home))
    assert len(stated) == 3
    for name, gigabytes in stated.items():
        device = accelerator(name.split(" (")[0])
        assert device.marketed_gb == int(gigabytes), name
        assert device.provenance == "read", name

"""Tables in the lessons' prose say what the package and their sources say."""

import re
import xml.etree.ElementTree as ET

import pytest

from lessons.figures import number_formats, why_hardware
from napkin.formats import bytes_per_value, format_named
from napkin.gguf import gguf_bits_per_weight
from napkin.models.presets import preset
from sitekit.paths import DOCS

FORMATS_PAGE = (DOCS / "lessons" / "number-formats.md").read_text("utf-8")

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")

# Mean perplexity ratios to fp16, llama.cpp tools/perplexity/README.md, revision f364eb6f.
LLAMA_3 = {"Q8_0": 1.000425, "Q6_K": 1.003490, "Q4_K_M": 1.028160, "Q2_K": 1.564849}


def table(page: str, header: str) -> list[list[str]]:
    """Cells of the table whose first header cell is `header`, without the header."""
    lines = page[page.index(f"| {header} |") :].splitlines()
    rows = []
    for line in lines[2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def test_bytes_per_value() -> None:
    rows = table(FORMATS_PAGE, "Bytes per value")
    assert len(rows) == 4
    for size, names in rows:
        for name in names.split(", "):
            assert bytes_per_value(name) == float(size), name


def test_exponent_mantissa_and_largest_value() -> None:
    checked = 0
    for name, bits, largest, _ in table(FORMATS_PAGE, "Format"):
        if name.startswith("int"):
            continue
        form = format_named(name.replace(" ", "_"))
        assert bits == f"{form.exponent_bits} / {form.mantissa_bits}", name
        written = largest.replace(",", "").replace(" · 10", "e").translate(RAISED)
        assert form.largest == pytest.approx(float(written), rel=0.02), name
        checked += 1
    assert checked == 6


def test_bits_and_loss_of_quality_of_whole_files() -> None:
    rows = table(FORMATS_PAGE, "File")
    assert [row[0] for row in rows] == list(LLAMA_3)
    for name, bits, rise in rows:
        assert bits == f"{gguf_bits_per_weight(preset('llama-3.1-8b'), name):.2f}"
        digits = len(rise.removesuffix(" %").partition(".")[2])
        assert rise == f"{100 * (LLAMA_3[name] - 1):.{digits}f} %"


def test_the_words_for_the_figure_of_true_bits_say_what_it_shows() -> None:
    drawn = ET.fromstring(number_formats.figures()["number-formats-true-bits-light.svg"])
    shown = [text.text or "" for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    numbers = {text for text in shown if re.fullmatch(r"\d\.\d\d", text)}
    words = FORMATS_PAGE[FORMATS_PAGE.index("![Bits per weight") :].splitlines()[0]
    assert set(re.findall(r"\d\.\d\d", words)) == numbers


def test_the_ladder_shows_the_rungs_that_the_prose_names() -> None:
    drawn = why_hardware.figures()["why-hardware-ladder-light.svg"]
    assert "80 GB" in drawn
    assert "0.30 ms per GB" in drawn  # 3.35 TB/s
    assert "31 pJ per byte" in drawn

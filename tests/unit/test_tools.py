"""The calculators say what published figures, other parts of the package and hand sums say."""

from __future__ import annotations

import math
import struct
from typing import Any

import pytest

from napkin.accelerators import accelerators
from napkin.answers import Answer
from napkin.capacity import Load
from napkin.fleet import serving_fleet, training_fleet
from napkin.forms import answer
from napkin.models import preset, preset_names
from napkin.models.typed import model_of_size, typed_model
from napkin.solve import largest_context, most_users
from napkin.tools.kv_cache import kv_cache
from napkin.tools.llm_calculator import llm_calculator
from napkin.tools.memory import memory
from napkin.tools.number_formats import number_formats
from napkin.tools.parallelism import parallelism
from napkin.tools.roofline import roofline
from napkin.tools.scaling_law import scaling_law
from napkin.tools.training_compute import training_compute
from napkin.tools.will_it_fit import will_it_fit
from napkin.training_fit import largest_batch, training_table

H100 = 989e12


def value(found: Answer, key: str) -> float:
    """The row of that key, in whichever table."""
    return next(row.value for table in found.tables for row in table if row.key == key)


def ask(name: str, **texts: str) -> dict[str, Any]:
    return answer(f"napkin.tools.{name}:{name}", texts)


# Figures that the course works out by hand: parameters, bytes, hours, dollars.


def test_seven_billion_parameters_weigh_what_everyone_says() -> None:
    found = memory("7B")
    assert value(found, "train_weights") == 14e9
    state = ("train_weights", "train_gradients", "train_master", "train_optimizer")
    assert sum(value(found, key) for key in state) == 112e9
    assert value(memory("7B", weights="int4"), "run_weights") == 3.5e9
    assert value(memory("7B", weights="int8"), "run_weights") == 7e9


def test_exercise_of_a_1_3b_model() -> None:
    assert value(memory("1.3B"), "run_weights") == 2.6e9
    assert value(memory("1.3B", weights="int4"), "run_weights") == 0.65e9
    assert value(llm_calculator("1.3B"), "state") == pytest.approx(21e9, rel=0.01)


def test_cache_of_the_textbook_shape() -> None:
    found = kv_cache("32 layers, hidden 2048, 32 heads", 4096)
    assert found.headline.value == 2 * 32 * 32 * 64 * 4096 * 2
    assert found.headline.value == pytest.approx(1.07e9, rel=0.01)


def test_cache_per_token_of_deepseek_v3() -> None:
    """Its report: 70 KB a token; 61 layers × (512 + 64) × 2 B."""
    assert value(kv_cache("deepseek-v3", 1000), "per_token") == 70_272


@pytest.mark.parametrize(
    ("model", "tokens", "gpu", "gpus", "mfu", "flops", "hours", "dollars"),
    [
        ("gpt2", 10e9, "H100", 1, 0.4, 7.4e18, 5.2, (14, 20)),
        ("350M", 7e9, "H100", 1, 0.35, 1.47e19, 11.8, (35, 36)),
        ("7B", 50e6, "H100", 1, 0.4, 2.1e18, 1.5, (4, 5)),
        ("7B", 50e6, "A100", 1, 0.4, 2.1e18, 4.7, (14, 15)),
        ("llama-3.1-405b", 15.6e12, "H100", 16_384, 0.4, 3.8e25, 68 * 24, (7e7, 9e7)),
        ("175B", 300e9, "H100", 1024, 0.4, 3.15e23, 216, (6e5, 8e5)),
    ],
)
def test_runs_of_the_course(
    model: str, tokens: float, gpu: str, gpus: int, mfu: float, flops: float, hours: float,
    dollars: tuple[float, float],
) -> None:  # fmt: skip
    found = training_compute(model, tokens, gpu, gpus, mfu, 3.0)
    assert value(found, "flops") == pytest.approx(flops, rel=0.02)
    assert found.headline.value / 3600 == pytest.approx(hours, rel=0.03)
    assert dollars[0] <= value(found, "money") <= dollars[1]


def test_table_of_known_runs_at_forty_percent() -> None:
    grid = training_compute(mfu=0.4).grid
    assert grid is not None
    gpt3 = next(row for row in grid.rows if "GPT-3" in str(row[0]))
    assert gpt3[3] == pytest.approx(3.15e23)
    assert gpt3[4] == pytest.approx(3.15e23 / (312e12 * 0.4 * 3600), rel=0.01)  # A100
    assert gpt3[5] == pytest.approx(3.15e23 / (H100 * 0.4 * 3600), rel=0.01)


def test_two_calculators_agree_on_the_same_run() -> None:
    whole = llm_calculator("7B", tokens=2e12, gpus=256)
    alone = training_compute("7B", 2e12, "H100", 256)
    for key in ("flops", "time", "gpu_hours", "money"):
        assert value(whole, key) == value(alone, key)


# Speed: the roofline of the course, and what a range must be.


def test_limit_of_one_user_is_bandwidth_over_bytes() -> None:
    found = roofline("7B", "H100", context=1)
    without_lookup = 14e9 - 2 * 128_256 * 4096  # one row of the embedding is read, not all
    assert value(found, "limit") == pytest.approx(3.35e12 / without_lookup, rel=0.001)
    assert value(found, "roof_ridge") == pytest.approx(295, rel=0.01)
    assert "bound by memory" in found.sentence


def test_large_batch_of_short_contexts_is_bound_by_arithmetic() -> None:
    found = roofline("llama-3.1-8b", "H100", batch=512, context=1)
    assert "bound by arithmetic" in found.sentence
    per_token = 2 * (preset("llama-3.1-8b").matmul_active)
    assert value(found, "limit") == pytest.approx(H100 / per_token / 512, rel=0.01)


def test_batching_raises_the_total_and_lowers_each() -> None:
    chart = roofline().charts[1]
    together, each = chart.series
    assert [y for _, y in together.points] == sorted(y for _, y in together.points)
    assert [y for _, y in each.points] == sorted((y for _, y in each.points), reverse=True)


# Will it fit: one pass over all devices against the package's solvers, one device at a time.

FLEETS = [("llama-3.1-8b", "bf16", 8192, 1, 1), ("gemma3-27b", "Q4_K_M", 32_000, 4, 1),
          ("deepseek-v3", "fp8", 8000, 2, 8), ("gpt2", "bf16", 100, 3, 1)]  # fmt: skip


@pytest.mark.parametrize(("name", "weights", "context", "users", "gpus"), FLEETS)
def test_fleet_agrees_with_the_solvers(
    name: str, weights: str, context: int, users: int, gpus: int
) -> None:
    for one in serving_fleet(preset(name), Load(weights, context, users), gpus)[::9]:
        try:
            many = most_users(name, one.gpu, gpus=gpus, weights=weights, context=context)
            longest = largest_context(name, one.gpu, gpus=gpus, weights=weights, users=users)
        except ValueError:  # not even the weights fit
            many = longest = 0
        assert abs(one.most - many) <= 1 and abs(one.longest - longest) <= 1, one.gpu.name
        assert one.fits == (many >= users)


@pytest.mark.parametrize("method", ["full", "lora", "qlora"])
def test_fleet_agrees_with_training_one_device(method: Any) -> None:
    for one in training_fleet(preset("llama-3.2-1b"), method, 2048, 2)[::12]:
        most = largest_batch("llama-3.2-1b", one.gpu, method=method, seq=2048,
                             checkpointing="full")  # fmt: skip
        assert abs(one.most - most) <= 1, one.gpu.name
        if one.longest > 1:
            table = training_table("llama-3.2-1b", method=method, seq=one.longest, batch=2,
                                   checkpointing="full")  # fmt: skip
            assert table.value("total") <= one.gpu.memory * 1.001


def test_course_on_what_a_laptop_and_a_card_hold() -> None:
    """A 7B in 4 bits fits a 16 GB laptop; QLoRA of it about 10 GB; training all of it no card."""

    def fits(found: Answer, gpu: str) -> bool:
        assert found.grid is not None
        return next(bool(row[1]) for row in found.grid.rows if row[0] == gpu)

    assert fits(will_it_fit("7B", "run", "int4", 4096), "Apple M1 (8-core GPU)")
    qlora = will_it_fit("7B", "qlora", context=1000)
    assert qlora.headline.value < 10e9 and fits(qlora, "RTX 3060 12GB")
    full = will_it_fit("7B", "full", context=1000)
    assert full.headline.value > 112e9 and not fits(full, "H100 SXM")


def test_every_device_has_a_row_and_those_that_fit_come_first() -> None:
    grid = will_it_fit("llama-3.3-70b").grid
    assert grid is not None and len(grid.rows) == len(accelerators())
    fits = [bool(row[1]) for row in grid.rows]
    assert fits == sorted(fits, reverse=True)


# Memory and parallelism.


@pytest.mark.parametrize(("zero", "expected"), [("0", 120), ("1", 31.4), ("2", 16.6), ("3", 1.9)])
def test_zero_as_in_its_paper(zero: Any, expected: float) -> None:
    """Rajbhandari et al. 2020, figure 1: 7.5B parameters on 64 devices."""
    found = parallelism("7.5B", data=64, zero=zero)
    state = ("held_weights", "held_gradients", "held_master", "held_optimizer")
    assert sum(value(found, key) for key in state) / 1e9 == pytest.approx(expected, rel=0.02)


def test_fsdp_sends_half_as_much_again_as_ddp() -> None:
    """Rajbhandari et al. 2020, section 7: 3Ψ against 2Ψ."""
    ddp, fsdp = parallelism("7B", zero="0"), parallelism("7B", zero="3")
    assert value(fsdp, "sent_sent") / value(ddp, "sent_sent") == pytest.approx(1.5)
    assert value(ddp, "sent_sent") == pytest.approx(2 * 7 / 8 * 14e9)


def test_a_larger_batch_grows_only_what_grows() -> None:
    one, two = memory("llama-3.1-8b", 2048, 1), memory("llama-3.1-8b", 2048, 2)
    assert value(two, "fixed_train") == value(one, "fixed_train")
    assert value(two, "grows_train") == pytest.approx(2 * value(one, "grows_train"), rel=1e-4)
    assert value(two, "grows_run") == 2 * value(one, "grows_run")
    total = value(one, "train_total") + value(one, "one_more")
    assert value(two, "train_total") == pytest.approx(total, rel=1e-6)


# Number formats, against the machine's own.


@pytest.mark.parametrize("number", ["0.1", "-3.14159", "65504", "1e-7", "5.96e-8", "-0"])
def test_bits_as_the_machine_packs_them(number: str) -> None:
    grid = number_formats(number).grid
    assert grid is not None
    rows = {row[0]: row for row in grid.rows}
    for name, code in (("fp32", ">f"), ("fp16", ">e")):
        packed = struct.pack(code, float(number))
        assert rows[name][2] == f"0x{packed.hex()}"
        assert float(str(rows[name][3])) == struct.unpack(code, packed)[0]
        assert str(rows[name][1]).replace(" ", "") == f"{int(packed.hex(), 16):0{8 * len(packed)}b}"


def test_small_update_is_lost_in_bf16_alone() -> None:
    found = number_formats("1", update="0.001")
    assert value(found, "after_bf16") == 1 and value(found, "after_fp32") > 1
    assert "lost in bf16" in found.tables[1].notes[0]


@pytest.mark.parametrize(
    ("number", "form", "expected", "says"),
    [
        ("70000", "fp16", "inf", "overflow"),
        ("1000", "fp8_e4m3", "nan", "too large"),
        ("1e-9", "fp16", "0", "underflow"),
        ("1e-7", "fp16", "1.1920928955078125e-07", "subnormal"),
        ("100", "fp4_e2m1", "6", "largest"),
        ("0.5", "bf16", "0.5", "exact"),
    ],
)
def test_what_happens_at_the_edges(number: str, form: str, expected: str, says: str) -> None:
    grid = number_formats(number).grid
    assert grid is not None
    row = next(row for row in grid.rows if row[0] == form)
    assert row[3] == expected and says in str(row[5])


def test_bits_read_back() -> None:
    assert number_formats("0x3f80 as bf16").headline.value == 1
    assert number_formats("0b0011110000000000 as fp16").headline.value == 1
    assert number_formats("0x7e as fp8").headline.value == 448


# Scaling.


def test_loss_of_chinchilla_as_printed() -> None:
    """Hoffmann et al. 2022, equation 10: 1.69 + 406.4/N^0.34 + 410.7/D^0.28."""
    found = scaling_law(70e9, 1.4e12, None, "chinchilla-as-printed")
    by_hand = 1.69 + 406.4 / 70e9**0.34 + 410.7 / 1.4e12**0.28
    assert found.headline.value == pytest.approx(by_hand)


def test_optimum_is_the_bottom_of_its_valley() -> None:
    found = scaling_law(7e9, 2e12)
    valley = found.charts[0]
    lowest = min(y for _, y in valley.series[0].points)
    assert value(found, "best_loss") == pytest.approx(lowest, abs=1e-9)
    best = value(found, "best_parameters") * value(found, "best_tokens") * 6
    assert best == pytest.approx(value(found, "flops"))
    assert 15 < value(found, "best_tokens_per_parameter") < 25


# Models as people type them.


@pytest.mark.parametrize("size", [1_000, 10**6, 124_000_000, 10**9, 7 * 10**9, 10**12, 10**14])
def test_a_size_is_exactly_that_many_parameters(size: int) -> None:
    model = model_of_size(size)
    assert model.total == size
    if size >= 10**6:
        assert model.total - model.counts.other == pytest.approx(size, rel=0.002)


def test_dimensions_of_known_models() -> None:
    llama2 = preset("llama-2-7b")
    assert typed_model("32 layers, hidden 4096, 32 heads").total == llama2.total
    text = "layers=32 hidden=4096 heads=32 kv_heads=8 ffn=14336 vocab=128256"
    assert typed_model(text).total == preset("llama-3.1-8b").total
    text = "L=32, h=4096, kv heads 8, ffn 14336, vocab 32000, 8 experts, top_k 2"
    assert typed_model(text).total == preset("mixtral-8x7b").total


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("lama-3.1-8b", "llama-3.1-8b"),
        ("7 bananas", "paste a config.json"),
        ("{", "not valid JSON, line 1"),
        ("[1, 2]", "whole file"),
        ("{}", "hidden_size is missing"),
        ('{"model_type": "llama", "num_hidden_layers": "many"}', "num_hidden_layers"),
        ('{"model_type": "llama", "hidden_size": 1e400}', "hidden_size"),
        ("[" * 50_000, "nested too deep"),
        ("layers=3", "hidden is missing"),
        ("layers=3 layers=4 hidden=64", "given twice"),
        ("hidden 64, layers 2, wheels 4", "no dimension"),
        ("0B", "between 1,000"),
        ("9999T", "between 1,000"),
        ("x" * 5000, "no config.json"),
    ],
)
def test_a_bad_model_is_refused_at_its_field(text: str, says: str) -> None:
    found = ask("memory", model=text)
    assert list(found["problems"]) == ["model"]
    assert says in found["problems"]["model"] and len(found["problems"]["model"]) < 400


@pytest.mark.parametrize(
    ("name", "texts", "field", "says"),
    [
        ("kv_cache", {"context": "many"}, "context", "does not start with a number"),
        ("kv_cache", {"context": "0"}, "context", "at least 1"),
        ("kv_cache", {"gpu": "GTX 9999"}, "gpu", "not an accelerator"),
        ("llm_calculator", {"mfu": "140%"}, "mfu", "100%"),
        ("llm_calculator", {"weights": "5-bit"}, "weights", "none of the choices"),
        ("llm_calculator", {"model": "whisper-tiny", "weights": "Q4_K_M"}, "weights", "speech"),
        ("will_it_fit", {"batch": "1.5"}, "batch", "whole number"),
        ("will_it_fit", {"model": "mamba-130m", "task": "lora"}, "task", "no matrix"),
        ("training_compute", {"price": "3 EUR"}, "price", "US dollars"),
        ("training_compute", {"gpus": "-4"}, "gpus", "negative"),
        ("parallelism", {"pipeline": "64"}, "pipeline", "at most 32"),
        ("parallelism", {"expert": "2"}, "expert", "no experts"),
        ("parallelism", {"model": "mixtral", "expert": "3"}, "expert", "must divide"),
        ("parallelism", {"tensor": "64"}, "tensor", "at most 32"),
        ("number_formats", {"number": "abc"}, "number", "0x3f80 as bf16"),
        ("number_formats", {"number": "1e999"}, "number", "larger than fp64"),
        ("number_formats", {"number": "0x123"}, "number", "of which format"),
        ("number_formats", {"number": "0xfff as fp8"}, "number", "not a pattern"),
        ("number_formats", {"update": "inf"}, "update", "not finite"),
        ("scaling_law", {"parameters": "0"}, "parameters", "at least"),
        ("scaling_law", {"budget": "lots"}, "budget", "does not start with a number"),
    ],
)
def test_a_mistake_is_named_at_its_field(
    name: str, texts: dict[str, str], field: str, says: str
) -> None:
    found = ask(name, **texts)
    assert list(found["problems"]) == [field] and found["answer"] is None
    assert says in found["problems"][field]


WITH_MODELS = ["kv_cache", "llm_calculator", "memory", "roofline", "training_compute",
               "parallelism", "will_it_fit"]  # fmt: skip


@pytest.mark.parametrize("name", WITH_MODELS)
def test_every_kind_of_model_has_an_answer(name: str) -> None:
    """Or a message at a field that concerns it: nothing else may come out."""
    for model in preset_names()[::9]:
        found = ask(name, model=model)
        concerned = {"weights", "expert"}
        if name == "roofline" and not preset(model).generates:
            concerned = {"model"}  # a model that writes no tokens has no speed of writing
        assert set(found["problems"]) <= concerned, (model, found["problems"])
        if found["answer"]:
            assert math.isfinite(found["answer"]["headline"]["value"])
            assert "None" not in found["answer"]["sentence"]

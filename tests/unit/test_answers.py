"""What must hold for every answer of the package, whatever the question: shape, sums, round trips,
growth, and plain refusals of hostile configurations."""

import contextlib
import inspect
import json
import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from napkin.adapters import adapter_parameters
from napkin.capacity import serving_memory
from napkin.cheapest import serving_cost, training_money
from napkin.collectives import Link, collective_table
from napkin.cost import cost_per_million_tokens, training_cost
from napkin.flops import backward_flops, decode_flops, forward_flops, prefill_flops, training_flops
from napkin.gguf import gguf_size
from napkin.hardware import accelerator, hardware_table
from napkin.kv import kv_cache
from napkin.memory import adapter_memory, inference_memory, training_memory
from napkin.models import Model, from_config
from napkin.models.presets import preset, preset_config, preset_names
from napkin.parallel import Shape, Split, communication, communication_bytes, pipeline_bubble
from napkin.printing import format_bytes, format_count, format_seconds
from napkin.quantities import parse_bytes, parse_count, parse_seconds
from napkin.roofline import roofline
from napkin.scaling import compute_optimal
from napkin.serving import decode_speed, prefill_speed, request_speed
from napkin.solve import devices_that_fit, fit, largest_context, largest_model, most_users
from napkin.speculative import speculative
from napkin.table import Table
from napkin.training_fit import fewest_devices, largest_batch, training_fit
from napkin.training_step import training_step
from napkin.training_time import devices_for_deadline, training_time
from napkin.weights import weights_table

Answer = Callable[[Model], Table]

ANSWERS: dict[str, Answer] = {
    "parameters": lambda model: model.parameters(),
    "weights": lambda model: weights_table(model, "bf16"),
    "weights in blocks": lambda model: weights_table(model, "nf4"),
    "kv": lambda model: kv_cache(model, 512, 3),
    "forward": lambda model: forward_flops(model, 128),
    "backward": lambda model: backward_flops(model, 128),
    "training": lambda model: training_flops(model, 1e9, 128),
    "prefill": lambda model: prefill_flops(model, 128),
    "decode": lambda model: decode_flops(model, 128),
    "memory": lambda model: serving_memory(model, context=512),
    "fit": lambda model: fit(model, "h100", gpus=8, context=512),
    "decode speed": lambda model: decode_speed(model, "h100", context=512),
    "prefill speed": lambda model: prefill_speed(model, "rtx-4090", prompt=512),
    "request": lambda model: request_speed(model, "a100", prompt=128, generated=128),
    "training time": lambda model: training_time(model, 1e9, seq=128),
    "deadline": lambda model: devices_for_deadline(model, 1e9, 86400.0, seq=128),
    "step": lambda model: training_step(model, "h100", Split(data=8), sequence=128),
    "traffic": lambda model: communication_bytes(Shape.of(model), Split(data=8), sequence=128),
    "money": lambda model: training_money(model, 1e9, seq=128),
    "serving cost": lambda model: serving_cost(model, context=512),
}
ALONE: dict[str, Callable[[], Table]] = {
    "roofline": lambda: roofline(14e9, 14e9, 989e12, 3.35e12),
    "collective": lambda: collective_table("all-reduce", 10**9, 8, Link(450e9, 1e-5)),
    "bubble": lambda: pipeline_bubble(8, 32),
    "training cost": lambda: training_cost(7e9, 1e12),
    "million tokens": lambda: cost_per_million_tokens(2400),
    "device": lambda: accelerator("h100").table(),
    "speculative": lambda: speculative(preset("llama-3.1-70b"), preset("llama-3.1-8b"), "h100"),
    "links": lambda: communication(
        Shape.of(preset("mixtral-8x7b")), Split(data=8, expert=8), sequence=512, links=Link(1e9)
    ),
    "gguf": lambda: gguf_size(preset("llama-3.1-8b")),
}
WRITING = ("decode speed", "request", "serving cost")
KINDS = ("llama-3.1-8b", "gpt2", "mixtral-8x7b", "deepseek-v3", "gemma3-4b", "mamba-130m",
         "jamba-v0.1", "bert-base-uncased", "t5-small", "whisper-tiny", "vit-base-16-224",
         "qwen3-next-80b-a3b", "gpt-oss-120b", "llava-1.5-7b", "falcon-7b")  # fmt: skip


def check(table: Table) -> None:
    assert table.title
    assert len(list(table)) >= 1
    for row in table:
        assert row.label, row
        assert math.isfinite(row.value), row
    again = Table.from_dict(json.loads(json.dumps(table.to_dict())))
    assert again == table
    if table.total is not None and all(row.unit == table.total.unit for row in table.rows):
        values = [row.value for row in table.rows]
        assert table.total.value in (sum(values), math.fsum(values))
    text = table.text()
    assert text.splitlines()[0] == table.title
    assert "nan" not in text.split()
    assert not any(line != line.rstrip() for line in text.splitlines())


def answer(what: str, model: Model) -> None:
    """A table; of a model that writes no tokens, none about how fast it writes them."""
    if what in WRITING and not model.generates:
        with pytest.raises(ValueError, match=f"{model.name} has no decoder"):
            ANSWERS[what](model)
    else:
        check(ANSWERS[what](model))


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("what", ANSWERS)
def test_every_answer_is_a_table_that_adds_up_and_round_trips(what: str, name: str) -> None:
    answer(what, preset(name))


@pytest.mark.parametrize("what", ALONE)
def test_answers_without_a_model_do_too(what: str) -> None:
    check(ALONE[what]())


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_answers_the_first_questions(name: str) -> None:
    model = preset(name)
    for what in ("parameters", "weights", "kv", "forward", "fit", "decode speed"):
        answer(what, model)


ODD: tuple[object, ...] = (
    None, True, "x", "", -1, 0, 0.5, math.nan, math.inf, 10**30, [], {}, "8k",
)  # fmt: skip
ASKED: dict[Callable[..., object], tuple[object, ...]] = {
    fit: ("gpt2", "h100"), largest_context: ("gpt2", "h100"), most_users: ("gpt2", "h100"),
    largest_model: ("h100",), devices_that_fit: ("gpt2",), training_fit: ("gpt2", "h100"),
    largest_batch: ("gpt2", "h100"), fewest_devices: ("gpt2", "h100"),
    serving_cost: ("gpt2", "h100"), training_money: ("gpt2", 1e12), decode_speed: ("gpt2", "h100"),
    prefill_speed: ("gpt2", "h100"), request_speed: ("gpt2", "h100"), kv_cache: ("gpt2", 1024),
    inference_memory: ("gpt2",), training_memory: ("gpt2",), adapter_memory: ("gpt2",),
    forward_flops: ("gpt2", 128), decode_flops: ("gpt2", 128), training_flops: ("gpt2", 1e9),
    gguf_size: ("gpt2",), weights_table: ("gpt2",), training_time: ("gpt2", 1e12),
    devices_for_deadline: ("gpt2", 1e12, 1e6), training_step: ("gpt2", "h100"),
    roofline: (1e9, 1e9, 1e12, 1e12), hardware_table: (), compute_optimal: (1e21,),
    training_cost: (7e9, 1e12), cost_per_million_tokens: (2000,), adapter_parameters: ("gpt2",),
}  # fmt: skip


@pytest.mark.parametrize("ask", ASKED, ids=lambda ask: ask.__name__)
def test_any_argument_set_to_anything_is_answered_or_refused(ask: Callable[..., object]) -> None:
    """Every answer takes a model by name, and only ValueError comes of a wrong argument."""
    names = list(inspect.signature(ask).parameters)
    given = dict(zip(names, ASKED[ask], strict=False))
    ask(**given)
    for name in names:
        for odd in ODD:
            answer: object = None
            with contextlib.suppress(ValueError):
                answer = ask(**{**given, name: odd})
            if isinstance(answer, Table):
                json.dumps(answer.to_dict(), allow_nan=False)


SIZES = {
    "hidden_size": st.integers(1, 64).map(lambda n: 64 * n),
    "num_hidden_layers": st.integers(1, 64),
    "intermediate_size": st.integers(1, 64).map(lambda n: 64 * n),
    "vocab_size": st.integers(1, 200_000),
}
CONFIGS = st.fixed_dictionaries(
    {
        "model_type": st.sampled_from(["llama", "qwen2", "qwen3", "mistral", "olmo2"]),
        "num_attention_heads": st.sampled_from([1, 2, 4, 8, 16]),
        "num_key_value_heads": st.just(1),
        "head_dim": st.sampled_from([32, 64, 128]),
        "tie_word_embeddings": st.booleans(),
        **SIZES,
    }
)


@settings(max_examples=60, deadline=None)
@given(config=CONFIGS, field=st.sampled_from(sorted(SIZES)))
def test_a_larger_model_is_never_cheaper(config: dict[str, Any], field: str) -> None:
    larger = {**config, field: config[field] + 64}
    small, large = from_config(config), from_config(larger)
    assert large.total > small.total
    for what in ("weights", "kv", "forward", "training", "memory"):
        here, there = ANSWERS[what](small), ANSWERS[what](large)
        assert there.value("total") >= here.value("total"), what
    step, slower = decode_speed(small, "h100"), decode_speed(large, "h100")
    assert slower.value("step") >= step.value("step")


@settings(max_examples=40, deadline=None)
@given(config=CONFIGS, batch=st.integers(1, 64), seq=st.integers(1, 4096))
def test_doubling_the_batch_doubles_what_grows_with_it(
    config: dict[str, Any], batch: int, seq: int
) -> None:
    model = from_config(config)
    one, two = forward_flops(model, seq, batch), forward_flops(model, seq, 2 * batch)
    assert two.value("total") == 2 * one.value("total")
    cache, double = kv_cache(model, seq, batch), kv_cache(model, seq, 2 * batch)
    assert double.value("total") == 2 * cache.value("total")
    small = serving_memory(model, context=seq, users=batch)
    big = serving_memory(model, context=seq, users=2 * batch)
    grown = big.value("cache") - small.value("cache")
    assert grown == cache.value("total")
    assert big.value("weights") == small.value("weights")


@given(st.integers(0, 10**15))
def test_what_is_printed_parses_back_to_three_digits(value: int) -> None:
    for form, parse in ((format_bytes, parse_bytes), (format_count, parse_count),
                        (format_seconds, parse_seconds)):  # fmt: skip
        again = parse(form(value))
        assert again == pytest.approx(value, rel=0.006)


HOSTILE: list[Any] = [
    {}, {"model_type": None}, {"model_type": 7}, {"model_type": "llama", "hidden_size": None},
    {"model_type": "llama", "hidden_size": 0}, {"model_type": "llama", "hidden_size": -4096},
    {"model_type": "llama", "hidden_size": "4096"}, {"model_type": "llama", "hidden_size": 1e400},
    {"model_type": "llama", "hidden_size": float("nan")},
    {"model_type": "llama", "hidden_size": 4096.5}, {"model_type": "llama", "hidden_size": True},
    {"model_type": "llama", "hidden_size": [4096]}, {"model_type": "llama", "hidden_size": 10**30},
    {"model_type": "llama", "num_hidden_layers": 10**12},
    {"model_type": "llama", "num_attention_heads": 0},
    {"model_type": "llama", "num_attention_heads": 3},
    {"model_type": "llama", "num_key_value_heads": 5},
    {"model_type": "llama", "vocab_size": -1}, {"model_type": "llama", "head_dim": 0},
    {"model_type": "mixtral", "num_local_experts": 0},
    {"model_type": "mixtral", "num_experts_per_tok": 99},
    {"model_type": "deepseek_v3", "kv_lora_rank": "x"},
    {"model_type": "llava", "text_config": None}, {"model_type": "llava", "text_config": "llama"},
    {"model_type": "llava", "text_config": {"model_type": "llava"}},
    {"model_type": "llama", "quantization_config": "awq"},
    {"model_type": "llama", "layer_types": ["full_attention"]},
    {"model_type": "__class__"}, {"model_type": "../../etc/passwd"}, {"model_type": "llama" * 90},
    [], None, "llama", 7,
]  # fmt: skip


@pytest.mark.parametrize("config", HOSTILE, ids=lambda config: repr(config)[:60])
def test_hostile_configurations_are_refused_in_words_or_counted(config: Any) -> None:
    try:
        model = from_config(config)
    except ValueError as error:
        message = str(error)
        assert 15 < len(message) < 600
        assert "Traceback" not in message
        return
    assert model.total > 0
    for what in ("parameters", "weights", "kv", "fit", "decode speed"):
        answer(what, model)


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(KINDS),
    data=st.data(),
    junk=st.one_of(
        st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=5), st.just(10**40),
        st.floats(allow_nan=True), st.lists(st.integers(), max_size=2), st.just({"a": {}}),
    ),
)  # fmt: skip
def test_no_single_wrong_value_escapes_as_anything_but_a_value_error(
    name: str, data: st.DataObject, junk: Any
) -> None:
    config = preset_config(name)
    field = data.draw(st.sampled_from(sorted(config)))
    config[field] = junk
    try:
        model = from_config(config)
    except ValueError:
        return
    assert model.total >= 0


def test_importing_the_package_imports_next_to_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import napkin; "
        "print(len(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 2


def test_nothing_needs_numpy() -> None:
    code = (
        "import sys; sys.modules['numpy'] = None\n"
        "import pkgutil, importlib, napkin\n"
        "for found in pkgutil.walk_packages(napkin.__path__, 'napkin.'):\n"
        "    if not found.name.endswith('__main__'):\n"
        "        importlib.import_module(found.name)\n"
        "print('fine')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "fine\n", done.stderr


@pytest.mark.parametrize("large", [10**400, 1e308])
@pytest.mark.parametrize(
    "ask",
    [
        lambda n: training_flops(preset("gpt2"), n),
        lambda n: kv_cache(preset("gpt2"), n),
        lambda n: serving_memory(preset("gpt2"), context=n),
        lambda n: training_time(preset("gpt2"), n),
        lambda n: training_money(preset("gpt2"), 1e9, price=n),
        lambda n: training_cost(n, 1e12),
        lambda n: cost_per_million_tokens(n),
        lambda n: roofline(n, 14e9, 989e12, 3.35e12),
        lambda n: collective_table("all-reduce", n, 8, Link(450e9, 1e-5)),
    ],
)
def test_numbers_too_large_to_reckon_with_are_refused(
    ask: Callable[[Any], Table], large: float
) -> None:
    with pytest.raises(ValueError, match=r"at most|finite|infinite|above 0"):
        ask(large)

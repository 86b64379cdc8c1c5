"""Training memory: the standard recipes, published figures, and what sharding must preserve."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from napkin.adapters import adapter_parameters
from napkin.matrices import weight_matrices
from napkin.memory_rules import training_state
from napkin.memory_training import adapter_memory, training_memory
from napkin.models import Model, from_config
from napkin.optimizers import OPTIMIZERS, PRECISIONS, recipe_bytes
from napkin.sharding import layer_range, portions
from napkin.table import Table
from napkin.traffic import Split

VECTORS = Path(__file__).parents[1] / "vectors"
SMALL = ["gpt2", "llama-3.2-1b", "mixtral-8x7b", "deepseek-v3", "t5-small", "qwen3-30b-a3b"]


@cache
def model(name: str) -> Model:
    text = (VECTORS / "configs" / f"{name}.json").read_text(encoding="utf-8")
    return from_config(json.loads(text), name=name)


def untyped(value: object) -> Any:
    """Hides a wrong argument from the type checker."""
    return value


STATE = ("weights", "gradients", "master", "copies", "optimizer")


def state(table: Table) -> float:
    return sum(row.value for row in table.rows if row.key in STATE)


# --- recipes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("optimizer", "precision", "expected"),
    [
        # Rajbhandari et al. 2020; fp32 accumulation adds 2; pure bf16 halves Adam's state.
        ("adamw", "mixed", 16), ("adamw", "mixed_fp32_gradients", 18), ("adamw", "bf16", 8),
        ("adamw", "fp32", 16), ("adamw", "autocast", 18), ("sgd", "fp32", 8),
        ("sgd_momentum", "fp32", 12), ("lion", "mixed", 12), ("muon", "mixed", 12),
        ("adamw_8bit", "mixed", 8 + 2 + 8 / 256), ("adafactor", "mixed", 8),
    ],
)  # fmt: skip
def test_bytes_per_parameter(optimizer: str, precision: str, expected: float) -> None:
    assert recipe_bytes(optimizer, precision).value("total") == expected
    gpt2 = model("gpt2")
    held = state(training_memory(gpt2, 8, optimizer=optimizer, precision=precision))
    if optimizer not in ("muon", "adafactor"):
        assert held == pytest.approx(expected * gpt2.total, abs=4)


def test_the_courses_figures() -> None:
    assert training_state(7e9).value("total") == 112e9
    assert training_state(3e9).value("total") == 48e9
    assert training_state(1.3e9).value("total") == pytest.approx(21e9, rel=0.01)


@pytest.mark.parametrize(("zero", "published"), [(0, 120), (1, 31.4), (2, 16.6), (3, 1.9)])
def test_zeros_own_figure(zero: int, published: float) -> None:
    """Rajbhandari et al. 2020, figure 1: 7.5B parameters on 64 devices, in GB."""
    table = training_state(7.5e9, zero=zero, devices=64)
    assert table.value("total") / 1e9 == pytest.approx(published, abs=0.05)


def test_muon_keeps_one_moment_for_matrices_and_two_for_the_rest() -> None:
    gpt2 = model("gpt2")
    table = training_memory(gpt2, 8, optimizer="muon")
    inside = gpt2.counts.attention + gpt2.counts.mlp
    assert table.value("optimizer") == 4 * inside + 8 * (gpt2.total - inside)


def test_adafactor_keeps_rows_and_columns() -> None:
    gpt2 = model("gpt2")
    h, v = 768, 50257
    sums = 12 * ((h + h) * 4 + 2 * (h + 4 * h)) + (v + h)
    factored = gpt2.counts.attention + gpt2.counts.mlp + gpt2.counts.token_embedding
    expected = 4 * sums + 4 * (gpt2.total - factored)
    mine = training_memory(gpt2, 8, optimizer="adafactor").value("optimizer")
    assert mine == pytest.approx(expected, abs=10)
    assert mine < 0.02 * 8 * gpt2.total


def test_matrices_are_all_there() -> None:
    for path in sorted((VECTORS / "configs").glob("*.json")):
        subject = model(path.stem)
        counts = subject.counts
        weights = sum(
            getattr(counts, part)
            for part in ("attention", "recurrent", "mlp", "experts", "shared_experts", "router",
                         "token_embedding", "head")
        )  # fmt: skip
        borrowed = sum(layer.borrowed.matmul for s in subject.stacks for layer in s.layers)
        mine = sum(m.weights for m in weight_matrices(subject))
        if not borrowed and "v4" not in path.stem and "gemma4" not in path.stem:
            assert mine == pytest.approx(weights, rel=1e-4), path.stem


# --- adapters ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rank", "targets", "published"),
    [
        ("llama-2-7b", 8, "query_value", 4_194_304),  # peft's print for Llama 7B, q and v
        ("llama-2-7b", 64, "all_linear", 159_907_840),  # qlora.py's print for Llama 7B
        ("llama-2-13b", 8, "query_value", 6_553_600),
        ("llama-3.1-8b", 16, "all_linear", 41_943_040),
        ("gpt2", 8, ("q", "k", "v"), 12 * 3 * 8 * (768 + 768)),
    ],
)
def test_adapter_parameters(name: str, rank: int, targets: Any, published: int) -> None:
    assert adapter_parameters(model(name), rank, targets).value("total") == published


def test_why_a_7b_fine_tune_fits_in_10_gb_and_full_training_does_not() -> None:
    llama = model("llama-2-7b")
    qlora = adapter_memory(llama, 1024, 1, base="nf4_dq", rank=64)
    lora = adapter_memory(llama, 1024, 1, base="bf16", rank=64)
    full = training_memory(llama, 1024, 1, checkpointing="full")
    assert qlora.value("total") < 10e9
    assert 13.4e9 < lora.value("frozen") < 13.5e9
    assert full.value("total") > 107e9
    # Dettmers et al. 2023: 4.127 bits on the linear layers, 16 on embedding, head and norms.
    linear = llama.counts.attention + llama.counts.mlp
    expected = linear * 4.127 / 8 + 2 * (llama.total - linear)
    assert qlora.value("frozen") == pytest.approx(expected, rel=1e-3)


# --- measured ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seq", "batch", "split", "checkpointing", "low", "high"),
    [
        # pytorch/torchtitan, benchmarks/llama3_h100_202412: GiB reserved, compiled and not.
        (8192, 2, Split(data=8, zero=3), "selective_ops", 77.0, 82.4),
        (8192, 2, Split(data=128, zero=3), "selective_ops", 62.0, 67.0),
        (32768, 1, Split(data=8, zero=3), "full", 83.9, 83.9),
        (65536, 1, Split(data=4, context=2, zero=3), "full", 84.2, 84.2),
        (131072, 1, Split(data=2, context=4, zero=3), "full", 84.0, 84.0),
    ],
)
def test_llama_3_8b_in_torchtitan(
    seq: int, batch: int, split: Split, checkpointing: Any, low: float, high: float
) -> None:
    table = training_memory(
        model("llama-3.1-8b"), seq, batch, split=split, precision="mixed_fp32_gradients",
        checkpointing=checkpointing, headroom=0,
    )  # fmt: skip
    assert 0.97 * low < table.value("total") / 2**30 < 1.03 * high


# --- sharding ------------------------------------------------------------------------------------

SPLITS = st.builds(
    lambda data, tensor, pipeline, context, zero: Split(
        data=data, tensor=tensor, pipeline=pipeline, context=context, zero=zero
    ),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([1, 2]),
    st.integers(0, 3),
)


@settings(deadline=None, max_examples=60)
@given(name=st.sampled_from(SMALL), split=SPLITS, expert=st.sampled_from([1, 2, 4]))
def test_shards_add_up_to_the_whole(name: str, split: Split, expert: int) -> None:
    subject = model(name)
    experts = any(layer.experts for layer in subject.layers)
    assume(expert == 1 or (experts and split.replicas % expert == 0))
    plan = Split(split.data, split.tensor, split.pipeline, split.context, expert, split.zero)
    held = [p for stage in range(plan.pipeline) for p in portions(subject, plan, stage)]
    copies = subject.tied_head if plan.pipeline > 1 else 0
    assert sum(p.parameters for p in held) == subject.total + copies
    # Every shard of every portion, on every device that has one, spread by ZeRO: the whole again.
    spread = sum(p.on_device(2, True) * p.shards * p.replicas for p in held)
    whole = 2 * (subject.total + copies)
    assert whole <= spread <= whole + len(held) * 2 * plan.devices
    for p in held:
        repeated = p.shards * p.replicas
        assert plan.devices % (repeated * plan.pipeline) == 0


@settings(deadline=None, max_examples=60)
@given(
    name=st.sampled_from(SMALL),
    split=SPLITS,
    seq=st.integers(64, 4096),
    batch=st.integers(1, 8),
    micro=st.integers(1, 8),
)
def test_more_never_costs_less(name: str, split: Split, seq: int, batch: int, micro: int) -> None:
    subject = model(name)
    least: dict[str, Any] = {"split": split, "micro_batches": micro, "checkpointing": "full"}
    base = training_memory(subject, seq, batch, **least)
    assert training_memory(subject, seq + 64, batch, **least).value("total") >= base.value("total")
    more = training_memory(subject, seq, batch + 1, **least)
    assert more.value("total") >= base.value("total")
    nothing = training_memory(subject, seq, batch, split=split, micro_batches=micro)
    assert nothing.value("total") >= base.value("total")
    assert sum(row.value for row in base.rows) == base.value("total")
    if split.zero < 2:  # the next stage of ZeRO takes no more (stage 3 gathers a layer)
        further = Split(
            split.data, split.tensor, split.pipeline, split.context, zero=split.zero + 1
        )
        less = training_memory(subject, seq, batch, **{**least, "split": further})
        assert less.value("total") <= base.value("total") + 16


def test_doubling_the_batch_doubles_the_growing_part_only() -> None:
    llama = model("llama-3.2-1b")
    one, two = (training_memory(llama, 2048, b, headroom=0) for b in (2, 4))
    fixed = {*STATE, "embedding"}  # rotary angles are shared by the batch
    for row in one.rows:
        if row.key in fixed:
            assert two.value(row.key) < 2 * row.value
        else:
            assert two.value(row.key) == pytest.approx(2 * row.value, abs=16), row.key
    assert state(one) == state(two) == 16 * llama.total


def test_each_tensor_class_has_its_own_denominator() -> None:
    mixtral = model("mixtral-8x7b")
    counts = mixtral.counts
    split = Split(data=16, tensor=2, expert=4, zero=1)
    table = training_memory(mixtral, 128, split=split)
    dense = counts.attention + counts.token_embedding + counts.head
    rest = mixtral.total - dense - counts.experts  # norms and routers: on every tensor rank
    assert table.value("weights") == 2 * (dense // 2 + counts.experts // 8 + rest)
    expected = 8 * (dense // 2 / 16 + counts.experts // 8 / 4 + rest / 16)
    assert table.value("optimizer") == pytest.approx(expected, abs=8)


def test_pipeline_stages_share_layers_and_hold_batches_in_flight() -> None:
    assert [layer_range(80, Split(pipeline=16), s)[1] for s in (0, 15)] == [5, 80]
    llama = model("llama-3.1-70b")
    lone = training_memory(llama, 4096, split=Split(pipeline=8), micro_batches=1, headroom=0)
    full = training_memory(llama, 4096, split=Split(pipeline=8), micro_batches=64, headroom=0)
    interleaved = training_memory(
        llama, 4096, split=Split(pipeline=8, interleave=5), micro_batches=64, headroom=0
    )
    assert full.value("mlp") == pytest.approx(8 * lone.value("mlp"), rel=1e-6)
    # Korthikanti et al. 2022, section 4.2.3: interleaving costs 1 + (p - 1)/(p·m) of that.
    ratio = interleaved.value("mlp") / full.value("mlp")
    assert ratio == pytest.approx(1 + 7 / (8 * 5), rel=1e-6)


def test_zero_3_gathers_the_largest_unit_whole() -> None:
    llama = model("llama-3.1-405b")
    table = training_memory(llama, 512, split=Split(data=512, zero=3))
    layer = llama.layers[0].counts.total
    assert table.value("gathered") == 4 * layer
    small = training_memory(model("llama-3.2-1b"), 512, split=Split(data=8, zero=3))
    assert small.value("gathered") == 4 * 128_256 * 2048  # its embedding is larger than a layer


def test_a_fused_loss_holds_no_logits() -> None:
    llama = model("llama-3.2-1b")
    plain, fused = (
        training_memory(llama, 4096, 2, headroom=0, fused_loss=f) for f in (False, True)
    )
    saved = plain.value("total") - fused.value("total")
    assert saved == pytest.approx(14 * 128_256 * 8192, rel=1e-3)
    assert "logits" not in fused


@pytest.mark.parametrize("optimizer", sorted(OPTIMIZERS))
@pytest.mark.parametrize("precision", sorted(PRECISIONS))
def test_every_recipe_gives_a_table_that_round_trips(optimizer: str, precision: str) -> None:
    for table in (
        training_memory(model("mixtral-8x7b"), 64, optimizer=optimizer, precision=precision),
        adapter_memory(model("mixtral-8x7b"), 64, optimizer=optimizer, precision=precision),
    ):
        assert Table.from_dict(json.loads(json.dumps(table.to_dict()))) == table
        assert all(isinstance(row.value, int) and row.working for row in table.rows)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: training_memory(m, optimizer="adam"), "did you mean 'adamw'"),
        (lambda m: training_memory(m, precision="fp8"), "precision 'fp8' is not known"),
        (lambda m: training_memory(m, split=Split(pipeline=13)), "more than the 12 layers"),
        (lambda m: training_memory(m, split=Split(data=4, expert=2)), "has no experts"),
        (lambda m: training_memory(m, 4, split=Split(context=8)), "more than the 4 tokens"),
        (lambda m: training_memory(m, headroom=1.5), "headroom is 1.5"),
        (lambda m: training_memory(m, micro_batches=0), "micro_batches must be at least 1"),
        (lambda m: adapter_memory(m, rank=0), "rank must be at least 1"),
        (lambda m: adapter_memory(m, targets="everything"), "use one of query_value"),
        (lambda m: adapter_memory(m, targets=("gate",)), "has no matrix named gate"),
        (lambda m: adapter_memory(m, base="nf3"), "'nf3' is not a weight format"),
        (lambda m: training_state(0), "parameters is 0"),
        (lambda m: training_state(7e9, zero=4), "zero is 4"),
        (lambda m: training_state(untyped("7B")), "parameters is '7B'"),
    ],
)
def test_bad_input_is_refused_with_the_rule(call: Callable[[Model], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(model("gpt2"))


def test_more_expert_ranks_than_experts_are_refused() -> None:
    with pytest.raises(ValueError, match="more than the 8 experts"):
        training_memory(model("mixtral-8x7b"), split=Split(data=16, expert=16))


def test_a_token_classifiers_logits_are_as_wide_as_its_labels() -> None:
    data = {"model_type": "llama", "architectures": ["LlamaForTokenClassification"],
            "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4,
            "intermediate_size": 128, "vocab_size": 1000, "num_labels": 5}  # fmt: skip
    assert training_memory(from_config(data), 32).value("logits") == 10 * 5 * 32

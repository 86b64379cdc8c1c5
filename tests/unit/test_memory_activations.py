"""Saved activations: against what PyTorch's autograd kept, real models and invented ones.

``flops_activation_kv_oracle.csv``: bytes that saved-tensor hooks saw for each real configuration
on the meta device (transformers 5.24.0, torch 2.13.0, bf16, batch 1).
``activations_traced.csv``: the same for configurations invented for this purpose, with batches of
1 to 3; models with experts were run on a CPU with random weights, since routing needs values.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from napkin.activation_traits import TRAITS
from napkin.activations import Implementation, peak_layer_activations, saved_activations
from napkin.memory_rules import classic_activations
from napkin.models import Model, from_config
from napkin.table import Table

VECTORS = Path(__file__).parents[1] / "vectors"


def rows(name: str) -> list[dict[str, str]]:
    with (VECTORS / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


ORACLE = [row for row in rows("flops_activation_kv_oracle") if row["eager_saved_activation_bytes"]]
TRACED = rows("activations_traced")
SMALL = [
    "gpt2", "llama-3.2-1b", "qwen3-0.6b", "gemma3-1b", "mixtral-8x7b", "deepseek-v3", "t5-small",
    "mamba-130m", "jamba-v0.1", "gpt-oss-120b", "modernbert-base", "bloom-560m",
]  # fmt: skip
IMPLEMENTATIONS: tuple[Implementation, ...] = ("eager", "memory_efficient", "fused")


@cache
def model(name: str) -> Model:
    text = (VECTORS / "configs" / f"{name}.json").read_text(encoding="utf-8")
    return from_config(json.loads(text), name=name)


def untyped(value: object) -> Any:
    """Hides a wrong argument from the type checker."""
    return value


@pytest.mark.parametrize("row", ORACLE, ids=[row["name"] for row in ORACLE])
def test_real_models_keep_what_autograd_kept(row: dict[str, str]) -> None:
    for column, implementation in (("eager", "eager"), ("memeff", "memory_efficient")):
        kept = row[f"{column}_saved_activation_bytes"]
        if kept:
            table = saved_activations(
                model(row["name"]), int(row["seq"]), implementation=untyped(implementation)
            )
            assert table.value("total") == pytest.approx(int(kept), rel=5e-5), column


@pytest.mark.parametrize("family", sorted({row["model_type"] for row in TRACED}))
def test_invented_models_keep_what_autograd_kept(family: str) -> None:
    for row in TRACED:
        if row["model_type"] != family:
            continue
        subject = from_config(json.loads(row["config"]))
        table = saved_activations(
            subject, int(row["seq"]), int(row["batch"]),
            implementation=untyped(row["implementation"]),
        )  # fmt: skip
        experts = any(layer.experts for layer in subject.layers)
        assert table.value("total") == pytest.approx(
            int(row["bytes"]), rel=5e-3 if experts or family == "lfm2" else 1e-6
        )
        assert TRAITS[family].exact if family in TRAITS else family == "lfm2"


def formula(m: Model, seq: int, implementation: str) -> int:
    """The closed forms written down for Llama, Mistral, Qwen2; Qwen3; OLMo 2."""
    layers, h = len(m.layers), m.hidden_size
    attention, mlp = m.layers[0].attention, m.layers[0].mlp
    assert attention is not None
    assert mlp is not None
    ff, a, kv, d = mlp.width, attention.heads, attention.kv_heads, attention.head_dim
    if m.model_type == "qwen3":
        each = 16 * h + 8 * ff + 10 * kv * d + 12 * a * d + 8 * a + 4 * kv + 8
        around = 8 * h + 4 * d + 12
    elif m.model_type == "olmo2":
        each = 34 * h + 8 * ff + 12 * kv * d + 4 * a + 16
        around = 10 * h + 8 * d + 12
    elif implementation == "eager":
        each = 16 * h + 8 * ff + 8 * a * d + 6 * a * seq + 8
        around = 8 * h + 4 * d + 12
    else:
        each = 16 * h + 8 * ff + 4 * kv * d + 6 * a * d + 4 * a + 8
        around = 8 * h + 4 * d + 12
    return seq * (layers * each + around)


@pytest.mark.parametrize(
    "name", ["llama-2-7b", "llama-3.1-70b", "mistral-7b-v0.1", "qwen2.5-7b", "qwen3-8b",
             "olmo-2-7b"]
)  # fmt: skip
@given(seq=st.integers(1, 40_000))
@settings(deadline=None, max_examples=15)
def test_closed_forms_written_out_by_hand(name: str, seq: int) -> None:
    mine = saved_activations(model(name), seq).value("total")
    assert mine == formula(model(name), seq, "memory_efficient")
    if name.startswith(("llama", "mistral")):
        eager = saved_activations(model(name), seq, implementation="eager")
        assert eager.value("total") == formula(model(name), seq, "eager")


# Recorded with the same hooks under reentrant checkpointing, 1024 tokens (transformers 5.24.0).
CHECKPOINTED = {
    "llama-2-7b": 302_002_176, "llama-3.1-8b": 302_002_176, "llama-3.2-1b": 83_898_368,
    "qwen2.5-0.5b": 51_392_512,
    # GPT-2 hands each layer a mask of 1024 × 1024 16-bit numbers as well.
    "gpt2": 24_141_824 - 2 * 1024 * 1024,
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(CHECKPOINTED))
def test_full_checkpointing_keeps_the_layers_inputs(name: str) -> None:
    table = saved_activations(model(name), 1024, checkpointing="full")
    assert table.value("total") == CHECKPOINTED[name]
    assert table.value("layer_inputs") == 2 * len(model(name).layers) * 1024 * (
        model(name).hidden_size
    )


# The same recordings with labels: bytes more per token.
LABELS = {"llama-2-7b": 6_544_969_740, "llama-3.1-8b": 7_408_996_364, "gpt2": 757_174_284}


@pytest.mark.parametrize("name", sorted(LABELS))
def test_the_loss_keeps_four_bytes_per_vocabulary_entry(name: str) -> None:
    table = saved_activations(model(name), 1024, labels=True)
    assert table.value("total") == pytest.approx(LABELS[name], rel=1e-6)


def test_the_textbook_formula_and_how_far_it_is_off() -> None:
    # Korthikanti et al. 2022, section 5: 5as/h is 80 for GPT-3 and 64 for MT-NLG.
    for layers, hidden, heads, factor in ((96, 12288, 96, 80), (105, 20480, 128, 64)):
        table = classic_activations(layers, hidden, heads, 2048)
        assert 34 * table.value("scores") / table.value("linear") == factor
    for name in ("llama-2-7b", "llama-3.1-8b", "qwen3-8b", "olmo-2-7b"):
        m = model(name)
        attention = m.layers[0].attention
        assert attention is not None
        rule = classic_activations(len(m.layers), m.hidden_size, attention.heads, 1024,
                                   scores=False)  # fmt: skip
        low = 1 - rule.value("total") / saved_activations(m, 1024).value("total")
        assert 0.25 < low < 0.6, name


@settings(deadline=None, max_examples=40)
@given(
    name=st.sampled_from(SMALL),
    implementation=st.sampled_from(IMPLEMENTATIONS),
    seq=st.integers(1, 3000),
    batch=st.integers(1, 6),
)
def test_growing_parts_grow_with_the_batch(
    name: str, implementation: Implementation, seq: int, batch: int
) -> None:
    subject = model(name)
    one, two, three = (
        saved_activations(subject, seq, batch + extra, implementation=implementation)
        for extra in (0, 1, 2)
    )
    # One sequence alone may share what several copy (multi-query keys): even steps from two on.
    if batch > 1:
        step = two.value("total") - one.value("total")
        assert abs(three.value("total") - two.value("total") - step) <= len(one.rows)
    assert one.value("total") < two.value("total")
    assert sum(row.value for row in one.rows) == one.value("total")
    assert Table.from_dict(json.loads(json.dumps(one.to_dict()))) == one


@settings(deadline=None, max_examples=30)
@given(name=st.sampled_from(SMALL), seq=st.integers(2, 4000))
def test_kernels_and_checkpoints_save_memory(name: str, seq: int) -> None:
    subject = model(name)

    def total(implementation: Implementation, **options: Any) -> float:
        table = saved_activations(subject, seq, implementation=implementation, **options)
        return table.value("total")

    for implementation in IMPLEMENTATIONS:
        none = total(implementation)
        assert total(implementation, checkpointing="full") < none
        assert total(implementation, checkpointing="selective") <= none
    if seq > 64:  # for a few tokens a score matrix is smaller than what a kernel notes of it
        assert total("fused") <= total("memory_efficient")
        assert total("memory_efficient") <= total("eager") * 1.001
    one_layer = peak_layer_activations(subject, seq)
    assert one_layer <= total("memory_efficient")


# Bytes that autograd kept, eager attention, 2 × 24 tokens, transformers 5.24.0 on a CPU: of the
# first configuration invented for the family.
KIN = {"camembert": 1_119_072, "xlm-roberta": 1_016_128, "ernie": 257_280, "ministral3": 1_158_912}


@pytest.mark.parametrize("family", KIN)
def test_a_family_keeps_what_its_kin_keep(family: str) -> None:
    text = (VECTORS / "params_random.json").read_text("utf-8")
    found = from_config(json.loads(text)["families"][family][0][0])
    kept = saved_activations(found, 24, 2, implementation="eager")
    assert kept.value("total") == pytest.approx(KIN[family], rel=0.005)
    assert "not recorded" not in " ".join(kept.notes)


def test_a_model_that_sees_keeps_what_its_text_side_keeps() -> None:
    text = {"model_type": "gemma", "vocab_size": 100, "hidden_size": 64, "num_hidden_layers": 2}
    seeing = from_config({"model_type": "paligemma", "text_config": text, "vision_config": {}})
    assert (seeing.model_type, seeing.family) == ("paligemma", "gemma")
    for implementation in IMPLEMENTATIONS:
        one, other = (
            saved_activations(model, 64, implementation=implementation).value("total")
            for model in (seeing, from_config(text))
        )
        assert one == other


def test_what_is_not_recorded_says_so() -> None:
    for name, word in (
        ("mamba-130m", "slow path"), ("jamba-v0.1", "slow path"), ("mixtral-8x7b", "within 1%"),
        ("bloom-560m", "only eager"), ("t5-small", "dropout"),
    ):  # fmt: skip
        assert word in " ".join(saved_activations(model(name), 64).notes), name
    unknown = from_config({"model_type": "minimax_m2"})
    assert "not recorded" in " ".join(saved_activations(unknown, 64).notes)
    assert saved_activations(model("llama-2-7b"), 64).notes == ()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: saved_activations(m, 0), "seq must be at least 1"),
        (lambda m: saved_activations(m, 8, untyped(None)), "batch must be a whole number"),
        (lambda m: saved_activations(m, 8, implementation=untyped("flash")), "use one of eager"),
        (lambda m: saved_activations(m, 8, checkpointing=untyped("half")), "checkpointing is"),
        (lambda m: saved_activations(m, 8, encoder_tokens=-1), "encoder_tokens must be at least"),
        (lambda m: classic_activations(1, 0, 1, 1), "hidden must be at least 1"),
    ],
)
def test_bad_input_is_refused_with_the_rule(call: Callable[[Model], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(model("gpt2"))

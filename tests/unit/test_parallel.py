"""Communication volumes against the papers that published them, and what must hold for any mix."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from napkin.collectives import COLLECTIVES, Link, collective, collective_table
from napkin.hardware import accelerator
from napkin.models import Model, from_config
from napkin.parallel import (
    Shape,
    Split,
    bubble_share,
    communication,
    communication_bytes,
    pipeline_bubble,
)
from napkin.traffic import traffic
from napkin.training_step import step_links, training_step

LLAMA_7B = Shape(dense=7_000_000_000, layers=32, hidden=4096, kv_width=8192)
MOE = Shape(
    dense=2_000_000_000, layers=32, hidden=4096, kv_width=2048, experts=45_000_000_000,
    expert_layers=32, top_k=2,
)  # fmt: skip
devices = st.integers(1, 4096)


def sent(split: Split, shape: Shape = LLAMA_7B, **options: int) -> dict[str, int]:
    options = {"sequence": 4096, **options}
    return {part.key: part.sent for part in traffic(shape, split, **options)}


@pytest.mark.parametrize(
    ("stages", "micro_batches", "published"),
    [(4, 4, 3 / 7), (8, 32, 7 / 39), (16, 128, 15 / 143)],
)
def test_bubble_is_p_minus_1_over_m_plus_p_minus_1(
    stages: int, micro_batches: int, published: float
) -> None:
    # Huang et al. 2019 (GPipe), section 2.3: O((K - 1) / (M + K - 1)).
    assert bubble_share(stages, micro_batches) == pytest.approx(published)


def test_interleaving_divides_the_bubble_by_the_chunks() -> None:
    # Narayanan et al. 2021, section 2.2: waiting ÷ computing = (p - 1) / (v · m).
    table = pipeline_bubble(8, 32, interleave=4)
    assert table.value("overhead") == pytest.approx(100 * 7 / (4 * 32))
    assert table.value("busy") + table.value("bubble") == pytest.approx(100)


def test_zero_volumes_are_those_of_the_paper() -> None:
    # Rajbhandari et al. 2020, section 7: 2Ψ for data parallel and stages 1 and 2, 3Ψ for stage 3
    # (elements; times 2 B here), for many devices.
    psi = LLAMA_7B.dense * 2
    for stage, volume in ((0, 2), (1, 2), (2, 2), (3, 3)):
        total = sum(sent(Split(data=1024, zero=stage)).values())
        assert total / psi == pytest.approx(volume, rel=0.002)


def test_accumulation_costs_zero_3_a_gather_per_micro_batch_and_ddp_nothing() -> None:
    assert sent(Split(data=8), micro_batches=4) == sent(Split(data=8))
    once, four = sent(Split(data=8, zero=3)), sent(Split(data=8, zero=3), micro_batches=4)
    assert four["weights"] == 4 * once["weights"]
    assert four["gradients"] == 4 * once["gradients"]


def test_tensor_parallel_exchanges_every_layer() -> None:
    # Shoeybi et al. 2019: two all-reduces of b·s·h forward and two backward in every layer; a ring
    # over 8 sends 7/4 of the buffer.
    buffer = 1 * 4096 * 4096 * 2
    assert sent(Split(tensor=8))["tensor"] == 4 * 32 * buffer * 7 // 4


def test_pipeline_sends_one_activation_each_way() -> None:
    # Narayanan et al. 2021: b·s·h per micro-batch and direction, v times with interleaving.
    one_way = 4096 * 4096 * 2
    assert sent(Split(pipeline=4), micro_batches=8)["pipeline"] == 2 * 8 * one_way
    assert sent(Split(pipeline=4, interleave=2), micro_batches=8)["pipeline"] == 32 * one_way


def test_ring_attention_passes_keys_and_values_round() -> None:
    # Liu et al. 2023: each rank sees the others' blocks; forward once, backward with gradients.
    block = 4096 // 4 * 8192 * 2
    assert sent(Split(context=4))["context"] == 3 * 32 * 3 * block


def test_expert_all_to_all_carries_each_token_top_k_times() -> None:
    buffer = 4096 * 4096 * 2 * 2
    assert sent(Split(data=8, expert=8), MOE)["expert"] == 4 * 32 * buffer * 7 // 8


def test_experts_need_no_gradient_sum_when_each_rank_has_its_own() -> None:
    spread = sent(Split(data=8, expert=8), MOE)
    whole = sent(Split(data=8), MOE)
    assert "expert_gradients" not in spread
    assert whole["expert_gradients"] == MOE.experts * 2 * 7 // 4


def test_h100_all_reduce_at_published_speed() -> None:
    # NVLink 4 is 450 GB/s per direction; nccl-tests on 8 × H100 report a bus bandwidth of about
    # 0.8 of it, and bus bandwidth is 2(n - 1)/n × size ÷ time.
    op = collective("all-reduce", 8 * 10**9, 8)
    assert float(op.sent) / op.seconds(Link(450e9)) == pytest.approx(450e9)
    assert op.seconds(Link(0.8 * 450e9)) == pytest.approx(0.0389, rel=0.01)


@given(size=st.integers(0, 10**15), n=devices)
def test_all_reduce_is_reduce_scatter_then_all_gather(size: int, n: int) -> None:
    parts = [collective(name, size, n) for name in ("reduce-scatter", "all-gather")]
    whole = collective("all-reduce", size, n)
    assert whole.sent == sum((part.sent for part in parts), Fraction(0))
    assert whole.steps == sum(part.steps for part in parts)


@given(name=st.sampled_from(sorted(COLLECTIVES)), size=st.integers(0, 10**15), n=devices)
def test_one_device_sends_nothing_and_more_never_send_less(name: str, size: int, n: int) -> None:
    assert collective(name, size, 1).sent == collective(name, size, 1).steps == 0
    assert collective(name, size, n + 1).sent >= collective(name, size, n).sent


def test_trees_win_on_small_buffers_and_rings_on_large() -> None:
    link = Link(50e9, 5e-6)

    def seconds(name: str, size: int, n: int) -> float:
        return collective(name, size, n).seconds(link)

    # 18 hops instead of 1,022; and 2 × S instead of 1.75 × S.
    assert seconds("tree all-reduce", 10_000, 512) < seconds("all-reduce", 10_000, 512) / 50
    assert seconds("all-reduce", 10**10, 8) < 0.9 * seconds("tree all-reduce", 10**10, 8)


@given(
    data=st.integers(1, 64), tensor=st.sampled_from([1, 2, 4, 8]),
    pipeline=st.sampled_from([1, 2, 4, 8]), zero=st.integers(0, 3),
    micro_batches=st.integers(1, 16),
)  # fmt: skip
def test_bytes_add_up_and_more_micro_batches_never_send_less(
    data: int, tensor: int, pipeline: int, zero: int, micro_batches: int
) -> None:
    split = Split(data=data, tensor=tensor, pipeline=pipeline, zero=zero)
    table = communication_bytes(LLAMA_7B, split, sequence=4096, micro_batches=micro_batches)
    assert table.value("sent") == sum(row.value for row in table.rows)
    more = communication_bytes(LLAMA_7B, split, sequence=4096, micro_batches=micro_batches + 1)
    assert more.value("sent") >= table.value("sent")
    assert split.devices == data * tensor * pipeline
    assert (table.value("sent") == 0) == (split.devices == 1)


def test_time_table_separates_what_can_hide() -> None:
    links = {"data": Link(50e9), "tensor": Link(450e9, 2e-6)}
    table = communication(LLAMA_7B, Split(data=4, tensor=8), sequence=4096, links=links)
    assert table.value("hideable") == table.value("gradients")
    assert table.value("exposed") == table.value("tensor")
    assert table.value("gradients") == pytest.approx(1.5 * LLAMA_7B.dense / 8 * 2 / 50e9)
    with pytest.raises(ValueError, match="no entry for 'tensor'"):
        communication(LLAMA_7B, Split(tensor=8), sequence=4096, links={"data": Link(50e9)})


def test_shape_of_a_real_model() -> None:
    shape = Shape.of(from_config({"model_type": "mixtral"}))
    assert (shape.layers, shape.hidden, shape.top_k, shape.kv_width) == (32, 4096, 2, 2 * 8 * 128)
    # 8 experts of three 4096 × 14336 matrices in 32 layers.
    assert shape.experts == 32 * 8 * 3 * 4096 * 14336


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"data": 0}, "data must be at least 1"),
        ({"tensor": 2.5}, "tensor must be a whole number"),
        ({"tensor": "8"}, "tensor must be a whole number"),
        ({"zero": 4}, "stage 0, 1, 2 or 3"),
        ({"data": 4, "expert": 3}, "must divide data × context"),
        ({"interleave": 2}, "set pipeline above 1"),
        ({"pipeline": float("nan")}, "whole number"),
        ({"data": True}, "whole number"),
    ],
)
def test_bad_splits_say_what_is_wrong(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Split(**options)


def test_bad_runs_say_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="more than the model's 32 layers"):
        sent(Split(pipeline=64))
    with pytest.raises(ValueError, match="not a multiple of context"):
        sent(Split(context=3))
    with pytest.raises(ValueError, match="did you mean 'all-reduce'"):
        collective("allreduce", 1, 2)
    for bandwidth in (0, -1, math.inf, "fast"):
        with pytest.raises(ValueError, match="link bandwidth"):
            Link(bandwidth)  # type: ignore[arg-type]


def test_table_of_one_collective_adds_up() -> None:
    table = collective_table("all-gather", 10**9, 4, Link(50e9, 5e-6))
    assert table.value("time") == table.value("latency") + table.value("transfer")


def gpt(layers: int, hidden: int, heads: int) -> Model:
    return from_config({"model_type": "gpt2", "n_layer": layers, "n_embd": hidden, "n_head": heads,
                        "vocab_size": 51200, "n_positions": 2048})  # fmt: skip


@pytest.mark.parametrize(
    ("model", "split", "micro_batch", "micro_batches", "seconds"),
    [
        (gpt(48, 6144, 64), Split(tensor=8), 4, 1, 1.10),
        (gpt(96, 12288, 96), Split(tensor=8, pipeline=8, interleave=3), 1, 64, 13.75),
        (gpt(105, 20480, 128), Split(tensor=8, pipeline=35, interleave=3), 1, 280, 37.83),
    ],
    ids=["22B", "175B", "530B"],
)
def test_step_times_of_korthikanti(
    model: Model, split: Split, micro_batch: int, micro_batches: int, seconds: float
) -> None:
    # Korthikanti et al. 2022, table 5 (recalled): selective recomputation, A100.
    table = training_step(model, "A100", split, sequence=2048, micro_batch=micro_batch,
                          micro_batches=micro_batches, recompute="selective")  # fmt: skip
    assert table.value("seconds_low") <= seconds <= table.value("seconds_high")
    assert table.value("seconds") == pytest.approx(seconds, rel=0.2)
    assert table.value("seconds_high") <= 2.5 * table.value("seconds_low")


# Narayanan et al. 2021, table 1 (recalled): full recomputation, A100, hardware FLOP utilisation.
MEGATRON = [
    (24, 2304, 24, 1, 1, 32, 512, 44), (30, 3072, 32, 2, 1, 64, 512, 44),
    (36, 4096, 32, 4, 1, 128, 512, 46), (40, 6144, 48, 8, 1, 256, 1024, 43),
    (48, 8192, 64, 8, 2, 512, 1536, 44), (60, 10240, 80, 8, 4, 1024, 1792, 45),
    (105, 20480, 128, 8, 35, 2520, 2520, 52),
]  # fmt: skip


@pytest.mark.parametrize(
    ("layers", "hidden", "heads", "tensor", "pipeline", "devices", "batch", "hfu"), MEGATRON
)
def test_utilisation_of_megatron(
    layers: int, hidden: int, heads: int, tensor: int, pipeline: int, devices: int, batch: int,
    hfu: float,
) -> None:  # fmt: skip
    data = devices // (tensor * pipeline)
    table = training_step(
        gpt(layers, hidden, heads), "A100", Split(data=data, tensor=tensor, pipeline=pipeline),
        sequence=2048, micro_batches=batch // data, recompute="full", network=25e9,
    )  # fmt: skip
    typical = table.value("mfu") * 4 / 3 * table.value("seconds")  # a fourth pass is recomputed
    assert typical / table.value("seconds_high") <= hfu <= typical / table.value("seconds_low")


def test_groups_leave_the_node_when_they_outgrow_it() -> None:
    h100 = accelerator("H100")
    links = step_links(h100, Split(data=2, tensor=8), 50e9, 8)
    assert links["tensor"].bandwidth == 450e9
    assert links["data"].bandwidth == 50e9
    wide = training_step(gpt(24, 2048, 16), "H100", Split(tensor=16), sequence=2048)
    narrow = training_step(gpt(24, 2048, 16), "H100", Split(data=2, tensor=8), sequence=2048)
    assert wide.value("waits") > 3 * narrow.value("waits")
    assert "tensor" in wide.notes[1]


def test_more_micro_batches_shrink_the_bubble() -> None:
    model = gpt(24, 2048, 16)
    mfus = [
        training_step(model, "H100", Split(pipeline=8), sequence=2048, micro_batches=m).value("mfu")
        for m in (1, 8, 64)
    ]
    assert mfus == sorted(mfus)
    assert mfus[0] < mfus[2] / 5

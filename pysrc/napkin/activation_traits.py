"""How the implementation of a family departs from the plain one, as far as memory shows it.

What a layer keeps for its backward pass follows from the operations that compute it, and those
differ between families whose formulas are the same: an RMS norm written in Python keeps a copy in
fp32 where a fused one keeps its input.  These are facts about transformers 5.24.0 under PyTorch
2.13, found by recording what autograd saves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

__all__ = ["ACTIVATIONS", "NORMS", "PLAIN", "TRAITS", "NormCost", "Traits", "traits_of"]

NormName = Literal[
    "rms", "rms_fp32_scale", "rms_one_plus", "layer", "layer_fp32", "layer_one_plus", "cohere", "t5"
]


class NormCost(NamedTuple):
    """Bytes that a norm keeps: per column and token, per row (a mean, a deviation), and once per
    column whatever the tokens."""

    column: int
    row: int
    fixed: int = 0


NORMS: dict[NormName, NormCost] = {
    # Python RMS norm: the input in fp32 (4), the normed values in 16 bits (2), 1/deviation.
    "rms": NormCost(6, 4),
    # The scale multiplies before the cast back: the normed values stay in fp32.
    "rms_fp32_scale": NormCost(8, 4),
    # (1 + scale) in fp32, kept too.
    "rms_one_plus": NormCost(8, 4, 4),
    # PyTorch's fused kernel: its input, mean and deviation.
    "layer": NormCost(2, 8),
    "layer_fp32": NormCost(4, 8),
    "layer_one_plus": NormCost(2, 8, 2),
    "cohere": NormCost(12, 4, 4),
    "t5": NormCost(8, 4),
}

FUSED_NORMS: dict[str, NormCost] = {"rms": NormCost(2, 4), "layer": NormCost(2, 8)}
"""Norms as one kernel each (Apex, Liger, torch.compile): the input and what a row needs."""

ACTIVATIONS: dict[str, int] = {
    "relu": 2,  # its output alone
    "gelu_new": 10,  # written out in Python: five intermediate results
    "gelu_fast": 10,
    "quick_gelu": 6,
    "xielu": 11,
}
"""Bytes per column kept by an activation, output included; 4 (input and output) if not listed."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What sets an implementation apart.  The defaults are Llama's.

    ``norm``, ``qk_norm``: kinds of norm (empty: by the model).  ``scores``: bytes per entry of the
    score matrix under eager attention (fp32 softmax 4 + its 16-bit copy 2; +2 for a soft cap).
    ``fused_qkv``: values are a view that keeps the whole query-key-value product alive.
    ``wide_qk``: queries and keys go to fp32 for the scores.  ``expands``: keys and values are
    stored once per query head.  ``rope``: bytes per rotated dimension of the cosines and sines,
    once for all layers; ``rope_layer``: once in every layer.  ``rotary``: rotated share of a head
    (above 1: dimensions).  ``ids``: bytes of index tensors per token, ``position_ids`` the same
    once for the batch.  ``embedding_norm``: a norm after the embedding.  ``head_columns``: bytes
    per hidden column that the head keeps, ``head_row`` per token.  ``logit_cap``: bytes per
    vocabulary entry kept by a cap on logits.  ``bias_table``: bytes per pair of positions, once
    for the batch; ``mask``: the same for every sequence.
    ``layer_fixed``: bytes once per layer.  ``rope_per_kind``: sliding and full layers have angles
    of their own.  ``dropout_noise``: bytes per hidden column of a dropout after each block that
    stays on.  ``no_kernel``: transformers has eager attention only.  ``fp32_router``: it keeps
    its input in fp32.  ``shared_gate``: a gate scales the shared experts' output.
    ``expert_columns``: bytes per column of an expert's wide side (0: by its activation).
    ``exact``: checked against recordings.
    """

    norm: NormName | Literal[""] = ""
    qk_norm: NormName | Literal[""] = ""
    scores: int = 6
    fused_qkv: bool = False
    wide_qk: bool = False
    expands: bool = False
    rope: int = 4
    rope_layer: int = 0
    rotary: float = 1.0
    ids: int = 8
    position_ids: int = 0
    embedding_norm: bool = False
    head_columns: int = 2
    head_row: int = 0
    logit_cap: int = 0
    bias_table: int = 0
    mask: int = 0
    layer_fixed: int = 0
    rope_per_kind: bool = False
    dropout_noise: int = 0
    no_kernel: bool = False
    fp32_router: bool = False
    shared_gate: bool = False
    expert_columns: int = 0
    exact: bool = True


PLAIN = Traits(exact=False)
"""For families whose recording is missing."""

_GEMMA = Traits(norm="rms_one_plus", qk_norm="rms_one_plus", rope_per_kind=True)
_BERT = Traits(
    scores=2, rope=0, ids=8, position_ids=16, embedding_norm=True, head_columns=8, head_row=8
)
_ROBERTA = Traits(scores=2, rope=0, ids=24, embedding_norm=True, head_columns=8, head_row=8)
_OLMO2 = Traits(norm="rms_fp32_scale", qk_norm="rms_fp32_scale", rope=8, rope_per_kind=True)

TRAITS: dict[str, Traits] = {
    **dict.fromkeys(
        ("llama", "mistral", "qwen2", "qwen3", "granite", "smollm3", "seed_oss", "ministral",
         "hunyuan_v1_dense", "arcee", "starcoder2", "exaone4", "cwm", "internlm3", "iquestcoder",
         "ministral3", "mistral3", "qwen2_vl_text", "qwen2_5_vl_text", "qwen3_vl_text"),
        Traits(),
    ),
    "apertus": Traits(layer_fixed=4),
    "olmo": Traits(norm="layer_fp32", rope=8),
    "olmo2": _OLMO2,
    "olmo3": _OLMO2,
    "gemma": _GEMMA,
    "gemma2": Traits(norm="rms_one_plus", scores=8, logit_cap=2),
    "gemma3_text": _GEMMA,
    "gemma3": _GEMMA,
    "helium": Traits(norm="rms_one_plus", rope=0, rope_layer=4),
    "gpt2": Traits(scores=2, rope=0, ids=8, position_ids=8),
    "gpt-sw3": Traits(scores=2, rope=0, ids=8, position_ids=8),
    "gpt_bigcode": Traits(rope=0, ids=8, position_ids=8),
    "gpt_neo": Traits(rope=0, ids=8, position_ids=8, wide_qk=True, no_kernel=True),
    "gpt_neox": Traits(fused_qkv=True, rotary=0.25),
    "gptj": Traits(wide_qk=True, rope=0, rope_layer=8, rotary=64),
    "opt": Traits(rope=0, ids=16),
    "biogpt": Traits(scores=2, rope=0, position_ids=8),
    "xglm": Traits(rope=0, scores=4, layer_fixed=4, exact=False),
    "bloom": Traits(rope=0, embedding_norm=True, no_kernel=True),
    "mpt": Traits(rope=0, mask=1, no_kernel=True),
    "falcon": Traits(scores=2, layer_fixed=16, expands=True),
    "phi": Traits(rotary=0.5),
    "phi3": Traits(fused_qkv=True),
    "stablelm": Traits(rotary=0.25),
    "persimmon": Traits(fused_qkv=True, rotary=0.5),
    "nemotron": Traits(norm="layer_one_plus", rotary=0.5),
    "cohere": Traits(norm="cohere", qk_norm="cohere"),
    "cohere2": Traits(norm="cohere"),
    "glm": Traits(rope=0, rope_layer=4, rotary=0.5),
    "glm4": Traits(rope=0, rope_layer=4, rotary=0.5),
    "ernie4_5": Traits(rope=0, rope_layer=8),
    "bert": _BERT,
    "distilbert": Traits(
        scores=2, rope=0, position_ids=8, embedding_norm=True, head_columns=8, head_row=8
    ),
    "ernie": _BERT,
    **dict.fromkeys(("roberta", "camembert", "xlm-roberta"), _ROBERTA),
    "electra": Traits(scores=2, rope=0, position_ids=8, embedding_norm=True, exact=False),
    "modernbert": Traits(
        fused_qkv=True, rope_per_kind=True, embedding_norm=True, head_columns=8, head_row=8
    ),
    # Dropout on the scores stays on: softmax 2, noise 2, product 2.
    "t5": Traits(norm="t5", scores=6, rope=0, bias_table=8),
    "bart": Traits(scores=2, rope=0, ids=16, embedding_norm=True, dropout_noise=2),
    "vit": Traits(rope=0, ids=0),
    # Clamps around the activation keep their inputs as well.
    "gpt_oss": Traits(norm="rms_fp32_scale", scores=2, expert_columns=14),
    **dict.fromkeys(("qwen2_moe", "qwen3_next"), Traits(shared_gate=True)),
    **dict.fromkeys(
        ("deepseek_v2", "deepseek_v3", "glm4_moe", "dots1"), Traits(fp32_router=True)
    ),
    **dict.fromkeys(("mixtral", "qwen3_moe", "olmoe", "phimoe", "granitemoe"), Traits()),
}  # fmt: skip
"""Traits by ``model_type``."""


def traits_of(model_type: str) -> Traits:
    """The recorded traits of a family (``Model.family``), else Llama's, marked as not exact.

    >>> traits_of("gpt2").scores, traits_of("unheard_of").exact
    (2, False)
    """
    return TRAITS.get(model_type, PLAIN)

"""Multi-head latent attention (DeepSeek-V2 and V3 and their kin) and DeepSeek-V4.

Queries go through a narrow waist of ``q_lora_rank`` columns, keys and values through one of
``kv_lora_rank``; a few rotary columns go beside it, shared by all heads.
"""

from __future__ import annotations

from dataclasses import replace

from napkin.models.built import Built, context_length
from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.decoders import activation_name
from napkin.models.heads import tie_flag, with_head
from napkin.models.layers import Attention, Experts, Layer, Mlp, Stack
from napkin.models.pieces import experts, linear, mlp, norm

__all__ = ["deepseek", "deepseek_v4", "latent_attention"]


def latent_attention(
    config: Config, hidden: int, bias: bool, *, q_bias: bool = False
) -> tuple[Attention, Counts]:
    """Attention with low-rank queries, keys and values.

    ``bias`` goes to both down-projections and to the output, never to the up-projections.
    """
    heads = config.whole("num_attention_heads")
    nope, rope = config.whole("qk_nope_head_dim", 0), config.whole("qk_rope_head_dim", 0)
    value, rank = config.maybe("v_head_dim"), config.whole("kv_lora_rank")
    if value is None:
        value = config.multiple("hidden_size", "num_attention_heads")
    q_rank = config.maybe("q_lora_rank")
    attention = Attention(
        "mla",
        heads,
        heads,
        nope + rope,
        value,
        bias=bias,
        out_bias=bias,
        q_rank=q_rank,
        kv_rank=rank,
        rope_dim=rope,
    )
    if q_rank is None:
        counts = linear("attention", hidden, attention.q_width, q_bias)
    else:
        counts = linear("attention", hidden, q_rank, bias) + norm("rms", q_rank)
        counts += linear("attention", q_rank, attention.q_width)
    counts += linear("attention", hidden, rank + rope, bias) + norm("rms", rank)
    counts += linear("attention", rank, heads * (nope + value))
    return attention, counts + linear("attention", attention.out_width, hidden, bias)


def deepseek(config: Config, architecture: str) -> Built:
    """DeepSeek-V2, V3 and models of their shape: dense layers first, then experts."""
    hidden, depth = config.whole("hidden_size"), config.depth()
    attention, attended = latent_attention(config, hidden, config.flag("attention_bias"))
    attended += norm("rms", hidden, 2)
    bias = config.model_type in _MLP_BIAS and config.flag("mlp_bias")
    act = activation_name(config)
    kinds = list(zip(_sparse(config, depth), _indexed(config, depth), strict=True))
    made: dict[tuple[bool, bool], Layer] = {}
    for sparse, indexed in kinds:
        if (sparse, indexed) in made:
            continue
        feed: Mlp | None = None
        routed: Experts | None = None
        if sparse:
            routed, counts = _routed(config, hidden, bias, act)
        else:
            width = config.whole("intermediate_size")
            feed, counts = mlp(hidden, width, gated=True, activation=act, bias=bias)
        looking = attention
        if config.model_type in _INDEXED:
            looking = replace(attention, index_topk=config.whole("index_topk"))
        if indexed:
            counts += _indexer(config, hidden)
            # Every key against every head, then the heads weighed against one another.
            wide = config.whole("index_n_heads") * (config.whole("index_head_dim") + 1)
            looking = replace(looking, index_width=wide)
        made[sparse, indexed] = Layer(
            attention=looking, mlp=feed, experts=routed, counts=attended + counts
        )
    layers = tuple(made[kind] for kind in kinds)
    return _finish(config, architecture, hidden, layers, Counts())


# The others build their MLPs without biases, whatever ``mlp_bias`` says.
_MLP_BIAS = ("deepseek_v2", "minicpm3")
# DeepSeek-V3.2 and GLM-5 pick the tokens to attend to by a small attention of its own.
_INDEXED = ("deepseek_v32", "glm_moe_dsa")


def _sparse(config: Config, depth: int) -> list[bool]:
    """Which layers have experts: as listed, else all after the first few."""
    if config.model_type in ("minicpm3", "youtu"):
        return [False] * depth
    listed = config.items("mlp_layer_types", depth)
    if listed is not None:
        for name in listed:
            if name not in ("dense", "sparse"):
                raise config.unknown("mlp_layer_types", name, ["dense", "sparse"])
        return [name == "sparse" for name in listed]
    if config.model_type == "glm4_moe_lite":
        first = 1
    else:
        first = config.maybe("first_k_dense_replace", 0) or 0
    return [index >= first for index in range(depth)]


def _indexed(config: Config, depth: int) -> list[bool]:
    """Which layers have an indexer of their own; the others use an earlier one's choice."""
    if config.model_type not in _INDEXED:
        return [False] * depth
    if config.model_type == "deepseek_v32":
        return [True] * depth
    listed = config.items("indexer_types", depth)
    if listed is not None:
        return [name == "full" for name in listed]
    pattern = config.raw("index_topk_pattern")
    if pattern is not None:
        if len(pattern) != depth:
            raise ValueError(
                f"{config.where}index_topk_pattern has {len(pattern)} entries for {depth} layers: "
                "give one each"
            )
        return [entry in ("F", "full") for entry in pattern]
    step = config.maybe("index_topk_freq", 0) or 1
    offset = config.maybe("index_skip_topk_offset", 0)
    offset = 2 if offset is None else offset
    return [max(index - offset + 1, 0) % step == 0 for index in range(depth)]


def _indexer(config: Config, hidden: int) -> Counts:
    """The small attention that picks which tokens a layer attends to."""
    heads, width = config.whole("index_n_heads"), config.whole("index_head_dim")
    counts = linear("attention", config.whole("q_lora_rank"), heads * width)
    counts += linear("attention", hidden, width) + norm("layer", width)
    return counts + linear("attention", hidden, heads)


def _routed(
    config: Config, hidden: int, bias: bool, act: str, shared: int | None = None
) -> tuple[Experts, Counts]:
    width = config.whole("moe_intermediate_size")
    if shared is None:
        shared = config.maybe("n_shared_experts", 0) or 0
    return experts(
        hidden,
        total=config.whole("n_routed_experts"),
        top_k=config.whole("num_experts_per_tok"),
        width=width,
        activation=act,
        shared=shared,
        shared_width=shared * width,
        shared_bias=bias,
    )


def _finish(
    config: Config, architecture: str, hidden: int, layers: tuple[Layer, ...], extra: Counts
) -> Built:
    vocabulary = config.whole("vocab_size")
    tied = tie_flag(config)
    around = Counts(token_embedding=vocabulary * hidden) + norm("rms", hidden) + extra
    around += with_head(config, architecture, hidden, tied)
    stack = Stack("decoder", hidden, layers, around)
    return Built((stack,), tied, vocabulary, context_length(config))


_COMPRESSION = {
    "sliding_attention": 1,
    "compressed_sparse_attention": 4,
    "heavily_compressed_attention": 128,
}
_OF_RATIO = {
    0: "sliding_attention",
    4: "compressed_sparse_attention",
    128: "heavily_compressed_attention",
}


def _v4_kinds(config: Config, depth: int) -> list[str]:
    listed = config.items("layer_types")
    if listed is None:
        ratios = config.items("compress_ratios")
        if ratios is not None:
            for ratio in ratios:
                if ratio not in _OF_RATIO:
                    raise ValueError(
                        f"compress_ratios has {ratio!r}: each is 0 (window only), 4 or 128"
                    )
            listed = [_OF_RATIO[ratio] for ratio in ratios]
        else:
            heavy, sparse = "heavily_compressed_attention", "compressed_sparse_attention"
            listed = [heavy] * min(depth, 2)
            listed += [sparse if index % 2 else heavy for index in range(max(depth - 2, 0))]
    if len(listed) < depth:
        raise ValueError(
            f"layer_types lists {len(listed)} layers but num_hidden_layers is {depth}: list one "
            "kind for each layer"
        )
    for name in listed[:depth]:
        if name not in _COMPRESSION:
            raise config.unknown("layer_types", name, list(_COMPRESSION))
    return listed[:depth]


def _v4_attention(config: Config, hidden: int, kind: str) -> tuple[Attention, Counts]:
    """One key-value head, a window, and a store of compressed older tokens."""
    heads, width = config.whole("num_attention_heads"), config.whole("head_dim")
    q_rank, out_rank = config.whole("q_lora_rank"), config.whole("o_lora_rank")
    groups = config.whole("o_groups")
    if heads * width % groups:
        raise ValueError(
            f"{config.where}o_groups {groups} does not divide num_attention_heads × head_dim = "
            f"{heads * width}: change one of them"
        )
    stated = config.given("qk_rope_head_dim") or config.given("rope_parameters")
    if width < 8 and not stated:
        raise ValueError(
            f"{config.where}head_dim is {width}: an eighth of it turns with the position, which "
            "leaves no column; it must be at least 8"
        )
    rates = config.raw("compress_rates")
    ratio = _COMPRESSION[kind]
    if isinstance(rates, dict) and kind in rates:
        ratio = rates[kind]
    attention = Attention(
        "sliding" if ratio == 1 else "compressed",
        heads,
        1,
        width,
        width,
        window=config.maybe("sliding_window"),
        q_rank=q_rank,
        compression=ratio,
        keys_are_values=True,
    )
    counts = Counts(other=heads)
    counts += linear("attention", hidden, q_rank) + norm("rms", q_rank)
    counts += linear("attention", q_rank, heads * width)
    counts += linear("attention", hidden, width) + norm("rms", width)
    # The output goes through ``groups`` blocks, each from its share of the heads to ``out_rank``.
    counts += Counts(attention=heads * width * out_rank)
    counts += linear("attention", groups * out_rank, hidden)
    if kind == "heavily_compressed_attention":
        counts += linear("attention", hidden, 2 * width) + norm("rms", width)
        counts += Counts(bias=ratio * width)
    elif kind == "compressed_sparse_attention":
        index_heads, index_width = config.whole("index_n_heads"), config.whole("index_head_dim")
        counts += linear("attention", hidden, 4 * width) + norm("rms", width)
        counts += Counts(bias=ratio * 2 * width)
        counts += linear("attention", hidden, 4 * index_width) + norm("rms", index_width)
        counts += Counts(bias=ratio * 2 * index_width)
        counts += linear("attention", q_rank, index_heads * index_width)
        counts += linear("attention", hidden, index_heads)
        attention = replace(
            attention,
            index_width=index_heads * index_width,
            index_topk=config.whole("index_topk"),
        )
    return attention, counts


def deepseek_v4(config: Config, architecture: str) -> Built:
    """DeepSeek-V4: compressed attention, and ``hc_mult`` residual streams mixed around parts."""
    hidden, depth = config.whole("hidden_size"), config.depth()
    streams = config.whole("hc_mult")
    mixed = streams * (streams + 2)
    mixing = Counts(attention=2 * mixed * streams * hidden, other=2 * (mixed + 3))
    # However many shared experts the configuration names, the model builds one.
    bias, act = config.flag("mlp_bias"), activation_name(config)
    routed, fed = _routed(config, hidden, bias, act, shared=1)
    made: dict[str, Layer] = {}
    kinds = _v4_kinds(config, depth)
    for kind in kinds:
        if kind not in made:
            attention, counts = _v4_attention(config, hidden, kind)
            counts += fed + norm("rms", hidden, 2) + mixing
            # Around attention and experts alike, the streams are mixed with one another.
            made[kind] = Layer(
                attention=attention,
                experts=routed,
                counts=counts,
                mixing=2 * streams * streams * hidden,
            )
    layers = tuple(made[kind] for kind in kinds)
    top = Counts(projector=streams * streams * hidden, other=streams + 1)
    return _finish(config, architecture, hidden, layers, top)

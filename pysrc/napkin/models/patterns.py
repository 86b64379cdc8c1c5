"""Which layers slide, which have experts: the patterns that families follow."""

from __future__ import annotations

from collections.abc import Callable

from napkin.models.config import Config
from napkin.models.pieces import kv_heads, layer_kinds

__all__ = [
    "after_dense",
    "after_dense_layers",
    "ernie_sparse",
    "falcon_groups",
    "falcon_norms",
    "llama4_kinds",
    "llama4_sparse",
    "neo_kinds",
    "one_full_in",
    "qwen_kinds",
    "qwen_moe_kinds",
    "qwen_sparse",
    "shared_like_routed",
    "shared_of_width",
    "smol_kinds",
    "windowed",
]


def windowed(config: Config, layers: int) -> list[str]:
    """Every layer sliding where a window is set, as in Mistral."""
    kind = "full" if config.maybe("sliding_window") is None else "sliding"
    return layer_kinds(config, layers, lambda index: kind)


def one_full_in(
    every: int, *names: str, needs_window: bool = False
) -> Callable[[Config, int], list[str]]:
    """Sliding layers with a full one at each multiple of ``every``, which ``names`` may change."""

    def kinds(config: Config, layers: int) -> list[str]:
        step = next((config.whole(name) for name in names if config.given(name)), every)
        if needs_window and config.maybe("sliding_window") is None:
            return layer_kinds(config, layers, lambda index: "full")
        return layer_kinds(
            config, layers, lambda index: "sliding" if (index + 1) % step else "full"
        )

    return kinds


def qwen_kinds(config: Config, layers: int) -> list[str]:
    """Sliding from layer ``max_window_layers`` on, where switched on."""
    on = config.flag("use_sliding_window") and config.maybe("sliding_window") is not None
    first = config.maybe("max_window_layers", 0) or 0
    return layer_kinds(config, layers, lambda index: "sliding" if on and index >= first else "full")


def qwen_moe_kinds(config: Config, layers: int) -> list[str]:
    """Every other layer sliding below ``max_window_layers``, where switched on."""
    on = config.flag("use_sliding_window") and config.maybe("sliding_window", 0) is not None
    last = config.maybe("max_window_layers", 0) or 0
    return layer_kinds(
        config,
        layers,
        lambda index: "sliding" if on and (index + 1) % 2 and index < last else "full",
    )


def neo_kinds(config: Config, layers: int) -> list[str]:
    """GPT-Neo's ``attention_types``: [[kinds in turn, how often], ...]."""
    listed = config.items("attention_types")
    if listed is None:
        return ["full" if index % 2 == 0 else "sliding" for index in range(layers)]
    kinds: list[str] = []
    for entry in listed:
        if not isinstance(entry, (list, tuple)) or len(entry) != 2 or type(entry[1]) is not int:
            raise ValueError(f"attention_types has {entry!r}: write [['global', 'local'], 12]")
        kinds += list(entry[0]) * entry[1]
    if len(kinds) != layers:
        raise ValueError(
            f"attention_types describes {len(kinds)} layers but num_layers is {layers}: make them "
            "equal"
        )
    return ["full" if kind == "global" else "sliding" for kind in kinds]


def llama4_kinds(config: Config, layers: int) -> list[str]:
    """Chunked attention but in every fourth layer, which has no rotary positions."""
    if config.maybe("attention_chunk_size") is None:
        return layer_kinds(config, layers, lambda index: "full")
    listed = config.items("no_rope_layers")
    if listed:
        listed = config.items("no_rope_layers", layers)
    step = config.whole("no_rope_layer_interval")
    rope = listed or [int((index + 1) % step != 0) for index in range(layers)]
    return layer_kinds(config, layers, lambda index: "chunked" if rope[index] else "full")


def smol_kinds(config: Config, layers: int) -> list[str]:
    """Sliding where a layer has no rotary positions and windows are on."""
    on = config.flag("use_sliding_window") and config.maybe("sliding_window") is not None
    step = config.maybe("no_rope_layer_interval") or 4
    rope = config.items("no_rope_layers", layers)
    return layer_kinds(
        config,
        layers,
        lambda index: (
            "sliding" if on and not (rope[index] if rope else (index + 1) % step != 0) else "full"
        ),
    )


def qwen_sparse(config: Config, index: int) -> bool:
    """Sparse at every ``decoder_sparse_step``-th layer but those listed as dense."""
    dense = config.items("mlp_only_layers") or []
    step = config.whole("decoder_sparse_step")
    return index not in dense and config.whole("num_experts", 0) > 0 and (index + 1) % step == 0


def after_dense(config: Config, index: int) -> bool:
    """As listed in ``mlp_layer_types``, else dense for the first ``first_k_dense_replace``."""
    listed = config.items("mlp_layer_types", config.depth())
    if listed is not None:
        return bool(listed[index] == "sparse")
    return index >= config.whole("first_k_dense_replace", 0)


def after_dense_layers(config: Config, index: int) -> bool:
    """Dense for the first ``num_dense_layers`` layers, sparse after."""
    return index >= config.whole("num_dense_layers", 0)


def llama4_sparse(config: Config, index: int) -> bool:
    """Sparse where listed, else at every ``interleave_moe_layer_step``-th layer."""
    listed = config.items("moe_layers")
    if listed is not None:
        return index in listed
    return (index + 1) % config.whole("interleave_moe_layer_step") == 0


def ernie_sparse(config: Config, index: int) -> bool:
    """Sparse at an interval between a first and a last layer."""
    first = config.whole("moe_layer_start_index", 0)
    last = config.whole("moe_layer_end_index", -1)
    last = config.depth() - 1 if last == -1 else last
    return first <= index <= last and (index + 1) % config.whole("moe_layer_interval") == 0


def shared_like_routed(number: str) -> Callable[[Config], tuple[int, int]]:
    """``number`` shared experts as wide as the routed ones."""

    def shared(config: Config) -> tuple[int, int]:
        count = config.maybe(number, 0) or 0
        return count, count * config.whole("moe_intermediate_size")

    return shared


def shared_of_width(key: str) -> Callable[[Config], tuple[int, int]]:
    """One shared expert of its own width."""
    return lambda config: (1, config.maybe(key, 0) or 0)


def falcon_groups(config: Config) -> int:
    """Falcon: grouped in the new architecture, else one group or one per head."""
    if config.flag("new_decoder_architecture"):
        return kv_heads(config, "num_kv_heads")
    return 1 if config.flag("multi_query") else config.whole("num_attention_heads")


def falcon_norms(config: Config) -> int:
    """Falcon: two norms unless attention and MLP share one."""
    if not config.flag("parallel_attn"):
        return 2
    number = config.maybe("num_ln_in_parallel_attn")
    if number is None:
        return 2 if config.flag("new_decoder_architecture") else 1
    return 2 if number == 2 else 1

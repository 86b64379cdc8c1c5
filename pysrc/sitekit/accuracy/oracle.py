"""Counts against PyTorch itself: models built from their configurations, products counted, saved
tensors and caches weighed."""

from __future__ import annotations

from collections.abc import Callable

from napkin.activations import saved_activations
from napkin.flops import backward_flops, forward_flops
from napkin.kv import kv_cache_bytes
from napkin.models import Model
from sitekit.accuracy.comparison import Comparison, Family
from sitekit.accuracy.published import model_named, rows_of

__all__ = [
    "activations_family",
    "caches_family",
    "flops_family",
    "parameters_family",
]

BUILT = "transformers 5.24.0 on PyTorch's meta device"
COUNTED = "PyTorch FlopCounterMode, transformers 5.24.0, batch 1, sequence 1,024"
SAVED = "PyTorch saved-tensor hooks, transformers 5.24.0, bf16, batch 1, sequence 1,024"
CACHED = "transformers 5.24.0, past_key_values after 256 and 512 tokens, bf16"


def parameters_family() -> Family:
    """Every parameter of every configuration, and of what kind it is."""
    family = Family(
        "parameters", "Parameters", "exact, every one",
        "Totals, and parameters that one token uses, of models built from their configurations: "
        "dense, mixtures of experts, latent attention, encoders, vision, speech, recurrent and "
        "hybrid.",
    )  # fmt: skip
    counts: dict[str, Callable[[Model], int]] = {
        "params_total": lambda model: model.total,
        "params_active": lambda model: model.active,
    }
    for row in rows_of("exact_params"):
        model = model_named(row["name"])
        assert model is not None
        for column, count in counts.items():
            if row[column]:
                case = f"{row['name']}, {column.removeprefix('params_')}"
                family.rows.append(
                    Comparison(case, float(row[column]), float(count(model)), "parameters", BUILT,
                               "read")
                )  # fmt: skip
    return family


def _oracle(
    family: Family, columns: dict[str, Callable[[Model, int], float]], unit: str, source: str,
    why: dict[str, str],
) -> Family:  # fmt: skip
    for row in rows_of("flops_activation_kv_oracle"):
        model = model_named(row["name"])
        assert model is not None
        for column, predicted in columns.items():
            if not row[column]:
                continue
            published = float(row[column])
            if not published:
                continue
            family.rows.append(
                Comparison(f"{row['name']}, {_words(column)}", published,
                           float(predicted(model, int(row["seq"]))), unit, source, "read",
                           why=why.get(row["name"], ""))
            )  # fmt: skip
    return family


def _words(column: str) -> str:
    return (
        column.replace("memeff", "memory-efficient").replace("fwd_bwd", "forward and backward")
        .replace("fwd", "forward").replace("saved_activation_bytes", "activations")
        .replace("hf_cache_bytes_s", "").replace("_", " ")
    )  # fmt: skip


def _both(model: Model, seq: int) -> float:
    return float(
        forward_flops(model, seq).value("total") + backward_flops(model, seq).value("total")
    )


def flops_family() -> Family:
    """Forward and backward products under eager attention."""
    return _oracle(
        Family(
            "flops", "FLOP of a forward and a backward pass", "within 0.02% in every row",
            "Counted by PyTorch on the same configuration. Mixtures of experts and scans depend "
            "on the data and are not in the count.",
            tolerance=0.0002,
        ),
        {
            "eager_fwd_flops": lambda model, seq: float(forward_flops(model, seq).value("total")),
            "eager_fwd_bwd_flops": _both,
        },
        "FLOP", COUNTED, {},
    )  # fmt: skip


def activations_family() -> Family:
    """Bytes that autograd keeps."""
    return _oracle(
        Family(
            "activations", "Activations kept for the backward pass",
            "within 0.01% in every row",
            "Tensors that autograd saves, each storage once, with eager and with memory-efficient "
            "attention.",
            tolerance=0.0001,
        ),
        {
            "eager_saved_activation_bytes": lambda model, seq: float(
                saved_activations(model, seq, implementation="eager").value("total")
            ),
            "memeff_saved_activation_bytes": lambda model, seq: float(
                saved_activations(model, seq).value("total")
            ),
        },
        "B", SAVED, {},
    )  # fmt: skip


def caches_family() -> Family:
    """Bytes of the caches that transformers builds."""

    def cache(tokens: int) -> Callable[[Model, int], float]:
        return lambda model, _: float(
            kv_cache_bytes(model, tokens, engine="transformers", encoder_tokens=tokens)
            if model.stack("audio") is None
            else kv_cache_bytes(model, tokens, engine="transformers")
        )

    return _oracle(
        Family(
            "caches", "Caches that transformers builds", "exact, every one",
            "Keys, values, latents, recurrent states and counters after 256 and 512 tokens.",
        ),
        {"hf_cache_bytes_s256": cache(256), "hf_cache_bytes_s512": cache(512)},
        "B", CACHED, {},
    )  # fmt: skip

"""Bytes of a model's weights in any format: plain, quantised by blocks, or a gguf mix.

A plain format (``bf16``, ``fp8``, ``int8`` …) is given to every parameter.  A block format
(``nf4``, ``awq``, ``mxfp4`` …) covers the matrices inside the layers; embeddings, output head,
router, norms and biases stay in ``rest``.  A gguf mix (``Q4_K_M``) goes by tensor: ``napkin.gguf``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from napkin.gguf import gguf_size
from napkin.gguf_mix import MIXES, mix_named
from napkin.lookup import model_of
from napkin.models.model import Model
from napkin.printing import format_bytes, format_count
from napkin.table import Row, Table
from napkin.weight_formats import BLOCK_FORMATS, weight_format_named

__all__ = ["weights_bytes", "weights_table"]

Scope = Literal["auto", "all", "linear", "experts"]

_LINEAR = ("attention", "recurrent", "mlp", "experts", "shared_experts")


def weights_table(
    model: Model | str, form: str = "bf16", rest: str = "bf16", scope: Scope = "auto"
) -> Table:
    """Bytes of the weights of ``model``, by what is quantised and what is not.

    ``scope`` says what ``form`` covers: ``all`` parameters, the ``linear`` layers, or the routed
    ``experts`` only (gpt-oss in mxfp4); ``auto`` is all for plain formats, linear for block ones.

    >>> from napkin.models import from_config
    >>> weights_table(from_config({"model_type": "gpt2"}), "fp16").value("total")
    248879616
    """
    model = model_of(model)
    return _weights_table(model, str(form), str(rest), str(scope))


# Searches and speeds ask for the same weights many times.
@lru_cache(maxsize=256)
def _weights_table(model: Model, form: str, rest: str, scope: str) -> Table:
    if scope not in ("auto", "all", "linear", "experts"):
        raise ValueError(f"scope {scope!r} is not known: use auto, all, linear or experts")
    if _is_gguf_mix(form):
        return gguf_size(model, form)
    weight, kept = weight_format_named(form), weight_format_named(rest)
    if scope == "auto":
        scope = "linear" if weight.name in BLOCK_FORMATS and weight.block > 1 else "all"
    if scope == "experts" and not model.counts.experts:
        raise ValueError(f"{model.name} has no experts: use scope 'linear' or 'all'")
    covered = {
        "all": model.total,
        "linear": sum(getattr(model.counts, part) for part in _LINEAR),
        "experts": model.counts.experts,
    }[scope]
    label = {"all": "All weights", "linear": "Matrices in the layers", "experts": "Experts"}[scope]
    size = weight.bytes_for(covered)
    rows = [
        Row(
            "quantised" if scope != "all" else "weights",
            label,
            size,
            "B",
            f"{format_count(covered)} × {weight.bits / 8:.4g} B ({weight.name}) = "
            f"{format_bytes(size)}",
            weight.source,
        )
    ]
    if covered < model.total:
        left = model.total - covered
        bytes_left = kept.bytes_for(left)
        rows.append(
            Row(
                "rest",
                "Embeddings, head, norms, biases",
                bytes_left,
                "B",
                f"{format_count(left)} × {kept.bits / 8:.4g} B ({kept.name}) = "
                f"{format_bytes(bytes_left)}",
                "left unquantised",
            )
        )
    return Table.of(f"{model.name} weights in {form}", rows, total="Weights")


def weights_bytes(
    model: Model | str, form: str = "bf16", rest: str = "bf16", scope: Scope = "auto"
) -> int:
    """The total of ``weights_table``."""
    return int(weights_table(model, form, rest, scope).value("total"))


def _is_gguf_mix(form: str) -> bool:
    try:
        mix = mix_named(form)
    except ValueError:
        return False
    # bf16, fp16, fp32 and mxfp4 are general formats first, gguf types second.
    return mix in MIXES and str(form).strip().lower() not in (
        "f32", "fp32", "f16", "fp16", "bf16", "mxfp4"
    )  # fmt: skip

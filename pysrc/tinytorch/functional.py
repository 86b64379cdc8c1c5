"""Functions of neural networks, each with its gradient: `tinytorch.nn.functional`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytorch.tensor import Array, Tensor

__all__ = ["cross_entropy", "embedding", "gelu", "layer_norm", "scaled_dot_product_attention",
           "softmax"]  # fmt: skip

_GELU = 0.7978845608028654  # √(2/π)


def softmax(x: Tensor) -> Tensor:
    """e^x along the last axis, divided by its sum."""
    shifted = np.exp(x.data - x.data.max(-1, keepdims=True))
    y = shifted / shifted.sum(-1, keepdims=True)
    return Tensor(y, (x,), lambda g: x.collect(y * (g - (g * y).sum(-1, keepdims=True))))


def gelu(x: Tensor) -> Tensor:
    """The smooth step of GPTs, in its tanh form."""
    inner = np.tanh(_GELU * (x.data + 0.044715 * x.data**3))

    def back(g: Array) -> None:
        slope = _GELU * (1 + 3 * 0.044715 * x.data**2)
        x.collect(g * (0.5 * (1 + inner) + 0.5 * x.data * (1 - inner**2) * slope))

    return Tensor(0.5 * x.data * (1 + inner), (x,), back)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float = 1e-5) -> Tensor:
    """Mean 0 and variance 1 along the last axis, then scaled and shifted."""
    centred = x.data - x.data.mean(-1, keepdims=True)
    scale = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + eps)
    y = centred * scale

    def back(g: Array) -> None:
        weight.collect(g * y)
        bias.collect(g)
        inner = g * weight.data
        mean, along = inner.mean(-1, keepdims=True), (inner * y).mean(-1, keepdims=True)
        x.collect(scale * (inner - mean - y * along))

    return Tensor(y * weight.data + bias.data, (x, weight, bias), back)


def embedding(indices: Any, weight: Tensor) -> Tensor:
    """The rows of `weight` that `indices` name."""
    rows = np.asarray(indices)

    def back(g: Array) -> None:
        gradient = np.zeros_like(weight.data)
        np.add.at(gradient, rows, g)
        weight.collect(gradient)

    return Tensor(weight.data[rows], (weight,), back)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, is_causal: bool = False
) -> Tensor:
    """softmax(q·kᵀ/√d)·v; causal: no token sees a later one."""
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if is_causal:
        tokens = scores.shape[-1]
        scores = scores + Tensor(np.triu(np.full((tokens, tokens), -1e9), 1))
    return softmax(scores) @ value


def cross_entropy(logits: Tensor, targets: Any) -> Tensor:
    """Mean of -log(probability of the target), in nats."""
    rows = np.arange(logits.shape[0])
    right = np.asarray(targets)
    shifted = logits.data - logits.data.max(-1, keepdims=True)
    logarithm = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))

    def back(g: Array) -> None:
        gradient = np.exp(logarithm)
        gradient[rows, right] -= 1
        logits.collect(g * gradient / len(rows))

    return Tensor(-logarithm[rows, right].mean(), (logits,), back)

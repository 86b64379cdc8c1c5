"""Layers: modules that hold parameters, as in `torch.nn`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytorch import functional
from tinytorch.tensor import Tensor, randn

__all__ = ["Embedding", "LayerNorm", "Linear", "Module", "functional"]


class Module:
    """Something with parameters that can be called."""

    def parameters(self) -> Iterator[Tensor]:
        """Every parameter once, those of modules within included."""
        seen: set[int] = set()
        for parameter in self._all():
            if id(parameter) not in seen:
                seen.add(id(parameter))
                yield parameter

    def _all(self) -> Iterator[Tensor]:
        for value in vars(self).values():
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, Module):
                    yield from part._all()
                elif isinstance(part, Tensor) and part.requires_grad:
                    yield part

    def forward(self, *inputs: Any) -> Any:
        raise NotImplementedError

    def __call__(self, *inputs: Any) -> Any:
        return self.forward(*inputs)


class Linear(Module):
    """y = x·Wᵀ + b, with W of shape (out, in) as PyTorch keeps it.

    >>> sum(p.numel() for p in Linear(4, 3).parameters())
    15
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        self.weight = randn(out_features, in_features, requires_grad=True)
        self.weight.data *= in_features**-0.5
        self.bias = Tensor(np.zeros(out_features), requires_grad=True) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        flat = x.reshape(-1, x.shape[-1])  # one product, however many axes
        y = (flat @ self.weight.transpose(0, 1)).reshape(*x.shape[:-1], self.weight.shape[0])
        return y if self.bias is None else y + self.bias


class Embedding(Module):
    """A table of vectors, looked up by index."""

    def __init__(self, num_embeddings: int, embedding_dim: int) -> None:
        self.weight = randn(num_embeddings, embedding_dim, requires_grad=True)
        self.weight.data *= 0.02

    def forward(self, indices: Any) -> Tensor:
        return functional.embedding(indices, self.weight)


class LayerNorm(Module):
    """Mean 0 and variance 1 for each token, then scaled and shifted."""

    def __init__(self, size: int) -> None:
        self.weight = Tensor(np.ones(size), requires_grad=True)
        self.bias = Tensor(np.zeros(size), requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        return functional.layer_norm(x, self.weight, self.bias)

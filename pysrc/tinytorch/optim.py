"""Optimisers: how gradients change parameters, as in `torch.optim`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tinytorch.tensor import Tensor

__all__ = ["SGD", "AdamW"]


class SGD:
    """w ← w - lr · gradient."""

    def __init__(self, params: Iterable[Tensor], lr: float = 1e-3) -> None:
        self.params, self.lr = list(params), lr

    def step(self) -> None:
        """Change every parameter that has a gradient."""
        for p in self.params:
            if p.grad is not None:
                p.data -= self.lr * p.grad

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for p in self.params:
            p.grad = None


class AdamW(SGD):
    """Adam with decoupled weight decay; two moments for each parameter (Loshchilov and Hutter).

    >>> w = Tensor([1.0], requires_grad=True)
    >>> optimizer = AdamW([w], lr=0.1, weight_decay=0)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> round(float(w.data[0]), 4)
    0.9
    """

    def __init__(
        self,
        params: Iterable[Tensor],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(params, lr)
        self.betas, self.eps, self.weight_decay, self.steps = betas, eps, weight_decay, 0
        self.moments = [(np.zeros_like(p.data), np.zeros_like(p.data)) for p in self.params]

    def step(self) -> None:
        self.steps += 1
        b1, b2 = self.betas
        for p, (m, v) in zip(self.params, self.moments, strict=True):
            if p.grad is None:
                continue
            m += (1 - b1) * (p.grad - m)
            v += (1 - b2) * (p.grad**2 - v)
            p.data *= 1 - self.lr * self.weight_decay
            corrected = np.sqrt(v / (1 - b2**self.steps)) + self.eps
            p.data -= self.lr * (m / (1 - b1**self.steps)) / corrected

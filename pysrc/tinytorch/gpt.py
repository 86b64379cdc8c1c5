"""A small GPT on this package, as one would write it in PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytorch import nn
from tinytorch.nn import functional as F  # noqa: N812  (as in PyTorch)
from tinytorch.tensor import Tensor

__all__ = ["GPT", "Block"]


class Block(nn.Module):
    """Attention, then an MLP four times as wide, each added to what came in."""

    def __init__(self, width: int, heads: int) -> None:
        self.heads, self.width = heads, width
        self.norm_1, self.norm_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        batch, tokens, _ = x.shape
        normed = self.norm_1(x)
        q, k, v = (
            part(normed).reshape(batch, tokens, self.heads, -1).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, tokens, self.width))
        mlp: Tensor = self.down(F.gelu(self.up(self.norm_2(x))))
        return x + mlp


class GPT(nn.Module):
    """Logits of the next token: token and position tables, blocks, the token table again.

    >>> model = GPT(layers=1, width=8, heads=2, context=4, words=10)
    >>> sum(p.numel() for p in model.parameters())
    1000
    >>> model(np.zeros((3, 4), dtype=int)).shape
    (12, 10)
    """

    def __init__(self, layers: int, width: int, heads: int, context: int, words: int) -> None:
        if width % heads:
            raise ValueError(f"width {width} is not a multiple of {heads} heads")
        self.tokens, self.positions = nn.Embedding(words, width), nn.Embedding(context, width)
        self.blocks = [Block(width, heads) for _ in range(layers)]
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: Any) -> Tensor:
        x = self.tokens(tokens) + self.positions(np.arange(np.asarray(tokens).shape[1]))
        for block in self.blocks:
            x = block(x)
        flat: Tensor = self.norm(x).reshape(-1, x.shape[-1])
        return flat @ self.tokens.weight.transpose(0, 1)

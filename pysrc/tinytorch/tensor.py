"""Tensors that remember how they were made, so that gradients can be worked out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytorch.counter import count_product

__all__ = ["Tensor", "manual_seed", "product", "randint", "randn", "tensor"]

Array = np.ndarray[Any, Any]
_random = np.random.default_rng(0)


def manual_seed(seed: int) -> None:
    """Start the random numbers anew."""
    global _random
    _random = np.random.default_rng(seed)


def product(a: Array, b: Array) -> Array:
    """The matrix product, counted; stacks of matrices multiply one by one.

    NumPy without BLAS, as in a browser, is many times faster when both are read along their rows.
    """
    rows, inner, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    batch = math.prod(np.broadcast_shapes(a.shape[:-2], b.shape[:-2]))
    count_product(rows, inner, columns, batch)
    by_rows: Array = np.ascontiguousarray(b.swapaxes(-1, -2)).swapaxes(-1, -2)
    result: Array = np.matmul(a, by_rows)
    return result


class Tensor:
    """An array of float32 numbers, and how it came about.

    `grad` is None until `backward` has passed through.
    """

    def __init__(
        self,
        data: Any,
        parents: tuple[Tensor, ...] = (),
        back: Callable[[Array], None] | None = None,
        requires_grad: bool = False,
    ) -> None:
        self.data: Array = np.asarray(data, dtype=np.float32)
        self.requires_grad: bool = requires_grad or any(p.requires_grad for p in parents)
        self.grad: Array | None = None
        self._parents = parents if self.requires_grad else ()
        self._back = back

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.data.shape)

    def numel(self) -> int:
        """How many numbers it holds."""
        return int(self.data.size)

    def item(self) -> float:
        """Its only number."""
        return float(self.data)

    def tolist(self) -> Any:
        """Nested lists of numbers."""
        return self.data.tolist()

    def __repr__(self) -> str:
        return f"tensor({np.array2string(self.data, precision=4, separator=', ')})"

    def collect(self, gradient: Array) -> None:
        """Add a gradient, summed over what was broadcast."""
        if not self.requires_grad:
            return
        while gradient.ndim > self.data.ndim:
            gradient = gradient.sum(0)
        for axis, size in enumerate(self.data.shape):
            if size == 1 and gradient.shape[axis] != 1:
                gradient = gradient.sum(axis, keepdims=True)
        self.grad = gradient.copy() if self.grad is None else self.grad + gradient

    def backward(self) -> None:
        """Gradients of this one number with respect to all that it was made from."""
        if self.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        order: list[Tensor] = []
        seen: set[int] = set()
        stack: list[tuple[Tensor, bool]] = [(self, False)]
        while stack:  # no recursion: a browser's stack is small
            node, done = stack.pop()
            if done:
                order.append(node)
            elif id(node) not in seen:
                seen.add(id(node))
                stack.append((node, True))
                stack.extend((parent, False) for parent in node._parents)
        self.grad = np.ones_like(self.data)
        for node in reversed(order):
            if node._back is not None and node.grad is not None:
                node._back(node.grad)
                node.grad = None if node._parents else node.grad

    def __add__(self, other: Tensor | float) -> Tensor:
        b = _as_tensor(other)

        def back(g: Array) -> None:
            self.collect(g)
            b.collect(g)

        return Tensor(self.data + b.data, (self, b), back)

    def __mul__(self, other: Tensor | float) -> Tensor:
        b = _as_tensor(other)

        def back(g: Array) -> None:
            self.collect(g * b.data)
            b.collect(g * self.data)

        return Tensor(self.data * b.data, (self, b), back)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Tensor:
        return self * -1.0

    def __sub__(self, other: Tensor | float) -> Tensor:
        return self + _as_tensor(other) * -1.0

    def __truediv__(self, other: float) -> Tensor:
        return self * (1.0 / other)

    def __matmul__(self, other: Tensor) -> Tensor:
        if self.shape[-1] != other.shape[-2]:
            raise RuntimeError(
                f"mat1 and mat2 shapes cannot be multiplied ({self.shape} and {other.shape})"
            )

        def back(g: Array) -> None:
            if self.requires_grad:
                self.collect(product(g, other.data.swapaxes(-1, -2)))
            if other.requires_grad:
                other.collect(product(self.data.swapaxes(-1, -2), g))

        return Tensor(product(self.data, other.data), (self, other), back)

    def transpose(self, first: int, second: int) -> Tensor:
        """Two axes exchanged."""
        return Tensor(
            self.data.swapaxes(first, second),
            (self,),
            lambda g: self.collect(g.swapaxes(first, second)),
        )

    def reshape(self, *shape: int) -> Tensor:
        """The same numbers in another shape."""
        return Tensor(
            self.data.reshape(shape), (self,), lambda g: self.collect(g.reshape(self.shape))
        )

    view = reshape

    def sum(self) -> Tensor:
        """All numbers added up."""
        return Tensor(
            self.data.sum(), (self,), lambda g: self.collect(np.broadcast_to(g, self.shape))
        )

    def mean(self) -> Tensor:
        """The mean of all numbers."""
        return self.sum() / self.numel()


def _as_tensor(value: Tensor | float) -> Tensor:
    return value if isinstance(value, Tensor) else Tensor(value)


def tensor(data: Any, requires_grad: bool = False) -> Tensor:
    """A tensor of given numbers.

    >>> tensor([1.0, 2.0]).sum().item()
    3.0
    """
    return Tensor(data, requires_grad=requires_grad)


def randn(*shape: int, requires_grad: bool = False) -> Tensor:
    """Random numbers of mean 0 and variance 1."""
    return Tensor(_random.standard_normal(shape, dtype=np.float32), requires_grad=requires_grad)


def randint(high: int, shape: tuple[int, ...]) -> Array:
    """Random whole numbers from 0 to below `high`, as an array of indices."""
    return _random.integers(0, high, shape)

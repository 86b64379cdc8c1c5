"""Counts the FLOP of matrix products while they run, as PyTorch's FlopCounterMode does."""

from __future__ import annotations

from types import TracebackType

__all__ = ["FlopCounterMode", "count_product"]

_active: list[FlopCounterMode] = []


class FlopCounterMode:
    """Within `with`, adds up 2·m·k·n for every product, forward and backward.

    >>> import tinytorch as torch
    >>> with FlopCounterMode() as counter:
    ...     _ = torch.randn(2, 3) @ torch.randn(3, 4)
    >>> counter.get_total_flops()
    48
    """

    def __init__(self) -> None:
        self._flops = 0

    def get_total_flops(self) -> int:
        """FLOP of the products so far."""
        return self._flops

    def __enter__(self) -> FlopCounterMode:
        _active.append(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _active.remove(self)

    def add(self, flops: int) -> None:
        """Count that many."""
        self._flops += flops


def count_product(rows: int, inner: int, columns: int, batch: int = 1) -> None:
    """Tell every active counter of `batch` products of (rows × inner)·(inner × columns)."""
    for counter in _active:
        counter.add(2 * batch * rows * inner * columns)

"""A small PyTorch look-alike on NumPy, so that training runs where PyTorch cannot: in the page.

The names are PyTorch's.  What is here works as there, on the CPU and in float32; what is not here
raises AttributeError, as a misspelled name would.

>>> import tinytorch as torch
>>> w = torch.tensor([[1.0, 2.0]], requires_grad=True)
>>> (w @ torch.tensor([[3.0], [4.0]])).sum().backward()
>>> w.grad.tolist()
[[3.0, 4.0]]
"""

from tinytorch import nn, optim
from tinytorch.counter import FlopCounterMode
from tinytorch.tensor import Tensor, manual_seed, randint, randn, tensor

__all__ = [
    "FlopCounterMode",
    "Tensor",
    "manual_seed",
    "nn",
    "optim",
    "randint",
    "randn",
    "tensor",
]

"""The small look-alike: its gradients are slopes, its counts are the rule's, its losses fall."""

from collections.abc import Callable

import numpy as np
import pytest

import tinytorch as torch
from napkin.flops import training_flops
from napkin.models import from_config
from tinytorch.gpt import GPT
from tinytorch.nn import functional as F  # noqa: N812  (as in PyTorch)

FUNCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "add, broadcast": lambda x: x + torch.tensor(np.arange(4.0)),
    "multiply": lambda x: x * x,
    "matmul": lambda x: x @ torch.tensor(np.arange(12.0).reshape(4, 3)),
    "matmul from the right": lambda x: torch.tensor(np.ones((2, 3))) @ x,
    "transpose": lambda x: x.transpose(0, 1) * torch.tensor(np.arange(3.0)),
    "reshape": lambda x: x.reshape(2, 6) * torch.tensor(np.arange(6.0)),
    "softmax": lambda x: F.softmax(x) * torch.tensor(np.arange(4.0)),
    "gelu": F.gelu,
    "layer norm": lambda x: F.layer_norm(
        x, torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([0.0, 1.0, 0.0, 1.0])
    ) * torch.tensor(np.arange(4.0)),
    "embedding": lambda x: F.embedding([0, 2, 2], x) * torch.tensor(np.arange(4.0)),
    "cross entropy": lambda x: F.cross_entropy(x, [1, 0, 3]),
    "attention": lambda x: F.scaled_dot_product_attention(x, x, x, True)
    * torch.tensor(np.arange(4.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_gradient_is_the_slope(name: str) -> None:
    function = FUNCTIONS[name]
    values = np.random.default_rng(1).normal(size=(3, 4)).astype(np.float32)
    x = torch.tensor(values, requires_grad=True)
    function(x).sum().backward()
    assert x.grad is not None
    step = 1e-2
    for index in np.ndindex(3, 4):
        moved = [values.copy(), values.copy()]
        moved[0][index] += step
        moved[1][index] -= step
        above, below = (function(torch.tensor(m)).sum().item() for m in moved)
        assert x.grad[index] == pytest.approx((above - below) / (2 * step), abs=0.02, rel=0.02)


def test_a_gpt_has_the_flops_that_napkin_says_and_learns() -> None:
    layers, width, heads, context, words, batch = 2, 32, 4, 16, 50, 4
    torch.manual_seed(0)
    model = GPT(layers, width, heads, context, words)
    config = {"model_type": "gpt2", "n_layer": layers, "n_embd": width, "n_head": heads,
              "n_positions": context, "vocab_size": words}  # fmt: skip
    described = from_config(config)
    assert sum(p.numel() for p in model.parameters()) == described.total
    tokens = torch.randint(words, (batch, context + 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        with torch.FlopCounterMode() as counter:
            loss = F.cross_entropy(model(tokens[:, :-1]), tokens[:, 1:].reshape(-1))
            loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[0] == pytest.approx(np.log(words), rel=0.1)
    assert losses[-1] < losses[0] / 4
    expected = training_flops(described, batch * context, context).value("total")
    assert counter.get_total_flops() == pytest.approx(expected, rel=1e-6)


def test_shapes_that_do_not_fit_are_told_as_pytorch_tells_them() -> None:
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        torch.randn(2, 3) @ torch.randn(2, 3)
    with pytest.raises(RuntimeError, match="scalar outputs"):
        torch.randn(2).backward()


def test_sgd_takes_one_step_down() -> None:
    w = torch.tensor([3.0], requires_grad=True)
    (w * w).sum().backward()
    torch.optim.SGD([w], lr=0.1).step()
    assert w.data[0] == pytest.approx(3 - 0.1 * 6)

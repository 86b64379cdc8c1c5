"""Train a small decoder on every device: `torchrun --nproc-per-node 2 sharded_training.py ddp`.

`ddp` copies everything onto each device; `fsdp` shards parameters, gradients and optimiser state.
Prints one line of JSON: bytes held by each rank, and the loss of each step.
"""

import json
import sys

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

LAYERS, WIDTH, VOCABULARY, TOKENS, SEQUENCES, STEPS = 4, 256, 4096, 64, 8, 5


class Layer(nn.Module):
    """A gated MLP is enough: sharding does not ask what a layer computes."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.gate, self.up = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        normed = self.norm(x)
        return x + self.down(F.silu(self.gate(normed)) * self.up(normed))


class Model(nn.Module):
    """A token table, the layers, a head."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def held(tensors):
    """Bytes of these tensors on this rank: of a sharded tensor, its own part."""
    return sum(t.to_local().nbytes if hasattr(t, "to_local") else t.nbytes for t in tensors)


def main(how):
    """Train with `how`, one of ddp and fsdp."""
    gpus = torch.cuda.device_count() >= 2
    dist.init_process_group("nccl" if gpus else "gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    device = torch.device("cuda", rank) if gpus else torch.device("cpu")
    if gpus:
        torch.cuda.set_device(device)
    torch.manual_seed(0)  # the same start everywhere
    model = Model().to(device)
    parameters = sum(p.numel() for p in model.parameters())
    if how == "ddp":
        model = nn.parallel.DistributedDataParallel(model)
    else:
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard

        mesh = init_device_mesh(device.type, (ranks,))
        for layer in model.layers:
            fully_shard(layer, mesh=mesh)
        fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    generator = torch.Generator().manual_seed(1)
    losses = []
    for _ in range(STEPS):
        batch = torch.randint(VOCABULARY, (SEQUENCES, TOKENS + 1), generator=generator)
        mine = batch.chunk(ranks)[rank].to(device)  # each rank takes its share of the same batch
        loss = F.cross_entropy(model(mine[:, :-1]).flatten(0, 1), mine[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        mean = loss.detach() / ranks
        dist.all_reduce(mean)
        losses.append(round(mean.item(), 5))

    own = {
        "parameters": held(model.parameters()),
        "gradients": held(p.grad for p in model.parameters()),
        "optimizer": held(
            value
            for state in optimizer.state.values()
            for name, value in state.items()
            if name != "step"
        ),
    }
    every = [None] * ranks
    dist.all_gather_object(every, own)
    if rank == 0:
        print(json.dumps({"how": how, "ranks": ranks, "device": device.type,
                          "total": parameters, "held": every, "losses": losses}))  # fmt: skip
    dist.barrier()  # nobody leaves while another still sends
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])

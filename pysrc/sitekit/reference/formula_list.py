"""The formulas of the reference page: rule, letters, condition, and an example for each."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FORMULAS", "Formula"]

EXACT = 1e-9


@dataclass(frozen=True)
class Formula:
    """One rule. `plain` is the example as a sum, `call` the same asked of `target` in the package.

    Both give the value in base units; on the page it stands divided by `scale`, with `unit`.
    """

    topic: str
    name: str
    rule: str
    letters: str
    example: str
    plain: str
    target: str
    call: str
    unit: str
    scale: float = 1.0
    tolerance: float = EXACT


WORK, TIME, MEMORY = "Operations", "Time and money", "Memory"
SPEED, MANY, LAWS = "Speed", "Many accelerators", "Scaling laws"

FORMULAS = (
    Formula(
        WORK, "Matrix product", "2·m·k·n FLOP",
        "An *m*×*k* matrix times a *k*×*n* matrix, in any number format.",
        "512×768 times 768×3072:",
        "2 * 512 * 768 * 3072",
        "flops.matmul:matmul_flops", "matmul_flops(512, 768, 3072)", "GFLOP", 1e9,
    ),
    Formula(
        WORK, "Forward pass and generation", "2·N FLOP per token",
        "*N*: parameters without the embedding table; of a mixture of experts the active ones. "
        "Attention to a long context comes on top.",
        "one token through 7 billion parameters:",
        "2 * 7e9",
        "flops.rule:rule_flops", "rule_flops(7e9, 1, 'forward').total.value", "GFLOP", 1e9,
    ),
    Formula(
        WORK, "Training", "C = 6·N·D FLOP",
        "*N* parameters as above, *D* tokens: 2 forward, 4 backward. Recomputing activations adds "
        "up to 2 more.",
        "GPT-2 small on 10 billion tokens:",
        "6 * 124e6 * 10e9",
        "flops.rule:rule_flops", "rule_flops(124e6, 10e9).total.value", "FLOP",
    ),
    Formula(
        TIME, "Training time", "t = C / (G · peak · MFU)",
        "*G* devices with a dense *peak*; MFU is the share of it that the run achieves, 0.3 to 0.5 "
        "for well-tuned large runs.",
        "that run on one H100 at 40 %, in seconds:",
        "7.44e18 / (1 * 989e12 * 0.4)",
        "training_time:training_seconds", "training_seconds(7.44e18, 'H100', 1, 0.4).typical", "s",
    ),
    Formula(
        TIME, "Model FLOPs utilisation", "MFU = FLOP per token · tokens/s / (G · peak)",
        "What a run achieves of its hardware's dense peak, counting only the work that the model "
        "needs.",
        "7 billion parameters at 10,000 tokens/s on one H100:",
        "6 * 7e9 * 10_000 / 989e12",
        "flops.utilization:mfu",
        "mfu(10_000, 989e12, per_token=6 * 7e9).value('mfu') / 100", "%", 1e-2,
    ),
    Formula(
        TIME, "Price of tokens", "price per hour · G / tokens per hour · 10⁶",
        "Dollars per million tokens of a server that is always busy. At half the load it is twice "
        "as much.",
        "1,000 tokens/s on one device at $3 an hour:",
        "3 / (1_000 * 3600) * 1e6",
        "cost:cost_per_million_tokens",
        "cost_per_million_tokens(1000, price_per_hour=3).rows[-1].value", "dollars",
    ),
    Formula(
        MEMORY, "Weights", "parameters · bytes each",
        "4 bytes in fp32, 2 in bf16 and fp16, 1 in fp8 and int8, 0.5 in int4; block formats take "
        "a little more for their scales.",
        "Llama 3.1 8B in bf16:",
        "8_030_261_248 * 2",
        "weights:weights_bytes", "weights_bytes('llama-3.1-8b')", "GB", 1e9,
    ),
    Formula(
        MEMORY, "KV cache", "2 · layers · kv_heads · head_dim · tokens · bytes · sequences",
        "Keys and values of every token. With grouped-query attention *kv_heads* is less than the "
        "number of query heads; windows and latent attention have rules of their own.",
        "32 layers, 32 heads of 64, 4,096 tokens in bf16, one sequence:",
        "2 * 32 * 32 * 64 * 4096 * 2 * 1",
        "memory_rules:kv_cache_rule", "kv_cache_rule(32, 32, 64, 4096).total.value", "GB", 1e9,
    ),
    Formula(
        MEMORY, "Training state", "16 bytes per parameter",
        "Mixed precision with Adam: 2 weights, 2 gradients, 4 master copy, 8 for the two moments. "
        "Activations come on top.",
        "7 billion parameters:",
        "7e9 * (2 + 2 + 4 + 8)",
        "memory_rules:training_state", "training_state(7e9).total.value", "GB", 1e9,
    ),
    Formula(
        MEMORY, "Activations", "(34·s·b·h + 5·a·s²·b) bytes per layer",
        "*s* tokens, *b* sequences, *h* width, *a* heads, 16 bits, nothing recomputed. "
        "FlashAttention removes the second term. A rule for the classic transformer layer.",
        "32 layers, width 4,096, 32 heads, 2,048 tokens, one sequence:",
        "32 * (34 * 2048 * 1 * 4096 + 5 * 32 * 2048**2 * 1)",
        "memory_rules:classic_activations",
        "classic_activations(32, 4096, 32, 2048).total.value", "GB", 1e9,
    ),
    Formula(
        SPEED, "Arithmetic intensity", "FLOP / bytes moved",
        "Of a product: 2·m·k·n over the bytes of both inputs and the result. For a weight matrix "
        "and a batch of *B* token vectors in bf16 it is close to *B*.",
        "a 4096×4096 matrix times 16 vectors:",
        "2 * 4096 * 4096 * 16 / (2 * (4096 * 4096 + 2 * 4096 * 16))",
        "roofline:matmul_intensity", "matmul_intensity(4096, 4096, 16)", "FLOP/byte",
    ),
    Formula(
        SPEED, "Ridge point", "peak / bandwidth",
        "Below this intensity a chip waits for its memory, above it for its arithmetic.",
        "H100 in bf16:",
        "989e12 / 3.35e12",
        "roofline:ridge",
        "ridge(accelerator('H100').peak('bf16'), accelerator('H100').bandwidth)", "FLOP/byte",
    ),
    Formula(
        SPEED, "Roofline", "min(peak, intensity · bandwidth)",
        "The most FLOP/s that a chip allows at that intensity.",
        "an H100 at 16 FLOP/byte:",
        "16 * 3.35e12",
        "roofline:attainable", "attainable(16, 989e12, 3.35e12)", "TFLOP/s", 1e12,
    ),
    Formula(
        SPEED, "Single-user decoding", "tokens/s ≤ bandwidth / model bytes",
        "Every weight is read for every token, whatever the chip's FLOP/s. The cache is read too, "
        "so long contexts are slower.",
        "7 billion parameters in bf16 on an H100:",
        "3.35e12 / (7e9 * 2)",
        "roofline:decode_limit", "decode_limit(14e9, 3.35e12)", "tokens/s",
    ),
    Formula(
        SPEED, "Speculative decoding", "(1 − a^(k+1)) / (1 − a) tokens per round",
        "*k* guesses, each right with probability *a*: what one pass of the large model yields on "
        "average.",
        "five guesses, 80 % right:",
        "(1 - 0.8**6) / (1 - 0.8)",
        "speculative:tokens_per_round", "tokens_per_round(0.8, 5)", "tokens",
    ),
    Formula(
        MANY, "All-reduce", "2·(n − 1)/n · S bytes sent by each device",
        "A ring over *n* devices that sums a buffer of *S* bytes. Reduce-scatter and all-gather "
        "are half of it each.",
        "14 GB of gradients over 8 devices:",
        "2 * 7 / 8 * 14e9",
        "collectives:collective", "collective('all-reduce', 14_000_000_000, 8).sent", "GB", 1e9,
    ),
    Formula(
        MANY, "Fully sharded state", "16 bytes · N / devices",
        "ZeRO-3 or FSDP: each device keeps its share of everything. Layers gathered for a moment "
        "come on top.",
        "7 billion parameters over 8 devices:",
        "7e9 * 16 / 8",
        "memory_rules:training_state",
        "training_state(7e9, zero=3, devices=8).total.value", "GB", 1e9,
    ),
    Formula(
        MANY, "Pipeline bubble", "(p − 1) / (v·m + p − 1)",
        "The share of a step in which a stage waits: *p* stages, *m* micro-batches, *v* chunks of "
        "layers per device.",
        "4 stages, 16 micro-batches:",
        "3 / (16 + 3)",
        "parallel:bubble_share", "bubble_share(4, 16)", "%", 1e-2,
    ),
    Formula(
        LAWS, "Chinchilla's rule of thumb", "D ≈ 20·N",
        "The tokens that make the best of a training budget, by Hoffmann et al. 2022. Models meant "
        "for much use are trained on far more.",
        "7 billion parameters on 140 billion tokens, in tokens per parameter:",
        "140e9 / 7e9",
        "scaling:tokens_per_parameter", "tokens_per_parameter(7e9, 140e9)", "",
    ),
    Formula(
        LAWS, "Loss from size and data", "L = E + A/N^α + B/D^β",
        "Fitted constants of Besiroglu et al. 2024 for the runs of Hoffmann et al.: E = 1.8172, "
        "A = 482.01, α = 0.3478, B = 2085.43, β = 0.3658; nats per token.",
        "7 billion parameters, 140 billion tokens:",
        "1.8172 + 482.01 / 7e9**0.3478 + 2085.43 / 140e9**0.3658",
        "scaling:loss", "loss(7e9, 140e9).total.value", "nats", 1.0, 1e-4,
    ),
)  # fmt: skip

"""Sizes: parameters, gguf files, caches."""

from __future__ import annotations

import json

from napkin.gguf import gguf_bits_per_weight, gguf_bytes
from napkin.kv import kv_cache_bytes
from napkin.memory import Split, inference_memory, training_memory
from sitekit.accuracy.comparison import Comparison, Family
from sitekit.accuracy.published import model_named, rows_of

__all__ = [
    "cache_family",
    "gguf_family",
    "peak_family",
    "published_parameters_family",
    "training_memory_family",
]


def gguf_family() -> Family:
    """File sizes and bits per weight of llama.cpp's mixes."""
    family = Family(
        "gguf", "Quantised files (gguf)", "within 0.5% of every row",
        "Sizes that llama.cpp and model pages publish, from the mix's rule of which tensor gets "
        "which format. llama.cpp changed its mixes in August 2023 and January 2024: files of 2023 "
        "are compared with the rule of their month (`made`).",
        tolerance=0.005,
    )  # fmt: skip
    for row in rows_of("gguf_sizes"):
        if row["note"] == "slip":
            why = "llama.cpp's help repeats the size of Q2_K; its later table is compared"
            family.left_out.append((1, f"{row['model']} {row['mix']}", why))
            continue
        model = model_named(row["model"])
        if model is None:
            family.left_out.append((1, row["model"], "configuration not copied here"))
            continue
        if row["quantity"] == "bits_per_weight":
            predicted = gguf_bits_per_weight(model, row["mix"], made=row["made"] or None)
            unit = "bits per weight"
        else:
            size = gguf_bytes(model, row["mix"], made=row["made"] or None)
            predicted = size / (2**30 if row["quantity"] == "file_gib" else 1e9)
            unit = "GiB" if row["quantity"] == "file_gib" else "GB"
        family.rows.append(
            Comparison(f"{row['model']} {row['mix']}" + (f", {row['made']}" if row["made"] else ""),
                       float(row["value"]), predicted, unit,
                       row["source"], "recalled" if row["note"] == "recalled" else "read")
        )  # fmt: skip
    return family


_ENGINES = {"gpt-oss-120b-vllm": "full_length"}


def cache_family() -> Family:
    """Bytes per token and sizes at a context."""
    family = Family(
        "cache", "Caches in papers and logs", "exact, up to the digits that were published",
        "Bytes per token from papers and engine logs; gigabytes at a context.",
        tolerance=0.002,
    )  # fmt: skip
    for row in rows_of("published"):
        given = json.loads(row["inputs"])
        if row["quantity"] not in ("kv_bytes_per_token", "kv_cache_gib"):
            continue
        model = model_named(given["model"].replace("deepseek-v3.1", "deepseek-v3"))
        if model is None:
            family.left_out.append((1, row["case_id"], "configuration not copied here"))
            continue
        tokens = given.get("context") or given.get("seq") or 1
        size = kv_cache_bytes(
            model, tokens, given.get("batch", 1),
            engine=_ENGINES.get(row["case_id"], "contiguous"),
        )  # fmt: skip
        if row["quantity"] == "kv_bytes_per_token":
            unit, scale = "B/token", 1.0
        elif row["unit"].startswith("GiB"):
            unit, scale = "GiB", 2.0**30
        else:
            unit, scale = "GB", 1e9
        family.rows.append(
            Comparison(row["case_id"], float(row["value"]), size / scale, unit, row["source"],
                       row["provenance"])
        )  # fmt: skip
    return family


_CONVENTION = {
    "gpt-oss-120b": "active_without_input_embedding",
    "llama-4-scout": "active_without_input_embedding",
}


def published_parameters_family() -> Family:
    """Rounded parameter counts that model cards print."""
    family = Family(
        "cards", "Parameters on model cards", "within the rounding of the card: 2.5%",
        "Totals and active parameters as cards print them (two or three digits); which "
        "convention each card follows differs, and is stated by the package.",
        share=0.9, tolerance=0.025,
    )  # fmt: skip
    for row in rows_of("published"):
        given = json.loads(row["inputs"])
        name = given.get("model", "")
        if row["quantity"] not in ("params_total", "params_active") or "config" in given:
            continue
        model = model_named(name)
        if model is None:
            family.left_out.append((1, row["case_id"], "configuration not copied here"))
            continue
        count = model.total
        if row["quantity"] == "params_active":
            count = getattr(model, _CONVENTION.get(name, "active"))
        case = f"{row['case_id']}, {'active' if 'active' in row['quantity'] else 'total'}"
        family.rows.append(
            Comparison(case, float(row["value"]), float(count), "parameters", row["source"],
                       row["provenance"])
        )  # fmt: skip
    return family


_QUANTISED = {"BF16": "bf16", "FP8": "fp8", "AWQ-INT4": "awq", "GPTQ-Int8": "gptq_8bit"}


def peak_family() -> Family:
    """Peak memory of generation in transformers.

    The table lists its software: FlashAttention 2.7.4 for all but AWQ.  Without it transformers
    falls back on PyTorch's SDPA, which copies a layer's keys and values to every query head.
    """
    family = Family(
        "peak", "Peak memory of inference", "within 3% in every row",
        "Qwen's own table: Qwen3 from 0.6B to 32B on one H20, prompts of 1 to 30,720 tokens and "
        "2,048 generated. Weights, cache, the current step, 32 MiB of workspace. Quantised "
        'checkpoints cover the linear layers (`scope="linear"`). The table names FlashAttention '
        "for every format but AWQ; AWQ ran on the default kernel, which copies one layer's keys "
        'and values to every query head (`attention="repeat"`).',
        tolerance=0.03,
    )  # fmt: skip
    for row in rows_of("published"):
        if row["quantity"] != "memory_mib":
            continue
        given = json.loads(row["inputs"])
        model = model_named(given["model"])
        assert model is not None
        tokens = given["prompt_len"] + given["gen_len"]
        # These fp8 checkpoints keep a tied head a second time.
        size = float(
            inference_memory(
                model, tokens, weights=_QUANTISED[given["quant"]],
                scope="all" if given["quant"] == "BF16" else "linear", step_tokens=1,
                attention="repeat" if given["quant"].startswith("AWQ") else "kernel",
                second_head=given["quant"] == "FP8",
            ).value("total")
        )  # fmt: skip
        family.rows.append(
            Comparison(row["case_id"], float(row["value"]), size / 2**20, "MiB", row["source"],
                       row["provenance"])
        )  # fmt: skip
    return family


def training_memory_family() -> Family:
    """Peak memory of torchtitan runs under FSDP, tensor, context and pipeline parallelism.

    Under a pipeline torchtitan leaves weights gathered between micro-batches (as many as stages)
    and PyTorch's FSDP adds gradients up whole, in fp32: ZeRO-1 in memory.
    """
    family = Family(
        "training_memory", "Memory of training runs", "within 20% in at least 80% of rows",
        "torchtitan's own tables: Llama 3.1 8B, 70B and 405B on 8 to 512 devices. They print what "
        "the allocator *reserved*, fragments included; the package adds 10% of headroom to the "
        "tensors that must be there. With FSDP alone everything is sharded (ZeRO-3); under a "
        "pipeline torchtitan leaves the weights gathered between micro-batches and gradients are "
        "added up whole in fp32, so that only master weights and Adam are (ZeRO-1).",
        share=0.8, tolerance=0.2,
    )  # fmt: skip
    for row in rows_of("published"):
        if row["quantity"] != "memory_gb":
            continue
        given = json.loads(row["inputs"])
        if "ac" not in given:
            why = "checkpointing is not stated: too little is published"
            family.left_out.append((1, row["case_id"], why))
            continue
        model = model_named(given["model"])
        assert model is not None
        context, tensor, stages = given.get("cp", 1), given.get("tp", 1), given.get("pp", 1)
        split = Split(data=given["gpus"] // context // tensor // stages, tensor=tensor,
                      context=context, pipeline=stages, zero=3 if stages == 1 else 1,
                      interleave=2 if "interleaved" in row["case_id"] else 1)  # fmt: skip
        table = training_memory(
            model, given["seq_len"], given["local_batch"] // stages, split=split,
            precision="mixed" if stages == 1 else "mixed_fp32_gradients", micro_batches=stages,
            checkpointing="full" if given["ac"] == "full" else "selective_ops",
        )  # fmt: skip
        family.rows.append(
            Comparison(row["case_id"], float(row["value"]), table.value("total") / 2**30, "GiB",
                       row["source"], row["provenance"],
                       why="reserved, not allocated; buffers of communication are not counted")
        )  # fmt: skip
    return family

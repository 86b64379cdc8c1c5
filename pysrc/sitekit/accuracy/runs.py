"""Time of published training runs: device-hours with our range, and arithmetic at stated rates."""

from __future__ import annotations

import json

from napkin.flops import rule_flops, training_flops
from napkin.hardware import accelerator
from napkin.training_time import training_seconds
from sitekit.accuracy.comparison import Comparison, Family
from sitekit.accuracy.published import model_named, rows_of

__all__ = ["stated_rate_family", "training_time_family"]

_WHY = {
    "llama3.2": "distilled: the teacher's forward passes are in the hours, not in the count",
    "llama3-8b": "hours of the whole project; a small model on many devices",
    "pythia": "small models, 40 GB cards, software of 2022",
    "llmc-gpt3-125M": "stated as an estimate: it would be more than the peak",
    "llmc": "hand-written kernels on one node: above what whole runs reach",
    "phi-2": "model card; at the top of what A100s do",
    "nanogpt": "PyTorch 1.x figures of a small model",
    "falcon-180b": "efficient run with in-house kernels",
}
SEQUENCE = 2048


def _gpu(row: dict[str, str], given: dict[str, object]) -> str:
    text = f"{given.get('gpu', '')} {row['unit']}"
    return "H100 SXM" if "H100" in text else "A100 SXM 80GB"


def training_time_family() -> Family:
    """Whole runs, from parameters, tokens and the kind of device alone."""
    family = Family(
        "training_time", "Time of training runs",
        "the published value inside the range in at least 70% of rows",
        "Model cards and papers give device-hours, days or minutes; the package knows the model, "
        "the tokens and the device. The range is the MFU of whole runs: 24-57% on A100, 18-45% on "
        "H100.",
        share=0.7, ranged=True,
    )  # fmt: skip
    hours_of = {"gpu_hours": 1.0, "train_days": 24.0, "train_minutes": 1 / 60}
    for row in rows_of("published"):
        given = json.loads(row["inputs"])
        if row["quantity"] not in hours_of or "tflops" in given:
            continue
        steps = given.get("steps") or given.get("iters") or 0
        tokens = given.get("tokens") or steps * given.get("batch_tokens", 0)
        model = model_named(given.get("model", ""))
        parameters = given.get("active") or given.get("params")
        if not tokens or (model is None and parameters is None):
            family.left_out.append((1, row["case_id"], "tokens or sizes are not stated"))
            continue
        devices = 1 if row["quantity"] == "gpu_hours" else given["gpus"]
        published = float(row["value"]) * hours_of[row["quantity"]] * devices
        flops = (
            training_flops(model, tokens, SEQUENCE).value("total")
            if model
            else rule_flops(parameters, tokens).value("total")
        )
        span = training_seconds(float(flops), accelerator(_gpu(row, given)))
        why = next((text for word, text in _WHY.items() if row["case_id"].startswith(word)), "")
        family.rows.append(
            Comparison(
                row["case_id"], published, span.typical / 3600, "GPU-hours", row["source"],
                row["provenance"], span.low / 3600, span.high / 3600, why=why,
            )
        )  # fmt: skip
    return family


def stated_rate_family() -> Family:
    """Days at a stated rate: factor × N × D ÷ (devices × FLOP/s)."""
    family = Family(
        "stated_rate", "Days at a stated rate", "within 5% of every row",
        "Plans and papers that state devices and achieved TFLOP/s, with full recomputation "
        "(8ND): pure arithmetic.",
        tolerance=0.05,
    )  # fmt: skip
    for row in rows_of("published"):
        given = json.loads(row["inputs"])
        if row["quantity"] != "train_days" or "tflops" not in given:
            continue
        work = "training_recompute" if given["flops_factor"] == 8 else "training"
        flops = rule_flops(given["params"], given["tokens"], work).value("total")  # type: ignore[arg-type]
        days = float(flops) / (given["gpus"] * given["tflops"] * 1e12) / 86400
        family.rows.append(
            Comparison(row["case_id"], float(row["value"]), days, "days", row["source"],
                       row["provenance"])
        )  # fmt: skip
    return family

"""What calculators share: the choices that several of them offer, and small helpers for answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Literal

from napkin.fields import Amount, Choice, GpuInput, ModelInput
from napkin.forms import FieldProblem
from napkin.hardware import Accelerator
from napkin.models import Model
from napkin.table import Row, Table

__all__ = [
    "Cache",
    "Context",
    "Gpu",
    "ModelText",
    "Share",
    "Tokens",
    "Users",
    "Weights",
    "assumptions",
    "blaming",
    "devices",
    "format_16bit",
    "keyed",
    "percent",
    "three_digits",
    "times_or_percent",
]

ModelText = Annotated[str, ModelInput()]
Gpu = Annotated[str, GpuInput()]
Context = Annotated[int, Amount("tokens", 1, 10**8, whole=True, suggestions=("8k", "32k", "128k"))]
Users = Annotated[int, Amount("sequences", 1, 10**6, whole=True, suggestions=("1", "8", "64"))]
Tokens = Annotated[float, Amount("tokens", 1, 1e18, suggestions=("50M", "10B", "2T", "15T"))]
Share = Annotated[float, Amount("", 0.001, 1.0, kind="fraction", slider=True)]

Weights = Annotated[
    Literal[
        "fp32", "bf16", "fp8", "int8", "Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "awq", "nf4", "mxfp4",
        "int4", "Q3_K_M", "Q2_K",
    ],
    Choice(
        (
            ("fp32", "32-bit (fp32)"),
            ("bf16", "16-bit (bf16, fp16)"),
            ("fp8", "8-bit (fp8)"),
            ("int8", "8-bit (int8)"),
            ("Q8_0", "8-bit (gguf Q8_0)"),
            ("Q6_K", "6-bit (gguf Q6_K)"),
            ("Q5_K_M", "5-bit (gguf Q5_K_M)"),
            ("Q4_K_M", "4-bit (gguf Q4_K_M)"),
            ("awq", "4-bit (AWQ, GPTQ)"),
            ("nf4", "4-bit (NF4, bitsandbytes)"),
            ("mxfp4", "4-bit (MXFP4)"),
            ("int4", "4-bit, nothing else"),
            ("Q3_K_M", "3-bit (gguf Q3_K_M)"),
            ("Q2_K", "2-bit (gguf Q2_K)"),
        )
    ),
]  # fmt: skip
Cache = Annotated[
    Literal["bf16", "fp8", "q8_0", "int8", "q4_0", "int4"],
    Choice(
        (
            ("bf16", "16-bit (bf16, fp16)"),
            ("fp8", "8-bit (fp8)"),
            ("q8_0", "8-bit (llama.cpp q8_0)"),
            ("int8", "8-bit (int8, scale per 64)"),
            ("q4_0", "4-bit (llama.cpp q4_0)"),
            ("int4", "4-bit (int4, scale per 64)"),
        )
    ),
]


@contextmanager
def blaming(field: str) -> Iterator[None]:
    """Say of every ValueError inside that it is about ``field``.

    >>> with blaming("weights"):
    ...     raise ValueError("no such format")
    Traceback (most recent call last):
    ...
    napkin.forms.FieldProblem: no such format
    """
    try:
        yield
    except FieldProblem:
        raise
    except ValueError as error:
        raise FieldProblem(field, str(error)) from None


def keyed(table: Table, prefix: str, title: str = "", total: str = "") -> Table:
    """The table with ``prefix`` before every key: one answer may hold several tables.

    >>> keyed(Table("Bytes", (Row("weights", "Weights", 14, "B"),)), "run").rows[0].key
    'run_weights'
    """

    def renamed(row: Row, label: str = "") -> Row:
        return Row(f"{prefix}_{row.key}", label or row.label, row.value, row.unit, row.working,
                   row.source)  # fmt: skip

    return Table(
        title or table.title,
        tuple(renamed(row) for row in table.rows),
        None if table.total is None else renamed(table.total, total),
        table.notes,
    )


def assumptions(model: Model, context: int = 0) -> tuple[str, ...]:
    """What an answer about this model should not keep to itself.

    >>> from napkin.models.typed import typed_model
    >>> assumptions(typed_model("7B"))[0][:54]
    '7B says nothing of the shape; taken: layers = 32, hidd'
    """
    notes = []
    if model.assumed and model.model_type == "llama" and model.max_context is None:
        notes.append(f"{model.name} says nothing of the shape; taken: {', '.join(model.assumed)}")
    elif model.assumed:
        notes.append(f"not in the configuration, so taken: {', '.join(model.assumed)}")
    if model.estimate:
        notes.append(model.estimate)
    if context and model.max_context and context > model.max_context:
        notes.append(
            f"{model.name} was made for {model.max_context:,} tokens, less than {context:,}"
        )
    return tuple(notes)


def format_16bit(gpu: Accelerator) -> str:
    """The format of the device's 16-bit matmuls: bf16, or what comes nearest.

    >>> from napkin.hardware import accelerator
    >>> format_16bit(accelerator("H100")), format_16bit(accelerator("T4"))
    ('bf16', 'fp16')
    """
    return next((form for form in ("bf16", "fp16", "fp32") if form in gpu.peaks), "fp32")


def percent(share: float) -> str:
    """A share with two significant digits.

    >>> percent(0.27), percent(0.00168), percent(0)
    ('27%', '0.17%', '0%')
    """
    return f"{100 * share:.0f}%" if share >= 0.1 or not share else f"{100 * share:.2g}%"


def times_or_percent(ratio: float) -> str:
    """``ratio`` in words: a percentage below 2, else so many times.

    >>> times_or_percent(0.27), times_or_percent(8.62)
    ('27% of', '8.6 times')
    """
    return f"{percent(ratio)} of" if ratio < 2 else f"{ratio:,.{1 if ratio < 10 else 0}f} times"


def devices(count: int, name: str) -> str:
    """So many of a device, in words.

    >>> devices(1, "H100 SXM"), devices(1024, "H100 SXM")
    ('one H100 SXM', '1,024 × H100 SXM')
    """
    return f"one {name}" if count == 1 else f"{count:,} × {name}"


def three_digits(value: float) -> float:
    """The value rounded as a table shows it.

    >>> three_digits(507_474), three_digits(5.2414)
    (507000.0, 5.24)
    """
    return float(f"{value:.3g}")

"""The KV cache: what a model keeps of every token it has read."""

from __future__ import annotations

from typing import Annotated, Literal

from napkin.forms import Amount, Answer, ModelInput, Row
from napkin.kv import kv_cache as cache_table
from napkin.models.typed import typed_model
from napkin.printing import format_bytes, format_number

__all__ = ["kv_cache"]


def kv_cache(
    model: Annotated[str, ModelInput()] = "llama-3.1-8b",
    context: Annotated[
        int, Amount("tokens", 1, 10**8, whole=True, suggestions=("8k", "32k", "128k"))
    ] = 32_000,
    users: Annotated[int, Amount("sequences", 1, 10**6, whole=True)] = 1,
    cache: Literal["bf16", "fp8", "int8", "int4"] = "bf16",
) -> Answer:
    """Memory that keys and values take.

    Parameters:
        model: Model. A name, a size such as 7B, or the text of a config.json.
        context: Context. Tokens that each conversation holds.
        users: Users. Conversations kept at the same time.
        cache: Cache format. How each number in the cache is stored.
    """
    described = typed_model(model)
    table = cache_table(described, context, users, dtype=cache)
    total = int(table.value("total"))
    each = total / (context * users)
    sentence = (
        f"{described.name} keeps {format_bytes(each)} for every token: "
        f"{format_number(users)} × {format_number(context)} tokens are {format_bytes(total)}."
    )
    notes = (described.estimate,) if described.estimate else ()
    headline = Row("cache", "KV cache", total, "B", table["total"].working)
    return Answer(headline, sentence, (table,), notes=notes)

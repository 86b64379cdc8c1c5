"""A model as its configuration describes it: stacks of layers and what each holds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from napkin.models.counts import LABELS, Counts
from napkin.models.layers import Layer, Stack
from napkin.table import Row, Table

__all__ = ["BYTES_PER_ELEMENT", "Model"]

BYTES_PER_ELEMENT = {"fp32": 4, "bf16": 2, "fp16": 2, "fp8": 1, "int8": 1, "int4": 0.5, "fp4": 0.5}
"""Bytes of one number, for the formats in which caches are kept."""


@dataclass(frozen=True)
class Model:
    """What a configuration says of a model, down to the last parameter.

    ``tied`` means that the output head is the token embedding: stored once, multiplied with every
    token all the same.  ``estimate`` is empty for an exact count, else a sentence that says what
    was assumed and how sure it is; ``assumed`` lists sizes that the configuration left to the
    family's defaults; ``text_type`` is the nested text configuration's family.  Build one with
    ``napkin.models.from_config``.

    >>> from napkin.models import from_config
    >>> model = from_config({"model_type": "gpt2"})
    >>> f"{model.total:,}"
    '124,439,808'
    """

    name: str
    model_type: str
    architecture: str
    hidden_size: int
    vocab_size: int
    tied: bool
    max_context: int | None
    stacks: tuple[Stack, ...]
    estimate: str = ""
    assumed: tuple[str, ...] = ()
    text_type: str = ""

    @property
    def family(self) -> str:
        """The ``model_type`` of the main stack: of the text side, where a model also sees."""
        return self.text_type or self.model_type

    def __hash__(self) -> int:
        """Of what tells models apart at a glance: hashing every layer takes too long."""
        return hash((self.name, self.model_type, self.hidden_size, len(self.stacks)))

    @cached_property
    def counts(self) -> Counts:
        """Parameters by part, over all stacks."""
        counts = Counts()
        for stack in self.stacks:
            counts = counts + stack.counts
        return counts

    def stack(self, role: str) -> Stack | None:
        """The stack of that role, None where the model has none."""
        return next((stack for stack in self.stacks if stack.role == role), None)

    @cached_property
    def main(self) -> Stack:
        """The stack that produces the output: the decoder where there is one, else the last."""
        return self.stack("decoder") or self.stacks[-1]

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Layers of the main stack."""
        return self.main.layers

    @property
    def total(self) -> int:
        """All parameters, each counted once."""
        return self.counts.total

    @property
    def tied_head(self) -> int:
        """Weights of a head that is the token embedding (0 where the head is its own)."""
        return self.counts.token_embedding if self.tied else 0

    @property
    def logit_columns(self) -> int:
        """Numbers that the head gives for each token: the vocabulary, or labels; 0 without one."""
        head, vocabulary = self.main.around.head, self.vocab_size
        if self.tied or (head and vocabulary and head % vocabulary == 0):
            return vocabulary
        return head // self.main.hidden_size

    @property
    def stored(self) -> int:
        """Parameters in a file that writes a tied head out a second time."""
        return self.total + self.tied_head

    @property
    def embedding(self) -> int:
        """The token embedding."""
        return self.counts.token_embedding

    @property
    def non_embedding(self) -> int:
        """All but token, position and segment embeddings and an output head of its own."""
        counts = self.counts
        tables = counts.token_embedding + counts.position_embedding + counts.segment_embedding
        return self.total - tables - counts.head

    @cached_property
    def matmul(self) -> int:
        """Weights that multiply every token, all experts, the head included even where tied."""
        layers = [group for stack in self.stacks for group in stack.groups()]
        borrowed = sum(times * layer.borrowed.matmul for layer, times in layers)
        return self.counts.matmul + borrowed + self.tied_head

    @property
    def matmul_active(self) -> int:
        """``matmul`` with only the experts that one token uses."""
        return self.matmul - self._idle(matmul=True)

    @property
    def active(self) -> int:
        """Parameters that one token uses, embeddings and head counted (Mixtral, Qwen3, DBRX)."""
        return self.total - self._idle()

    @property
    def active_without_input_embedding(self) -> int:
        """``active`` less the token embedding where the head is its own (gpt-oss, DeepSeek-V2)."""
        return self.active - (0 if self.tied else self.counts.token_embedding)

    @property
    def active_non_embedding(self) -> int:
        """``active`` less embeddings and a head of its own."""
        return self.active - (self.total - self.non_embedding)

    def _idle(self, matmul: bool = False) -> int:
        idle = 0
        for stack in self.stacks:
            for layer, times in stack.groups():
                if layer.experts:
                    experts = layer.experts
                    idle += times * (experts.idle_matmul if matmul else experts.idle)
        return idle

    @property
    def generates(self) -> bool:
        """Whether it has a decoder, and so writes tokens one after another."""
        return self.main.role == "decoder"

    def kv_bytes_per_token(self, dtype: str | float = "bf16", context: int = 0) -> float | int:
        """Cache that one more token adds after ``context`` tokens, bytes.

        A sliding or chunked layer adds nothing once the context fills its window; recurrent layers
        add nothing; cross-attention depends on the encoder's tokens, not on these.
        """
        size = _element_bytes(dtype)
        elements = sum(
            times * (layer.attention.cache_elements / layer.attention.compression)
            for layer, times in self.main.groups()
            if layer.attention is not None
            and layer.attention.causal
            and (
                layer.attention.window is None
                or layer.attention.kind == "compressed"
                or context < layer.attention.window
            )
        )
        return _whole(elements * size)

    def cross_kv_bytes_per_token(self, dtype: str | float = "bf16") -> float | int:
        """Cache that each token of the encoder leaves for the decoder's cross-attention, bytes."""
        size = _element_bytes(dtype)
        elements = sum(
            times * layer.cross_attention.cache_elements
            for layer, times in self.main.groups()
            if layer.cross_attention is not None
        )
        return _whole(elements * size)

    def _working(self, part: str) -> str:
        """How many of one part stand around the layers and in each kind of layer."""
        once: list[str] = []
        layers: dict[int, int] = {}
        for stack in self.stacks:
            alone = getattr(stack.around, part)
            columns = stack.hidden_size
            if part in ("token_embedding", "head") and alone == self.vocab_size * columns > 0:
                once.append(f"{self.vocab_size:,} × {columns:,}")
            elif alone:
                once.append(f"{alone:,}")
            for layer, times in stack.groups():
                each = getattr(layer.counts, part)
                if each:
                    layers[each] = layers.get(each, 0) + times
        total = f"{getattr(self.counts, part):,}"
        terms = once + [f"{times} × {each:,}" for each, times in layers.items()]
        return total if terms == [total] else f"{' + '.join(terms)} = {total}"

    def parameters(self) -> Table:
        """Parts and their exact total."""
        counts = self.counts
        rows = [
            Row(part, label, getattr(counts, part), "parameters", self._working(part))
            for part, label in LABELS.items()
            if getattr(counts, part)
        ]
        notes = []
        if self.tied:
            notes.append("the output head is the token embedding: stored once")
        if self.estimate:
            notes.append(self.estimate)
        return Table.of(f"Parameters of {self.name}", rows, notes=tuple(notes))


def _element_bytes(dtype: str | float) -> float:
    if isinstance(dtype, str):
        if dtype not in BYTES_PER_ELEMENT:
            raise ValueError(
                f"cache format {dtype!r} is not known: use one of {', '.join(BYTES_PER_ELEMENT)}, "
                "or bytes per number"
            )
        return BYTES_PER_ELEMENT[dtype]
    if isinstance(dtype, bool) or not dtype > 0:
        raise ValueError(f"bytes per number is {dtype!r}: it must be above 0, such as 2")
    return dtype


def _whole(number: float) -> float | int:
    return int(number) if number == int(number) else number

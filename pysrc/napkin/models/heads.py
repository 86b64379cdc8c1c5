"""What stands on top of a stack: a language-model head, a classifier, or nothing."""

from __future__ import annotations

from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.pieces import label_count, linear

__all__ = [
    "LM_ENDINGS",
    "WHOLE_ENDINGS",
    "ending",
    "has_language_head",
    "no_such_head",
    "tie_flag",
    "with_head",
]

LM_ENDINGS = (
    "ForCausalLM",
    "LMHeadModel",
    "ForConditionalGeneration",
    "ForSeq2SeqLM",
    "ForMaskedLM",
    "ForImageTextToText",
    "MTModel",
)
WHOLE_ENDINGS = ("ForConditionalGeneration", "ForImageTextToText")
"""Of models that are more than a decoder."""
_OTHER_ENDINGS = (
    "ForSequenceClassification",
    "ForTokenClassification",
    "ForQuestionAnswering",
    "ForPreTraining",
    "ForImageClassification",
    "ForCTC",
    "EncoderModel",
    "Model",
)
# They end like a plain model, and are none.
_NOT_COUNTED = ("DoubleHeadsModel", "PreTrainedModel", "PretrainedModel", "PretrainedBartModel")

# Families whose model definition ignores ``tie_word_embeddings``; behind a vision tower the whole
# model's definition decides, which only Llama 3.2 Vision's ignores too.
_NEVER_TIED = ("kimi_linear", "mllama_text_model", "nemotron_h")
_NEVER_TIED_BEHIND_A_TOWER = ("mllama_text_model",)


def ending(architecture: str) -> str:
    """The last part of a class name, which says what the head is.

    >>> ending("LlamaForCausalLM"), ending("GPT2LMHeadModel"), ending("BertModel")
    ('ForCausalLM', 'LMHeadModel', 'Model')
    """
    for name in (*LM_ENDINGS, *_OTHER_ENDINGS):
        if architecture.endswith(name) and not architecture.endswith(_NOT_COUNTED):
            return name
    known = ", ".join(f"...{name}" for name in (*LM_ENDINGS, *_OTHER_ENDINGS))
    raise ValueError(
        f"architectures[0] {architecture!r} is not known: use one that ends in {known}, or leave "
        "the key out for the language model"
    )


def has_language_head(architecture: str) -> bool:
    """Whether the class ends in scores for every word of the vocabulary.

    >>> has_language_head("Gemma3ForCausalLM"), has_language_head("Gemma3TextModel")
    (True, False)
    """
    return ending(architecture) in (*LM_ENDINGS, "ForPreTraining")


def tie_flag(config: Config) -> bool:
    """Whether the output head shares the token embedding's weights."""
    tied = config.flag("tie_word_embeddings")
    never = _NEVER_TIED_BEHIND_A_TOWER if config.where else _NEVER_TIED
    return tied and config.model_type not in never


def with_head(
    config: Config, architecture: str, hidden: int, tied: bool, bias: bool = False
) -> Counts:
    """Parameters of the head that ``architecture`` puts on a decoder."""
    end = ending(architecture)
    if end in LM_ENDINGS:
        vocabulary = config.whole("vocab_size")
        return Counts(
            head=0 if tied else vocabulary * hidden,
            bias=vocabulary if bias else 0,
        )
    if end == "ForSequenceClassification":
        return linear("pooler", hidden, label_count(config))
    if end == "ForTokenClassification":
        return linear("head", hidden, label_count(config), True)
    if end == "ForQuestionAnswering":
        return linear("head", hidden, 2, True)
    if end == "Model":
        return Counts()
    raise no_such_head(config, architecture)


def no_such_head(config: Config, architecture: str) -> ValueError:
    """The error for a class whose head this family has not, or that is not counted."""
    return ValueError(
        f"architectures[0] {architecture!r}: no head of this kind is counted for "
        f"{config.model_type!r}; leave the key out for the model with its usual head"
    )

"""Encoder-decoders: T5 and its kin, BART and its kin, Whisper."""

from __future__ import annotations

from dataclasses import dataclass, replace

from napkin.models.built import Built
from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.decoders import activation_name
from napkin.models.heads import LM_ENDINGS, ending, no_such_head, tie_flag
from napkin.models.layers import Attention, Layer, Stack
from napkin.models.pieces import attention_counts, label_count, linear, mlp, norm

__all__ = ["BARTS", "bart", "t5", "whisper"]


def t5(config: Config, architecture: str) -> Built:
    """T5, mT5, UMT5: relative positions (in layer 0 only, but for UMT5), no biases.

    The head is always the embedding, as transformers 5 has it, whatever ``tie_word_embeddings``
    says; ``Model.stored`` counts the copy that older checkpoints hold.
    """
    hidden, heads, width = (
        config.whole("d_model"),
        config.whole("num_heads"),
        config.whole("d_kv"),
    )
    projection = config.text("feed_forward_proj", "relu")
    gated = projection.startswith("gated-")
    if config.given("is_gated_act"):
        gated = config.flag("is_gated_act")
    feed, fed = mlp(
        hidden, config.whole("d_ff"), gated=gated, activation=projection.removeprefix("gated-")
    )
    table = Counts(position_embedding=config.whole("relative_attention_num_buckets") * heads)
    everywhere = config.model_type == "umt5"
    depth = config.depth("num_layers")
    deep = config.maybe("num_decoder_layers", 0)
    deep = depth if deep is None else deep

    def layer(decoder: bool, with_table: bool) -> Layer:
        attention = Attention("full", heads, heads, width, width, causal=decoder)
        counts = attention_counts(hidden, attention) + fed + norm("rms", hidden, 2)
        cross = None
        if decoder:
            cross = Attention("full", heads, heads, width, width, causal=False)
            counts += attention_counts(hidden, cross) + norm("rms", hidden)
        if with_table:
            counts += table
        return Layer(
            attention=attention,
            cross_attention=cross,
            mlp=feed,
            norms=3 if decoder else 2,
            counts=counts,
        )

    def layers(decoder: bool, number: int) -> tuple[Layer, ...]:
        first, rest = layer(decoder, True), layer(decoder, everywhere)
        return (first,) * min(1, number) + (rest,) * max(0, number - 1)

    vocabulary = config.whole("vocab_size")
    embedded = Counts(token_embedding=vocabulary * hidden) + norm("rms", hidden)
    encoder = Stack("encoder", hidden, layers(False, depth), embedded)
    end = ending(architecture)
    if end in ("EncoderModel", "ForTokenClassification") and config.flag("is_decoder"):
        raise ValueError(
            f"{config.where}is_decoder is true, but {architecture} is an encoder: write false"
        )
    if end == "EncoderModel":
        return Built((encoder,), False, vocabulary, None)
    if end == "ForTokenClassification":
        top = linear("head", hidden, label_count(config), True)
        encoder = replace(encoder, around=encoder.around + top)
        return Built((encoder,), False, vocabulary, None)
    top = norm("rms", hidden) + _answer_head(config, architecture, hidden, label_count(config))
    decoder = Stack("decoder", hidden, layers(True, deep), top)
    tied = end in LM_ENDINGS
    return Built((encoder, decoder), tied, vocabulary, None)


def _answer_head(config: Config, architecture: str, hidden: int, spans: int) -> Counts:
    """The classifier on a whole encoder-decoder; ``spans`` numbers mark an answer in the text."""
    end = ending(architecture)
    if end == "ForSequenceClassification":
        top = linear("pooler", hidden, hidden, True)
        return top + linear("pooler", hidden, label_count(config), True)
    if end == "ForQuestionAnswering":
        return linear("head", hidden, spans, True)
    if end not in (*LM_ENDINGS, "Model"):
        raise no_such_head(config, architecture)
    return Counts()


@dataclass(frozen=True)
class BartRule:
    """What sets an encoder-decoder of BART's shape apart."""

    offset: int = 0
    learned: bool = True
    embedding_norm: bool = False
    final_norm: bool = False


BARTS: dict[str, BartRule] = {
    "bart": BartRule(offset=2, embedding_norm=True),
    "blenderbot": BartRule(final_norm=True),
    "m2m_100": BartRule(learned=False, final_norm=True),
    # Marian and Pegasus compute their positions, but hold them as parameters.
    "marian": BartRule(),
    "mbart": BartRule(offset=2, embedding_norm=True, final_norm=True),
    "pegasus": BartRule(final_norm=True),
}


def bart(config: Config, architecture: str) -> Built:
    """BART, mBART, Pegasus, Marian, M2M-100 (NLLB), Blenderbot."""
    refuse_half(config, architecture)
    rule = BARTS[config.model_type]
    _refuse_two_vocabularies(config)
    hidden = config.whole("d_model")
    vocabulary, positions = config.whole("vocab_size"), config.whole("max_position_embeddings")
    tied = tie_flag(config)
    table = (positions + rule.offset) * hidden if rule.learned else 0
    side = Counts(position_embedding=table)
    side += norm("layer", hidden, int(rule.embedding_norm) + int(rule.final_norm))
    act = activation_name(config)
    encoder = Stack(
        "encoder",
        hidden,
        (_post_layer(config, hidden, "encoder", act),) * config.depth("encoder_layers"),
        # Encoder, decoder and the table they share are one where tied, three where not.
        side + Counts(token_embedding=vocabulary * hidden * (1 if tied else 2)),
        positions,
        rule.final_norm,
    )
    top = Counts(token_embedding=0 if tied else vocabulary * hidden)
    is_lm = ending(architecture) in LM_ENDINGS
    if is_lm and not tied:
        top += Counts(head=vocabulary * hidden)
    if not (is_lm or rule.embedding_norm or ending(architecture) == "Model"):
        raise no_such_head(config, architecture)
    top += _answer_head(config, architecture, hidden, 2)
    decoder = Stack(
        "decoder",
        hidden,
        (_post_layer(config, hidden, "decoder", act),) * config.depth("decoder_layers"),
        side + top,
        positions,
        rule.final_norm,
    )
    return Built((encoder, decoder), tied and is_lm, vocabulary, positions)


def _refuse_two_vocabularies(config: Config) -> None:
    """Raise where Marian's decoder has a vocabulary of its own."""
    if config.model_type != "marian":
        return
    vocabulary, own = config.whole("vocab_size"), config.maybe("decoder_vocab_size")
    if own not in (None, vocabulary):
        raise ValueError(
            f"{config.where}decoder_vocab_size is {own} but vocab_size {vocabulary}: two "
            "vocabularies are not counted here; make them equal"
        )
    if config.data.get("share_encoder_decoder_embeddings") is False:
        raise ValueError(
            f"{config.where}share_encoder_decoder_embeddings is false: two embeddings are not "
            "counted here; write true"
        )


def refuse_half(config: Config, architecture: str) -> None:
    """Raise where the class is half of the model: the decoder alone, or the encoder."""
    if architecture.endswith(("ForCausalLM", "EncoderModel", "ForAudioClassification")):
        raise ValueError(
            f"architectures[0] {architecture!r} is half of an encoder-decoder: "
            f"{config.model_type!r} is counted whole here; leave the key out, or name its "
            "ForConditionalGeneration class"
        )


def _post_layer(config: Config, hidden: int, role: str, act: str, key_bias: bool = True) -> Layer:
    heads = config.whole(f"{role}_attention_heads")
    if hidden % heads:
        raise ValueError(
            f"{config.where}d_model {hidden} is not a multiple of {role}_attention_heads {heads}: "
            "change one of them"
        )
    width = hidden // heads
    decoder = role == "decoder"
    attention = Attention(
        "full", heads, heads, width, width, causal=decoder, bias=True, out_bias=True
    )
    number = 2 if decoder else 1
    counts = attention_counts(hidden, attention) * number
    if not key_bias:
        counts += Counts(bias=-hidden * number)
    feed, fed = mlp(hidden, config.whole(f"{role}_ffn_dim"), gated=False, activation=act, bias=True)
    counts += fed + norm("layer", hidden, number + 1)
    cross = None
    if decoder:
        cross = Attention(
            "full", heads, heads, width, width, causal=False, bias=True, out_bias=True
        )
    return Layer(
        attention=attention,
        cross_attention=cross,
        mlp=feed,
        norm="layer",
        norms=number + 1,
        counts=counts,
    )


def whisper(config: Config, architecture: str) -> Built:
    """Whisper: two convolutions over mel frames, then an encoder-decoder; keys have no bias."""
    refuse_half(config, architecture)
    hidden, mels = config.whole("d_model"), config.whole("num_mel_bins")
    vocabulary = config.whole("vocab_size")
    frames, tokens = config.whole("max_source_positions"), config.whole("max_target_positions")
    tied, act = tie_flag(config), activation_name(config)
    before = linear("projector", 3 * mels, hidden, True)
    before += linear("projector", 3 * hidden, hidden, True)
    before += Counts(position_embedding=frames * hidden) + norm("layer", hidden)
    encoder = Stack(
        "audio",
        hidden,
        (_post_layer(config, hidden, "encoder", act, key_bias=False),)
        * config.depth("encoder_layers"),
        before,
        frames,
        # The first convolution runs at every mel frame, the second at every other.
        front=((3 * mels * hidden, 2 * frames), (3 * hidden * hidden, frames)),
    )
    is_lm = ending(architecture) in LM_ENDINGS
    top = Counts(token_embedding=vocabulary * hidden, position_embedding=tokens * hidden)
    top += norm("layer", hidden)
    if is_lm and not tied:
        top += Counts(head=vocabulary * hidden)
    decoder = Stack(
        "decoder",
        hidden,
        (_post_layer(config, hidden, "decoder", act, key_bias=False),)
        * config.depth("decoder_layers"),
        top,
        tokens,
    )
    return Built((encoder, decoder), tied and is_lm, vocabulary, tokens)

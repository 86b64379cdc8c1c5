"""BERT and its kin: RoBERTa, DistilBERT, ELECTRA, ALBERT, MPNet, DeBERTa, ERNIE."""

from __future__ import annotations

from dataclasses import dataclass, replace

from napkin.models.built import Built
from napkin.models.config import Config
from napkin.models.counts import Counts
from napkin.models.decoders import activation_name
from napkin.models.heads import LM_ENDINGS, ending, no_such_head, tie_flag
from napkin.models.layers import Attention, Layer, Mlp, Relative, Stack
from napkin.models.pieces import (
    attention_counts,
    label_count,
    linear,
    mlp,
    norm,
    standard_attention,
    with_cross_attention,
)

__all__ = ["BERTS", "BertRule", "bert", "bert_head"]


@dataclass(frozen=True)
class BertRule:
    """What sets an encoder of BERT's shape apart."""

    width: str = "intermediate_size"
    narrow: str = ""
    segments: bool = True
    pooler: bool = True
    spare_bias: bool = True
    shared_layers: bool = False
    relative: str = ""
    crosses: bool = False


BERTS: dict[str, BertRule] = {
    "albert": BertRule(narrow="embedding_size", shared_layers=True),
    "bert": BertRule(crosses=True),
    "camembert": BertRule(crosses=True),
    "deberta": BertRule(pooler=False, relative="v1"),
    "deberta-v2": BertRule(pooler=False, relative="v2"),
    "distilbert": BertRule(width="hidden_dim", segments=False, pooler=False, spare_bias=False),
    "electra": BertRule(narrow="embedding_size", pooler=False, spare_bias=False, crosses=True),
    "ernie": BertRule(crosses=True),
    "mpnet": BertRule(segments=False, relative="buckets"),
    "roberta": BertRule(crosses=True),
    "xlm-roberta": BertRule(crosses=True),
}


def bert(config: Config, architecture: str) -> Built:
    """BERT, RoBERTa, DistilBERT, ELECTRA, ALBERT, MPNet, DeBERTa, ERNIE."""
    rule = BERTS[config.model_type]
    hidden, depth = config.whole("hidden_size"), config.depth()
    if not rule.narrow and config.maybe("embedding_size") not in (None, hidden):
        raise ValueError(
            f"{config.where}embedding_size is {config.raw('embedding_size')}: in "
            f"{config.model_type!r} it is counted as hidden_size, {hidden}; leave it out"
        )
    narrow = (config.maybe(rule.narrow) if rule.narrow else None) or hidden
    vocabulary, positions = config.whole("vocab_size"), config.whole("max_position_embeddings")
    around = Counts(token_embedding=vocabulary * narrow)
    if not rule.relative.startswith("v") or config.flag("position_biased_input"):
        around += Counts(position_embedding=positions * narrow)
    if rule.segments:
        around += Counts(segment_embedding=config.whole("type_vocab_size", 0) * narrow)
    if config.model_type == "ernie" and config.flag("use_task_id"):
        around += Counts(segment_embedding=config.whole("task_type_vocab_size") * narrow)
    around += norm("layer", narrow)
    if narrow != hidden or rule.shared_layers:
        around += linear("projector", narrow, hidden, True)
    relative, per_layer, positioned = _relative(config, rule, hidden)
    layers = _bert_layers(config, rule, hidden, depth, per_layer, positioned)
    # DeBERTa's newer head has no weights of its own.
    tied = tie_flag(config) or (rule.relative.startswith("v") and not config.flag("legacy"))
    around += relative + bert_head(config, architecture, rule, hidden, narrow, tied)
    stack = Stack("encoder", hidden, layers, around, positions, final_norm=False)
    tied = tied and ending(architecture) in (*LM_ENDINGS, "ForPreTraining")
    if config.model_type == "electra" and ending(architecture) == "ForPreTraining":
        tied = False
    return Built((stack,), tied, vocabulary, positions)


def _bert_layers(
    config: Config,
    rule: BertRule,
    hidden: int,
    depth: int,
    extra: Counts,
    relative: Relative | None,
) -> tuple[Layer, ...]:
    attention = standard_attention(
        config,
        explicit_head_dim=False,
        bias=True,
        out_bias=True,
        causal=rule.crosses and config.flag("is_decoder"),
        groups=config.whole("num_attention_heads"),
    )
    attention = replace(attention, relative=relative)
    counts = attention_counts(hidden, attention) + extra
    if config.model_type == "deberta":
        counts += Counts(bias=-hidden)  # keys have no bias
    feed, fed = mlp(
        hidden, config.whole(rule.width), gated=False, activation=activation_name(config), bias=True
    )
    counts += fed + norm("layer", hidden, 2)
    if not rule.shared_layers:
        crosses = rule.crosses and config.flag("add_cross_attention")
        layer = Layer(attention=attention, mlp=feed, norm="layer", counts=counts)
        return (with_cross_attention(layer, hidden) if crosses else layer,) * depth
    return _albert_layers(config, attention, feed, counts, depth)


def _albert_layers(
    config: Config, attention: Attention, feed: Mlp, counts: Counts, depth: int
) -> tuple[Layer, ...]:
    """ALBERT runs ``num_hidden_groups`` groups of layers again and again."""
    groups, inner = config.whole("num_hidden_groups"), config.whole("inner_group_num")
    new = Layer(attention=attention, mlp=feed, norm="layer", counts=counts)
    again = Layer(attention=attention, mlp=feed, norm="layer", borrowed=counts)
    if groups > depth:
        raise ValueError(
            f"{config.where}num_hidden_groups is {groups} but there are only {depth} layers: "
            f"choose at most {depth}"
        )
    per_group = depth / groups
    layers: list[Layer] = []
    seen: set[int] = set()
    for index in range(depth):
        group = int(index / per_group)
        layers += [again if group in seen else new] * inner
        seen.add(group)
    return tuple(layers)


def _relative(
    config: Config, rule: BertRule, hidden: int
) -> tuple[Counts, Counts, Relative | None]:
    """Relative positions: what stands once, what each layer adds, how they are attended to."""
    if rule.relative == "buckets":
        buckets = config.whole("relative_attention_num_buckets")
        table = Counts(position_embedding=buckets * config.whole("num_attention_heads"))
        return table, Counts(), None
    once, each = Counts(), Counts()
    relative = bool(rule.relative) and config.flag("relative_attention")
    furthest = config.whole("max_relative_positions", -1) if relative else 0
    if relative and furthest < 1:
        furthest = config.whole("max_position_embeddings")
    raw = config.raw("pos_att_type")
    if raw is not None and not isinstance(raw, (str, list, tuple)):
        raise ValueError(f"{config.where}pos_att_type is {raw!r}: write 'c2p|p2c' or a list")
    kinds = raw.lower().split("|") if isinstance(raw, str) else list(raw or [])
    if rule.relative == "v1" and relative:
        once += Counts(position_embedding=2 * furthest * hidden)
        if "c2p" in kinds:
            each += linear("attention", hidden, hidden)
        if "p2c" in kinds:
            each += linear("attention", hidden, hidden, True)
    number = len({"c2p", "p2c"} & set(kinds))
    positioned = Relative(furthest, number, each.attention, each.attention, clipped=True)
    if rule.relative != "v2":
        return once, each, positioned if relative else None
    if relative:
        buckets = config.whole("position_buckets", -1) if config.given("position_buckets") else -1
        span = buckets if buckets > 0 else furthest
        once += Counts(position_embedding=2 * span * hidden)
        if config.flag("share_att_key"):
            # The layer's own projections to queries and keys, whatever the kinds.
            positioned = Relative(span, number, 2 * hidden * hidden, 0)
        else:
            each += linear("attention", hidden, hidden, True) * number
            positioned = Relative(span, number, each.attention, each.attention)
    if "layer_norm" in config.text("norm_rel_ebd", "none").lower():
        once += norm("layer", hidden)
    kernel = config.maybe("conv_kernel_size", 0) or 0
    if kernel:
        groups = config.maybe("conv_groups") or 1
        once += Counts(projector=hidden * hidden // groups * kernel, bias=hidden)
        once += norm("layer", hidden)
    return once, each, positioned if relative else None


def bert_head(
    config: Config, architecture: str, rule: BertRule, hidden: int, narrow: int, tied: bool
) -> Counts:
    end = ending(architecture)
    vocabulary = config.whole("vocab_size")
    if end == "Model":
        return linear("pooler", hidden, hidden, True) if rule.pooler else Counts()
    if end == "ForSequenceClassification":
        counts = linear("pooler", hidden, hidden, True)
        return counts + linear("pooler", hidden, label_count(config), True)
    if end == "ForTokenClassification":
        return linear("head", hidden, label_count(config), True)
    if end == "ForQuestionAnswering":
        return linear("head", hidden, label_count(config), True)
    if end == "ForPreTraining" and config.model_type == "electra":
        return linear("head", hidden, hidden, True) + linear("head", hidden, 1, True)
    if end not in (*LM_ENDINGS, "ForPreTraining"):
        raise no_such_head(config, architecture)
    counts = linear("projector", hidden, narrow, True) + norm("layer", narrow)
    counts += Counts(bias=vocabulary)
    if not tied:
        counts += Counts(head=vocabulary * narrow, bias=vocabulary if rule.spare_bias else 0)
    if end == "ForPreTraining":
        # Is the second sentence the next one?  ALBERT takes as many answers as it has labels.
        answers = label_count(config) if rule.shared_layers else 2
        counts += linear("pooler", hidden, hidden, True) + linear("pooler", hidden, answers, True)
    return counts

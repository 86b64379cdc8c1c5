"""Memory to run a model and to train it, in one place.

``inference_memory`` and ``training_memory`` answer for a whole device; ``adapter_memory`` is LoRA
and QLoRA; ``saved_activations`` and ``kv_cache`` are the parts that grow.
"""

from napkin.activations import peak_layer_activations, saved_activations
from napkin.adapters import ADAPTER_TARGETS, adapter_parameters
from napkin.kv import kv_cache, kv_cache_bytes
from napkin.kv_engines import ENGINES
from napkin.memory_inference import OVERHEADS, inference_memory
from napkin.memory_rules import classic_activations, kv_cache_rule, training_state
from napkin.memory_training import HEADROOM, adapter_memory, training_memory
from napkin.optimizers import OPTIMIZERS, PRECISIONS, recipe_bytes
from napkin.traffic import Split

__all__ = [
    "ADAPTER_TARGETS",
    "ENGINES",
    "HEADROOM",
    "OPTIMIZERS",
    "OVERHEADS",
    "PRECISIONS",
    "Split",
    "adapter_memory",
    "adapter_parameters",
    "classic_activations",
    "inference_memory",
    "kv_cache",
    "kv_cache_bytes",
    "kv_cache_rule",
    "peak_layer_activations",
    "recipe_bytes",
    "saved_activations",
    "training_memory",
    "training_state",
]

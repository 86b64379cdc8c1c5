"""The command line: ``python -m napkin fit llama-3.1-8b --gpu rtx-4090 --context 32k``.

Every command prints one table with its working, or with ``--json`` the same as JSON.  Exit status:
0 answered (``fit``: it fits), 1 it does not fit, 2 a mistake in the question.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from napkin.quantities import parse_count, parse_fraction, parse_money, parse_seconds
from napkin.table import Table, nearest_name

__all__ = ["main"]

Command = Callable[[argparse.Namespace], Table]

EXAMPLES = """\
examples:
  python -m napkin params qwen3-8b
  python -m napkin fit llama-3.1-8b --gpu rtx-4090 --context 32k
  python -m napkin memory llama-3.1-70b --weights awq --context 8k --users 16
  python -m napkin fit llama-3.1-8b --gpu rtx-4090 --train qlora --context 2k --checkpointing full
  python -m napkin speed llama-3.1-8b --gpu h100 --weights fp8 --batch 32
  python -m napkin train llama-3.1-8b --tokens 15T --gpu h100 --gpus 1024
  python -m napkin cost llama-3.1-8b --gpu h100 --batch 64
  python -m napkin params --config path/to/config.json

sizes as people write them: 7B, 15T, 32k (32,000), 32Ki (32,768), 30 days, 40%, $2.50
"""


def _whole(text: str) -> int:
    value = parse_count(text)
    if not isinstance(value, int):
        raise ValueError(f"{text!r} is not a whole number: write e.g. 8, 4096 or 32k")
    return value


def _reading(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """An argparse type that keeps the message of a ValueError."""

    def read(text: str) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


class _Parser(argparse.ArgumentParser):
    """Errors that name the nearest command or option, and how to see the others."""

    def error(self, message: str) -> Any:
        if "invalid choice: " in message and "argument COMMAND" in message:
            given = message.split("invalid choice: ")[1].split("'")[1]
            close = nearest_name(given, list(COMMANDS), 1)
            hint = f"did you mean {close[0]!r}?" if close else f"use one of {', '.join(COMMANDS)}"
            message = f"{given!r} is not a command: {hint}"
        if message.startswith("unrecognized arguments"):
            given = message.split(": ")[1].split()[0]
            options = [text for action in self._every_option() for text in action.option_strings]
            close = nearest_name(given, options, 1)
            if close:
                message += f" (did you mean {close[0]}?)"
        self.exit(2, f"napkin: {message}\n")

    def _every_option(self) -> list[argparse.Action]:
        found = list(self._actions)
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                for parser in action.choices.values():
                    found += parser._actions
        return found


def _model(options: argparse.Namespace) -> Any:
    """The model that was named, or the one of ``--config``."""
    from napkin.models import from_config

    if options.config is None:
        if options.model is None:
            raise ValueError("name a model, such as llama-3.1-8b, or give --config config.json")
        from napkin.models.typed import typed_model

        try:
            return typed_model(options.model)
        except ValueError as error:
            raise ValueError(str(error).replace("paste a", "give --config with a")) from None
    if options.model is not None:
        raise ValueError(f"give either the model {options.model!r} or --config, not both")
    path = Path(options.config)
    if path.is_dir():
        path = path / "config.json"
    try:
        data = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ValueError(f"--config {path}: {error.strerror or error}") from None
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"--config {path} is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise ValueError(f"--config {path} holds no JSON object: give a model's config.json")
    name = path.resolve().parent.name if path.name == "config.json" else path.stem
    return from_config(data, name=name, estimate=options.estimate)


def _params(options: argparse.Namespace) -> Table:
    table: Table = _model(options).parameters()
    return table


def _memory(options: argparse.Namespace) -> Table:
    from napkin.capacity import serving_memory
    from napkin.training_fit import training_table

    if options.train is not None:
        return training_table(
            _model(options), method=options.train, seq=options.context, batch=options.users,
            optimizer=options.optimizer, checkpointing=options.checkpointing,
        )  # fmt: skip
    return serving_memory(
        _model(options), weights=options.weights, context=options.context, users=options.users,
        cache=options.cache,
    )  # fmt: skip


def _fit(options: argparse.Namespace) -> Table:
    from napkin.solve import fit
    from napkin.training_fit import training_fit

    if options.train is not None:
        return training_fit(
            _model(options), options.gpu, gpus=options.gpus, method=options.train,
            seq=options.context, batch=options.users, optimizer=options.optimizer,
            checkpointing=options.checkpointing,
        )  # fmt: skip
    return fit(
        _model(options), options.gpu, gpus=options.gpus, weights=options.weights,
        context=options.context, users=options.users, cache=options.cache,
    )  # fmt: skip


def _speed(options: argparse.Namespace) -> Table:
    from napkin.serving import decode_speed, request_speed

    shared = {
        "weights": options.weights, "batch": options.batch, "gpus": options.gpus,
        "engine": options.engine, "cache": options.cache,
    }  # fmt: skip
    if options.generate is not None:
        return request_speed(_model(options), options.gpu, prompt=options.context,
                             generated=options.generate, **shared)  # fmt: skip
    return decode_speed(_model(options), options.gpu, context=options.context, **shared)


def _train(options: argparse.Namespace) -> Table:
    from napkin.training_time import devices_for_deadline, training_time

    model = _model(options)
    if options.deadline is not None:
        return devices_for_deadline(model, options.tokens, options.deadline, options.gpu,
                                    seq=options.seq, mfu=options.mfu)  # fmt: skip
    return training_time(model, options.tokens, options.gpu, options.gpus, seq=options.seq,
                         mfu=options.mfu)  # fmt: skip


def _cost(options: argparse.Namespace) -> Table:
    from napkin.cheapest import serving_cost, training_money

    model = _model(options)
    if options.tokens is not None:
        return training_money(model, options.tokens, options.gpu, seq=options.seq,
                              mfu=options.mfu, price=options.price)  # fmt: skip
    return serving_cost(model, options.gpu, gpus=options.gpus, weights=options.weights,
                        context=options.context, batch=options.batch, engine=options.engine,
                        price=options.price)  # fmt: skip


def _gpus(options: argparse.Namespace) -> Table:
    from napkin.hardware import accelerator, hardware_table

    return hardware_table(options.format) if options.name is None else (
        accelerator(options.name).table()
    )  # fmt: skip


def _models(options: argparse.Namespace) -> Table:
    from napkin.models.presets import preset, preset_names
    from napkin.table import Row

    names = [name for name in preset_names() if options.name is None or options.name in name]
    if not names:
        close = nearest_name(options.name, list(preset_names()))
        raise ValueError(f"no model is named like {options.name!r}: {', '.join(close) or 'none'}")
    rows = tuple(
        Row(f"model_{number}", name, preset(name).total, "parameters")
        for number, name in enumerate(names)
    )
    return Table("Models known by name", rows)


COMMANDS: dict[str, tuple[Command, str]] = {
    "params": (_params, "parameters of a model, exact, by part"),
    "memory": (_memory, "bytes to serve a model: weights, cache, the rest"),
    "fit": (_fit, "does it fit on these devices, and what would"),
    "speed": (_speed, "tokens per second, as a range"),
    "train": (_train, "time and device-hours of a training run"),
    "cost": (_cost, "dollars per million tokens, or with --tokens of a training run"),
    "gpus": (_gpus, "accelerators known here"),
    "models": (_models, "models known by name"),
}


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="napkin",
        description="The arithmetic of deep learning: bytes, FLOP, seconds and dollars.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (_, about) in COMMANDS.items():
        one = commands.add_parser(name, help=about, description=about)
        one.add_argument("--json", action="store_true", help="print JSON")
        if name in ("gpus", "models"):
            one.add_argument("name", nargs="?", help="one of them, or part of its name")
            if name == "gpus":
                one.add_argument("--format", default="bf16", help="number format of the peaks")
            continue
        one.add_argument("model", nargs="?", help="a model by name, such as llama-3.1-8b")
        one.add_argument("--config", help="a Hugging Face config.json, or its folder")
        one.add_argument("--estimate", action="store_true",
                         help="count an unknown architecture as a plain decoder")  # fmt: skip
        _add_options(one, name)
    return parser


def _add_options(parser: argparse.ArgumentParser, name: str) -> None:
    def add(option: str, kind: Callable[[str], Any], default: Any, about: str,
            required: bool = False) -> None:  # fmt: skip
        parser.add_argument(option, type=_reading(kind), default=default, help=about,
                            required=required)  # fmt: skip

    if name in ("fit", "speed", "train", "cost"):
        add("--gpu", str, None if name in ("fit", "speed") else "h100", "device, e.g. rtx-4090",
            required=name in ("fit", "speed"))  # fmt: skip
        add("--gpus", _whole, 1, "number of devices")
    if name in ("memory", "fit", "speed", "cost"):
        add("--weights", str, "bf16", "bf16, fp8, int4, awq, nf4, Q4_K_M …")
        add("--cache", str, "bf16", "format of the cache: bf16, fp8, int4 …")
        add("--context", _whole, 4096, "tokens per sequence, e.g. 32k")
    if name in ("memory", "fit"):
        add("--users", _whole, 1, "sequences at the same time (with --train: the micro-batch)")
        parser.add_argument("--train", choices=("full", "lora", "qlora"),
                            help="memory to train, not to serve")  # fmt: skip
        add("--optimizer", str, "adamw", "with --train: adamw, adamw_8bit, muon, adafactor …")
        add("--checkpointing", str, "none", "with --train: none, selective or full")
    if name in ("speed", "cost"):
        add("--batch", _whole, 1 if name == "speed" else 32, "sequences decoded together")
        add("--engine", str, "auto" if name == "speed" else "compiled",
            "vllm, llama.cpp, transformers …")  # fmt: skip
    if name == "speed":
        add("--generate", _whole, None, "tokens to generate after a prompt of --context tokens")
    if name in ("train", "cost"):
        add("--tokens", parse_count, None, "tokens to train on, e.g. 15T", required=name == "train")
        add("--seq", _whole, 4096, "tokens per training sequence")
        add("--mfu", parse_fraction, None, "share of the peak, e.g. 40%% (default: a range)")
    if name == "train":
        add("--deadline", parse_seconds, None, "how many devices finish in, e.g. '30 days'")
    if name == "cost":
        add("--price", parse_money, None, "dollars per device and hour")


def main(arguments: list[str]) -> int:
    """Answer one question; 0 answered, 1 does not fit, 2 a mistake in the question."""
    if not arguments:
        _parser().print_help(sys.stderr)
        return 2
    options = _parser().parse_args(arguments)
    command, _ = COMMANDS[options.command]
    try:
        table = command(options)
    except ValueError as error:
        print(f"napkin: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(table.to_dict(), ensure_ascii=False, indent=2))
    else:
        print(table)
    if options.command == "fit":
        return 0 if table.value("fits") else 1
    return 0

"""The command line as a reader uses it: answers, JSON, exit status, and errors that help."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from napkin.cli import COMMANDS, main
from napkin.table import Table

CONFIG = {
    "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "vocab_size": 128256, "max_position_embeddings": 131072,
}  # fmt: skip


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    try:
        status = main(list(words))
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 2
    out = capsys.readouterr()
    return status, out.out, out.err


@pytest.fixture
def config(tmp_path: Path) -> Path:
    folder = tmp_path / "my-llama"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(CONFIG), "utf-8")
    return folder


def test_the_example_of_the_front_page(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "fit", "llama-3.1-8b", "--gpu", "rtx-4090", "--context", "32k")
    assert status == 0
    assert "fits: 20.9 GB of 25.3 GB" in out
    assert "32,000 tokens" in out


def test_what_does_not_fit_exits_with_1_and_shows_ways_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, _ = run(capsys, "fit", "llama-3.1-70b", "--gpu", "rtx-4090")
    assert status == 1
    assert "does not fit" in out
    assert "hold it" in out


def test_a_model_may_be_a_size(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "fit", "7B", "--gpu", "rtx-4090")
    assert status == 0
    assert "7B × 2 B (BF16) = 14 GB" in out
    status, _, err = run(capsys, "params", "llame-3.1-8b")
    assert status == 2
    assert "llama-3.1-8b" in err and "--config" in err


def test_a_reader_that_stops_early_sees_no_traceback() -> None:
    command = f"{sys.executable} -m napkin models | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Models") and done.stderr == ""


@pytest.mark.parametrize(
    "words",
    [
        ("params", "llama-3.1-8b"),
        ("memory", "llama-3.1-8b", "--users", "16", "--weights", "awq"),
        ("fit", "llama-3.1-8b", "--gpu", "h100"),
        ("fit", "llama-3.1-8b", "--gpu", "4090", "--train", "qlora", "--checkpointing", "full"),
        ("memory", "llama-3.1-8b", "--train", "lora", "--context", "2k"),
        ("speed", "llama-3.1-8b", "--gpu", "h100", "--batch", "8"),
        ("speed", "llama-3.1-8b", "--gpu", "4090", "--weights", "Q4_K_M", "--generate", "100"),
        ("train", "llama-3.1-8b", "--tokens", "15T", "--gpus", "1024"),
        ("train", "llama-3.1-8b", "--tokens", "15T", "--deadline", "30 days", "--mfu", "40%"),
        ("cost", "llama-3.1-8b", "--batch", "64"),
        ("cost", "llama-3.1-8b", "--tokens", "1T", "--price", "$2.50"),
        ("gpus", "h100"),
        ("gpus",),
        ("models", "llama"),
    ],
    ids=" ".join,
)
def test_json_is_the_table_and_text_shows_it(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    status, out, err = run(capsys, *words)
    assert (status, err) == (0, "")
    _, encoded, _ = run(capsys, *words, "--json")
    table = Table.from_dict(json.loads(encoded))
    assert out.rstrip("\n") == table.text()
    assert len(table.rows) >= 1


def test_every_command_is_tried_here() -> None:
    assert set(COMMANDS) == {"params", "memory", "fit", "speed", "train", "cost", "gpus", "models"}


def test_a_configuration_file_or_its_folder(
    capsys: pytest.CaptureFixture[str], config: Path
) -> None:
    for path in (config, config / "config.json"):
        status, out, _ = run(capsys, "params", "--config", str(path))
        assert status == 0
        assert "Parameters of my-llama" in out
        assert "8.03B" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("fti", "llama-3.1-8b"), "'fti' is not a command: did you mean 'fit'?"),
        (("fit", "llama-3.1-8b", "--gpu", "rtx-4900"), "did you mean"),
        (("fit", "llama-3.1-8c", "--gpu", "rtx-4090"), "llama-3.1-8b"),
        (("fit", "llama-3.1-8b"), "--gpu"),
        (("fit", "--gpu", "h100"), "name a model, such as llama-3.1-8b"),
        (("fit", "llama-3.1-8b", "--gpu", "h100", "--contxt", "4"), "did you mean --context"),
        (("fit", "llama-3.1-8b", "--gpu", "h100", "--context", "3x"), "'x' is not a scale"),
        (("fit", "llama-3.1-8b", "--gpu", "h100", "--gpus", "1.5"), "not a whole number"),
        (("fit", "llama-3.1-8b", "--gpu", "h100", "--gpus", "0"), "gpus must be at least 1"),
        (("fit", "llama-3.1-8b", "--gpu", "h100", "--weights", "q9"), "not a weight format"),
        (("speed", "llama-3.1-8b", "--gpu", "h100", "--engine", "vlm"), "did you mean 'vllm'"),
        (("train", "llama-3.1-8b"), "--tokens"),
        (("memory", "llama-3.1-8b", "--train", "qlra"), "'qlra'"),
        (("memory", "llama-3.1-8b", "--train", "full", "--optimizer", "adm"), "mean 'adamw'"),
        (("memory", "gpt2", "--train", "full", "--checkpointing", "ful"), "none, selective"),
        (("train", "llama-3.1-8b", "--tokens", "7b"), "ambiguous: write 7B"),
        (("train", "llama-3.1-8b", "--tokens", "1T", "--mfu", "40"), "write 40% or 0.4"),
        (("train", "llama-3.1-8b", "--tokens", "1T", "--deadline", "5m"), "ambiguous"),
        (("cost", "llama-3.1-8b", "--price", "€3"), "price"),
        (("gpus", "h1000x"), "not an accelerator known here"),
        (("gpus", "--format", "fp3"), "no accelerator lists 'fp3'"),
        (("models", "zzz"), "no model is named like 'zzz'"),
        (("params", "--config", "/nowhere/config.json"), "No such file"),
        (("params", "gpt2", "--config", "x.json"), "not both"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_mistakes_exit_with_2_and_say_what_to_do(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    status, out, err = run(capsys, *words)
    assert (status, out) == (2, "")
    assert message in err
    assert "Traceback" not in err
    assert len(err.splitlines()) <= 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "holds no JSON object"),
        ("null", "holds no JSON object"),
        ("{}", "model_type"),
        ('{"model_type": "llamma"}', "llama"),
        ('{"model_type": "llama", "hidden_size": "big"}', "hidden_size"),
        ('{"model_type": "llama", "num_hidden_layers": -1}', "num_hidden_layers"),
        ('{"model_type": "llama", "vocab_size": 1e400}', "vocab_size"),
        ('{"model_type": ["llama"]}', "model_type"),
        ("\x00\x01", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_hostile_configurations_are_refused_in_words(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "config.json"
    path.write_text(content, "utf-8")
    status, _, err = run(capsys, "params", "--config", str(path))
    assert status == 2
    assert message in err
    assert "Traceback" not in err


def test_a_file_that_is_not_text_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b"\xff\xfe\x00{")
    assert run(capsys, "params", "--config", str(path))[0] == 2


def test_an_unknown_architecture_is_refused_unless_an_estimate_is_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**CONFIG, "model_type": "brand_new"}), "utf-8")
    assert run(capsys, "params", "--config", str(path))[0] == 2
    status, out, _ = run(capsys, "params", "--config", str(path), "--estimate")
    assert status == 0
    assert "note:" in out


def test_it_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "napkin", "gpus", "h100", "--json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert json.loads(done.stdout)["title"].startswith("H100 SXM")
    silent = subprocess.run([sys.executable, "-m", "napkin"], capture_output=True, text=True,
                            check=False)  # fmt: skip
    assert silent.returncode == 2
    assert "examples:" in silent.stderr

"""Stamps, failures and whole files: what makes a second run short and an interrupted one safe."""

import sys
from pathlib import Path

import pytest

from sitekit.provision.steps import Stamp, StepFailure, run, write_atomically


def stamp(folder: Path, *inputs: str | Path) -> Stamp:
    return Stamp("step", inputs, [folder / "output"], folder=folder / "stamps")


def test_a_step_runs_again_when_an_input_file_changes(tmp_path: Path) -> None:
    (tmp_path / "output").touch()
    (tmp_path / "input").write_text("one")
    with stamp(tmp_path, tmp_path / "input").renewed():
        pass
    assert stamp(tmp_path, tmp_path / "input").is_current()
    (tmp_path / "input").write_text("two")
    assert not stamp(tmp_path, tmp_path / "input").is_current()


def test_a_step_runs_again_when_its_output_is_gone(tmp_path: Path) -> None:
    (tmp_path / "output").touch()
    with stamp(tmp_path, "same").renewed():
        pass
    (tmp_path / "output").unlink()
    assert not stamp(tmp_path, "same").is_current()


def test_a_step_that_failed_half_way_runs_again(tmp_path: Path) -> None:
    (tmp_path / "output").touch()
    with stamp(tmp_path, "same").renewed():
        pass
    with pytest.raises(KeyboardInterrupt), stamp(tmp_path, "same").renewed():
        raise KeyboardInterrupt
    assert not stamp(tmp_path, "same").is_current()


def test_a_failed_tool_is_quoted_with_what_to_do() -> None:
    script = "import sys; print('first'); print('the reason', file=sys.stderr); sys.exit(3)"
    with pytest.raises(StepFailure) as caught:
        run([sys.executable, "-c", script], what="paint the fence", remedy="Buy paint.")
    message = str(caught.value)
    assert "Could not paint the fence." in message
    assert "the reason" in message
    assert "exit status 3" in message
    assert message.endswith("Buy paint.")


def test_a_missing_tool_is_named() -> None:
    with pytest.raises(StepFailure, match="no-such-tool"):
        run(["no-such-tool", "--help"], what="paint the fence", remedy="Buy paint.")


def test_an_interrupted_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    write_atomically(file, b"old")

    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]

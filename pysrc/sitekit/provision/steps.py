"""Steps of the set-up: run a tool, say why it failed, remember what is done.

Standard library only: the bootstrap imports this before anything is installed.
"""

import contextlib
import fcntl
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sitekit.provision.paths import CACHE

TAIL_LINES = 15


class StepFailure(Exception):
    """A step that could not be done: what it was, why it failed, what to do about it."""

    def __init__(self, what: str, why: str, remedy: str) -> None:
        super().__init__(what, why, remedy)
        self.what = what
        self.why = why
        self.remedy = remedy

    def __str__(self) -> str:
        why = "\n".join(f"    {line}" for line in self.why.strip().splitlines())
        return f"Could not {self.what}.\n  Why:\n{why}\n  What to do:\n    {self.remedy}"


def explained(error: StepFailure | OSError) -> StepFailure:
    """The error as a step's failure: a full disk or a folder that we may not write is one too."""
    if isinstance(error, StepFailure):
        return error
    why = f"{error.strerror or error}: {error.filename}" if error.filename else str(error)
    return StepFailure(
        "finish the set-up",
        why,
        "Look at the owner and the free space of that place, then run the same command again.",
    )


def say(message: str) -> None:
    """Tell the person at the terminal what is being done, at once."""
    print(message, flush=True)


def run(
    command: Sequence[str | Path],
    *,
    what: str,
    remedy: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
) -> str:
    """Run a tool and return what it printed; a StepFailure carries its last lines otherwise."""
    line = " ".join(map(str, command))
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=cwd,
            env=None if env is None else {**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except OSError as error:
        raise StepFailure(what, f"$ {line}\n{error}", remedy) from error
    except subprocess.TimeoutExpired as error:
        raise StepFailure(what, f"$ {line}\nno answer within {timeout:g} s", remedy) from error
    if done.returncode:
        tail = "\n".join(done.stdout.strip().splitlines()[-TAIL_LINES:]) or "(it printed nothing)"
        raise StepFailure(what, f"$ {line}\n{tail}\n(exit status {done.returncode})", remedy)
    return done.stdout


def fingerprint(parts: Iterable[str | Path]) -> str:
    """The sha256, in hex, of strings and of files' contents, in the given order.

    >>> fingerprint(["a", "b"]) == fingerprint(["ab"])
    False
    """
    total = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, Path) else part.encode()
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()


class Stamp:
    """Remembers that a step was finished with certain inputs and that its outputs are there.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> stamp = Stamp("demo", ["version 1"], outputs=[], folder=folder)
    >>> stamp.is_current()
    False
    >>> with stamp.renewed():
    ...     pass  # the step's work
    >>> stamp.is_current()
    True
    >>> Stamp("demo", ["version 2"], outputs=[], folder=folder).is_current()
    False
    """

    def __init__(
        self,
        name: str,
        inputs: Iterable[str | Path],
        outputs: Iterable[Path],
        folder: Path = CACHE / "stamps",
    ) -> None:
        self.file = folder / name
        self.key = fingerprint(inputs)
        self.outputs = tuple(outputs)

    def is_current(self) -> bool:
        """True when the step was finished with these very inputs and its outputs exist."""
        try:
            same = self.file.read_text() == self.key
        except OSError:
            return False
        return same and all(output.exists() for output in self.outputs)

    @contextlib.contextmanager
    def renewed(self) -> Iterator[None]:
        """Do the step inside; the stamp exists only when it was done to its end."""
        self.file.unlink(missing_ok=True)
        yield
        write_atomically(self.file, self.key.encode())


def write_atomically(file: Path, data: bytes) -> None:
    """Write a whole file or none of it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(name).chmod(0o644)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def exclusive(name: str) -> Iterator[None]:
    """Hold a lock on the checkout, so that two commands started at once do not mix their work."""
    CACHE.mkdir(exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"Waiting for another command's {name} to finish ...")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def write_changed(file: Path, data: bytes, lock: str) -> bool:
    """Write a file where it is not current, one command at a time; True when it had to change."""
    with exclusive(lock):
        if file.is_file() and file.read_bytes() == data:
            return False
        write_atomically(file, data)
    return True

"""A runner with what it wrote, for the tests of `cellrunner`."""

import asyncio
from typing import Any

from cellrunner.errors import CellError
from cellrunner.runner import Outcome, Runner


class Session:
    """Runs cells and keeps what the last one wrote, by stream."""

    def __init__(self) -> None:
        self.pieces: list[tuple[str, str]] = []
        self.runner = Runner(lambda stream, text: self.pieces.append((stream, text)))

    def run(self, source: str, name: str = "cell", **options: Any) -> Outcome:
        self.pieces.clear()
        return asyncio.run(self.runner.run(source, name, **options))

    def text(self, *streams: str) -> str:
        return "".join(text for stream, text in self.pieces if not streams or stream in streams)

    def error(self, source: str, **options: Any) -> CellError:
        """The error that a cell ends with."""
        outcome = self.run(source, **options)
        assert outcome.error is not None, f"no error in {source!r}"
        return outcome.error

"""For the trials in this folder: `serve SITE PORT` serves a built site until killed.

`serve SITE PORT --strict` sends a strict content-security policy with every file.
`serve --judge LESSON` compares the outputs on standard input with the lesson's record.
"""

from __future__ import annotations

import functools
import json
import sys

from sitekit.record import read_record, same_output
from sitekit.sections import load_sections
from sitekit.static_server import StaticHandler, StaticServer
from tests.browser.strict import StrictHandler


def differences(slug: str, outputs: dict[str, str]) -> list[str]:
    """What was printed and what the record says, for the sections where they differ."""
    record, told = read_record(slug), []
    for section in load_sections(slug):
        if section.hidden:
            continue
        expected, got = record[section.name].text, outputs[section.name]
        if not same_output(expected, got, volatile=section.volatile):
            told.append(f"{section.name} printed\n{got}\nbut its record says\n{expected}")
    return told


def main(what: str, argument: str, *options: str) -> None:
    """Judge the outputs on standard input by the record of a lesson, or serve the folder `what`."""
    if what == "--judge":
        print(json.dumps(differences(argument, json.load(sys.stdin))))
        return
    kind = StrictHandler if "--strict" in options else StaticHandler
    handler = functools.partial(kind, directory=what)
    StaticServer(("127.0.0.1", int(argument)), handler).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])

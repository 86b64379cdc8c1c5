"""`sitekit serve`: the self-hosted site while it is being edited; no network is used."""

import argparse
import errno
import signal
import socket
import subprocess

from sitekit import items, modules
from sitekit.decks import SUFFIX
from sitekit.paths import DOCS
from sitekit.provision import assets, pyodide
from sitekit.provision.archive import archived_files
from sitekit.provision.paths import ROOT
from sitekit.provision.steps import StepFailure, say
from sitekit.site import MKDOCS, environment

HOST = "127.0.0.1"
LOOK_EVERY = 1.0  # seconds


def check_port(port: int) -> None:
    """Raise a StepFailure when another program listens on the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            raise StepFailure(
                f"serve the site at port {port}",
                "Another program uses that port." if taken else str(error),
                f"Choose another: make serve PORT={port + 1 if port < 65535 else 8000}",
            ) from error


def modified_times() -> dict[str, int]:
    """When each file of the Python archive, each deck and each script was last written."""
    files = [*archived_files(), *DOCS.rglob(f"*{SUFFIX}"), *modules.SCRIPTS.rglob("*.js")]
    return {str(file): file.stat().st_mtime_ns for file in files}


def publish_python() -> None:
    """Write the runtime folder anew; Python that does not compile yet is told, and waited for."""
    try:
        if assets.write("self-hosted"):
            say("pysrc changed: docs/assets/runtime written")
    except StepFailure as failure:
        say(str(failure))


def publish_items() -> None:
    """Write items.json anew; a deck that is broken while being edited is told, and waited for."""
    try:
        if items.write():
            say("decks changed: docs/assets/practice written")
    except StepFailure as failure:
        say(str(failure))


def serve(port: int) -> int:
    """Run `mkdocs serve` and renew the Python archive when its sources change."""
    check_port(port)
    pyodide.provide()
    assets.write("self-hosted")
    items.write()
    modules.write()
    seen = modified_times()
    # --livereload by name: with newer releases of click its default is lost and nothing reloads.
    command = [*MKDOCS, "serve", "--livereload", "--dev-addr", f"{HOST}:{port}"]
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that mkdocs ends with us
    with subprocess.Popen(command, cwd=ROOT, env=environment()) as mkdocs:
        try:
            while True:
                try:
                    return mkdocs.wait(timeout=LOOK_EVERY)
                except subprocess.TimeoutExpired:
                    pass
                try:
                    now = modified_times()
                except FileNotFoundError:  # an editor is replacing a file: look again
                    continue
                if now != seen:
                    seen = now
                    publish_python()
                    publish_items()
                    modules.write()
        except KeyboardInterrupt:
            mkdocs.terminate()
            mkdocs.wait()
            return 0


def main(arguments: list[str]) -> int:
    """`sitekit serve`: show the site and follow edits, until Ctrl-C."""
    parser = argparse.ArgumentParser(prog="sitekit serve", description=main.__doc__)
    parser.add_argument("--port", type=int, default=8000, help="default: 8000")
    return serve(parser.parse_args(arguments).port)

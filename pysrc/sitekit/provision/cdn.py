"""`sitekit cdn`: does Pyodide's CDN serve the very files that the tests ran on?"""

import argparse

from sitekit.provision import pyodide
from sitekit.provision.steps import StepFailure, say


def compare() -> None:
    """Fetch every pinned file from the CDN; the first that differs is refused by name."""
    remedy = "Publish the self-hosted build until the CDN serves the released files."
    for pin in [*pyodide.core_files(), *pyodide.wheels(pyodide.official_lock())]:
        try:
            data = pyodide.cdn_bytes(pin)
        except OSError as error:
            raise StepFailure(f"fetch {pyodide.cdn()}{pin.name}", str(error), remedy) from error
        pyodide.check(data, pin, f"{pyodide.cdn()}{pin.name}", remedy)
        say(f"{pin.name}: the same")


def main(arguments: list[str]) -> int:
    """`sitekit cdn`: compare what the CDN serves with the pins; needs the network."""
    parser = argparse.ArgumentParser(prog="sitekit cdn", description=main.__doc__)
    parser.parse_args(arguments)
    compare()
    return 0

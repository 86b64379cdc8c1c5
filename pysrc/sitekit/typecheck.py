"""`sitekit typecheck`: the site's JavaScript against its JSDoc types, with tsc."""

import argparse
import subprocess

from sitekit.provision import node
from sitekit.provision.paths import NODE_MODULES, ROOT

TSC = "typescript/bin/tsc"


def main(arguments: list[str]) -> int:
    """`sitekit typecheck`: the page's modules and the worker's, each with its own globals."""
    parser = argparse.ArgumentParser(prog="sitekit typecheck", description=main.__doc__)
    parser.parse_args(arguments)
    tsc = [node.find_node().node, str(NODE_MODULES / TSC), "--pretty", "false", "--project"]
    projects = sorted(ROOT.glob("tsconfig*.json"))
    # Each is run, and says all it has to say, before any failure counts.
    statuses = [subprocess.run([*tsc, str(each)], cwd=ROOT, check=False) for each in projects]
    return max(done.returncode for done in statuses)

"""`python -m sitekit COMMAND`: what the Makefile calls."""

import argparse
import importlib
import sys

# Each command is a module with `main(arguments) -> exit status`, imported only when it is asked
# for. A module that needs nothing installed stays usable while the rest is not.
COMMANDS = {
    "setup": ("sitekit.provision.setup", "fetch and check what the site and its tests need"),
    "assets": ("sitekit.provision.assets", "write docs/assets/runtime"),
    "items": ("sitekit.items", "write the cards and questions for the practice pages"),
    "modules": ("sitekit.modules", "write the list of scripts that each element needs"),
    "build": ("sitekit.site", "write the finished site"),
    "record": ("sitekit.record", "run the lessons and write what they print"),
    "accuracy": ("sitekit.accuracy", "compare the arithmetic with published figures"),
    "reference": ("sitekit.reference", "write the pages of formulas, hardware, models, API"),
    "check": ("sitekit.prose", "check what the pages say"),
    "links": ("sitekit.links", "list the links to other sites"),
    "new": ("sitekit.new_lesson", "begin a lesson: write its files"),
    "labs": ("sitekit.labs", "run the labs on real PyTorch and save their outputs"),
    "screenshot": ("sitekit.screenshot", "take the README's picture of a lesson"),
    "serve": ("sitekit.serve", "show the site while it is being edited"),
    "typecheck": ("sitekit.typecheck", "check the JavaScript against its JSDoc types"),
    "cdn": ("sitekit.provision.cdn", "compare Pyodide's CDN with the pinned files"),
    "pins": ("sitekit.provision.pins", "pin the Pyodide that package.json names"),
    "lock": ("sitekit.provision.locks", "resolve the Python pins anew"),
}


def main(arguments: list[str]) -> int:
    """Run the command that is asked for; its failures are messages, not tracebacks."""
    listed = "\n".join(f"  {name:<11} {about}" for name, (_, about) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="sitekit",
        description="The build side of the site.",
        epilog=f"commands:\n{listed}\n\n`sitekit COMMAND --help` says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...")
    options = parser.parse_args(arguments)
    from sitekit.provision.steps import StepFailure, explained

    module, _ = COMMANDS[options.command]
    try:
        status: int = importlib.import_module(module).main(options.arguments)
    except (StepFailure, OSError) as failure:
        print(f"\n{explained(failure)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

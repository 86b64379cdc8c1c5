"""Browser libraries: one minified ES module for each entry file in sitekit/vendor."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from sitekit.provision import node
from sitekit.provision.paths import NODE_MODULES, ROOT, VENDOR, VENDOR_ENTRIES
from sitekit.provision.steps import Stamp, StepFailure, say, write_atomically

ESBUILD = "esbuild/bin/esbuild"
LICENCES = "LICENSES.txt"
OPTIONS = (
    "--bundle",
    "--format=esm",
    "--minify",
    "--target=es2022",
    # Plot moves lines by half a pixel on coarse screens; its pictures are scaled, and drawn in Node
    # too: they are to be the same everywhere.
    "--define:window.devicePixelRatio=2",
    "--legal-comments=none",  # LICENSES.txt holds the whole texts
    "--log-level=warning",
)


def build() -> None:
    """Bundle docs/assets/vendor/*.js; nothing is done when it is current."""
    entries = sorted(VENDOR_ENTRIES.glob("*.js"))
    types = {VENDOR / f"{entry.stem}.d.ts": types_of(entry) for entry in entries}
    outputs = [*types, *(VENDOR / entry.name for entry in entries), VENDOR / LICENCES]
    names = [entry.name for entry in entries]
    parts = sorted(VENDOR_ENTRIES.glob("*/*.js"))
    inputs: list[str | Path] = [*OPTIONS, *names, *entries, *parts, ROOT / "package-lock.json"]
    stamp = Stamp("vendor", inputs, outputs)
    if stamp.is_current():
        return
    say("Bundling the browser libraries ...")
    with stamp.renewed(), tempfile.TemporaryDirectory() as temporary:
        made = Path(temporary)
        facts = made / "meta.json"
        node.run_tool(
            ESBUILD,
            [*entries, *OPTIONS, f"--outdir={made}", f"--metafile={facts}"],
            what="bundle the browser libraries with esbuild",
            remedy="Correct the file it names in pysrc/sitekit/vendor, then run this again.",
        )
        texts = licence_texts(json.loads(facts.read_text()))
        VENDOR.mkdir(parents=True, exist_ok=True)
        for stale in set(VENDOR.iterdir()) - set(outputs):
            stale.unlink()
        for entry in entries:
            write_atomically(VENDOR / entry.name, (made / entry.name).read_bytes())
        for file, text in types.items():
            write_atomically(file, text.encode())
        write_atomically(VENDOR / LICENCES, texts.encode())


def types_of(entry: Path) -> str:
    """What tells tsc a bundle's types: those of its entry file, since the bundle has none."""
    path = os.path.relpath(entry, VENDOR)
    return f'export * from "{path}";\n'


def licence_texts(facts: dict[str, Any]) -> str:
    """The licences of all packages that esbuild's metafile says went into the bundles."""
    used = [
        source
        for output in facts["outputs"].values()
        for source, share in output["inputs"].items()
        if share["bytesInOutput"]
    ]
    names = {name for source in used if (name := package_name(source))}
    parts = ["The files in this folder are bundled from these npm packages.\n"]
    for name in sorted(names):
        folder = NODE_MODULES / name
        version = json.loads((folder / "package.json").read_text())["version"]
        files = sorted(folder.glob("LICEN[CS]E*"))
        if not files:
            raise StepFailure(
                "collect the licences of the browser libraries",
                f"{name} {version} has no LICENSE file.",
                "Ship only packages whose licence text can be shipped with them.",
            )
        parts.append(f"\n{'=' * 72}\n{name} {version}\n\n{files[0].read_text().strip()}\n")
    return "".join(parts)


def package_name(source: str) -> str | None:
    """The npm package that a source file belongs to; None for our own files.

    >>> package_name("node_modules/@codemirror/view/dist/index.js")
    '@codemirror/view'
    >>> package_name("node_modules/crelt/index.js")
    'crelt'
    >>> package_name("pysrc/sitekit/vendor/codemirror.js")
    """
    _, found, rest = source.rpartition("node_modules/")
    parts = rest.split("/")
    return "/".join(parts[: 2 if rest.startswith("@") else 1]) if found else None

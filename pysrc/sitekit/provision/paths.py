"""Where things lie in the checkout. Standard library only: the bootstrap imports this."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "pysrc"
CACHE = ROOT / ".cache"
VENV = ROOT / ".venv"
NODE_MODULES = ROOT / "node_modules"
VENDOR_ENTRIES = SOURCE / "sitekit" / "vendor"
VENDOR = ROOT / "docs" / "assets" / "vendor"
RUNTIME = ROOT / "docs" / "assets" / "runtime"
SITE = ROOT / "build" / "site"


def shown(path: Path) -> str:
    """The path as a person in the checkout would type it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)

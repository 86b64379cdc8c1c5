"""Our own Python as one file, from which `packing.py` makes the compiled archive that pages get.

The same bytes on every machine.
"""

import io
import zipfile
from pathlib import Path

from sitekit.provision.paths import SOURCE

PACKAGES = ("napkin", "cellrunner", "tinytorch")
LEFT_OUT_FOLDERS = {"__pycache__"}
LEFT_OUT_SUFFIXES = {".pyc", ".pyo"}
FIRST_DAY_OF_ZIP = (1980, 1, 1, 0, 0, 0)


def archived_files(source: Path = SOURCE) -> list[Path]:
    """The files of the packages that readers get, in a fixed order; caches left out."""
    return sorted(
        file
        for package in PACKAGES
        for file in (source / package).rglob("*")
        if file.is_file()
        and file.suffix not in LEFT_OUT_SUFFIXES
        and LEFT_OUT_FOLDERS.isdisjoint(file.relative_to(source).parts)
    )


def archive_bytes(source: Path = SOURCE) -> bytes:
    """A zip of those files; dates and permissions are fixed, so equal files give equal bytes.

    Nothing in it is compressed: each zlib would write a stream of its own.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file in archived_files(source):
            entry = zipfile.ZipInfo(file.relative_to(source).as_posix(), FIRST_DAY_OF_ZIP)
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3  # Unix, whatever the machine
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_STORED)
    return buffer.getvalue()

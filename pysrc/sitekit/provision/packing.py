"""Make packs: wheels, the standard library and our own Python, as a browser uses them fastest.

Runs inside the pinned Pyodide (`packing.mjs`), whose Python then reads the `.pyc` files and whose
zlib gives the same bytes on every machine. Standard library only, imports nothing of sitekit.
"""

import gzip
import importlib.util
import io
import json
import marshal
import os
import site
import sys
import tarfile
import warnings
import zipfile
from collections.abc import Iterable, Mapping, Set
from fnmatch import fnmatchcase
from pathlib import Path

JOBS = "jobs.json"  # {package: file name of its wheel}, in the folder to work in
STDLIB = "stdlib"  # jobs that are no packages: what a start needs of it, and the rest
REST = "stdlib-rest"
COURSE = "course"  # our own Python
UNCHECKED_HASH = (1).to_bytes(4, "little")  # PEP 552: hash-based, and nothing to compare it with

# Patterns of paths in a wheel; * matches / too. First what no program needs while it runs.
LEFT_OUT_EVERYWHERE = (
    *("*.pyi", "*/py.typed", "*.pxd", "*.pyx", "*.h", "*.c", "*.a", "*.pc"),
    *("*/tests/*", "*/test/*", "*/conftest.py", "*.data/*"),
    *("*.dist-info/RECORD", "*.dist-info/WHEEL", "*.dist-info/entry_points.txt"),
    "*.dist-info/zip-safe",
)
LEFT_OUT: Mapping[str, tuple[str, ...]] = {
    "numpy": (
        # Compilers of extensions, in a place that has no compiler; and type checkers' plug-ins.
        *("numpy/f2py/*", "numpy/distutils/*", "numpy/_configtool.py", "numpy/_pyinstaller/*"),
        *("numpy/_core/include/*", "numpy/_core/lib/*", "numpy/random/_examples/*"),
        "numpy/typing/mypy_plugin.py",
        *("numpy/ma/API_CHANGES.txt", "numpy/ma/README.rst"),
    ),
    "matplotlib": (
        # Windows, and web pages that talk to a server: a worker has neither.
        *(
            f"matplotlib/backends/{name}"
            for name in (
                *("*gtk*", "*qt*", "*wx*", "*tk*", "*macosx*", "*cairo*", "*nbagg*"),
                *("*webagg*", "backend_pyodide.py", "web_backend/*"),
            )
        ),
        *("matplotlib/testing/*", "matplotlib/sphinxext/*"),
        *(
            f"matplotlib/mpl-data/{name}"
            for name in ("images/*", "sample_data/*", "plot_directive/*", "kpsewhich.lua")
        ),
        # Fonts of PDF and PostScript readers, and of styles that lessons do not use: Matplotlib
        # takes the upright Mono for the oblique one, and says that it takes Sans for Serif.
        # STIX and Computer Modern stay: every formula looks them up.
        *(
            f"matplotlib/mpl-data/fonts/{name}"
            for name in ("afm/*", "pdfcorefonts/*", "ttf/DejaVuSerif*", "ttf/*Mono*Oblique*")
        ),
    ),
    "pillow": ("PIL/ImageTk.py", "PIL/ImageQt.py", "PIL/_imagingtk.*", "PIL/_tkinter_finder.py"),
    "contourpy": ("contourpy/util/bokeh*",),  # needs Bokeh
    "pyparsing": ("pyparsing/ai/*", "pyparsing/tools/*", "pyparsing/diagram/*"),
}
# `from numpy import *` asks for every submodule, so one that is left out must still be there.
STAND_INS: Mapping[str, Mapping[str, bytes]] = {
    "numpy": {"numpy/f2py/__init__.py": b'"""Left out: it calls a Fortran compiler."""\n'},
}
FONT_LIST = "matplotlib/fontlist.json"
FONT_FOLDER = "matplotlib/mpl-data/"
SETTINGS = "matplotlib/mpl-data/matplotlibrc"
# Pyodide's default draws into the document, which a worker has not; ours draws into memory.
BACKENDS = (b"\n#backend: webagg\n", b"\n#backend: agg\n")
# What the course and NumPy import besides what Pyodide's start does: fetched before a first run.
# The rest follows when Python is up; a module of it that is asked for earlier waits for it.
FIRST = (
    *("_compat_pickle", "ctypes", "ctypes._endian", "datetime", "decimal", "difflib", "email"),
    *("encodings.cp437", "encodings.utf_16_le", "fractions", "hmac", "html", "html.entities"),
    *("importlib.metadata", "importlib.metadata._collections", "importlib.metadata._functools"),
    *("importlib.metadata._itertools", "importlib.metadata._meta", "importlib.readers"),
    *("importlib.resources", "importlib.resources._common", "importlib.resources._functional"),
    *("importlib.resources._itertools", "importlib.resources.abc", "importlib.resources.readers"),
    *("numbers", "pickle", "pkgutil", "platform", "secrets", "statistics", "sysconfig", "timeit"),
)
# What Matplotlib and lessons import of the rest.  Only these and the above are compiled: the
# sources of the others are half as many bytes to fetch.
COMPILED = (
    *("argparse", "calendar", "csv", "gzip", "hashlib", "ipaddress", "plistlib", "pprint"),
    *("shlex", "tarfile", "unittest", "urllib.parse", "uuid", "xml.parsers.expat"),
    "_sysconfigdata__emscripten_wasm32-emscripten",
)
# In the first zip: what the rest has, for `cellrunner.library`.
REST_NAMES = "rest.txt"
REST_PLACE = "/lib/stdlib-rest.zip"  # also named in cellrunner/library.py
COURSE_PLACE = "/lib/course.zip"  # also named in worker/interpreter.js


def is_kept(path: str, package: str) -> bool:
    """Does a program that runs in a page need this file of the package's wheel?

    >>> is_kept("numpy/linalg/__init__.py", "numpy"), is_kept("numpy/f2py/rules.py", "numpy")
    (True, False)
    """
    patterns = (*LEFT_OUT_EVERYWHERE, *LEFT_OUT.get(package, ()))
    return not any(fnmatchcase(path, pattern) for pattern in patterns)


def compiled(source: bytes, filename: str) -> bytes:
    """The `.pyc` of a module's source, docstrings and asserts kept (PEP 552, hash-based).

    `filename` is what tracebacks and the filters of warnings will see.
    """
    with warnings.catch_warnings(action="ignore"):
        code = compile(source, filename, "exec", dont_inherit=True, optimize=0)
    head = importlib.util.MAGIC_NUMBER + UNCHECKED_HASH + importlib.util.source_hash(source)
    return head + marshal.dumps(code)


def font_list(data: bytes, files: Mapping[str, bytes]) -> bytes:
    """Matplotlib's list of fonts, made when its wheel was, without the fonts that are not there.

    With the list no font file is opened until a text needs it.
    """
    fonts = json.loads(data)
    for kind in ("afmlist", "ttflist"):
        there = (font for font in fonts[kind] if FONT_FOLDER + font["fname"] in files)
        fonts[kind] = sorted(there, key=lambda font: str(font["fname"]))
    return json.dumps(fonts, separators=(",", ":")).encode()


def settings(data: bytes) -> bytes:
    """Matplotlib's default settings, with a backend that works in a worker."""
    if data.count(BACKENDS[0]) != 1:
        raise ValueError(f"{SETTINGS} does not have the line {BACKENDS[0]!r}: look at its defaults")
    return data.replace(*BACKENDS)


def packed_files(wheel: bytes, package: str, folder: str) -> dict[str, bytes]:
    """The files of a wheel, by path below `folder` where they will lie, as a pack holds them.

    Each module becomes `name.pyc` where `name.py` was, which Python imports without a source.
    """
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        files = {
            entry.filename: archive.read(entry)
            for entry in archive.infolist()
            if not entry.is_dir() and is_kept(entry.filename, package)
        }
    files |= STAND_INS.get(package, {})
    if package == "matplotlib":
        files[FONT_LIST] = font_list(files[FONT_LIST], files)
        files[SETTINGS] = settings(files[SETTINGS])
    for path in [path for path in files if path.endswith(".py")]:
        files[f"{path}c"] = compiled(files.pop(path), f"{folder}/{path}")
    return files


def tar_bytes(files: Mapping[str, bytes]) -> bytes:
    """A ustar archive of the files in the order of their paths; no dates, owners or folders."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(files):
            entry = tarfile.TarInfo(path)
            entry.size = len(files[path])
            archive.addfile(entry, io.BytesIO(files[path]))
    return buffer.getvalue()


def compressed(data: bytes) -> bytes:
    """The bytes in gzip's format, without a date or a name."""
    return gzip.compress(data, compresslevel=9, mtime=0)


def zip_bytes(sources: Mapping[str, bytes], folder: str, hot: Set[str]) -> bytes:
    """A zip of the sources, with the modules at the `hot` paths compiled.

    `folder` is the zip's path in the interpreter, which imports from it without unpacking it.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path in sorted(sources):
            content = sources[path]
            if path in hot:
                content = compiled(content, f"{folder}/{path}")
                path += "c"
            archive.writestr(zipfile.ZipInfo(path), content, zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()


def course(data: bytes) -> bytes:
    """Our own Python with every module compiled, from the zip of its sources; its data as it is.

    Its sources would add two fifths to what is fetched, and only tracebacks would show them.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {path: archive.read(path) for path in archive.namelist()}
    modules = {path for path in files if path.endswith(".py")}
    return zip_bytes(files, COURSE_PLACE, modules)


def stdlib_parts(data: bytes, first: Set[str]) -> dict[str, dict[str, bytes]]:
    """Pyodide's zip of the standard library in two: what a start needs, and the rest.

    The first has a list of the modules that are in the other.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = {path: archive.read(path) for path in archive.namelist()}
    parts = {
        STDLIB: {path: content for path, content in files.items() if path in first},
        REST: {path: content for path, content in files.items() if path not in first},
    }
    names = sorted(module_name(path) for path in parts[REST] if path.endswith(".py"))
    parts[STDLIB][REST_NAMES] = "\n".join(names).encode()
    return parts


def module_name(path: str) -> str:
    """The dotted name of the module at a path.

    >>> module_name("email/mime/text.py"), module_name("csv.py"), module_name("xml/__init__.py")
    ('email.mime.text', 'csv', 'xml')
    """
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def stdlib_paths(names: Iterable[str]) -> set[str]:
    """Where loaded modules of the standard library lie in its zip."""
    folder = f"{Path(os.__file__).parent}/"
    files = (str(getattr(sys.modules.get(name), "__file__", "")) for name in names)
    return {file.removeprefix(folder) for file in files if file.startswith(folder)}


def main(work: str, started: Iterable[str]) -> None:
    """Make `<job>.pack` for each of the files that the folder's jobs.json names.

    `started` are the modules that Pyodide's start has loaded.
    """
    folder = Path(work)
    site_packages = site.getsitepackages()[0]
    library = str(Path(os.__file__).parent)
    for module in (*FIRST, *COMPILED):
        importlib.import_module(module)
    first = stdlib_paths([*started, *FIRST])
    hot = stdlib_paths(sys.modules)
    jobs: dict[str, str] = json.loads((folder / JOBS).read_text())
    for job, name in jobs.items():
        data = (folder / name).read_bytes()
        if job in (STDLIB, REST):
            place = library if job == STDLIB else REST_PLACE
            packed = zip_bytes(stdlib_parts(data, first)[job], place, hot)
        elif job == COURSE:
            packed = course(data)
        else:
            packed = compressed(tar_bytes(packed_files(data, job, site_packages)))
        (folder / f"{job}.pack").write_bytes(packed)

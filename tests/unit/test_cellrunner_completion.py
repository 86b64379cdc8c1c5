"""Completion and documentation from the live namespace, without running the reader's code."""

import json
import math

import numpy as np
import pytest

from cellrunner.completion import completions
from cellrunner.documentation import documentation
from tests.unit.cell_session import Session

SETUP = '''
import math
import numpy as np

mass = 3.5
name = "ada" * 50
weights = np.zeros((64, 32), np.float32)
layers = {"a": 1}


def flops(m: int, k: int = 2, *, unit: str = "FLOP", table=np.zeros(3)) -> int:
    """Operations of a product.

    More about it.
    """


class Model:
    """A model of something.

    More."""

    depth = 12

    def __init__(self):
        self.width = 768

    def forward(self, x, scale=1.0):
        "Run it."

    @property
    def size(self):
        raise SystemExit("ran a property")

    def __getattr__(self, name):
        raise SystemExit("ran __getattr__")

    def __dir__(self):
        raise SystemExit("ran __dir__")

    def __repr__(self):
        raise SystemExit("ran __repr__")

    @property
    def __class__(self):
        raise SystemExit("ran __class__")


model = Model()
'''


@pytest.fixture(scope="module")
def namespace() -> dict[str, object]:
    session = Session()
    assert session.run(SETUP).ok, session.text()
    return session.runner.namespace


def at_end(source: str) -> tuple[str, int, int]:
    lines = source.split("\n")
    return source, len(lines), len(lines[-1].encode("utf-16-le")) // 2


def labels(source: str, namespace: dict[str, object]) -> list[str]:
    return [one["label"] for one in completions(*at_end(source), namespace, ["numpy", "scipy"])]


@pytest.mark.parametrize(
    ("source", "first"),
    [
        ("ma", ["math", "mass"]),
        ("x = weig", ["weights"]),
        ("np.zer", ["zeros", "zeros_like"]),
        ("print(np . linalg.nor", ["norm"]),
        ("weights.resh", ["reshape"]),
        ("model.for", ["forward"]),
        ("model.wid", ["width"]),
        ("model.si", ["size"]),
        ("Model.dep", ["depth"]),
        ("layers.ke", ["keys"]),
        ("whi", ["while"]),
        ("import sc", ["sched", "scipy"]),
        ("import numpy.lina", ["linalg"]),
        ("from math import sqrt, flo", ["floor"]),
        ("flops(3, un", ["unit="]),
        ("model.forward(\n    1, sc", ["scale="]),
        ("later = 1\nlat", ["later"]),
        ("'😀'; np.zeros_", ["zeros_like"]),
        ("a[np.aran", ["arange"]),
    ],
)
def test_completions_begin_with(
    namespace: dict[str, object], source: str, first: list[str]
) -> None:
    assert labels(source, namespace)[: len(first)] == first


@pytest.mark.parametrize(
    "source",
    [
        "'np.",
        '"""np.',
        "# np.",
        "x = 'a",
        "3.",
        "'abc'.",
        "model.size.",
        "zebra.",
        "f().x",
        "np.zeros(3).s",
    ],
)
def test_nothing_is_offered_in_texts_or_after_what_cannot_be_told(
    namespace: dict[str, object], source: str
) -> None:
    assert labels(source, namespace) == []


def test_private_names_are_offered_only_when_asked_for(namespace: dict[str, object]) -> None:
    assert not any(label.startswith("_") for label in labels("model.", namespace))
    assert "__init__" in labels("model.__in", namespace)


def test_each_completion_says_what_it_is(namespace: dict[str, object]) -> None:
    told = {
        one["label"]: (one["kind"], one["detail"])
        for source in ("m", "n", "Mo", "fl", "wh", "w", "model.si")
        for one in completions(*at_end(source), namespace)
    }
    assert told["mass"] == ("variable", "float 3.5")
    assert told["name"] == ("variable", "str")  # too long to show
    assert told["weights"] == ("variable", "ndarray")
    assert told["math"] == ("namespace", "module")
    assert told["Model"] == ("class", "")
    assert told["flops"] == ("function", "")
    assert told["while"] == ("keyword", "")
    assert told["size"] == ("property", "")


def test_all_of_numpy_is_there(namespace: dict[str, object]) -> None:
    public = {name for name in np.__all__ if not name.startswith("_")}
    missing = public - set(labels("np.", namespace))
    # Parts that NumPy loads when first used.
    assert all(isinstance(getattr(np, name), type(np)) for name in missing)


@pytest.mark.parametrize(
    ("source", "signature", "summary"),
    [
        ("mass", "mass: float = 3.5", ""),
        ("weights", "weights: float32 array of shape (64, 32)", ""),
        ("layers", "layers: dict with 1 element", ""),
        ("model", "model: Model", "A model of something."),
        ("Model", "Model()", "A model of something."),
        ("model.forward", "forward(self, x, scale=1.0)", "Run it."),
        (
            "flops(1, 2",
            "flops(m: int, k: int = 2, *, unit: str = 'FLOP', table=...) -> int",
            "Operations of a product.",
        ),
        ("math.sqrt", "sqrt(x, /)", "Return the square root of x."),
        ("math", "module math", math.__doc__ and " ".join(math.__doc__.split())),
        (
            "np.linalg.norm",
            "norm(x, ord=None, axis=None, keepdims=False)",
            "Matrix or vector norm.",
        ),
    ],
)
def test_documentation(
    namespace: dict[str, object], source: str, signature: str, summary: str
) -> None:
    told = documentation(*at_end(source), namespace)
    assert told == {"signature": signature, "summary": summary}


def test_numpys_functions_in_c_are_documented_too(namespace: dict[str, object]) -> None:
    for source, start, summary in [
        ("np.zeros", "zeros(shape, dtype=", "Return a new array of given shape and type"),
        ("np.add", "add(x1, x2, /, out=None", "Add arguments element-wise."),
        ("np.einsum(", "einsum(", "Evaluates the Einstein summation convention"),
    ]:
        told = documentation(*at_end(source), namespace)
        assert told is not None
        assert told["signature"].startswith(start) and told["summary"].startswith(summary)


def test_the_name_under_the_cursor_counts_up_to_its_part(namespace: dict[str, object]) -> None:
    source = "y = np.linalg.norm(x)"
    told = [
        documentation(source, 1, source.index(part), namespace) for part in ("np", "linalg", "norm")
    ]
    assert [one and one["signature"] for one in told] == [
        "module numpy",
        "module numpy.linalg",
        "norm(x, ord=None, axis=None, keepdims=False)",
    ]


@pytest.mark.parametrize("source", ["zebra", "", "'mass'", "# mass", "model.size", "3 + 4", "(1"])
def test_nothing_is_said_about_what_is_not_known(namespace: dict[str, object], source: str) -> None:
    assert documentation(*at_end(source), namespace) is None


@pytest.mark.parametrize(("line", "column"), [(0, 0), (9, 0), (1, 999), (-1, -5)])
def test_a_place_outside_the_code_is_no_failure(
    namespace: dict[str, object], line: int, column: int
) -> None:
    completions("mass", line, column, namespace)
    documentation("mass", line, column, namespace)


def test_the_page_gets_json() -> None:
    session = Session()
    session.run("mass = 3.5")
    assert json.loads(session.runner.completions(*at_end("mas"))) == [
        {"label": "mass", "kind": "variable", "detail": "float 3.5"}
    ]
    assert json.loads(session.runner.documentation(*at_end("mass"))) == {
        "signature": "mass: float = 3.5",
        "summary": "",
    }
    assert session.runner.documentation(*at_end("zebra")) == "null"

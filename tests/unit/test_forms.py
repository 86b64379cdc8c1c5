"""Forms: what a reader types is read as meant, or refused with a message that helps."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

import pytest

from napkin.fields import Amount, GpuInput, ModelInput
from napkin.forms import Answer, Choice, FieldProblem, Row, Text, answer, calculator, form
from napkin.models.presets import preset
from napkin.models.typed import typed_model
from tests.samples import CALCULATORS, sample_texts

KV = "napkin.tools.kv_cache:kv_cache"
HOSTILE = "<img src=x onerror=alert(1)>\"'&"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("32k", 32_000),
        ("32K", 32_000),
        ("32 k tokens", 32_000),
        ("32,768", 32_768),
        ("32Ki", 32_768),
        ("1m", 10**6),
        ("1 token", 1),
    ],
)
def test_tokens_are_read_as_people_write_them(text: str, value: int) -> None:
    assert Amount("tokens", 1, 1e8, whole=True).read(text, "Context")[0] == value


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        (Amount("", 0, 1, kind="fraction"), "40%", 0.4),
        (Amount("", 0, 1, kind="fraction"), "40", 0.4),
        (Amount("", 0, 1, kind="fraction"), "0.4", 0.4),
        (Amount("", 0, 1e12, kind="bytes"), "80 GB", 80e9),
        (Amount("", 0, 1e9, kind="seconds"), "90 days", 7_776_000),
        (Amount("", 0, 100, kind="money"), "$2.50", 2.5),
        (Amount("B/s", 0, 1e15, kind="rate"), "3.35 TB/s", 3.35e12),
        (Amount("parameters", 1, 1e13), "7b", 7e9),
    ],
)
def test_each_kind_of_amount_has_its_grammar(field: Amount, text: str, value: float) -> None:
    assert field.read(text, "Field")[0] == value
    assert field.read(field.written(value), "Field")[0] == value, "a default must be readable"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("lots", ["Context 'lots'", "number", "8k"]),
        ("", ["Context is empty", "8k"]),
        ("0", ["Context '0'", "at least 1 token", "8k"]),
        ("9e9", ["Context '9e9' is 9,000,000,000 tokens", "at most 100,000,000", "8k"]),
        ("1.5", ["Context '1.5'", "whole number"]),
        ("-3", ["Context '-3'", "negative"]),
        ("7" * 200, ["too long", "8k"]),
    ],
)
def test_a_bad_amount_is_told_what_was_read_the_rule_and_a_fix(
    text: str, parts: list[str]
) -> None:
    result = answer(KV, {"context": text, "users": "4"})
    assert result["answer"] is None
    assert list(result["problems"]) == ["context"]
    for part in parts:
        assert part in result["problems"]["context"]


def test_all_bad_fields_are_told_at_once() -> None:
    result = answer(KV, {"model": "lama-3.1-8b", "context": "x", "cache": "bf61"})
    assert set(result["problems"]) == {"model", "context", "cache"}
    assert "llama-3.1-8b" in result["problems"]["model"]
    assert "bf16" in result["problems"]["cache"]


def test_what_was_read_is_echoed_only_where_it_says_something_new() -> None:
    read = answer(KV, {"context": "32k", "users": "4"})["read"]
    assert read["context"] == "read as 32,000 tokens"
    assert "8.03B parameters" in read["model"]
    assert "users" not in read


def test_a_name_that_is_no_field_is_listed_and_loses_nothing() -> None:
    result = answer(KV, {"contxt": "8k"})
    assert result["unknown"] == ["contxt"]
    assert result["answer"] == answer(KV, {})["answer"]


def test_a_model_is_a_name_a_size_or_a_config_json() -> None:
    config = json.dumps({"model_type": "gpt2"}, indent=2)
    assert typed_model("gpt2").total == typed_model(config).total == 124_439_808
    assert typed_model("7B").total == 7_000_000_000


@pytest.mark.parametrize("name", ["llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b"])
def test_a_models_size_alone_gives_nearly_its_cache(name: str) -> None:
    """The shape that a size stands for is that of the family it is modelled on."""
    real = preset(name)
    assert typed_model(str(real.total)).kv_bytes_per_token() == pytest.approx(
        real.kv_bytes_per_token(), rel=0.05
    )


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "empty"),
        ("{", "not valid JSON, line 1"),
        ('{"model_type": "llama", "hidden_size": "big"}', "hidden_size"),
        ("{}", "hidden_size is missing"),
        ("9e30", "a size lies between"),
        ("[" * 300_000, "no config.json"),
        ('{"a":' * 30_000, "nested too deep"),
    ],
)
def test_a_bad_model_is_told_why(text: str, part: str) -> None:
    assert part in answer(KV, {"model": text})["problems"]["model"]


def test_a_gpu_is_found_by_what_people_call_it() -> None:
    value, read = GpuInput().read("4090", "GPU")
    assert (value, read) == ("4090", "RTX 4090: 24 GB at 1.01 TB/s")


def _sized(
    gpu: Annotated[str, GpuInput()] = "H100",
    price: Annotated[float | None, Amount("", 0, 1000, kind="money")] = None,
    size: Annotated[Literal["s", "m"], Choice((("s", "small"), ("m", "medium")))] = "s",
    quick: bool = True,
    note: Annotated[str, Text()] = "x",
) -> Answer:
    """An example.

    Parameters:
        gpu: GPU. Any that
            people know.
        price: Price. Dollars.
        size: Size.
        quick: Quick. Or slow.
        note: Note. A text.
    """
    if size == "m" and quick:
        raise FieldProblem("quick", "medium is never quick: choose slow")
    if note == "bad":
        raise ValueError("price of that is not known")
    return Answer(Row("cost", note, price or 0, "$"), f"{gpu} {quick}")


def test_a_signature_is_a_form() -> None:
    made = form(_sized)
    assert [field.label for field in made.fields] == ["GPU", "Price", "Size", "Quick", "Note"]
    assert made.fields[0].help == "Any that people know."
    assert made.defaults() == {
        "gpu": "H100", "price": "", "size": "s", "quick": "yes", "note": "x",
    }  # fmt: skip
    assert made.answer({"price": " ", "quick": "no"})["answer"]["sentence"] == "H100 False"


def test_what_the_function_says_of_a_field_stands_beside_it() -> None:
    made = form(_sized)
    assert made.answer({"size": "m"})["problems"] == {
        "quick": "medium is never quick: choose slow"
    }
    assert list(made.answer({"note": "bad"})["problems"]) == ["price"]


def test_every_text_is_escaped() -> None:
    html = form(_sized).answer({"note": HOSTILE})["html"]
    assert "<img" not in html and "&lt;img" in html


def _undocumented(size: bool = True) -> Answer:
    raise AssertionError


def _without_default(size: bool) -> Answer:
    """No.

    Parameters:
        size: Size.
    """
    raise AssertionError


def _untyped(size: list[int] = [], /) -> Answer:  # noqa: B006
    """No.

    Parameters:
        size: Size.
    """
    raise AssertionError


@pytest.mark.parametrize(
    ("function", "part"),
    [
        (_undocumented, "not described"),
        (_without_default, "no default"),
        (_untyped, "annotate it"),
    ],
)
def test_a_function_that_is_no_calculator_is_refused(function: Any, part: str) -> None:
    with pytest.raises(ValueError, match=part):
        form(function)


@pytest.mark.parametrize(
    ("reference", "part"),
    [
        ("napkin.tools.kv_cash:kv_cache", "did you mean napkin.tools.kv_cache?"),
        ("napkin.tools.kv_cache:kv_cash", "did you mean napkin.tools.kv_cache:kv_cache?"),
        ("os:system", "does not name a calculator"),
        ("napkin.tools.kv_cache", "does not name a calculator"),
    ],
)
def test_an_unknown_calculator_is_told_the_nearest(reference: str, part: str) -> None:
    with pytest.raises(ValueError, match=re.escape(part)):
        calculator(reference)


@pytest.mark.parametrize("reference", CALCULATORS)
def test_a_calculator_answers_its_defaults_and_survives_what_its_form_allows(
    reference: str,
) -> None:
    made = calculator(reference)
    assert made.answer({})["problems"] == {}
    answered = 0
    for seed in range(60):
        texts = sample_texts(made, seed)
        result = made.answer(texts)
        json.dumps(result, allow_nan=False)
        assert (result["answer"] is None) is bool(result["problems"]), texts
        answered += result["answer"] is not None
        unread = [field.name for field in made.fields if field.name in result["problems"]]
        for name in unread:  # the fields allow them: only the function may refuse
            next(field for field in made.fields if field.name == name).read(texts[name])
    assert answered >= 20, "a third at least of what its own form allows must have an answer"


@pytest.mark.parametrize("reference", CALCULATORS)
def test_each_amount_may_be_as_small_and_as_large_as_its_field_allows(reference: str) -> None:
    made = calculator(reference)
    for field in made.fields:
        if isinstance(field.reader, Amount):
            low, high = field.reader.low, field.reader.high
            for value in (low, 9 * low, high):
                result = made.answer({field.name: field.reader.written(min(value, high))})
                json.dumps(result, allow_nan=False)


@pytest.mark.parametrize("reference", CALCULATORS)
def test_hostile_texts_are_refused_in_words(reference: str) -> None:
    made = calculator(reference)
    for field in made.fields:
        for text in (HOSTILE, "1e9999", "{" * 1000, "\0", "٩", "∞", "nan"):
            result = made.answer({field.name: text})
            assert "<img" not in result["html"]
            if not isinstance(field.reader, (Text, ModelInput)):
                assert field.name in result["problems"], (field.name, text)

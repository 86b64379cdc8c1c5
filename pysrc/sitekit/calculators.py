"""A calculator as HTML: its form, its default answer, readable without scripts."""

from __future__ import annotations

from html import escape

from napkin.accelerators import accelerators
from napkin.answer_html import answer_html
from napkin.fields import Amount, GpuInput, ModelInput, Options, Switch, Text
from napkin.forms import Field, Form, calculator
from napkin.models.presets import preset, preset_names
from napkin.printing import format_count, format_rate
from sitekit.pictures import pictures
from sitekit.sections import SiteError

__all__ = ["calculator_html"]


def calculator_html(reference: str, number: int = 1) -> str:
    """The HTML of the calculator ``napkin.module:function``, the ``number``-th on its page.

    Raises SiteError where there is no such calculator, and where its default answer fails.
    """
    try:
        form = calculator(reference)
    except ValueError as error:
        raise SiteError(str(error)) from error
    result = form.answer({})
    if result["problems"]:
        found = "; ".join(f"{name}: {text}" for name, text in result["problems"].items())
        raise SiteError(f"{reference} does not answer its own defaults: {found}")
    answer = result["answer"]
    charts = answer["charts"]
    drawn = {chart["key"]: html for chart, html in zip(charts, pictures(charts), strict=True)}
    name = reference.partition(":")[2].replace("_", "-")
    ident = f"{name}-{number}" if number > 1 else name
    return (
        # In a <div>: at the root of a fence, Markdown would wrap the element in a <p>.
        f'<div class="napkin-block"><napkin-calculator class="napkin-calculator"'
        f' id="calculator-{ident}" ref="{escape(reference)}" data-state="static"'
        f' data-title="{escape(form.title)}">'
        f"{_form(form, ident, result['read'])}{_inputs(form)}"
        f'<p data-part="status"></p><div data-part="result">{answer_html(answer, drawn)}</div>'
        "</napkin-calculator></div>"
    )


def _inputs(form: Form) -> str:
    """The fields as a list, for paper and for a page without scripts."""
    items = "".join(
        f'<div><dt>{escape(field.label)}</dt><dd data-input="{field.name}">'
        f"{escape(_said(field))}</dd></div>"
        for field in form.fields
    )
    return f'<dl data-part="inputs">{items}</dl>'


def _said(field: Field) -> str:
    """The default as the list says it: with its unit, a choice by its name."""
    reader, text = field.reader, field.default
    if isinstance(reader, Options):
        return dict(reader.labels).get(text, text)
    if isinstance(reader, Amount) and reader.kind == "count" and reader.unit and text:
        return f"{text} {reader.unit.removesuffix('s') if text == '1' else reader.unit}"
    return text or "not given"


def _form(form: Form, ident: str, read: dict[str, str]) -> str:
    fields = "".join(_field(field, ident, read.get(field.name, "")) for field in form.fields)
    kinds = {type(field.reader) for field in form.fields}
    lists = (_model_list(ident) if ModelInput in kinds else "") + (
        _gpu_list(ident) if GpuInput in kinds else ""
    )
    return (
        f'<form data-part="form" aria-label="{escape(form.title)}" autocomplete="off" novalidate>'
        f"{fields}</form>{lists}"
    )


def _field(field: Field, ident: str, read: str) -> str:
    place = f"{ident}-{field.name}".replace("_", "-")
    reader = field.reader
    label = f'<label for="{place}">{escape(field.label)}</label>'
    described = f'{place}-help {place}-note' if field.help else f"{place}-note"
    common = f'id="{place}" name="{field.name}" aria-describedby="{described}"'
    if isinstance(reader, Switch):
        checked = " checked" if field.default == "yes" else ""
        control = f'<input type="checkbox" {common}{checked}>'
    elif isinstance(reader, Options):
        labels = dict(reader.labels)
        choices = "".join(
            f'<option value="{escape(str(value))}"'
            f"{' selected' if str(value) == field.default else ''}>"
            f"{escape(labels.get(str(value), str(value)))}</option>"
            for value in reader.values
        )
        control = f"<select {common}>{choices}</select>"
    else:
        control = _text_input(field, place, common, ident)
    help_text = f'<p data-part="help" id="{place}-help">{escape(field.help)}</p>'
    return (
        f'<div data-field="{field.name}" data-kind="{type(reader).__name__.lower()}">'
        f'{label}<div data-part="control">{control}</div>'
        f"{help_text if field.help else ''}"
        f'<p data-part="note" id="{place}-note">{escape(read)}</p></div>'
    )


def _text_input(field: Field, place: str, common: str, ident: str) -> str:
    reader = field.reader
    listed = suggested = unit = slider = ""
    if isinstance(reader, ModelInput):
        listed = f' list="{ident}-all-models"'
    elif isinstance(reader, GpuInput):
        listed = f' list="{ident}-all-gpus"'
    elif isinstance(reader, (Amount, Text)) and reader.suggestions:
        listed = f' list="{place}-list"'
        options = "".join(f'<option value="{escape(text)}">' for text in reader.suggestions)
        suggested = f'<datalist id="{place}-list">{options}</datalist>'
    if isinstance(reader, Amount):
        if reader.unit and reader.kind == "count":
            unit = f'<span data-part="unit" aria-hidden="true">{escape(reader.unit)}</span>'
        if reader.slider:
            step = 1 if reader.whole else (reader.high - reader.low) / 100
            percent = " data-percent" if reader.kind == "fraction" else ""
            slider = (
                f'<input type="range" data-part="slider"{percent}'
                f' aria-label="{escape(field.label)}, slider"'
                f' min="{reader.low:g}" max="{reader.high:g}" step="{step:g}"'
                f' value="{reader.read(field.default, field.label)[0]:g}">'
            )
    empty = ' placeholder="not given"' if field.optional else ""
    control = (
        f'<input type="text" {common} value="{escape(field.default)}"{listed}{empty}'
        ' spellcheck="false" autocapitalize="none">'
    )
    if listed:  # the place of the list that a script makes of it
        control = f'<span class="combobox">{control}</span>'
    return f"{control}{unit}{slider}{suggested}"


def _model_list(ident: str) -> str:
    options = "".join(
        f'<option value="{name}">{format_count(preset(name).total)} parameters</option>'
        for name in preset_names()
    )
    return f'<datalist id="{ident}-all-models">{options}</datalist>'


def _gpu_list(ident: str) -> str:
    options = "".join(
        f'<option value="{escape(row.name)}">{row.marketed_gb:g} GB, '
        f"{format_rate(row.bandwidth, 'B/s')}</option>"
        for row in accelerators()
    )
    return f'<datalist id="{ident}-all-gpus">{options}</datalist>'

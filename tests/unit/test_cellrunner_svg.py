"""A figure's SVG is built anew from what is known to be harmless inside a page."""

from xml.etree import ElementTree

import pytest

from cellrunner.svg import Unsupported, picture_svg, safe_svg

COLOURS = {"#020103": "currentColor", "#fdfefc": "var(--figure-background, transparent)"}
START = (
    '<?xml version="1.0" encoding="utf-8" standalone="no"?>\n'
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"\n'
    '  "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n'
    '<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="72pt" height="36pt" '
    'viewBox="0 0 72 36" xmlns="http://www.w3.org/2000/svg" version="1.1">'
)


def cleaned(body: str, alt: str = "Plot") -> str:
    svg = safe_svg(f"{START}{body}</svg>", alt, COLOURS)
    ElementTree.fromstring(svg)  # well-formed
    return svg


def inside(body: str) -> str:
    return cleaned(body).partition(">")[2].removesuffix("</svg>")


def test_root_has_the_size_in_pixels_and_a_name() -> None:
    root = ElementTree.fromstring(cleaned("", 'a "b" <c> & \x00 d'))
    assert (root.get("width"), root.get("height")) == ("96", "48")
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'a "b" <c> & � d'


@pytest.mark.parametrize(
    "body",
    [
        "<script>alert(1)</script>",
        '<style type="text/css">* {display: none}</style>',
        "<defs><style>*{}</style></defs>",
        "<metadata><rdf xmlns='x'><a/></rdf></metadata>",
        '<div xmlns="http://www.w3.org/1999/xhtml" onclick="alert(1)">x</div>',
        "<title>t</title>",
        "<!-- <script>alert(1)</script> -->",
        '<?xml-stylesheet href="https://example.org/x.css"?>',
    ],
)
def test_left_out(body: str) -> None:
    assert inside(body) == ""


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ('<path d="M 1 2" onclick="alert(1)" class="c" data-x="1"/>', '<path d="M1 2"/>'),
        (
            '<a xlink:href="javascript:alert(1)"><path d="M 1 2"/></a>',
            '<path d="M1 2"/>',
        ),
        ('<use xlink:href="https://example.org/x.svg#a" x="1"/>', '<use x="1"/>'),
        ('<image xlink:href="https://example.org/x.png" width="1"/>', '<image width="1"/>'),
        ('<image xlink:href="data:image/svg+xml;base64,AAAA"/>', "<image/>"),
        (
            '<image xlink:href="data:image/png;base64,AA=="/>',
            '<image href="data:image/png;base64,AA=="/>',
        ),
        ('<path style="fill: url(https://example.org/x#a)" d="M 1 2"/>', '<path d="M1 2"/>'),
        ('<path style="fill: url(javascript:alert(1)); stroke: red"/>', '<path stroke="red"/>'),
        (
            '<text x="1">&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp;</text>',
            '<text x="1">&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp;</text>',
        ),
        ('<g id="a&quot;onload=&quot;x"><path d="M 1 2"/></g>', '<path d="M1 2"/>'),
        ('<g style="behavior: url(x); -moz-binding: url(y)"><path/></g>', "<path/>"),
        ('<text x="1">a\x00\x1bb\ufffe</text>', '<text x="1">a��b�</text>'),
    ],
)
def test_hostile_parts_are_left_out_and_the_rest_is_kept(body: str, kept: str) -> None:
    assert inside(body) == kept


@pytest.mark.parametrize("name", ["foreignObject", "animate", "filter", "iframe", "set"])
def test_elements_that_are_not_known_are_refused(name: str) -> None:
    with pytest.raises(Unsupported, match=name):
        cleaned(f"<{name}/>")


@pytest.mark.parametrize("markup", ["", "<svg", "not markup", "<html/>"])
def test_what_is_no_figure_is_refused(markup: str) -> None:
    with pytest.raises(Unsupported):
        safe_svg(markup, "", {})


def test_default_colours_follow_the_page_and_chosen_ones_stay() -> None:
    assert inside(
        '<path style="fill: #020103; stroke: #000000; opacity: 0.8"/>'
        '<path style="fill: #FDFEFC; stroke: none"/>'
    ) == (
        '<path fill="currentColor" stroke="#000000" opacity="0.8"/>'
        '<path fill="var(--figure-background, transparent)" stroke="none"/>'
    )


def test_texts_with_default_colours_as_their_words_are_left_alone() -> None:
    assert inside('<text x="0">#020103</text>') == '<text x="0">#020103</text>'


FIGURE = (
    '<g id="line2d_1"><path d="{d}" clip-path="url(#p1)"/></g>'
    '<defs><clipPath id="p1"><rect x="0" width="{w}"/></clipPath></defs>'
)


def ids(svg: str) -> set[str]:
    return {e.attrib["id"] for e in ElementTree.fromstring(svg).iter() if "id" in e.attrib}


def test_two_figures_share_no_ids_and_references_still_lead_to_their_target() -> None:
    one, other = (cleaned(FIGURE.format(d="M 0 1", w=w)) for w in (1, 2))
    assert ids(one) and not ids(one) & ids(other)
    (name,) = ids(one)
    assert f'clip-path="url(#{name})"' in one


def test_the_same_figure_gives_the_same_markup() -> None:
    assert cleaned(FIGURE.format(d="M 0 1", w=1)) == cleaned(FIGURE.format(d="M 0 1", w=1))


def test_ids_that_nothing_refers_to_are_left_out() -> None:
    assert "line2d_1" not in cleaned(FIGURE.format(d="M 0 1", w=1))


def test_the_page_chooses_the_font_of_ordinary_texts() -> None:
    usual = "font-size: 10px; font-family: 'DejaVu Sans', 'Arial', sans-serif"
    assert inside(f'<text style="{usual}">n</text>') == '<text font-size="10px">n</text>'
    chosen = "font-family: 'Comic Neue'"
    assert "Comic Neue" in inside(f'<text style="{chosen}">n</text>')


def test_parts_of_formulas_keep_their_blanks() -> None:
    body = '<text>\n   <tspan x="0">a</tspan>\n   <tspan x="3"> </tspan>\n  </text>'
    assert inside(body) == '<text><tspan x="0">a</tspan><tspan x="3"> </tspan></text>'


def test_a_picture_is_wrapped_as_a_figure() -> None:
    root = ElementTree.fromstring(picture_svg("AA==", 640, 480, "Dots"))
    assert root.get("aria-label") == "Dots" and root.get("viewBox") == "0 0 640 480"
    assert root[0].get("href") == "data:image/png;base64,AA=="


def test_a_mark_is_drawn_where_it_is_used() -> None:
    """As the specification of SVG has it: moved last, the path's own style before the use's."""
    mark = '<defs><path id="m" d="M 0 1" style="stroke: red"/></defs>'

    def drawn(use: str) -> str:
        return inside(mark + use).partition("</defs>")[2]

    assert drawn('<use xlink:href="#m" x="2.004" y="-0.5" style="fill: blue; stroke: blue"/>') == (
        '<path fill="blue" stroke="red" d="M0 1" transform="translate(2 -0.5)"/>'
    )
    assert drawn('<use href="#m" transform="scale(2)" x="1"/>') == (
        '<path d="M0 1" stroke="red" transform="scale(2) translate(1 0)"/>'
    )


def test_a_use_of_what_is_no_path_and_one_that_is_cut_stay() -> None:
    group = '<defs><g id="g"><path d="M 0 1"/></g><path id="m" d="M 0 1"/></defs>'
    for use in ('<use href="#g"/>', '<use href="#m" clip-path="url(#g)"/>'):
        assert "<use " in inside(group + use)

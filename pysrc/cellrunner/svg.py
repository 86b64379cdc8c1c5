"""Makes matplotlib's SVG fit to stand inside a page: built anew from what is known to be harmless.

Left out are style sheets (theirs would apply to the whole page), scripts, links, metadata, event
attributes and whatever refers outside; ids get a prefix, so that two figures share none.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

NAMESPACE = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
ELEMENTS = frozenset({
    "g", "defs", "path", "use", "text", "tspan", "rect", "circle", "ellipse", "line",
    "polyline", "polygon", "image", "clipPath", "pattern",
})  # fmt: skip
UNWRAPPED = frozenset({"a"})
LEFT_OUT = frozenset({"metadata", "style", "title", "desc", "script"})
NUMBERS = frozenset({
    "d", "x", "y", "width", "height", "points", "cx", "cy", "r", "rx", "ry", "x1", "y1", "x2",
    "y2",
})  # fmt: skip
ATTRIBUTES = NUMBERS | frozenset({
    "transform", "viewBox", "preserveAspectRatio", "patternUnits", "clip-path", "clip-rule",
    "fill", "fill-opacity", "fill-rule", "stroke", "stroke-opacity", "stroke-width",
    "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "stroke-dasharray",
    "stroke-dashoffset", "opacity", "font-family", "font-size", "font-style", "font-variant",
    "font-weight", "font-stretch", "text-anchor", "image-rendering",
})  # fmt: skip
REFERENCE = re.compile(r"url\(#([^()\"'\s]+)\)")
PICTURE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=\s]+")
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
PREFIX = "\0"
"""Stands for the prefix of ids until it is known; nothing else in XML can hold it."""
USUAL_FONTS = ", sans-serif"
ROOT_STYLE = (
    'fill="#000" stroke-linejoin="round" stroke-linecap="butt" '
    "font-family=\"'DejaVu Sans', Verdana, sans-serif\""
)
"""What matplotlib's own style sheet says, and its fonts."""


class Unsupported(ValueError):
    """The SVG has parts that cannot be kept, so it would look wrong."""


def safe_svg(markup: str, alt: str, colours: Mapping[str, str]) -> str:
    """The `<svg>` element of a figure, with `alt` as its name for screen readers.

    Colours that are keys of `colours` are replaced by their values, wherever something is filled
    or drawn in them. Raises Unsupported.

    >>> print(safe_svg('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">'
    ...     '<path d="M 0 0.5" onclick="alert(1)" style="fill: #020103"/></svg>', 'A "dot"',
    ...     {"#020103": "currentColor"}).partition('>')[2])
    <path d="M0 0.5" fill="currentColor"/></svg>
    """
    try:
        root = ElementTree.fromstring(NOT_XML.sub("\ufffd", markup))
    except ElementTree.ParseError as error:
        raise Unsupported(f"not well-formed: {error}") from None
    _draw_paths_where_used(root)
    body = _Body(colours, _ids_referred_to(root))
    body.add_children(root)
    box = root.get("viewBox", "")
    if not re.fullmatch(r"[\d. -]+", box):
        raise Unsupported("no viewBox")
    width, height = (float(number) for number in box.split()[2:])
    # Points of 1/72 inch are shown as pixels of 1/96 inch.
    start = _root(box, width * 96 / 72, height * 96 / 72, alt)
    drawn = "".join(body.parts)
    # Named after what is drawn: the same figure has the same ids, another one has others.
    prefix = "f" + hashlib.sha256(drawn.encode("utf-8", "replace")).hexdigest()[:10]
    return start + drawn.replace(PREFIX, prefix) + "</svg>"


def picture_svg(png: str, width: int, height: int, alt: str) -> str:
    """A PNG, as base64, in an `<svg>`, so that a page has one kind of figure to handle."""
    return (
        _root(f"0 0 {width} {height}", width, height, alt)
        + f'<image width="{width}" height="{height}" href="data:image/png;base64,{png}"/></svg>'
    )


def _root(box: str, width: float, height: float, alt: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label={quoteattr(NOT_XML.sub("�", alt))} '
        f"{ROOT_STYLE}>"
    )


class _Body:
    """Writes the elements that are allowed."""

    def __init__(self, colours: Mapping[str, str], wanted: list[str]) -> None:
        self.parts: list[str] = []
        self._colours = colours
        self._ids = {name: f"{PREFIX}-{i}" for i, name in enumerate(wanted)}

    def add_children(self, parent: ElementTree.Element) -> None:
        for child in parent:
            self._add(child)
            if parent.tag in (f"{NAMESPACE}text", f"{NAMESPACE}tspan") and child.tail:
                self.parts.append(escape(child.tail.rstrip("\n ")))

    def _add(self, element: ElementTree.Element) -> None:
        name = element.tag.removeprefix(NAMESPACE)
        if name in LEFT_OUT or not element.tag.startswith(NAMESPACE):
            return
        if name in UNWRAPPED:
            self.add_children(element)
            return
        if name not in ELEMENTS:
            raise Unsupported(f"<{name}>")
        attributes = self._attributes(element, name)
        if name == "g" and not attributes:
            self.add_children(element)
            return
        text = element.text or "" if name in ("text", "tspan") else ""
        if name == "text" and not text.strip():
            text = ""  # the layout of the file
        before = len(self.parts)
        self.parts.append(f"<{name}{attributes}>{escape(text)}")
        self.add_children(element)
        if len(self.parts) > before + 1 or text:
            self.parts.append(f"</{name}>")
        elif name in ("g", "defs"):
            del self.parts[before]
        else:
            self.parts[before] = f"<{name}{attributes}/>"

    def _attributes(self, element: ElementTree.Element, name: str) -> str:
        written = {}
        for key, value in _all_attributes(element):
            kept = self._kept(key, value, name)
            if kept is not None:
                written["href" if key == LINK else key] = kept
        return "".join(f" {key}={quoteattr(value)}" for key, value in written.items())

    def _kept(self, key: str, value: str, name: str) -> str | None:
        """The value to write for an attribute, None to leave it out."""
        if key == "id":
            return self._ids.get(value)
        if key in (LINK, "href"):
            if name == "use" and value.startswith("#"):
                return f"#{self._ids[value[1:]]}"
            return value if name == "image" and PICTURE.fullmatch(value) else None
        if key not in ATTRIBUTES:
            return None
        if "url(" in value:
            found = REFERENCE.fullmatch(value)
            return f"url(#{self._ids[found[1]]})" if found else None
        if key in NUMBERS:
            return _shorter(value)
        if key in ("fill", "stroke"):
            return self._colours.get(value.lower(), value)
        if (key == "font-family" and value.endswith(USUAL_FONTS)) or value.startswith("rotate(-0 "):
            return None
        return value


def _draw_paths_where_used(root: ElementTree.Element) -> None:
    """Let each mark be a path of its own: browsers take six times as long for a `<use>`."""
    path = f"{NAMESPACE}path"
    paths = {element.get("id"): element for element in root.iter(path)}
    for use in list(root.iter(f"{NAMESPACE}use")):
        drawn = paths.get(use.get(LINK, use.get("href", "")).removeprefix("#"))
        if drawn is None or "clip-path" in dict(_all_attributes(use)):
            continue
        x, y = (_rounded(use.get(key, "0")) for key in ("x", "y"))
        moved = "" if x == y == "0" else f"translate({x} {y})"
        # What the path says of itself goes before what is said of its use.
        attributes = dict(_all_attributes(use)) | dict(_all_attributes(drawn))
        transforms = (use.get("transform", ""), moved, drawn.get("transform", ""))
        transform = " ".join(filter(None, transforms))
        for key in (LINK, "href", "x", "y", "id", "transform"):
            attributes.pop(key, None)
        use.tag = path
        use.attrib = attributes | ({"transform": transform} if transform else {})


def _all_attributes(element: ElementTree.Element) -> list[tuple[str, str]]:
    """An element's attributes, with those of its `style` as attributes of their own.

    A policy that forbids inline styles lets these pass.
    """
    attributes = [(key, value) for key, value in element.attrib.items() if key != "style"]
    for declaration in element.get("style", "").split(";"):
        key, _, value = declaration.partition(":")
        if value.strip():
            attributes.append((key.strip(), value.strip()))
    return attributes


def _ids_referred_to(root: ElementTree.Element) -> list[str]:
    """In the order of the drawing."""
    names: dict[str, None] = {}
    for element in root.iter():
        for key, value in _all_attributes(element):
            names.update(dict.fromkeys(REFERENCE.findall(value)))
            if key in (LINK, "href") and value.startswith("#"):
                names.setdefault(value[1:])
    return list(names)


def _shorter(numbers: str) -> str:
    """Coordinates to a hundredth of a point, on one line.

    >>> _shorter("M 0 325.986375 \\nL 384.8825 -0.004")
    'M0 325.99L384.88 0'
    """
    text = re.sub(r"-?\d+\.\d+(?:e[+-]?\d+)?", lambda m: _rounded(m[0]), numbers)
    return re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(text.split()))


def _rounded(number: str) -> str:
    text = f"{float(number):.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text

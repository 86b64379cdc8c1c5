"""The figures of the lesson "Counting operations", drawn as SVG.

Writes docs/assets/figures/counting-operations-*.svg, each for a light and for a dark page:
    PYTHONPATH=pysrc python -m lessons.figures.counting_operations
"""

from dataclasses import dataclass

from lessons.figures.drawing import svg, write


@dataclass(frozen=True)
class Ink:
    """Colours for one page background; `faces` are a cube's left, right and top."""

    text: str
    line: str
    row: str
    column: str
    entry: str
    faces: tuple[str, str, str]


INKS = {
    "light": Ink("#33373e", "#8b919b", "#7fb0ef", "#f2b26b", "#6fbf8b",
                 ("#7fb0ef", "#5a93dc", "#c4dcfa")),
    "dark": Ink("#dfe2e8", "#7d8490", "#3a6cb0", "#a8682a", "#3b8558",
                ("#3a6cb0", "#2a5592", "#6f9fdc")),
}  # fmt: skip


def one_output(ink: Ink) -> str:
    """(4 x 5)(5 x 6): one row of a and one column of b meet in one entry of the product."""
    m, k, n, side, gap = 4, 5, 6, 24, 34
    row, column = 2, 3
    left, top = 46, 40  # of a and of b; the product sits below b and right of a
    right, bottom = left + k * side + gap, top + k * side + gap
    parts = [
        _grid(left, bottom, m, k, side, ink.line, {(row, p): ink.row for p in range(k)}),
        _grid(right, top, k, n, side, ink.line, {(p, column): ink.column for p in range(k)}),
        _grid(right, bottom, m, n, side, ink.line, {(row, column): ink.entry}),
        _text(left + k * side / 2, bottom - 10, "a", ink.text, italic=True),
        _text(right - 16, top + k * side / 2 + 5, "b", ink.text, italic=True),
        _text(right + n * side + 14, bottom + (row + 0.5) * side + 5, "c", ink.text, italic=True),
        _text(left - 18, bottom + m * side / 2 + 5, "m", ink.text, italic=True),
        _text(left + k * side / 2, bottom + m * side + 20, "k", ink.text, italic=True),
        _text(right + n * side / 2, bottom + m * side + 20, "n", ink.text, italic=True),
        _text(right + n * side / 2, top - 10, "n", ink.text, italic=True),
        _text(right + n * side + 14, top + k * side / 2 + 5, "k", ink.text, italic=True),
        _text(left - 20, 58, "one entry of c =", ink.text, start=True),
        _text(left - 20, 80, "k multiplies", ink.text, start=True),
        _text(left - 20, 102, "+ k adds", ink.text, start=True),
    ]
    return svg(right + n * side + 34, bottom + m * side + 32, parts)


def eight_cubes(ink: Ink) -> str:
    """The n*n*n multiply-adds as a cube, and the cube of twice the side: eight of the first."""
    side, base = 50, 214
    parts = [
        *_cube(72, base, side, 1, ink),
        *_cube(284, base, side, 2, ink),
        _text(158, base - 42, "→", ink.text, size=24),
        _text(72, base + 36, "side n", ink.text),
        _text(284, base + 36, "side 2n", ink.text),
        _text(72, base + 58, "n³ multiply-adds", ink.text),
        _text(284, base + 58, "8 · n³ multiply-adds", ink.text),
    ]
    return svg(384, base + 72, parts)


FIGURES = {
    "counting-operations-one-output": one_output,
    "counting-operations-eight-cubes": eight_cubes,
}


def figures() -> dict[str, str]:
    """File name and SVG text of every figure of the lesson."""
    return {
        f"{name}-{scheme}.svg": draw(ink)
        for name, draw in FIGURES.items()
        for scheme, ink in INKS.items()
    }


def _text(
    x: float, y: float, words: str, fill: str, *,
    size: int = 16, italic: bool = False, start: bool = False,
) -> str:  # fmt: skip
    style = ' font-style="italic"' if italic else ""
    anchor = "start" if start else "middle"
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"{style} '
        f'fill="{fill}">{words}</text>'
    )


def _grid(
    x: float, y: float, rows: int, columns: int, side: int, line: str,
    filled: dict[tuple[int, int], str],
) -> str:  # fmt: skip
    cells = [
        f'<rect x="{x + j * side:g}" y="{y + i * side:g}" width="{side}" height="{side}" '
        f'fill="{filled.get((i, j), "none")}"/>'
        for i in range(rows)
        for j in range(columns)
    ]
    return f'<g stroke="{line}">\n' + "\n".join(cells) + "\n</g>"


def _cube(x: float, y: float, side: float, count: int, ink: Ink) -> list[str]:
    """A cube of count**3 small ones, seen from a corner; (x, y) is its lowest point."""
    across, down = side * 0.87, side * 0.5  # one side along a slanted axis

    def point(left: float, right: float, up: float) -> str:
        return f"{x + (right - left) * across:g},{y - (left + right) * down - up * side:g}"

    faces = []
    for i in range(count):
        for j in range(count):
            corners = [
                [(i, 0, j), (i + 1, 0, j), (i + 1, 0, j + 1), (i, 0, j + 1)],
                [(0, i, j), (0, i + 1, j), (0, i + 1, j + 1), (0, i, j + 1)],
                [(i, j, count), (i + 1, j, count), (i + 1, j + 1, count), (i, j + 1, count)],
            ]
            for four, fill in zip(corners, ink.faces, strict=True):
                points = " ".join(point(*corner) for corner in four)
                faces.append(f'<polygon points="{points}" fill="{fill}"/>')
    return [f'<g stroke="{ink.text}" stroke-width="1.2" stroke-linejoin="round">', *faces, "</g>"]


if __name__ == "__main__":
    write(figures())

"""`sitekit new <slug>`: the files of a new lesson, with every part that a lesson has."""

from __future__ import annotations

import argparse
from pathlib import Path

from sitekit.page_order import FIRST, LAST
from sitekit.paths import ROOT
from sitekit.provision.steps import StepFailure
from sitekit.sections import NAME

SCRIPT = '''"""{title}: what its cells show."""

# %% first
print("Replace me.")
'''

EXERCISES = '''"""Exercises of "{title}"."""

# %% first
"""A short title

What the reader writes, in Markdown.

Expected: `double(3) = 6`

Hints:
- A first hint.
"""
def double(n):
    return 2 * n  #? what stands here in words

# %% first check
assert double(3) != 9, "A reply to a known mistake."
assert double(3) == 6

# %% first mistake
"""A reply to a known mistake."""
def double(n):
    return n * n
'''

DECK = """cards: []
quiz: []
"""

OPENING = """# {title}

**What does this page answer?**

```lesson
{slug}
```

```estimate
id: {slug}/first
question: "A question with a number."
unit: GB
answer: 7e9 * 2 / 1e9
```
"""

BODY = {
    "Key ideas": """1. First.
2. Second.
3. Third.

??? note "Show more"

    4. Fourth.

**Suggested path.** Read from top to bottom.

## A section of its own

```cell
{slug}/first
```
""",
    "Exercises": "```exercise\n{slug}/first\n```\n",
    "Quiz": "```quiz\ndeck: {slug}\nall\n```\n",
    "Flashcards": (
        "```cards\ndeck: {slug}\nall\n```\n\n"
        "[Review all due cards](../practice/flashcards.md).\n"
    ),
    "Your first guess again": (
        "```estimate-answer\nid: {slug}/first\nworking: |\n  `7e9 * 2 = 14 GB`\n```\n"
    ),
}


def new_files(slug: str, title: str) -> dict[str, str]:
    """Path and content of each file of a lesson."""
    stem = slug.replace("-", "_")
    sections = (f"## {name}\n\n{BODY.get(name, '...' + chr(10))}" for name in (*FIRST, *LAST))
    page = "\n".join([OPENING, *sections])
    fill = {"slug": slug, "title": title}
    return {
        f"docs/lessons/{slug}.md": page.format(**fill),
        f"docs/lessons/{slug}.deck.yml": DECK,
        f"pysrc/lessons/{stem}.py": SCRIPT.format(**fill),
        f"pysrc/lessons/exercises/{stem}.py": EXERCISES.format(**fill),
    }


def write(slug: str, title: str, root: Path = ROOT) -> list[str]:
    """Write the files; StepFailure where the name is not one, or a file is there already."""
    if not NAME.match(slug) or slug.startswith("_"):
        raise StepFailure(
            f"begin the lesson {slug!r}",
            "A slug is one or a few words in lower case, joined by hyphens.",
            "For example: python -m sitekit new kv-cache",
        )
    files = new_files(slug, title)
    there = [path for path in files if (root / path).exists()]
    if there:
        raise StepFailure(
            f"begin the lesson {slug!r}",
            f"{', '.join(there)} exists already.",
            "Choose another slug, or edit what is there.",
        )
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return list(files)


def main(arguments: list[str]) -> int:
    """`sitekit new`: begin a lesson, and say what comes next."""
    parser = argparse.ArgumentParser(prog="sitekit new", description=main.__doc__)
    parser.add_argument("slug", help="such as kv-cache")
    parser.add_argument("--title", help="default: from the slug")
    options = parser.parse_args(arguments)
    title = options.title or options.slug.replace("-", " ").capitalize()
    print("\n".join(write(options.slug, title)))
    print(
        f"next: add `- {title}: lessons/{options.slug}.md` to nav in mkdocs.yml, write, then run"
        f" `python -m sitekit record {options.slug}` and `python -m sitekit check`"
    )
    return 0

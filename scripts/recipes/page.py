#!/usr/bin/env python3
"""Compares docs/recipes.md with the recipes, or writes its blocks: page.py [--write].

A line <!-- NAME.sh NUMBER --> stands before each block of code of the page that comes from a recipe. The block holds
what stands between the lines "# recipe" and "# end" of that script, with the usual indentation taken away. Each marked
text of a script must be in the page. run.sh calls this first. It needs nothing but Python, and changes the page only
with --write.
"""

import pathlib
import re
import sys
import textwrap

FOLDER = pathlib.Path(__file__).resolve().parent
PAGE = FOLDER.parent.parent / "docs" / "recipes.md"
BLOCK = re.compile(r"(<!-- ([\w-]+\.sh) (\d+) -->\n```\w*\n)(.*?)(```\n)", re.DOTALL)
MARKED = re.compile(r"^[ \t]*# recipe\n(.*?)^[ \t]*# end\n", re.DOTALL | re.MULTILINE)


def main():
    texts = {}
    for script in sorted(FOLDER.glob("*.sh")):
        for number, text in enumerate(MARKED.findall(script.read_text()), 1):
            texts[script.name, number] = textwrap.dedent(text)
    used = set()

    def fill(found):
        key = found[2], int(found[3])
        used.add(key)
        if key not in texts:
            sys.exit(f"docs/recipes.md: {found[2]} has no recipe number {found[3]}")
        return found[1] + texts[key] + found[5]

    page = PAGE.read_text()
    filled = BLOCK.sub(fill, page)
    missing = sorted(set(texts) - used)
    if missing:
        sys.exit(f"docs/recipes.md does not have the recipes {missing}")
    if filled == page:
        return
    if sys.argv[1:] != ["--write"]:
        sys.exit("docs/recipes.md differs from the scripts; scripts/recipes/page.py --write takes their blocks")
    PAGE.write_text(filled)


main()

#!/usr/bin/env python3
"""Writes the figures in README.md from the results of the last `make bench`: a picture and a table.

It reads compare.csv and compare.md in the folder of results, replaces the lines between the two markers in the README,
and writes the picture. Of the works in `SHOWN` it takes the first promise between pipes, or for many files, against a
peer. It fails if a marker, a column or a work is missing."""

import csv
import sys
from html import escape
from pathlib import Path

# The works that the README shows. compare.md has all.
SHOWN = ["zstd -3", "gzip -1", "gzip -6", "lz4 -1", "xz -6", "lzip -6", "bzip2 -9", "zstd -d", "gzip -d",
         "gzip -d, foreign files", "many files, gzip", "many files, zstd"]
PICTURE = "docs/speed.svg"
BEGIN, END = "<!-- figures: written by `make readme` -->", "<!-- end of figures -->"


def is_shown(row):
    is_peer = row["peer"] and not row["peer"].startswith("pzcomp")
    has_shape = row["shape"] in ("pipe→pipe", "files→files")
    return is_peer and "≥" in row["needed"] and has_shape and row["speed_median"]


def figures(rows):
    found = {}
    for row in filter(is_shown, rows):
        # compare.md has the command that made the file.
        found.setdefault(row["work"], {**row, "peer": row["peer"].split(" (file:")[0], "speed": float(row["speed_median"])})
    return [found[work] for work in SHOWN]


def table(rows):
    lines = ["| data | MiB | rounds | work | against | speed | size |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        size = f"{float(row['size_ratio']):.3f}" if row["size_ratio"] else "-"
        # A pipeline must not end its cell.
        peer = row["peer"].replace("|", "\\|")
        lines.append(f"| {row['data']} | {int(row['plain_bytes']) >> 20} | {len(row['ours_walls_s'].split())} | {row['work']} "
                     f"| `{peer}` | {row['speed']:.2f} × | {size} |")
    return "\n".join(lines) + "\n"


# The width of the picture, where bars begin, and the width of the words behind the longest bar.
WIDTH, LEFT, WORDS = 840, 180, 130
# From one bar to the next, the height of a bar, and the space above the first bar.
STEP, HEIGHT, TOP = 26, 16, 34
STYLE = ("text{font:13px sans-serif;fill:#1f2328}.bar{fill:#2f6fb5}.slower{fill:#b5562f}.rule{stroke:#59636e}"
         "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.bar{fill:#5b9bdd}.slower{fill:#dd7a5b}.rule{stroke:#9198a1}}")


def svg(bars, title, one):
    """A picture of bars, each with its name, length and words. A line with the words `one` stands at the length 1. The
    picture has no background, and its colours follow the page, so it can be read on light and on dark pages."""
    unit = (WIDTH - LEFT - WORDS) / max(1, *(length for _, length, _ in bars))
    height, rule = TOP + STEP * len(bars) + 6, LEFT + unit
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
             f"<title>{title}</title>\n<style>{STYLE}</style>",
             f'<text x="{rule:.1f}" y="18" text-anchor="middle">{one}</text>']
    for place, (name, length, words) in enumerate(bars):
        kind = "slower" if length < 1 else "bar"
        y, length = TOP + STEP * place, unit * length
        lines.append(
            f'<text x="{LEFT - 10:.1f}" y="{y + 13}" text-anchor="end">{escape(name, quote=False)}</text>'
            f'<rect class="{kind}" x="{LEFT}" y="{y}" width="{length:.1f}" height="{HEIGHT}" rx="2"/>'
            f'<text x="{LEFT + length + 8:.1f}" y="{y + 13}">{escape(words, quote=False)}</text>')
    lines.append(f'<line class="rule" x1="{rule:.1f}" y1="{TOP - 8:.1f}" x2="{rule:.1f}" y2="{height - 6}"/>\n</svg>\n')
    return "\n".join(lines)


def main(folder="benches/results", readme="README.md"):
    folder, text = Path(folder), Path(readme).read_text()
    with open(folder / "compare.csv", newline="") as file:
        rows = figures(csv.DictReader(file))
    # The command and the machine are in the list above the table of the report.
    facts = [line[2:] for line in (folder / "compare.md").read_text().splitlines() if line.startswith("- ")]
    (before, rest), command, machine = text.split(BEGIN), *facts[:2]
    _, after = rest.split(END)
    bars = [(row["work"], row["speed"], f'{row["speed"]:.2f} × {row["peer"].split()[0]}') for row in rows]
    Path(PICTURE).write_text(svg(bars, "The speed of pzcomp beside other programs", "1 × = the other program"))
    Path(readme).write_text(
        f"{before}{BEGIN}\n![Speed beside the usual tools]({PICTURE})\n\n{machine}. Command: {command}. Versions and all "
        f"columns: [compare.md](benches/results/compare.md).\n\n{table(rows)}{END}{after}")


if __name__ == "__main__":
    main(*sys.argv[1:])

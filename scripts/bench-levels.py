#!/usr/bin/env python3
"""Time against size for every level of every format: `make bench-levels` runs it.

bench-levels.py PZCOMP CORPUS FOLDER OUT MIB [KIND...]

Each level compresses MIB MiB of each kind of data on one thread, and its CPU time counts: the least of five runs, or of
those that fit in two seconds. FOLDER keeps the data and the figures, so that another run goes on where one ended.
OUT becomes a page with a table for each format. A level is marked if another level is faster and writes less.
"""
import os
import pathlib
import subprocess
import sys

LEVELS = {"zstd": range(1, 23), "gzip": range(1, 13), "lz4": range(1, 13), "xz": range(10), "bzip2": range(1, 10),
          "lzip": range(10)}
KINDS = ["nodes", "sql", "pages", "toolchain"]
# A level is marked only if the difference of the times is no noise, and that of the sizes is worth a thought.
FASTER, SHORTER = 0.9, 0.999


def measure(pzcomp, name, level, data, out):
    """The CPU seconds and the length of the output."""
    seconds = []
    while not seconds or (sum(seconds) < 2 and len(seconds) < 5):
        with open(out, "wb") as file:
            command = [pzcomp, "-p1", "-F", name, f"-{level}", "-c", data]
            process = subprocess.Popen(command, stdout=file)
            _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"{' '.join(map(str, command))}: status {status}")
        seconds.append(usage.ru_utime + usage.ru_stime)
    return min(seconds), os.path.getsize(out)


def figures_of(kind, pzcomp, corpus, folder, mib):
    """The figures of all levels with this data, by format and level. Those in the folder are not measured again."""
    data, notes = folder / f"{kind}.{mib}", folder / f"{kind}.{mib}.tsv"
    figures = {}
    for line in notes.read_text().splitlines() if notes.exists() else []:
        name, level, seconds, size = line.split("\t")
        figures[name, int(level)] = float(seconds), int(size)
    missing = [(name, level) for name in LEVELS for level in LEVELS[name] if (name, level) not in figures]
    if missing and not data.exists():
        with open(data, "wb") as file:
            subprocess.run([corpus, kind, str(mib << 20), "1"], stdout=file, check=True)
    with open(notes, "a") as file:
        for name, level in missing:
            seconds, size = figures[name, level] = measure(pzcomp, name, level, data, folder / "out")
            print(name, level, seconds, size, sep="\t", file=file, flush=True)
    return figures


def instead(figures, name, level):
    """The shortest output of the levels that are faster than this one and write less, as a mark."""
    seconds, size = figures[name, level]
    better = [(*figures[name, other][::-1], other) for other in LEVELS[name]
              if figures[name, other][0] < FASTER * seconds and figures[name, other][1] < SHORTER * size]
    return f" ({-min(better)[2]})" if better else ""


def page(measured, mib, machine, version):
    """The page with a table for each format."""
    head = f"`make bench-levels`: {version}, one thread, {mib} MiB of each kind of data. {machine}."
    lines = ["# Levels", "", head, "",
             "Each cell has the MB of plain data for each second of CPU time, and the size of the output in",
             "percent of the data. A level in brackets is at least 10 % faster and writes less: take it instead,",
             "if your data is like this. A dictionary that is longer than the data changes nothing, so the highest",
             "levels of xz and lzip are alike here."]
    for name, levels in LEVELS.items():
        lines += ["", f"## {name}", "| level | " + " | ".join(measured) + " |", "|---" * (len(measured) + 1) + "|"]
        for level in levels:
            cells = [f"-{level}"]
            for figures in measured.values():
                seconds, size = figures[name, level]
                speed, percent = (mib << 20) / seconds / 1e6, 100 * size / (mib << 20)
                cells.append(f"{speed:.{1 if speed < 20 else 0}f}, {percent:.2f} %{instead(figures, name, level)}")
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main():
    pzcomp, corpus, folder, out, mib, *kinds = sys.argv[1:]
    folder, mib = pathlib.Path(folder), int(mib)
    folder.mkdir(parents=True, exist_ok=True)
    measured = {kind: figures_of(kind, pzcomp, corpus, folder, mib) for kind in kinds or KINDS}
    models = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    version = subprocess.run([pzcomp, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.split("\n")[0]
    text = page(measured, mib, models[0] if models else os.uname().machine, version)
    pathlib.Path(out).write_text(text)
    print(text, end="")


main()

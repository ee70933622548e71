#!/usr/bin/env python3
"""What a backup costs its server: server-cost.py PZCOMP [ROUNDS [ROWS]].

It starts a MariaDB server of its own with eight tables of sysbench, 30,000 rows each or ROWS, and sysbench's
oltp_read_write on two connections. Then it makes a backup with mariadb-backup through each program in turn, ROUNDS
times (5), into a file. It prints the rows of the table in docs/operators.md: the transactions a second while the backup
ran beside those of the seconds before it, how long the backup took, and how many transactions it cost in all. Each is
the median of the rounds. It also draws docs/server-cost.svg. It needs mariadb-server, mariadb-backup, sysbench and the peers.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "benches"))
import readme  # noqa: E402

ROUNDS = int((sys.argv[2:3] or ["5"])[0])
ROWS = (sys.argv[3:4] or ["30000"])[0]
PROGRAMS = {"gzip": 'gzip >"$F"', "pigz": 'pigz >"$F"', "zstd -T0": 'zstd -T0 >"$F"', "pzcomp": '"$P" >"$F"',
            "pzcomp --idle": '"$P" --idle >"$F"',
            "pzcomp --idle --drop-cache": '"$P" --idle --drop-cache -f -o "$F"'}
# So many seconds without a backup come before each backup.
QUIET = 5


def server(folder):
    """Starts a server on an empty data directory in the folder, and fills it. Returns it and the options of clients."""
    user = ["--user=root"] if os.geteuid() == 0 else []
    run = lambda *words: subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    run("mariadb-install-db", "--no-defaults", *user, f"--datadir={folder}/data", "--skip-test-db",
        "--auth-root-authentication-method=normal")
    mariadbd = subprocess.Popen(
        ["mariadbd", "--no-defaults", *user, f"--datadir={folder}/data", f"--socket={folder}/sock", "--skip-networking",
         "--innodb-buffer-pool-size=256M", "--innodb-flush-log-at-trx-commit=2"], stderr=subprocess.DEVNULL)
    client = ["mariadb", "--no-defaults", "-u", "root", "-S", f"{folder}/sock", "-N", "-B", "-e"]
    for _ in range(300):
        if subprocess.run([*client, "create database shop"], stderr=subprocess.DEVNULL).returncode == 0:
            break
        time.sleep(0.1)
    load = ["sysbench", "oltp_read_write", f"--mysql-socket={folder}/sock", "--mysql-user=root", "--mysql-db=shop",
            "--tables=8", f"--table-size={ROWS}", "--threads=2", "--time=0"]
    run(*load, "prepare")
    return mariadbd, client, [*load, "run"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        mariadbd, client, load = server(folder)
        load = subprocess.Popen(load, stdout=subprocess.DEVNULL)

        def commits():
            shown = subprocess.run([*client, "show global status like 'Com_commit'"], check=True, capture_output=True)
            return int(shown.stdout.split()[1]), time.monotonic()

        def rate(before, after):
            return (after[0] - before[0]) / (after[1] - before[1])

        found = {name: [] for name in PROGRAMS}
        variables = {**os.environ, "P": os.path.abspath(sys.argv[1]), "F": f"{folder}/backup"}
        try:
            time.sleep(QUIET)
            for _ in range(ROUNDS):
                for name, command in PROGRAMS.items():
                    backup = (f"set -o pipefail; mariadb-backup --no-defaults --backup --stream=xbstream --user=root "
                              f"--socket={folder}/sock --target-dir={folder} 2>{folder}/log | {command}")
                    before = commits()
                    time.sleep(QUIET)
                    start = commits()
                    subprocess.run(["bash", "-c", backup], check=True, env=variables)
                    end = commits()
                    usual, beside, seconds = rate(before, start), rate(start, end), end[1] - start[1]
                    size = Path(folder, "backup").stat().st_size
                    found[name].append((100 * beside / usual, seconds, (usual - beside) * seconds, size / 2**20))
        finally:
            for process in load, mariadbd:
                process.terminate()
                process.wait()
    print("| through | transactions a second, of those without a backup | seconds | transactions lost | MiB |")
    print("|---|---|---|---|---|")
    bars = []
    for name, rounds in found.items():
        share, seconds, lost, size = map(statistics.median, zip(*rounds))
        print(f"| `{name}` | {share:.0f} % | {seconds:.1f} | {lost:.0f} | {size:.0f} |")
        bars.append((name, share / 100, f"{share:.0f} % for {seconds:.1f} s"))
    picture = readme.svg(bars, "Transactions a second beside a backup", "without a backup")
    Path(__file__).parent.parent.joinpath("docs/server-cost.svg").write_text(picture)


main()

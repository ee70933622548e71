#!/usr/bin/env python3
"""What pzcomp costs a server on the same machine: without pzcomp, beside `chrt -i 0 ionice -c 3 pzcomp`, beside
`pzcomp --idle`, and beside plain pzcomp, in turns.

The server has one process for each CPU. Requests come at random times, on average 150 a second to each process, and each
takes about a millisecond of CPU time. The latency of a request counts from the moment at which it came, so a request
that waits for the one before it is slow too. pzcomp compresses endless data to nowhere meanwhile.

idle-trial.py PZCOMP [ROUNDS [SECONDS]]
"""

import hashlib
import multiprocessing
import os
import random
import resource
import statistics
import subprocess
import sys
import time

RATE = 150
BLOCK = bytes(range(256)) * 4096


def serve(seconds, seed, results):
    """One process of the server. Puts its latencies and its CPU time into `results`."""
    rng = random.Random(seed)
    latencies = []
    due = time.monotonic()
    end = due + seconds
    while due < end:
        due += rng.expovariate(RATE)
        wait = due - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        hashlib.blake2b(BLOCK).digest()
        latencies.append(time.monotonic() - due)
    results.put((latencies, time.process_time()))


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(command, data, seconds, seed):
    """The p99 latency in milliseconds, and the part of the free CPU time that the command used."""
    feeder = child = None
    if command:
        feeder = subprocess.Popen(
            ["sh", "-c", 'while cat "$0"; do :; done 2>/dev/null', data], stdout=subprocess.PIPE
        )
        child = subprocess.Popen(command, stdin=feeder.stdout, stdout=subprocess.DEVNULL)
        feeder.stdout.close()
        time.sleep(0.5)
        before = sum(map(int, open(f"/proc/{child.pid}/stat").read().rsplit(")", 1)[1].split()[11:13]))
    results = multiprocessing.Queue()
    cpus = os.cpu_count()
    servers = [multiprocessing.Process(target=serve, args=(seconds, seed + n, results)) for n in range(cpus)]
    started = time.monotonic()
    for server in servers:
        server.start()
    parts = [results.get() for _ in servers]
    passed = time.monotonic() - started
    used = 0.0
    if command:
        after = sum(map(int, open(f"/proc/{child.pid}/stat").read().rsplit(")", 1)[1].split()[11:13]))
        used = (after - before) / os.sysconf("SC_CLK_TCK")
        child.kill()
        child.wait()
        feeder.kill()
        feeder.wait()
    for server in servers:
        server.join()
    latencies = sorted(latency for part, _ in parts for latency in part)
    free = cpus * passed - sum(cpu for _, cpu in parts)
    return 1000 * latencies[len(latencies) * 99 // 100], used / free


def main():
    pzcomp = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 8
    rows = {
        "no pzcomp": [],
        "chrt -i 0 ionice -c 3 pzcomp": ["chrt", "-i", "0", "ionice", "-c", "3", pzcomp, "-c"],
        "pzcomp --idle": [pzcomp, "--idle", "-c"],
        "pzcomp": [pzcomp, "-c"],
    }
    figures = {name: [] for name in rows}
    for turn in range(rounds):
        for name, command in rows.items():
            figures[name].append(measure(command, pzcomp, seconds, turn))
    for name, each in figures.items():
        p99 = [figure[0] for figure in each]
        share = [figure[1] for figure in each]
        print(
            f"{name:30} p99 {statistics.median(p99):6.2f} ms ({min(p99):.2f} to {max(p99):.2f}),"
            f" {100 * statistics.median(share):3.0f} % of the free CPU time"
        )


if __name__ == "__main__":
    main()

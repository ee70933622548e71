#!/usr/bin/env python3
"""What pzcomp costs a server on the same machine: without pzcomp, beside `chrt -i 0 ionice -c 3 pzcomp`, beside
`pzcomp --idle`, and beside plain pzcomp.

The server has one process for each CPU. Requests come at random times, on average 150 a second to each process, and each
takes one to two milliseconds of CPU time. The latency of a request counts from the moment at which it came, so a request
that waits for the one before it is slow too. pzcomp compresses endless data to nowhere meanwhile, and the program that
feeds it is in the idle class, so that only pzcomp is measured.

All cases take turns of 1.5 seconds during one life of the server: the programs of the other cases are stopped meanwhile.
So a slow moment of the machine hits all of them. There are two runs. In the first the kernel chooses the CPU of each
process of the server. In the second each process keeps to a CPU of its own, which shows how much of the latency comes from
the kernel's choice.

idle-trial.py PZCOMP [SECONDS]
"""

import hashlib
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time

RATE = 150
TURN = 1.5
# What runs at the begin of a turn is left out: the programs of the last one are just being stopped.
SETTLED = 0.1
BLOCK = bytes(range(256)) * 256


def serve(end, cpu, is_pinned, results):
    """One process of the server. Puts the moment of each request and its latency into `results`, and the CPU time."""
    if is_pinned:
        os.sched_setaffinity(0, {cpu})
    rng = random.Random(cpu)
    served = []
    due = time.monotonic()
    while due < end:
        due += rng.expovariate(RATE)
        wait = due - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        for _ in range(16):
            hashlib.blake2b(BLOCK).digest()
        served.append((due, time.monotonic() - due))
    results.put((served, time.process_time()))


class Load:
    """pzcomp and the program that feeds it, which start stopped."""

    def __init__(self, command, data):
        feed = ["chrt", "-i", "0", "sh", "-c", 'while cat "$0"; do :; done 2>/dev/null', data]
        self.feeder = subprocess.Popen(feed, stdout=subprocess.PIPE, start_new_session=True)
        self.child = subprocess.Popen(command, stdin=self.feeder.stdout, stdout=subprocess.DEVNULL)
        self.feeder.stdout.close()
        time.sleep(0.5)
        self.signal(signal.SIGSTOP)

    def signal(self, number):
        os.killpg(self.feeder.pid, number)
        self.child.send_signal(number)

    def cpu(self):
        with open(f"/proc/{self.child.pid}/stat") as stat:
            times = stat.read().rsplit(")", 1)[1].split()[11:13]
        return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.signal(signal.SIGKILL)
        self.child.wait()
        self.feeder.wait()


def trial(pzcomp, seconds, is_pinned):
    """For each case its name, the latencies, and the CPU time of pzcomp as a part of what the server leaves."""
    commands = {
        "no pzcomp": None,
        "chrt -i 0 ionice -c 3 pzcomp": ["chrt", "-i", "0", "ionice", "-c", "3", pzcomp, "-c"],
        "pzcomp --idle": [pzcomp, "--idle", "-c"],
        "pzcomp": [pzcomp, "-c"],
    }
    loads = {name: command and Load(command, pzcomp) for name, command in commands.items()}
    results = multiprocessing.Queue()
    cpus = sorted(os.sched_getaffinity(0))
    started = time.monotonic()
    end = started + seconds
    servers = [multiprocessing.Process(target=serve, args=(end, cpu, is_pinned, results)) for cpu in cpus]
    for server in servers:
        server.start()
    turns = {name: [] for name in loads}
    used = dict.fromkeys(loads, 0.0)
    while time.monotonic() < end:
        for name, load in loads.items():
            before = load and load.cpu()
            if load:
                load.signal(signal.SIGCONT)
            begin = time.monotonic()
            time.sleep(TURN)
            turns[name].append((begin + SETTLED, time.monotonic()))
            if load:
                load.signal(signal.SIGSTOP)
                used[name] += load.cpu() - before
            time.sleep(SETTLED)
    served, busy = [], 0.0
    for _ in servers:
        requests, cpu = results.get()
        served += requests
        busy += cpu / seconds
    for server in servers:
        server.join()
    for load in loads.values():
        if load:
            load.end()
    for name, spans in turns.items():
        latencies = sorted(took for due, took in served if any(a <= due < b for a, b in spans))
        free = (len(cpus) - busy) * TURN * len(spans)
        yield name, latencies, used[name] / free


def main():
    pzcomp = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 120
    for is_pinned in (False, True):
        print("each process of the server on a CPU of its own" if is_pinned else "the kernel places the server")
        for name, latencies, share in trial(pzcomp, seconds, is_pinned):
            p50, p99 = (1000 * latencies[len(latencies) * part // 100] for part in (50, 99))
            print(
                f"  {name:30} p50 {p50:5.2f} ms, p99 {p99:6.2f} ms of {len(latencies)} requests,"
                f" {100 * share:3.0f} % of the free CPU time"
            )


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What a review costs tpu-admission and others, side by side in one run.

All servers are up all the time, with the same certificate, on one half of the processors; the client has the
other, and the control plane that some need. Round by round each takes the same bytes in turn, beginning with
another one each round: at full speed on four kept connections, at 300 reviews a second (a round trip begins
when the review was due), and one review on a new TLS connection each. CPU is that of the server's process.
A ratio is taken within a round; what is printed is the median of the rounds, with the smallest and the
largest. Every answer is looked at: all allow, deny or patch alike. Writes BUILD/compare.json, and with --write
the tables of docs/performance.md. tests/compare/run builds what this needs.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import cluster
import contenders
import table
from contenders import ONE_THREAD, OURS
from reviews import reviews

# Of ../bench, which reviews.py has put into the path.
import count
import machine

FULL, RATE, NEW = "full speed", "300 a second", "new connection"


def halves():
    """Processors of the servers, and of the client."""
    allowed = sorted(os.sched_getaffinity(0))
    middle = len(allowed) // 2
    return (allowed[:middle], allowed[middle:]) if middle else (allowed, allowed)


def busy_seconds():
    """Of all processors since the machine started."""
    with open("/proc/stat", encoding="utf-8") as file:
        times = [int(field) for field in file.readline().split()[1:9]]
    return (sum(times) - times[3] - times[4]) / os.sysconf("SC_CLK_TCK")


class Client:
    """Loads by the client of the build, on its own processors, for about `seconds` each."""

    def __init__(self, program, folder, cpus, seconds):
        self.program, self.folder, self.seconds = program, folder, seconds
        self.prefix = ["taskset", "--cpu-list", ",".join(map(str, cpus))]
        self.rates = {}  # reviews a second by contender, review and way, of the sample before

    def _run(self, server, review, way, requests):
        _, kind, body, expected = review
        file = os.path.join(self.folder, "body")
        with open(file, "wb") as out:
            out.write(body)
        more = {FULL: ["--connections", "4"], NEW: ["--connections", "4", "--new-connections"],
                RATE: ["--connections", "16", "--rate", "300"]}[way]
        done = subprocess.run(
            [*self.prefix, self.program, "--port", str(server.port), "--path", server.paths[kind],
             "--body", file, "--pid", str(server.process.pid), "--requests", str(requests),
             "--warm-up", str(max(20, requests // 10)), "--expect", expected, *more],
            capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{server.name}, {review[0]}: {done.stdout}{done.stderr}")
        return {key: float(value) for key, value in
                (line.split() for line in done.stdout.splitlines())}

    def sample(self, server, review, way):
        """Also how many processors others took meanwhile."""
        key = (server.name, review[0], way)
        if key not in self.rates:
            first = self._run(server, review, way, 100)
            self.rates[key] = 300 if way == RATE else first["per_second"]
        own = os.times()
        before = (time.monotonic(), busy_seconds(), server.cpu_seconds(),
                  own.children_user + own.children_system)
        figures = self._run(server, review, way, max(100, int(self.rates[key] * self.seconds)))
        own = os.times()
        after = (time.monotonic(), busy_seconds(), server.cpu_seconds(),
                 own.children_user + own.children_system)
        wall, busy, cpu, client = (b - a for a, b in zip(before, after))
        figures["others"] = max(0.0, (busy - cpu - client) / wall)
        if way != RATE:
            self.rates[key] = figures["per_second"]
        return figures


def measure(client, servers, all_reviews, rounds):
    """Samples by review, way and name of the server."""
    samples = {}
    for number in range(rounds):
        for review in all_reviews:
            able = [server for server in servers if review[1] in server.paths]
            if all(server.name in (OURS, ONE_THREAD) for server in able):
                continue  # nobody to compare with
            turned = able[number % len(able):] + able[:number % len(able)]
            # A connection costs the same whatever it brings: one review of each server shall do.
            first = [other for other in all_reviews if other[1] == review[1]][0]
            new = (NEW,) if review is first and "validate" in review[1] else ()
            for way in (FULL, RATE) + new:
                for server in turned:
                    found = samples.setdefault(review[0], {}).setdefault(way, {})
                    found.setdefault(server.name, []).append(client.sample(server, review, way))
        print(f"round {number + 1} of {rounds} is done", file=sys.stderr)
    return samples


def start(options, certificate, plane):
    """Starts the servers one by one."""
    binary = options.build + "/tpu-admission"
    yield contenders.ours(binary, certificate, OURS)
    yield contenders.ours(binary, certificate, ONE_THREAD, "--threads", "1")
    yield contenders.minimal(options.webhook, certificate)
    if options.gatekeeper:
        yield cluster.gatekeeper(plane, options.gatekeeper, options.gatekeeper_version,
                                 os.path.dirname(certificate))
    if options.kuberay_tpu_webhook:
        yield cluster.kuberay_tpu_webhook(plane, options.kuberay_tpu_webhook,
                                          options.kuberay_tpu_webhook_version, certificate)


def run(options, folder):
    server_cpus, client_cpus = halves()
    count.make_certificate(folder)
    client = Client(options.build + "/tests/bench/tpu-admission-load", folder, client_cpus,
                    options.seconds)
    all_reviews, servers, memory, plane = reviews(), [], {}, None
    try:
        if options.plane:
            os.sched_setaffinity(0, client_cpus)  # what is started now inherits it
            plane = cluster.Plane(options.plane, options.programs, folder)
        os.sched_setaffinity(0, server_cpus)
        for server in start(options, folder + "/tls", plane):
            servers.append(server)
            server.wait(all_reviews)
            memory[server.name] = [server.resident_mib()]
        samples = measure(client, servers, all_reviews, options.rounds)
        for server in servers:
            memory[server.name].append(server.resident_mib())
        return {"version": 1, "versions": {server.name: server.version for server in servers},
                "nice": os.nice(0),
                "processors": {"servers": server_cpus, "client": client_cpus},
                "resident_mib": memory, "samples": samples}
    finally:
        for server in servers:
            server.stop()
        if plane:
            plane.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0, help="of a sample, about")
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    parser.add_argument("--webhook", required=True, help="the built minimal Go webhook")
    parser.add_argument("--gatekeeper", help="folder of Gatekeeper and its custom resources")
    parser.add_argument("--gatekeeper-version")
    parser.add_argument("--kuberay-tpu-webhook", help="the built program")
    parser.add_argument("--kuberay-tpu-webhook-version")
    parser.add_argument("--plane", help="the program of tests/e2e/plane")
    parser.add_argument("--programs", help="folder of the control plane")
    parser.add_argument("--go", required=True, help="version of Go")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the servers end, too
    about = machine.describe()
    with tempfile.TemporaryDirectory() as folder:
        results = run(options, folder)
    results["machine"] = f"{about}, {options.go}"
    results["command"] = f"./dev compare --rounds {options.rounds} --seconds {options.seconds:g}"
    text = table.page(results)
    print(text)
    with open(options.build + "/compare.json", "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
    if options.write:
        machine.write_between("compare", text)


if __name__ == "__main__":
    main()

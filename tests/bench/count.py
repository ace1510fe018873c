#!/usr/bin/env python3
"""Instructions and heap allocations of a request, counted by callgrind: the same on a busy machine.

    tests/bench/count.py [--budget FILE] SERVER [FLOOR]

SERVER is the release binary of tpu-admission, FLOOR that of the benchmark's floor server (the same
transport with a fixed answer). Counts what the server's thread executes in user space for a request
on a kept TLS connection, TLS and sockets with it. --budget fails (exit code 1) where a count is above
its line of FILE, and ends with "budget: N passed, M failed". Without valgrind it says "SKIP: ..." and
ends with code 0.
"""
import argparse
import glob
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time

import bodies
import machine

LARGE = 15_000  # bytes of a body; of such ones fewer are sent
ALLOCATORS = {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign"}


class Failed(Exception):
    pass


def connect(port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    plain = socket.create_connection(("127.0.0.1", port), timeout=60)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return context.wrap_socket(plain)


def ask(connection, path, body):
    """Sends the headers of the API server, and gives the body of the answer."""
    connection.sendall(
        f"POST {path}?timeout=10s HTTP/1.1\r\nHost: tpu-admission.tpu-system.svc:443\r\n"
        f"User-Agent: kube-apiserver-admission\r\nContent-Length: {len(body)}\r\n"
        "Accept: application/json, */*\r\nContent-Type: application/json\r\n"
        "Accept-Encoding: gzip\r\n\r\n".encode() + body)
    answer = b""
    while True:
        head, mark, rest = answer.partition(b"\r\n\r\n")
        length = re.search(rb"Content-Length: (\d+)", head)
        if mark and length and len(rest) >= int(length[1]):
            break
        block = connection.recv(65536)
        if not block:
            raise Failed("the server closed the connection")
        answer += block
    if not head.startswith(b"HTTP/1.1 200"):
        raise Failed(f"the server answered {head.splitlines()[0]!r}")
    return rest


class Counted:
    """A server under callgrind."""

    def __init__(self, command, port_pattern):
        self.folder = tempfile.mkdtemp()
        self.log = open(os.path.join(self.folder, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            ["valgrind", "-q", "--tool=callgrind", "--separate-threads=yes",
             f"--callgrind-out-file={self.folder}/out", f"--vgdb-prefix={self.folder}/vgdb", *command],
            stdout=self.log, stderr=subprocess.STDOUT)
        self.port = self._wait_for(port_pattern)

    def _wait_for(self, pattern):
        for _ in range(1200):
            self.log.seek(0)
            text = self.log.read()
            found = re.search(pattern, text)
            if found:
                return int(found[1])
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        self.process.kill()
        raise Failed("the server did not start:\n" + text)

    def _tell(self, command):
        # The thread that writes the log runs every 50 ms, and valgrind looks at its pipe then: no ptrace.
        subprocess.run(
            ["vgdb", f"--vgdb-prefix={self.folder}/vgdb", f"--pid={self.process.pid}", "--wait=60",
             "--max-invoke-ms=100", command],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120, check=True)

    def count(self, path, body, wanted):
        """Instructions and allocations of one request."""
        requests = 50 if len(body) < LARGE else 5
        connection = connect(self.port)
        for _ in range(20 if len(body) < LARGE else 5):
            answer = ask(connection, path, body)
        if wanted and wanted not in answer:
            raise Failed(f"{path} answered {answer[:300]!r}, without {wanted!r}")
        self._tell("zero")
        for _ in range(requests):
            ask(connection, path, body)
        before = set(glob.glob(self.folder + "/out*"))
        self._tell("dump")
        connection.close()
        dumps = set(glob.glob(self.folder + "/out*")) - before
        # The server has one thread for requests, and by far the most is done there.
        instructions, allocations = max((self._read(dump) for dump in dumps), default=(0, 0))
        return instructions / requests, allocations / requests

    @staticmethod
    def _read(dump):
        names, called, instructions, allocations = {}, None, 0, 0
        with open(dump, encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("cfn="):
                    number, _, name = line[4:].strip().partition(" ")
                    called = names.setdefault(number, name)
                elif line.startswith("fn="):
                    number, _, name = line[3:].strip().partition(" ")
                    names.setdefault(number, name)
                elif line.startswith("calls=") and called in ALLOCATORS:
                    allocations += int(line[6:].split()[0])
                elif line.startswith("totals: "):
                    instructions = int(line.split()[1])
        return instructions, allocations

    def __enter__(self):
        return self

    def __exit__(self, *_):
        machine.end(self.process, 60)
        self.log.close()
        if os.environ.get("KEEP"):
            print("callgrind's files are in", self.folder, file=sys.stderr)
        else:
            shutil.rmtree(self.folder)


def make_certificate(folder):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-days", "1", "-subj", "/CN=bench", "-keyout", folder + "/tls.key", "-out",
         folder + "/tls.crt"], check=True, stderr=subprocess.DEVNULL)


def serve(binary, folder):
    make_certificate(folder)
    return Counted(
        [binary, "serve", "--bind-address", "127.0.0.1", "--secure-port", "0", "--metrics-port", "0",
         "--tls-cert-file", folder + "/tls.crt", "--tls-private-key-file", folder + "/tls.key",
         "--threads", "1", "--shutdown-delay", "0s"], r'"secure_port":"(\d+)"')


def count_all(binary, floor, cases):
    """Rows of name, instructions, allocations."""
    rows = []
    if floor:
        with Counted([floor], r"listening on 127.0.0.1:(\d+)") as server:
            body = bodies.text(bodies.review("validate"))
            rows.append((bodies.FLOOR, *server.count("/validate", body, b"")))
    with tempfile.TemporaryDirectory() as folder, serve(binary, folder) as server:
        for name, path, body, wanted in cases:
            rows.append((name, *server.count(path, body, wanted)))
    return rows


def can_count():
    return shutil.which("valgrind") and shutil.which("vgdb")


def read_budget(path):
    """Lines of "instructions TAB allocations TAB name"."""
    budget = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                instructions, allocations, name = line.rstrip("\n").split("\t")
                budget[name] = (int(instructions), int(allocations))
    return budget


def hold(rows, budget):
    failed = 0
    for name, instructions, allocations in rows:
        most = budget.pop(name)
        if instructions > most[0] or allocations > most[1]:
            failed += 1
            print(f"OVER BUDGET: {name}: {instructions:.0f} instructions of {most[0]}, "
                  f"{allocations:.1f} allocations of {most[1]}")
    for name in budget:
        failed += 1
        print(f"NOT COUNTED: {name}")
    print(f"budget: {len(rows) + len(budget) - failed} passed, {failed} failed")
    return failed == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budget")
    parser.add_argument("server")
    parser.add_argument("floor", nargs="?")
    options = parser.parse_args()
    if not can_count():
        print("SKIP: instructions were not counted, there is no valgrind (apt-get install valgrind)")
        return 0
    rows = count_all(options.server, options.floor, bodies.cases() + bodies.hostile_cases())
    print(f"{'a request on a kept connection':38} {'instructions':>13} {'allocations':>12}")
    for name, instructions, allocations in rows:
        print(f"{name:38} {instructions:13,.0f} {allocations:12.1f}")
    return 0 if not options.budget or hold(rows, read_budget(options.budget)) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        print(failure, file=sys.stderr)
        sys.exit(2)

"""The servers that are compared: how each is started, and where it takes which review."""
import os
import re
import ssl
import subprocess
import sys
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../bench"))

import machine  # noqa: E402

OURS = "tpu-admission"
ONE_THREAD = "tpu-admission, 1 thread"
PATHS = {"validate": "/validate", "mutate": "/mutate"}
RAY_PATHS = {"validate Ray": "/validate", "mutate Ray": "/mutate"}  # of kuberay-tpu-webhook


class Contender:
    """A running server. `paths` has its paths by the kind of review that it takes there."""

    def __init__(self, name, version, paths, command, port, environment=None):
        self.name, self.version, self.paths, self.port = name, version, paths, port
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env=dict(os.environ, **(environment or {})))

    def ask(self, kind, body):
        """The answer to one review, or why there is none."""
        url = f"https://127.0.0.1:{self.port}{self.paths[kind]}"
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
        context = ssl._create_unverified_context()
        try:
            with urllib.request.urlopen(request, timeout=10, context=context) as answer:
                return answer.read().decode()
        except OSError as error:
            return str(error)

    def wait(self, reviews, limit=90):
        """Until it answers the reviews of its kinds as they should be answered."""
        end = time.monotonic() + limit
        for name, kind, body, expected in reviews:
            while kind in self.paths and expected not in (answer := self.ask(kind, body)):
                if time.monotonic() > end or self.process.poll() is not None:
                    sys.exit(f"{self.name} does not answer {expected} to {name}: {answer}")
                time.sleep(0.1)

    def resident_mib(self):
        return machine.resident_kib(self.process.pid) / 1024

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        machine.end(self.process, 15)


def ours(binary, certificate, name, *more):
    """With all rules on: those of location and version need to be told where the cluster is."""
    version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True)
    port = machine.free_port()
    command = [binary, "serve", "--bind-address", "127.0.0.1", "--secure-port", str(port),
               "--metrics-port", str(machine.free_port()), "--tls-cert-file", certificate + ".crt",
               "--tls-private-key-file", certificate + ".key", "--shutdown-delay", "0s",
               "--cluster-location", "us-central1", "--gke-version", "1.34.1-gke.1829001", *more]
    return Contender(name, version.stdout.strip(), PATHS | RAY_PATHS, command, port)


def minimal(binary, certificate):
    with open(os.path.join(HERE, "webhook/go.mod"), encoding="utf-8") as file:
        api = re.search(r"k8s.io/api v(\S+)", file.read())[1]
    port = machine.free_port()
    command = [binary, "-cert", certificate + ".crt", "-key", certificate + ".key",
               "-listen", f"127.0.0.1:{port}"]
    return Contender("minimal Go webhook", f"k8s.io/api {api}",
                     PATHS, command, port)

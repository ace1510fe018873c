"""A control plane, and the servers that stand before one."""
import base64
import os
import subprocess
import sys
import time

import contenders
import machine

HERE = os.path.dirname(os.path.abspath(__file__))


class Plane:
    """etcd, kube-apiserver and the controllers, as the scenarios of tests/e2e run them."""

    def __init__(self, program, programs, work):
        self.programs = programs
        self.process = subprocess.Popen([program, "-programs", programs, "-work", work],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.kubeconfig = self.process.stdout.readline().strip()
        if not self.kubeconfig:
            sys.exit("the control plane did not start")

    def kubectl(self, *arguments, text=None, check=True):
        done = subprocess.run([self.programs + "/kubectl", "--kubeconfig", self.kubeconfig, *arguments],
                              input=text, capture_output=True, text=True)
        if check and done.returncode != 0:
            sys.exit(f"kubectl {' '.join(arguments)}: {done.stderr}")
        return done.returncode == 0

    def until(self, *arguments, limit=60):
        """Repeats a command that cannot work yet."""
        end = time.monotonic() + limit
        while not self.kubectl(*arguments, check=time.monotonic() > end):
            time.sleep(0.5)

    def stop(self):
        self.process.stdin.close()
        self.process.wait(60)


# Gatekeeper's status objects are owned by its Pod: without one the garbage collector deletes them again and
# again, and that work would be billed to the reviews.
OBJECTS = """
apiVersion: v1
kind: Namespace
metadata: {name: gatekeeper-system}
---
apiVersion: v1
kind: Namespace
metadata: {name: research}  # of the reviews: Gatekeeper looks it up
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: gatekeeper-system}
---
apiVersion: v1
kind: Pod
metadata: {name: gatekeeper-0, namespace: gatekeeper-system}
spec:
  containers: [{name: manager, image: registry.example/gatekeeper}]
"""


def gatekeeper(plane, folder, version, certificates):
    """With the three clauses of gatekeeper.yaml; they take a moment to hold."""
    plane.kubectl("apply", "--server-side", "-f", folder + "/gatekeeper-crds")
    plane.kubectl("apply", "-f", "-", text=OBJECTS)
    port, probe, metrics = (machine.free_port() for _ in range(3))
    command = [folder + "/gatekeeper", "--kubeconfig", plane.kubeconfig, "--host", "127.0.0.1",
               "--port", str(port), "--health-addr", f"127.0.0.1:{probe}",
               "--prometheus-port", str(metrics), "--cert-dir", certificates,
               "--disable-cert-rotation", "--operation=webhook", "--operation=generate",
               "--logtostderr", "--shutdown-delay=0"]
    server = contenders.Contender(
        "Gatekeeper, 3 clauses", version, {"validate": "/v1/admit"}, command, port,
        {"POD_NAME": "gatekeeper-0", "POD_NAMESPACE": "gatekeeper-system"})
    plane.until("apply", "-f", HERE + "/gatekeeper.yaml")
    plane.until("apply", "-f", HERE + "/constraint.yaml")
    return server


def kuberay_tpu_webhook(plane, binary, version, certificate):
    """Its certificate comes by flags."""
    texts = {}
    for end in ("crt", "key"):
        with open(f"{certificate}.{end}", "rb") as file:
            texts[end] = base64.b64encode(file.read()).decode()
    port = machine.free_port()
    command = [binary, "--bind-address", f"127.0.0.1:{port}", "--kube-config-path", plane.kubeconfig,
               "--server-cert", texts["crt"], "--server-key", texts["key"]]
    return contenders.Contender("kuberay-tpu-webhook", version, contenders.RAY_PATHS, command, port)

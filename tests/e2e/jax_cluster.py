"""What JAX makes of the variables of workers: jax_cluster.py FOLDER < questions.json

FOLDER holds the package jax as pip brings it. Of it only the detection of clusters is loaded, so
neither jaxlib nor NumPy is needed. A question has an environment, and the process id, the number of
processes and the host of the coordinator that JAX shall find in it. Exit code 1: it finds others.
"""

import importlib
import json
import os
import pathlib
import sys
import time
import types
import unittest.mock


def package(name, folder):
    module = types.ModuleType(name)
    module.__path__ = [str(folder)]
    sys.modules[name] = module


def load(folder):
    """The class that all kinds of clusters register with, as on a host with TPUs."""
    package("jax", folder / "jax")
    package("jax._src", folder / "jax" / "_src")
    init = types.ModuleType("jax._src.cloud_tpu_init")
    init.running_in_cloud_tpu_vm = True
    sys.modules[init.__name__] = init
    # What other kinds of clusters import, and none of these calls.
    sys.modules["numpy"] = unittest.mock.MagicMock()
    # GKE's metadata server knows nothing of the variables, and is asked again after a while.
    time.sleep = lambda _: None
    requests = types.ModuleType("requests")
    requests.get = lambda *_, **__: types.SimpleNamespace(status_code=404, text="")
    sys.modules["requests"] = requests
    clusters = importlib.import_module("jax._src.clusters")
    tpu = importlib.import_module("jax._src.clusters.cloud_tpu_cluster")
    tpu.socket.gethostbyname = lambda name: name  # the names are resolved elsewhere
    return clusters.ClusterEnv


def answer(cluster, env):
    os.environ.clear()
    os.environ.update(env)
    coordinator, count, process, _ = cluster.auto_detect_unset_distributed_params(
        None, None, None, None, None, 5)
    return {"id": process, "count": count, "coordinator": coordinator and coordinator.split(":")[0]}


def main():
    cluster = load(pathlib.Path(sys.argv[1]))
    wrong = 0
    questions = json.load(sys.stdin)
    for question in questions:
        env = question.pop("env")
        found = answer(cluster, env)
        if found != question:
            wrong += 1
            print(f"{found} instead of {question} from {env}")
    return 1 if wrong or not questions else 0


if __name__ == "__main__":
    sys.exit(main())

"""The reviews that all servers get, made from those of the benchmark."""
import copy
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bench"))

import bodies  # noqa: E402

RAY_LABELS = {
    "app.kubernetes.io/created-by": "kuberay-operator", "ray.io/cluster": "train",
    "ray.io/group": "workers", "ray.io/node-type": "worker", "ray.io/is-ray-node": "yes",
    # As KubeRay sets them with its feature RayMultiHostIndexing. Without them kuberay-tpu-webhook waits for
    # each pod to appear, which that of a dry review never does.
    "ray.io/worker-group-replica-index": "0", "ray.io/worker-group-replica-name": "workers-x7k2p",
    "ray.io/replica-host-index": "0",
}


def ray_pod(pod):
    """The pod as KubeRay would make it."""
    pod = copy.deepcopy(pod)
    metadata = pod["request"]["object"]["metadata"]
    metadata["labels"], metadata["annotations"] = RAY_LABELS, {}
    metadata["ownerReferences"] = [{"apiVersion": "ray.io/v1", "kind": "RayCluster", "name": "train",
                                    "uid": "0d5f1f0e-52b4-4f5b-8f59-3a5a1c7f3f5e", "controller": True}]
    for field in ("hostname", "subdomain"):
        pod["request"]["object"]["spec"].pop(field)
    return pod


def ray_cluster(pod):
    """A RayCluster with one slice of such pods."""
    spec = copy.deepcopy(pod["request"]["object"]["spec"])
    for field in ("subdomain", "hostname"):
        spec.pop(field)
    head = {"containers": [{"name": "ray-head", "image": "registry.example/ray:1"}]}
    group = {"groupName": "workers", "replicas": 1, "minReplicas": 0, "maxReplicas": 1, "numOfHosts": 4,
             "rayStartParams": {}, "template": {"metadata": {}, "spec": spec}}
    cluster = {"apiVersion": "ray.io/v1", "kind": "RayCluster",
               "metadata": {"name": "train", "namespace": "research"},
               "spec": {"headGroupSpec": {"rayStartParams": {}, "template": {"spec": head}},
                        "workerGroupSpecs": [group]}}
    request = dict(pod["request"], name="train", object=cluster, operation="CREATE",
                   kind={"group": "ray.io", "version": "v1", "kind": "RayCluster"},
                   resource={"group": "ray.io", "version": "v1", "resource": "rayclusters"})
    return dict(pod, request=request)


def reviews():
    """Name, kind, body, what every answer holds. A server takes the kinds that it has a path for."""
    pod, bare = bodies.review("validate"), bodies.review("mutate")
    allowed, denied, patched = '"allowed":true', '"allowed":false', '"patch":'
    return [(name, kind, bodies.text(review), expected) for name, kind, review, expected in [
        ("TPU pod, 6 KB, validate", "validate", pod, allowed),
        ("the same with topology 9x9x9, denied", "validate", bodies.denied(pod), denied),
        ("TPU pod, 60 KB, validate", "validate", bodies.grown(pod, 60_000), allowed),
        ("TPU pod, 6 KB, mutate", "mutate", bare, patched),
        ("RayCluster, validate", "validate Ray", ray_cluster(pod), allowed),
        ("Ray pod, mutate", "mutate Ray", ray_pod(bare), patched),
    ]]

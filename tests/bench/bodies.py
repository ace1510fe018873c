"""The reviews that the benchmark and the budget send, made from tests/bench/reviews."""
import copy
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
TPU = "google.com/tpu"
FLOOR = "floor: a fixed answer to 6 KB"


def review(name):
    with open(os.path.join(HERE, "reviews", name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def text(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def without_tpus(pod):
    pod = copy.deepcopy(pod)
    spec = pod["request"]["object"]["spec"]
    spec.pop("nodeSelector", None)
    spec["tolerations"] = [t for t in spec.get("tolerations", []) if t.get("key") != TPU]
    for container in spec["containers"]:
        for amounts in container.get("resources", {}).values():
            amounts.pop(TPU, None)
    return pod


def denied(pod):
    """Without an owner, whose faults would have been told before."""
    pod = copy.deepcopy(pod)
    pod["request"]["object"]["metadata"].pop("ownerReferences")
    pod["request"]["object"]["spec"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"] = "9x9x9"
    return pod


def grown(pod, size):
    """The pod with so many variables that it has `size` bytes."""
    pod = copy.deepcopy(pod)
    env = pod["request"]["object"]["spec"]["containers"][0].setdefault("env", [])
    missing, number = size - len(text(pod)), 0
    words = "of some length " * (20 + size // 10_000)  # more than 1000 variables are not judged
    while missing > 0:
        entry = {"name": f"SETTING_{number}", "value": f"value {number} {words}"}
        env.append(entry)
        missing -= len(text(entry)) + 1
        number += 1
    return pod


def with_containers(pod, count):
    """The pod with `count` containers beside the first, which ask for no TPUs."""
    pod = copy.deepcopy(pod)
    containers = pod["request"]["object"]["spec"]["containers"]
    for number in range(count):
        containers.append({"name": f"side-{number}", "image": "registry.example/side:1",
                           "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}}})
    return pod


def job_set(pod):
    """A JobSet of two slices whose pods are as `pod`."""
    spec = copy.deepcopy(pod["request"]["object"]["spec"])
    for field in ("subdomain", "hostname", "nodeName"):
        spec.pop(field, None)
    template = {"metadata": {"labels": {"app": "train"}}, "spec": spec}
    job = {"spec": {"parallelism": 4, "completions": 4, "backoffLimit": 0, "template": template}}
    object_ = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet",
               "metadata": {"name": "train", "namespace": "research"},
               "spec": {"replicatedJobs": [{"name": "slice", "replicas": 2, "template": job}]}}
    request = dict(pod["request"], name="train", object=object_, operation="CREATE",
                   kind={"group": "jobset.x-k8s.io", "version": "v1alpha2", "kind": "JobSet"},
                   resource={"group": "jobset.x-k8s.io", "version": "v1alpha2",
                             "resource": "jobsets"})
    return dict(pod, request=request)


def told(pod):
    """A worker of a StatefulSet, which lacks its identity: GKE leaves those to us."""
    pod = copy.deepcopy(pod)
    request = pod["request"]
    request["name"] = "train-1"
    request["object"]["metadata"] |= {
        "name": "train-1", "generateName": "train-",
        "labels": {"app": "train", "apps.kubernetes.io/pod-index": "1",
                   "controller-revision-hash": "train-6f4d9c7b5",
                   "statefulset.kubernetes.io/pod-name": "train-1"},
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "train",
                             "uid": "0d5f3c9e-6a1b-4c7d-8e2f-1a3b5c7d9e0f", "controller": True,
                             "blockOwnerDeletion": True}]}
    request["object"]["spec"] |= {"hostname": "train-1", "subdomain": "train"}
    return pod


def hopeless(pod):
    """A JobSet of a large slice, denied for what no other shape mends: the search tries all it may."""
    review = job_set(pod)
    job = review["request"]["object"]["spec"]["replicatedJobs"][0]["template"]["spec"]
    job.update(parallelism=2304, completions=2304)
    spec = job["template"]["spec"]
    spec["nodeSelector"] = {
        "cloud.google.com/gke-tpu-accelerator": "tpu7x", "cloud.google.com/gke-tpu-topology": "16x16x36",
        "topology.kubernetes.io/zone": "us-central1-a",
        "topology.kubernetes.io/region": "europe-west4"}
    spec["containers"] += [
        {"name": f"side-{number}", "image": "registry.example/side:1",
         "resources": {"requests": {"cpu": "900", "memory": "1Ti"}}} for number in range(3)]
    return review


def with_topologies(spec, count):
    """Lets the pods have any of `count` topologies, none of which is a small one."""
    spec["nodeSelector"] = {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice"}
    spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [
            {"key": "cloud.google.com/gke-tpu-topology", "operator": "In",
             "values": [f"4x{4 * number + 4}" for number in range(count)]}]}]}}}


def near_labels(pod):
    """As many keys as are judged, each as long as a label of GKE's that it is not."""
    pod = denied(pod)
    spec = pod["request"]["object"]["spec"]
    with_topologies(spec, 25)
    for number in range(800):
        spec["nodeSelector"][f"cloud.google.com/qqqqqqqqqqq{number:03}"] = "v"
    return pod


def crowd(pod):
    """As many containers and alternatives as are judged, each of them at fault."""
    review = job_set(pod)
    jobs = review["request"]["object"]["spec"]["replicatedJobs"]
    spec = jobs[0]["template"]["spec"]["template"]["spec"]
    with_topologies(spec, 8)
    spec["containers"] = [{"name": f"c{number}", "resources": {"limits": {TPU: 3}}}
                          for number in range(100)]
    jobs += [dict(copy.deepcopy(jobs[0]), name=f"slice-{number}") for number in range(4)]
    return review


def renamed_crowd(pod):
    """The same of many pod sets, in place of one in which all had other names."""
    review = job_set(pod)
    request = review["request"]
    spec = request["object"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    spec["containers"] = [{"name": f"c{number}" * 60, "resources": {"limits": {TPU: 3}}}
                          for number in range(5)]
    jobs = request["object"]["spec"]["replicatedJobs"]
    jobs += [dict(copy.deepcopy(jobs[0]), name=f"slice-{number}") for number in range(99)]
    request["oldObject"] = copy.deepcopy(request["object"])
    for job in request["oldObject"]["spec"]["replicatedJobs"]:
        job["name"] += "-old"
        for container in job["template"]["spec"]["template"]["spec"]["containers"]:
            container["name"] += "-old"
    request["operation"] = "UPDATE"
    return review


def exempted(pod):
    """A wrong JobSet whose annotation names more rules than anybody reads."""
    review = job_set(pod)
    job = review["request"]["object"]["spec"]["replicatedJobs"][0]["template"]["spec"]
    job.update(parallelism=7, completions=7)
    job["template"]["metadata"]["annotations"] = {
        "tpu-admission.io/ignore": "TPU301=a" + ",TPU999=" * 100_000,
        **{f"tpu-admission/ignore{number}": "a" for number in range(900)}}
    return review


def cases():
    """Name, endpoint, body, and what the answer holds."""
    pod, bare = review("validate"), review("mutate")
    return [
        ("TPU pod, 6 KB, /validate", "/validate", text(pod), b'"allowed":true'),
        ("TPU pod, 6 KB, /mutate", "/mutate", text(bare), b'"patch":'),
        ("worker that is told who it is, /mutate", "/mutate", text(told(bare)), b"TPU801=audit"),
        ("pod without TPUs, /validate", "/validate", text(without_tpus(pod)), b'"allowed":true'),
        ("pod without TPUs, /mutate", "/mutate", text(without_tpus(bare)), b'"allowed":true'),
        ("JobSet, /validate", "/validate", text(job_set(pod)), b'"allowed":true'),
        ("denial with text, /validate", "/validate", text(denied(pod)), b'"code":403'),
        ("denial that nothing repairs, /validate", "/validate", text(hopeless(pod)),
         b"No repair is shown"),
    ]


def long_text(pod):
    """As long a list of names, for as many alternatives, as is judged."""
    review = denied(pod)
    spec = review["request"]["object"]["spec"]
    with_topologies(spec, 32)
    container = spec["containers"][0]
    container["resources"] = {"limits": {TPU: 3}}
    container.setdefault("env", []).append({"name": "TPU_WORKER_HOSTNAMES", "value": "a" * 150_000})
    return review


def hostile_cases():
    """The same, of bodies whose shape is chosen to cost as much as a review may."""
    pod = review("validate")
    return [
        ("hostile: keys near labels, /validate", "/validate", text(near_labels(pod)),
         b'"allowed":true'),
        ("hostile: a long text, /validate", "/validate", text(long_text(pod)), b'"code":403'),
        ("hostile: a crowd at fault, /validate", "/validate", text(crowd(pod)), b'"code":403'),
        ("hostile: a crowd with new names, /validate", "/validate", text(renamed_crowd(pod)),
         b'"code":403'),
        ("hostile: exemptions, /validate", "/validate", text(exempted(pod)), b'"code":403'),
    ]

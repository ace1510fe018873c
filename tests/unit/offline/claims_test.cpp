// A workload is held against what stands beside it in the same file: claims for its volumes,
// requests for room for its pods, and the Service that is to name them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check_text.h"
#include "support/with.h"

namespace tpu_admission::offline::claims_test {
namespace {

using rules::Mode;
using support::With;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kFourHosts = R"(---
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: research}
spec:
  parallelism: 4
  completions: 4
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      subdomain: train
      volumes:
      - name: data
        persistentVolumeClaim: {claimName: data}
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice
        cloud.google.com/gke-tpu-topology: 4x4
      tolerations:
      - {key: google.com/tpu, operator: Exists}
      containers:
      - name: jax
        image: example.com/jax
        resources:
          requests: {cpu: "40", memory: 100Gi}
          limits: {google.com/tpu: 4}
)";

std::string Claim(const std::string& spec, const std::string& metadata = "namespace: research") {
  return "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, " + metadata +
         "}\nspec: {" + spec + "}\n";
}

// What one rule says of the file, by mode.
std::vector<std::string> Said(std::string text, std::string_view rule = "disk") {
  std::vector<std::string> said;
  for (const ObjectReport& object : support::Check(std::move(text)).objects) {
    for (const ReportedFinding& finding : object.findings) {
      if (finding.rule->name != rule) continue;
      said.push_back(std::string(Name(finding.mode)) + " " + finding.summary);
    }
  }
  return said;
}

// What it says of the fields.
std::vector<std::string> Problems(std::string text, std::string_view rule = "disk") {
  std::vector<std::string> problems;
  const FileReport report =
      CheckText(support::StandardSettings(), {"", {2026, 11, 22}, {}}, "a.yaml", std::move(text));
  for (const ObjectReport& object : report.objects) {
    for (const ReportedFinding& finding : object.findings) {
      if (finding.rule->name == rule) problems.push_back(finding.problem);
    }
  }
  return problems;
}

const std::string kOneNode = "claim \"data\" is for one node, but 4 hosts mount it";

TEST(Claims, OfOneNodeForSeveralHostsWarn) {
  EXPECT_THAT(
      Said(Claim("storageClassName: premium-rwo, accessModes: [ReadWriteOnce]") + kFourHosts),
      ElementsAre("warn " + kOneNode));
  // Wherever it stands in the file, and without a class, which is a disk's by default.
  EXPECT_THAT(Said(kFourHosts + Claim("accessModes: [ReadWriteOncePod]")),
              ::testing::Contains("warn " + kOneNode));
}

// Pods that each take all chips of a node are on as many nodes.
TEST(Claims, OfOneNodeForSeveralSingleHostsWarn) {
  const std::string pods = With(kFourHosts, "topology: 4x4", "topology: 2x2");
  const std::string claim = Claim("storageClassName: premium-rwo, accessModes: [ReadWriteOnce]");
  EXPECT_THAT(Said(claim + pods), ElementsAre("warn " + kOneNode));
  EXPECT_THAT(Said(claim + With(pods, "parallelism: 4", "parallelism: 1")), IsEmpty());
}

TEST(Claims, ThatMayBeOfAFileServerAreOnlyRecorded) {
  for (const std::string spec : {"storageClassName: filestore", "storageClassName: \"\"",
                                 "storageClassName: premium-rwo, volumeName: lustre"}) {
    EXPECT_THAT(Said(Claim(spec + ", accessModes: [ReadWriteOnce]") + kFourHosts),
                ElementsAre("audit " + kOneNode))
        << spec;
  }
}

std::string Class(const std::string& driver) {
  return "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\n"
         "provisioner: " +
         driver + "\nparameters: {type: hyperdisk-balanced}\n";
}

TEST(Claims, OfAClassThatMakesDisksWarn) {
  for (const std::string name : {"hyperdisk-balanced", "pd-ssd"}) {
    EXPECT_THAT(
        Said(Claim("storageClassName: " + name + ", accessModes: [ReadWriteOnce]") + kFourHosts),
        ElementsAre("warn " + kOneNode))
        << name;
  }
  const std::string claim = Claim("storageClassName: fast, accessModes: [ReadWriteOnce]");
  EXPECT_THAT(Said(claim + kFourHosts), ElementsAre("audit " + kOneNode));
  EXPECT_THAT(Said(claim + kFourHosts + Class("pd.csi.storage.gke.io")),
              ElementsAre("warn " + kOneNode));
  EXPECT_THAT(Said(Class("filestore.csi.storage.gke.io") + claim + kFourHosts),
              ElementsAre("audit " + kOneNode));
}

TEST(Claims, OfOnePodAreNoFault) {
  const std::string claim = Claim("storageClassName: premium-rwo, accessModes: [ReadWriteOnce]");
  EXPECT_THAT(Said(claim + With(kFourHosts, "parallelism: 4", "parallelism: 1")), IsEmpty());
  EXPECT_THAT(Said(claim + R"(---
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: serve, namespace: research}
spec:
  replicas: 1
  leaderWorkerTemplate:
    size: 4
    leaderTemplate:
      spec:
        volumes:
        - name: data
          persistentVolumeClaim: {claimName: data}
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice
          cloud.google.com/gke-tpu-topology: 4x4
        containers:
        - name: jax
          image: example.com/jax
          resources:
            requests: {cpu: "40", memory: 100Gi}
            limits: {google.com/tpu: 4}
    workerTemplate:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v5-lite-podslice
          cloud.google.com/gke-tpu-topology: 4x4
        containers:
        - name: jax
          image: example.com/jax
          resources:
            requests: {cpu: "40", memory: 100Gi}
            limits: {google.com/tpu: 4}
)"),
              IsEmpty());
}

TEST(Claims, OfPodsThatNobodyCountsAreOnlyRecorded) {
  const std::string claim = Claim("storageClassName: premium-rwo, accessModes: [ReadWriteOnce]");
  EXPECT_THAT(Said(claim + With(kFourHosts, "parallelism: 4", "parallelism: \"${PODS}\"")),
              ElementsAre("audit " + kOneNode));
}

TEST(Claims, OfManyNodesAreNoFault) {
  for (const std::string modes : {"[ReadWriteMany]", "[ReadOnlyMany]",
                                  "[ReadWriteOnce, ReadOnlyMany]", "[]", "ReadWriteOnce", "[7]"}) {
    const std::string spec = "storageClassName: premium-rwo, accessModes: " + modes;
    EXPECT_THAT(Said(Claim(spec) + kFourHosts), IsEmpty()) << modes;
  }
}

TEST(Claims, OfOtherNamespacesAndNamesAreOthers) {
  const std::string spec = "storageClassName: premium-rwo, accessModes: [ReadWriteOnce]";
  EXPECT_THAT(Said(Claim(spec, "namespace: other") + kFourHosts), IsEmpty());
  EXPECT_THAT(Said(Claim(spec) + With(kFourHosts, "claimName: data", "claimName: more")),
              IsEmpty());
}

TEST(Claims, ThatAreOnlyReadAreNoFault) {
  const std::string read = With(kFourHosts, "claimName: data", "claimName: data, readOnly: true");
  EXPECT_THAT(Said(Claim("storageClassName: premium-rwo, accessModes: [ReadWriteOnce]") + read),
              IsEmpty());
}

TEST(Claims, OfAClassThatTheMachinesCannotAttachWarn) {
  EXPECT_THAT(Said(Claim("storageClassName: standard, accessModes: [ReadWriteMany]") + kFourHosts),
              ElementsAre("warn tpu-v5-lite-podslice nodes cannot attach \"data\", a "
                          "pd-standard disk"));
}

// The field has the name of the claim, and the claim that of the class.
TEST(Claims, AndTheirClassesAreNotTakenForEachOther) {
  const std::string file =
      Claim("storageClassName: standard, accessModes: [ReadWriteMany]") + kFourHosts;
  EXPECT_THAT(Problems(file), ElementsAre(::testing::StartsWith(
                                  "is \"data\", a claim of this file with the class standard, "
                                  "which makes a pd-standard disk in GKE;")));
  const std::string pods = With(kFourHosts, "tpu-v5-lite-podslice", "tpu-v6e-slice");
  EXPECT_THAT(Problems(Claim("accessModes: [ReadWriteMany]") + pods),
              ElementsAre(::testing::StartsWith(
                  "is \"data\", a claim of this file without a class, so it gets standard-rwo "
                  "unless the cluster has another default, which makes a pd-balanced disk")));
}

TEST(Claims, OfAClassOfTheFileThatTheMachinesCannotAttachWarn) {
  std::string pods = With(kFourHosts, "tpu-v5-lite-podslice", "tpu-v6e-slice");
  const std::string claim = Claim("storageClassName: fast, accessModes: [ReadOnlyMany]");
  const auto of_type = [](const std::string& type, const std::string& driver) {
    return With(Class(driver), "hyperdisk-balanced", type);
  };
  const std::string ours = "pd.csi.storage.gke.io";
  EXPECT_THAT(Said(claim + pods + of_type("pd-ssd", ours)),
              ElementsAre("warn tpu-v6e-slice nodes cannot attach \"data\", a pd-ssd disk"));
  EXPECT_THAT(Said(claim + pods + of_type("hyperdisk-balanced", ours)), IsEmpty());
  EXPECT_THAT(Said(claim + pods + of_type("pd-ssd", "another.csi.example.com")), IsEmpty());
  EXPECT_THAT(Said(claim + pods + of_type("\"{{ type }}\"", ours)), IsEmpty());
}

std::string Request(const std::string& count, const std::string& pods = "host") {
  return "---\napiVersion: autoscaling.x-k8s.io/v1\nkind: ProvisioningRequest\n"
         "metadata: {name: room, namespace: research}\nspec:\n"
         "  provisioningClassName: queued-provisioning.gke.io\n"
         "  podSets: [{count: " +
         count + ", podTemplateRef: {name: " + pods + "}}]\n";
}

const std::string kTemplate = R"(---
apiVersion: v1
kind: PodTemplate
metadata: {name: host, namespace: research}
template:
  spec:
    nodeSelector:
      cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
      cloud.google.com/gke-tpu-topology: 4x4
    tolerations:
    - {key: google.com/tpu, operator: Exists}
    containers:
    - name: jax
      image: example.com/jax
      resources:
        requests: {cpu: "40", memory: 100Gi}
        limits: {google.com/tpu: 4}
)";

TEST(Requests, ForAPartOfASliceWarn) {
  EXPECT_THAT(Said(kTemplate + Request("3"), "hosts"),
              ElementsAre("warn a request is for 3 pods, a 4x4 slice takes 4"));
  EXPECT_THAT(Said(Request("0") + kTemplate, "hosts"),
              ElementsAre("warn a request is for 0 pods, a 4x4 slice takes 4"));
}

TEST(Requests, ForWholeSlicesOrOtherPodsAreNoFault) {
  for (const std::string& request :
       {Request("4"), Request("8"), Request("${COUNT}"), Request("3", "other"), std::string()}) {
    EXPECT_THAT(Said(kTemplate + request, "hosts"), IsEmpty()) << request;
  }
}

std::string Service(const std::string& selector, const std::string& type = "ClusterIP") {
  return "---\napiVersion: v1\nkind: Service\nmetadata: {name: train, namespace: research}\n"
         "spec: {type: " +
         type + ", clusterIP: None, selector: " + selector + "}\n";
}

TEST(Services, ThatSelectOtherPodsWarnWhereverTheyStand) {
  const auto warned = ElementsAre("warn Service \"train\" does not select the pods, by job-name");
  EXPECT_THAT(Said(Service("{job-name: tpu-job}") + kFourHosts, "worker-service"), warned);
  EXPECT_THAT(Said(kFourHosts + Service("{job-name: tpu-job}"), "worker-service"), warned);
}

TEST(Services, ThatSelectThePodsOrWhoseEndpointsOthersMakeAreNoFault) {
  for (const std::string& service :
       {Service("{job-name: train}"), Service("{}"), Service("null"), Service("[a, b]"),
        Service("{app: x}", "ExternalName"), std::string()}) {
    EXPECT_THAT(Said(service + kFourHosts, "worker-service"), IsEmpty()) << service;
  }
}

// What somebody is still to fill in, and what the API server refuses.
TEST(Services, ThatNobodyCanReadAreNoFault) {
  const std::string open = With(Service("{job-name: train}"), "None", "\"${IP}\"");
  for (const std::string& service : {open, Service("{job-name: 5}"), Service("{app: null}")}) {
    EXPECT_THAT(Said(service + kFourHosts, "worker-service"), IsEmpty()) << service;
  }
}

// One of which each label is wrong is told, one of more than anybody would write is left out.
TEST(Services, AreBounded) {
  std::string few = "{job-name: train", many = few;
  for (int i = 0; i < 50; ++i) few += ", a" + std::to_string(i) + ": x";
  for (int i = 0; i < 200'000; ++i) many += ", a" + std::to_string(i) + ": x";
  EXPECT_THAT(Said(Service(few + "}") + kFourHosts, "worker-service").size(), 20);
  EXPECT_THAT(Said(Service(many + "}") + kFourHosts, "worker-service"), IsEmpty());
}

TEST(Claims, AreKeptHoweverManyThereAre) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c" +
            std::to_string(i) + ", namespace: research}\n";
  }
  EXPECT_THAT(
      Said(text + Claim("storageClassName: premium-rwo, accessModes: [ReadWriteOnce]") + kFourHosts)
          .size(),
      1);
}

// An alias is short, and what it repeats may be long.
TEST(Services, AreNotKeptWhereTheirSelectorIsNoLabels) {
  const auto of_value = [](std::size_t bytes) {
    return Service("{job-name: " + std::string(bytes, 'x') + "}") + kFourHosts;
  };
  EXPECT_THAT(Said(of_value(63), "worker-service").size(), 1);
  EXPECT_THAT(Said(of_value(400), "worker-service"), IsEmpty());
}

}  // namespace
}  // namespace tpu_admission::offline::claims_test

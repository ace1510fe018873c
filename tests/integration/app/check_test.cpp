#include <gmock/gmock.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "integration/app/program.h"
#include "support/temp_dir.h"
#include "tpu_admission/tpu/seen_shapes.h"

namespace tpu_admission::support::check_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kExamples = TPU_ADMISSION_SOURCE_DIR "/examples/";

TEST(Check, ExitsWithOneForAFaultAndNamesFileAndLine) {
  const Ended ended = RunToEnd({"check", kExamples + "wrong-job.yaml"});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out, HasSubstr("TPU301 chips-per-host"));
  EXPECT_THAT(ended.out,
              ::testing::ContainsRegex("wrong-job.yaml:[0-9]+:[0-9]+: error: Job \"train\""));
}

TEST(Check, ExitsWithZeroForWhatIsSoundOrNotOurs) {
  for (const char* file : {"corrected-job.yaml", "sound-pod.yaml", "not-ours.yaml"}) {
    EXPECT_EQ(RunToEnd({"check", kExamples + file}).exit_code, 0) << file;
  }
}

TEST(Check, ReadsAFolderAndSumsUp) {
  const Ended ended = RunToEnd({"check", kExamples});
  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_THAT(ended.out, HasSubstr("4 TPU workloads checked: 3 errors"));
}

// A List, with the fault in its second item; the line is that of the item's own field.
const std::string kList = R"(apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
- apiVersion: v1
  kind: Pod
  metadata: {name: p}
  spec:
    nodeSelector:
      cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
      cloud.google.com/gke-tpu-topology: 3x3
    containers:
    - name: jax
      resources: {requests: {cpu: 1, memory: 1Gi}, limits: {google.com/tpu: 4}}
)";

TEST(Check, PrintsJsonForPrograms) {
  const Ended ended = RunToEnd({"check", "--output", "json", "-"}, {}, kList);
  EXPECT_EQ(ended.exit_code, 1);
  const auto report = nlohmann::json::parse(ended.out);
  EXPECT_EQ(report["workloads"], 1);
  const auto& finding = report["findings"][0];
  EXPECT_EQ(finding["rule"], "TPU203");
  EXPECT_EQ(finding["mode"], "deny");
  EXPECT_EQ(finding["line"], 11);
  EXPECT_EQ(finding["kind"], "Pod");
  EXPECT_EQ(finding["name"], "p");
}

TEST(Check, NamesALabelValueWithoutQuotesAndJudgesTheRest) {
  std::string text = kList;
  const std::string selector = "    nodeSelector:\n";
  text.insert(text.find(selector) + selector.size(), "      cloud.google.com/gke-spot: true\n");
  const Ended ended = RunToEnd({"check", "-"}, {}, text);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.out + ended.err,
              HasSubstr(":10:34: nodeSelector \"cloud.google.com/gke-spot\" is not a string"));
  EXPECT_THAT(ended.out, HasSubstr("TPU203"));
  EXPECT_THAT(ended.out,
              HasSubstr("1 TPU workload checked: 1 error, 0 warnings; 1 part could not"));
}

constexpr const char* kWrongPod =
    "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeSelector: "
    "{cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 3x3},"
    " containers: [{name: c, resources: {limits: {google.com/tpu: 4}}}]}}";

TEST(Check, SaysNothingOfWhatOnlyCountsChips) {
  const Ended ended =
      RunToEnd({"check", "-"}, {},
               "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q}, spec: {hard: "
               "{google.com/tpu: 8}}}");
  EXPECT_THAT(ended.out, ::testing::Not(HasSubstr("google.com/tpu")));
}

TEST(Check, NamesAKindThatIsNotReadButAsksForChips) {
  const Ended ended =
      RunToEnd({"check", "-"}, {},
               "{apiVersion: sparkoperator.k8s.io/v1, kind: SparkApplication, metadata: "
               "{name: f}, spec: {limits: {google.com/tpu: 4}}}");
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.out,
              HasSubstr("SparkApplication \"f\": asks for google.com/tpu, but is of a kind"));
}

TEST(Check, TakesTypedListsAndArraysApart) {
  const std::string pod = kWrongPod;
  for (const std::string& text :
       {"{apiVersion: v1, kind: PodList, items: [" + pod + "]}", "[" + pod + ", " + pod + "]"}) {
    EXPECT_EQ(RunToEnd({"check", "-"}, {}, text).exit_code, 1) << text;
  }
}

TEST(Check, ABrokenDocumentOrAMissingFileCostsOnlyItself) {
  const std::string text = std::string(kWrongPod) + "\n---\na: b: c\n---\n" + kWrongPod;
  const Ended ended = RunToEnd({"check", "--output", "json", "/no/such/file", "-"}, {}, text);
  EXPECT_EQ(ended.exit_code, 2);
  const nlohmann::json report = nlohmann::json::parse(ended.out);
  EXPECT_EQ(report["version"], 1);
  EXPECT_EQ(report["documents"], 3);
  EXPECT_EQ(report["workloads"], 2);
  ASSERT_EQ(report["errors"].size(), 2U);
  EXPECT_EQ(report["errors"][0]["file"], "/no/such/file");
  EXPECT_EQ(report["errors"][1]["line"], 3);
  const nlohmann::json& finding = report["findings"][0];
  EXPECT_EQ(finding["document"], 0);
  EXPECT_EQ(finding["apiVersion"], "v1");
  EXPECT_EQ(finding["pointer"], "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology");
  EXPECT_EQ(report["repairs"][0]["label"], "a");
}

TEST(Check, JudgesByTheNamespaceThatItIsTold) {
  const std::string policy = "namespaces: [{match: team, rules: {TPU203: audit}}]\n";
  const TempDir dir;
  const std::string file = dir.path() / "policy.yaml";
  std::ofstream(file) << policy;
  const std::vector<std::string> check = {"check", "--policy", file, "-"};
  EXPECT_EQ(RunToEnd(check, {}, kWrongPod).exit_code, 1);
  EXPECT_EQ(
      RunToEnd({"check", "--namespace", "team", "--policy", file, "-"}, {}, kWrongPod).exit_code,
      0);
}

TEST(Check, FixWritesTheRepairAndNothingElse) {
  const TempDir dir;
  const std::string file = dir.path() / "job.yaml";
  const std::string before = ReadText(kExamples + "wrong-job.yaml");
  WriteText(file, before);
  const Ended diff = RunToEnd({"check", "--diff", file});
  EXPECT_EQ(diff.exit_code, 1);
  EXPECT_THAT(diff.out, HasSubstr("\n-  parallelism: 2\n"));
  EXPECT_THAT(diff.out, HasSubstr("\n+  parallelism: 4\n"));
  EXPECT_EQ(ReadText(file), before);
  EXPECT_EQ(RunToEnd({"check", "--fix", file}).exit_code, 0);
  const std::string after = ReadText(file);
  EXPECT_THAT(after, HasSubstr("# "));
  EXPECT_EQ(RunToEnd({"check", "--diff", file}).exit_code, 0);
  EXPECT_EQ(RunToEnd({"check", "--fix", file}).exit_code, 0);
  EXPECT_EQ(ReadText(file), after);
}

TEST(Check, FixTakesTheRepairThatIsNamedAndNoStandardInput) {
  const TempDir dir;
  const std::string file = dir.path() / "job.yaml";
  WriteText(file, ReadText(kExamples + "wrong-job.yaml"));
  EXPECT_EQ(RunToEnd({"check", "--fix", "--repair", "b", file}).exit_code, 0);
  EXPECT_THAT(ReadText(file), HasSubstr("gke-tpu-topology: 2x4"));
  EXPECT_EQ(RunToEnd({"check", "--fix", "-"}, {}, kWrongPod).exit_code, 2);
}

TEST(Check, DiffAndFixTellWhatCannotBeRead) {
  const std::string half = "a: b: c\n---\n" + ReadText(kExamples + "wrong-job.yaml");
  const Ended diff = RunToEnd({"check", "--diff", "-"}, {}, half);
  EXPECT_EQ(diff.exit_code, 2);
  EXPECT_THAT(diff.err, HasSubstr("-:1:5: mapping values are not allowed in this context\n"));
  EXPECT_THAT(diff.err, HasSubstr("1 | a: b: c\n"));
  EXPECT_THAT(diff.out, HasSubstr("\n+  parallelism: 4\n")) << "the other document";
  const Ended twice = RunToEnd({"check", "--diff", "-"}, {}, "a: 1\na: 2\n");
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("-:2:1: "));
  const TempDir dir;
  WriteText(dir / "half.yaml", half);
  WriteText(dir / "template.yaml", "a: {{ .Values.x }}\n");
  const Ended fix = RunToEnd({"check", "--fix", "."}, {}, "", dir.path());
  EXPECT_EQ(fix.exit_code, 2);
  EXPECT_THAT(fix.err, HasSubstr("half.yaml:1:5: mapping values"));
  EXPECT_THAT(ReadText(dir / "half.yaml"), HasSubstr("a: b: c\n---\n"));
  EXPECT_THAT(ReadText(dir / "half.yaml"), HasSubstr("parallelism: 4"));
  std::filesystem::remove(dir / "half.yaml");
  EXPECT_EQ(RunToEnd({"check", "--diff", "."}, {}, "", dir.path()).exit_code, 0);
  EXPECT_EQ(RunToEnd({"check", "--diff", "template.yaml"}, {}, "", dir.path()).exit_code, 2);
  const std::string slip =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeSelector: "
      "{cloud.google.com/gke-tpu-accelerator: true}, containers: []}\n";
  EXPECT_EQ(RunToEnd({"check", "--diff", "-"}, {}, slip).exit_code,
            RunToEnd({"check", "-"}, {}, slip).exit_code);
}

// One file that cannot be repaired hides nothing of the others.
TEST(Check, FixAlwaysChecksAfterwards) {
  const TempDir dir;
  WriteText(dir / "broken.yaml", "a: b: tpu\n");
  WriteText(dir / "job.yaml", ReadText(kExamples + "wrong-job.yaml"));
  WriteText(dir / "pod.json", kWrongPod);
  const Ended ended =
      RunToEnd({"check", "--fix", "--ignore", "TPU104,TPU601", "."}, {}, "", dir.path());
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ReadText(dir / "job.yaml"), HasSubstr("parallelism: 4"));
  EXPECT_THAT(ended.out, HasSubstr("broken.yaml:1:5: "));
  EXPECT_THAT(ended.out, HasSubstr("2 TPU workloads"));
}

TEST(Check, SaysWhatIsTooLargeToJudge) {
  std::string text = kList;
  for (int i = 0; i < 100; ++i) text += "    - {name: c" + std::to_string(i) + "}\n";
  const Ended ended = RunToEnd({"check", "-"}, {}, text);
  EXPECT_EQ(ended.exit_code, 0);  // a warning, as on the server
  EXPECT_THAT(ended.out + ended.err, HasSubstr("not checked: more than 100 containers"));
}

TEST(Check, FailsOnWarningsIfAsked) {
  const std::string warned = R"({apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {
    nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu8t, cloud.google.com/gke-tpu-topology: 2x2},
    containers: [{name: jax, resources: {requests: {cpu: 1, memory: 1Gi}, limits: {google.com/tpu: 4}}}]}})";
  EXPECT_EQ(RunToEnd({"check", "-"}, {}, warned).exit_code, 0);
  EXPECT_EQ(RunToEnd({"check", "--fail-on", "warn", "-"}, {}, warned).exit_code, 1);
}

TEST(Check, TellsInTheAuditStageWhatWouldBeDenied) {
  TempDir directory;
  const std::string policy = directory / "policy.yaml";
  std::ofstream(policy) << "default: audit\n";
  const Ended ended = RunToEnd({"check", "--policy", policy, "-"}, {}, kList);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.out, HasSubstr("-:11:42: would be denied: Pod \"p\": "));
  EXPECT_THAT(ended.out, HasSubstr("TPU203 topology-not-offered"));
  EXPECT_THAT(ended.out, HasSubstr("0 errors, 0 warnings; 1 finding would be denied"));
  const auto report = nlohmann::json::parse(
      RunToEnd({"check", "--policy", policy, "--output", "json", "-"}, {}, kList).out);
  EXPECT_EQ(report["findings"][0]["mode"], "audit");
  EXPECT_EQ(report["findings"][0]["would_be"], "deny");
}

TEST(Check, TellsInTheWarnStageWhatWouldBeDenied) {
  TempDir directory;
  const std::string policy = directory / "policy.yaml";
  std::ofstream(policy) << "default: warn\n";
  const Ended ended = RunToEnd({"check", "--policy", policy, "-"}, {}, kList);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.out, HasSubstr("-:11:42: warning (would be denied): Pod \"p\": "));
}

TEST(Check, HonoursThePolicy) {
  TempDir directory;
  const std::string policy = directory / "policy.yaml";
  std::ofstream(policy) << "rules: {TPU203: off}\n";
  const Ended ended = RunToEnd({"check", "--policy", policy, "-"}, {}, kList);
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.out, Not(HasSubstr("TPU203")));
}

// A template whose topology is missing: a warning.
const std::string kNoTopology = R"(apiVersion: apps/v1
kind: Deployment
metadata:
  name: p
  annotations: {tpu-admission.io/ignore: TPU103=any will do}
spec:
  template:
    spec:
      nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice}
      containers:
      - name: jax
        resources: {requests: {cpu: 1, memory: 1Gi}, limits: {google.com/tpu: 4}}
)";

// A reservation that Autopilot alone refuses at once.
constexpr std::string_view kAnyReservation = R"(apiVersion: v1
kind: Pod
metadata:
  name: p
spec:
  nodeSelector:
    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
    cloud.google.com/gke-tpu-topology: 2x2
    cloud.google.com/reservation-affinity: any
  containers:
  - name: jax
    resources: {requests: {cpu: 1, memory: 1Gi}, limits: {google.com/tpu: 4}}
)";

TEST(Check, HonoursTheProfile) {
  std::string_view manifest = kNoTopology;
  const auto code = [&](std::vector<std::string> flags, const Environment& environment = {}) {
    flags.insert(flags.begin(), "check");
    flags.push_back("-");
    return RunToEnd(flags, environment, std::string(manifest)).exit_code;
  };
  EXPECT_EQ(code({}), 0);
  EXPECT_EQ(code({"--profile", "strict"}), 1);
  EXPECT_EQ(code({}, {{"TPU_ADMISSION_PROFILE", "strict"}}), 1);
  manifest = kAnyReservation;
  EXPECT_EQ(code({}), 0);
  EXPECT_EQ(code({"--profile", "autopilot"}), 1);
  EXPECT_EQ(code({"--profile", "autopilot", "--cluster-mode", "standard"}), 0);
  TempDir directory;
  std::ofstream(directory / "policy.yaml") << "profile: autopilot\n";
  EXPECT_EQ(code({"--policy", directory / "policy.yaml"}), 1);
  EXPECT_EQ(code({"--policy", directory / "policy.yaml", "--profile", "standard"}), 0);
}

TEST(Check, HonoursExemptionsByThePolicyAndShowsThem) {
  TempDir directory;
  const std::string policy = directory / "policy.yaml";
  std::ofstream(policy) << "profile: strict\nignore: true\n";
  const Ended text = RunToEnd({"check", "--policy", policy, "-"}, {}, kNoTopology);
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, HasSubstr("ignored: Deployment \"p\": TPU103: "));
  EXPECT_THAT(text.out, HasSubstr("(ignored because: any will do)"));
  const Ended json =
      RunToEnd({"check", "--policy", policy, "--output", "json", "-"}, {}, kNoTopology);
  const auto finding = nlohmann::json::parse(json.out)["findings"][0];
  EXPECT_EQ(finding["mode"], "audit");
  EXPECT_EQ(finding["ignored_because"], "any will do");

  const Ended refused = RunToEnd({"check", "--profile", "strict", "-"}, {}, kNoTopology);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.out,
              HasSubstr("-:5:42: warning: Deployment \"p\": tpu-admission.io/ignore: the policy "
                        "does not let this namespace ignore TPU103"));
}

// What a user copies out of the cluster is believed as the servers believe it.
TEST(Check, HonoursTheRecordOfNodes) {
  TempDir directory;
  const std::string file = directory / "nodes.yaml";
  const std::int64_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  tpu::SeenShapes seen{.since = now - 3600, .current = now, .autoscaler = false};
  seen.Count("tpu-v5p-slice", "2x2x1", 4, "a");
  const auto check = [&](const std::string& record) {
    WriteText(file, record);
    return RunToEnd({"check", "--node-record", file, kExamples + "sound-pod.yaml"});
  };
  EXPECT_THAT(check(seen.Text()).out, HasSubstr("no node pool of this cluster has"));
  seen.current -= 3600;
  EXPECT_THAT(check(seen.Text()).out, Not(HasSubstr("node pool")));
  EXPECT_THAT(check(seen.Text()).err, HasSubstr("has not brought it up to date for 20 minutes"));
  EXPECT_EQ(check(seen.Text()).exit_code, 0);
  // As a kubectl that fails leaves it: nothing must look as if it had been checked.
  for (const char* broken : {"", "nonsense", "shapes: 7\n"}) {
    const Ended ended = check(broken);
    EXPECT_EQ(ended.exit_code, 2) << broken;
    EXPECT_THAT(ended.err, HasSubstr("--node-record: " + file));
  }
  const Ended none = RunToEnd({"check", "--node-record", file + "x", "-"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("--node-record: " + file + "x: "));
  EXPECT_THAT(RunToEnd({"check", "--help"}).out, Not(HasSubstr("FILE:FILE")));
}

TEST(Check, ThePolicyThatShipsChangesNothing) {
  const std::string policy = TPU_ADMISSION_SOURCE_DIR "/config/policy.yaml";
  EXPECT_EQ(RunToEnd({"check", "--policy", policy, kExamples}).out,
            RunToEnd({"check", kExamples}).out);
}

TEST(Check, ExitsWithTwoForWhatCannotBeRead) {
  const Ended broken = RunToEnd({"check", "-"}, {}, "a: [\n");
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.out, ::testing::ContainsRegex("-:[0-9]+:[0-9]+: "));
  const Ended typed =
      RunToEnd({"check", "-"}, {}, "{apiVersion: v1, kind: Pod, spec: {containers: 1}}");
  EXPECT_EQ(typed.exit_code, 2);
  EXPECT_THAT(typed.out, HasSubstr("containers is not a list"));
}

// As kubectl takes it: JSON values one after the other, with pairs of surrogates.
TEST(Check, TakesConcatenatedJson) {
  const std::string pod =
      R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "\udb40\udc41"}, "spec": {
  "containers": [{"name": "a", "resources": {"limits": {"google.com/tpu": 4}}}]}})";
  const Ended ended = RunToEnd({"check", "-"}, {}, pod + "\n" + pod + pod);
  EXPECT_THAT(ended.out, HasSubstr("3 TPU workloads checked"));
  EXPECT_THAT(ended.out, Not(HasSubstr("\xF3\xA0\x81\x81")));
}

TEST(Check, ADocumentAtFaultCostsOnlyItself) {
  const std::string pod =
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: a, "
      "resources: {limits: {google.com/tpu: 4}}}]}\n";
  const Ended ended = RunToEnd({"check", "-"}, {}, pod + "---\na: [\n" + pod + "---\na: *b\n");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.out, HasSubstr("2 TPU workloads checked"));
  EXPECT_THAT(ended.out, HasSubstr("-:14:4: unknown anchor \"b\""));
}

TEST(Check, ManyDocumentsAreNotTooLarge) {
  std::string documents;
  for (int i = 0; i < 50'000; ++i) documents += "---\nkind: A\napiVersion: v1\n";
  EXPECT_EQ(RunToEnd({"check", "-"}, {}, documents).exit_code, 0);
}

// A folder to check, and the exit code and output of `check` in it.
class CheckFolder : public InFolder {
 protected:
  Ended Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "check");
    for (std::string& argument : arguments) {
      if (argument.starts_with("@")) argument = root() + "/" + argument.substr(1);
    }
    return InFolder::Run(arguments);
  }
};

TEST_F(CheckFolder, RespectsGitignoreAndExclude) {
  Write("a.yaml", kWrongPod);
  Write("out/b.yaml", kWrongPod);
  Write("deep/kept/c.yaml", kWrongPod);
  Write("deep/d.yaml", kWrongPod);
  EXPECT_THAT(Run({"."}).out, HasSubstr("4 TPU workloads"));
  Write(".gitignore", "out/\n/deep/*\n!deep/kept\n");
  EXPECT_THAT(Run({"."}).out, HasSubstr("2 TPU workloads"));
  EXPECT_THAT(Run({"--no-gitignore", "."}).out, HasSubstr("4 TPU workloads"));
  EXPECT_THAT(Run({"out/b.yaml"}).out, HasSubstr("1 TPU workload")) << "it is named";
  EXPECT_THAT(Run({"--exclude", "*.yaml,x", "."}).out, HasSubstr("0 TPU workloads"));
  EXPECT_THAT(Run({"--exclude", "deep", "a.yaml", "deep/kept/c.yaml"}).out,
              HasSubstr("1 TPU workload"));
}

TEST_F(CheckFolder, ReadsGlobsItself) {
  Write("a/b/c.yaml", kWrongPod);
  Write("a/d.yaml", kWrongPod);
  EXPECT_THAT(Run({"a/**/*.yaml"}).out, HasSubstr("2 TPU workloads"));
  EXPECT_THAT(Run({"a/*.yaml"}).out, HasSubstr("a/d.yaml:1:"));
  EXPECT_EQ(Run({"b/*.yaml"}).exit_code, 2);
}

TEST_F(CheckFolder, FollowsLinkedFoldersOnceAndOpensNoPipe) {
  Write("real/a.yaml", kWrongPod);
  std::filesystem::create_directory_symlink("../real", root() + "/real/loop");
  std::filesystem::create_directory_symlink("real", root() + "/zlink");
  ASSERT_EQ(::mkfifo((root() + "/real/pipe.yaml").c_str(), 0600), 0);
  EXPECT_THAT(Run({"."}).out, HasSubstr("1 TPU workload checked"));
}

TEST_F(CheckFolder, NamesLinksThatCannotBeFollowed) {
  Write("a.yaml", "a: b\n");
  std::filesystem::create_symlink("nowhere", root() + "/plain");
  std::filesystem::create_symlink("a.yaml/x", root() + "/through-a-file");
  for (const char* flag : {"--output=text", "--fix"}) {
    EXPECT_EQ(Run({flag, "."}).exit_code, 0) << "they are no manifests";
  }
  std::filesystem::create_symlink("nowhere", root() + "/gone.yaml");
  std::filesystem::create_symlink("self.yml", root() + "/self.yml");
  for (const char* flag : {"--output=text", "--fix"}) {
    const Ended ended = Run({flag, "."});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.out + ended.err, HasSubstr("gone.yaml: No such file or directory"));
    EXPECT_THAT(ended.out + ended.err, HasSubstr("self.yml: Too many levels of symbolic links"));
  }
  EXPECT_THAT(Run({"*.yml"}).out, Not(HasSubstr("gone.yaml")));
  Write(".gitignore", "*.yml\ngone.yaml\n");
  EXPECT_EQ(Run({"."}).exit_code, 0);
  EXPECT_THAT(Run({"a.yaml/x"}).out, HasSubstr("a.yaml/x: Not a directory"));
}

TEST_F(CheckFolder, NamesFilesOfFoldersThatNobodyMayEnter) {
  if (::geteuid() == 0) GTEST_SKIP() << "nothing is forbidden to root";
  Write("shut/a.yaml", kWrongPod);
  Write("shut/below/b.yaml", kWrongPod);
  std::filesystem::create_directory_symlink("shut/below", root() + "/link");
  ASSERT_EQ(::chmod((root() + "/shut").c_str(), 0644), 0);
  const Ended ended = Run({"."});
  for (const char* name : {"shut/a.yaml", "shut/below", "link"}) {
    EXPECT_THAT(ended.out, HasSubstr(std::string(name) + ": Permission denied"));
  }
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(Run({"shut/a.yaml"}).out, HasSubstr("shut/a.yaml: Permission denied"));
  ::chmod((root() + "/shut").c_str(), 0755);
}

TEST_F(CheckFolder, WritesThroughNoPlantedLinkAndKeepsTheMode) {
  Write("a.yaml", kWrongPod);
  Write("victim", "mine");
  for (const char* name : {"a.yaml.tpu-admission-new", "known.yaml.tpu-admission-new"}) {
    std::filesystem::create_symlink("victim", root() + "/" + name);
  }
  ASSERT_EQ(::chmod((root() + "/a.yaml").c_str(), 0640), 0);
  EXPECT_EQ(Run({"--baseline", "known.yaml", "--write-baseline", "a.yaml"}).exit_code, 0);
  EXPECT_EQ(Run({"--fix", "--ignore", "TPU1,TPU6", "a.yaml"}).exit_code, 0);
  EXPECT_EQ(ReadText(root() + "/victim"), "mine");
  EXPECT_TRUE(std::filesystem::is_symlink(root() + "/a.yaml.tpu-admission-new"));
  EXPECT_NE(ReadText(root() + "/a.yaml"), kWrongPod);
  struct stat status {};
  ASSERT_EQ(::stat((root() + "/a.yaml").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, ::mode_t(0640));
  const auto files = std::filesystem::directory_iterator(root());
  EXPECT_EQ(std::distance(begin(files), end(files)), 5) << "nothing is left behind";
}

TEST_F(CheckFolder, CountsOneAsOne) {
  Write("a.yaml", kWrongPod);
  EXPECT_THAT(Run({"--output=github", "a.yaml"}).out, HasSubstr("\n1 TPU workload checked: "));
  EXPECT_THAT(Run({"--output=junit", "--ignore=TPU1,TPU2,TPU3,TPU6", "a.yaml"}).out,
              HasSubstr("name=\"1 TPU workload\"/>"));
}

TEST_F(CheckFolder, FixSaysWhatItRepairedInPart) {
  std::string text = kList;
  text.replace(text.find("3x3"), 3, "!!str # by hand\n        3x3");
  Write("a.yaml", text);
  const Ended ended = Run({"--fix", "a.yaml"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(
      ended.err,
      HasSubstr("a.yaml: document 1: Pod \"p\" in line 5: "
                "items[1].spec.nodeSelector['cloud.google.com/gke-tpu-topology'] cannot be changed "
                "in the text; change by hand: "
                "items[1].spec.nodeSelector['cloud.google.com/gke-tpu-topology']: 2x2\n"));
  EXPECT_THAT(ended.err, HasSubstr("tpu-admission: partly repaired a.yaml\n"));
  EXPECT_THAT(ReadText(root() + "/a.yaml"), HasSubstr("tolerations"));
}

TEST_F(CheckFolder, FixSaysWhatItChangesInChips) {
  std::string text = ReadText(kExamples + "wrong-job.yaml");
  Write("kept.yaml", text);
  EXPECT_EQ(Run({"--fix", "kept.yaml"}).err, "tpu-admission: repaired kept.yaml\n");
  for (std::size_t at; (at = text.find("tpu: 8")) != text.npos;) text.replace(at, 6, "tpu: 3");
  Write("changed.yaml", text);
  EXPECT_THAT(Run({"--fix", "changed.yaml"}).err,
              ::testing::ContainsRegex("tpu-admission: changed.yaml: Job \"train\" in line [0-9]+: "
                                       "keep 4x4, 16 chips on 4 hosts .6 chips become 16.\n"
                                       "tpu-admission: repaired changed.yaml\n"));
}

TEST_F(CheckFolder, FixMixesNoEndsOfLines) {
  std::string text = ReadText(kExamples + "wrong-job.yaml");
  std::replace(text.begin(), text.end(), '\n', '\r');
  Write("a.yaml", text);
  const Ended ended = Run({"--fix", "a.yaml"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.err, HasSubstr("a.yaml: not changed, since its lines end in CR alone "));
  EXPECT_EQ(ReadText(root() + "/a.yaml"), text);
  Write("a.yaml", "a: 1\rb: 2\r");
  EXPECT_EQ(Run({"--fix", "a.yaml"}).exit_code, 0) << "there is nothing to change";
}

TEST_F(CheckFolder, AnObjectThatCannotBeRepairedIsNamedAndTheOthersOfItsListAreRepaired) {
  const std::string job = R"(- apiVersion: batch/v1
  kind: Job
  metadata: {name: train}
  spec:
    parallelism: &n 3
    completions: *n
    backoffLimit: *n
    completionMode: Indexed
    template:
      spec:
        nodeSelector:
          cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
          cloud.google.com/gke-tpu-topology: 4x4
        containers:
        - name: jax
          resources: {requests: {cpu: 1, memory: 1Gi}, limits: {google.com/tpu: 4}}
)";
  Write("a.yaml", kList + job);
  const Ended ended = RunToEnd({"check", "--fix", root() + "/a.yaml"});
  EXPECT_EQ(ended.exit_code, 2);
  const std::string fixed = ReadText(root() + "/a.yaml");
  EXPECT_THAT(fixed, HasSubstr("topology: 2x2"));
  EXPECT_THAT(fixed, HasSubstr("parallelism: &n 3\n    completions: *n\n"));
  EXPECT_THAT(ended.err, HasSubstr("a.yaml: document 1: Job \"train\" in line 19: an anchor, "));
  EXPECT_THAT(ended.err, Not(HasSubstr("Pod \"p\"")));
}

TEST_F(CheckFolder, FixWritesNothingOutsideOfTheFolder) {
  Write("out/a.yaml", kWrongPod);
  Write("out/b.yaml", kWrongPod);
  Write("in/real/c.yaml", kWrongPod);
  std::filesystem::create_directory_symlink("../out", root() + "/in/folder");
  std::filesystem::create_symlink("../out/b.yaml", root() + "/in/b.yaml");
  std::filesystem::create_symlink("real/c.yaml", root() + "/in/link.yaml");
  std::filesystem::create_directory_symlink("in", root() + "/in-too");
  for (const char* path : {"in", "in-too", "in/**/*.yaml"}) {
    const Ended ended = Run({"--fix", path});
    EXPECT_EQ(ended.exit_code, 2) << path;
    EXPECT_THAT(ended.err, HasSubstr("/folder/a.yaml: not changed, since it lies outside of in"));
    EXPECT_THAT(ended.err, HasSubstr("/b.yaml: not changed, since it lies outside of in"));
    EXPECT_EQ(ReadText(root() + "/out/a.yaml"), kWrongPod);
    EXPECT_EQ(ReadText(root() + "/out/b.yaml"), kWrongPod);
    EXPECT_NE(ReadText(root() + "/in/real/c.yaml"), kWrongPod);
    EXPECT_TRUE(std::filesystem::is_symlink(root() + "/in/link.yaml"));
  }
  Run({"--fix", "in/b.yaml"});
  EXPECT_NE(ReadText(root() + "/out/b.yaml"), kWrongPod) << "it is named";
  EXPECT_TRUE(std::filesystem::is_symlink(root() + "/in/b.yaml"));
}

TEST_F(CheckFolder, FingerprintsOfOneGenerateNameDiffer) {
  std::string pod = std::string(kWrongPod) + "\n";
  pod.replace(pod.find("name: p"), 7, "generateName: p-");
  const auto prints = [&](const std::string& text) {
    Write("a.yaml", text);
    std::vector<std::string> all;
    for (const auto& each : nlohmann::json::parse(Run({"--output=gitlab", "a.yaml"}).out)) {
      all.push_back(each["fingerprint"]);
    }
    const auto sarif = nlohmann::json::parse(Run({"--output=sarif", "a.yaml"}).out);
    std::vector<std::string> same;
    for (const auto& each : sarif["runs"][0]["results"]) {
      const std::string level = each["level"];
      if (level != "note") same.push_back(each["partialFingerprints"]["tpuAdmission/v1"]);
    }
    EXPECT_EQ(same, all);
    return all;
  };
  const std::vector<std::string> one = prints(pod);
  std::vector<std::string> wanted = one;
  for (const std::string& each : one) wanted.push_back(each + ":2");
  EXPECT_EQ(prints(pod + "---\n" + pod), wanted);
}

TEST_F(CheckFolder, XmlHasNoCharacterThatXmlCannotHave) {
  Write("x\uFFFE\uFFFF.yaml", kWrongPod);
  for (const char* format : {"junit", "checkstyle"}) {
    const Ended ended = Run({"--output", format, "."});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.out, HasSubstr("x\uFFFD\uFFFD.yaml"));
  }
}

TEST_F(CheckFolder, NamesOfFilesReachNoTerminalRaw) {
  for (const char* name : {"::error::a.yaml", "b\n::error::\x1b[31m\xff.yaml"}) {
    Write(name, kWrongPod);
    Write(std::string("x/") + name, "a: b: tpu\n");
  }
  for (const char* flag : {"--output=text", "--diff", "--fix"}) {
    const Ended ended = Run({flag, "."});
    EXPECT_EQ(ended.exit_code, 2);
    for (const std::string& told : {"\n" + ended.out, "\n" + ended.err}) {
      EXPECT_THAT(told, Not(HasSubstr("\x1b")));
      EXPECT_THAT(told, Not(HasSubstr("\xff")));
      EXPECT_THAT(told, Not(HasSubstr("\n::")));
    }
  }
  const auto json = nlohmann::json::parse(Run({"--output=json", "::error::a.yaml"}).out);
  EXPECT_EQ(json["workloads"], 1);
}

TEST_F(CheckFolder, FindsTheProjectFileUpToTheRootOfTheRepository) {
  Write("repo/.git/HEAD", "");
  Write("repo/.tpu-admission.yaml", "ignore: [TPU2]\nexclude: [gone]\n");
  Write("repo/sub/a.yaml", kWrongPod);
  Write("repo/gone/b.yaml", kWrongPod);
  const auto code = [&](std::vector<std::string> arguments, const std::string& folder) {
    arguments.insert(arguments.begin(), "check");
    return RunToEnd(arguments, {}, "", root() + folder).exit_code;
  };
  EXPECT_EQ(code({"."}, "/repo/sub"), 0);
  EXPECT_EQ(code({"--no-project-file", "."}, "/repo/sub"), 1);
  EXPECT_EQ(code({"--ignore", "TPU1", "."}, "/repo/sub"), 1) << "a flag beats the file";
  EXPECT_EQ(code({"repo"}, ""), 1) << "not above the current folder";
  Write("repo/.tpu-admission.yaml", "selekt: [TPU2]\n");
  const Ended wrong = RunToEnd({"check", "."}, {}, "", root() + "/repo/sub");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr(".tpu-admission.yaml:1:1: selekt: is no key, did you mean "
                                   "\"select\"?"));
}

// It may turn rules on or off, so one that is there and cannot be read must not be passed over.
TEST_F(CheckFolder, RefusesAProjectFileThatIsNone) {
  namespace fs = std::filesystem;
  Write("a.yaml", "a: 1\n");
  const std::string file = root() + "/.tpu-admission.yaml";
  const auto refused = [&](const std::string& why) {
    const Ended ended = RunToEnd({"check", "a.yaml"}, {}, "", root());
    EXPECT_EQ(ended.exit_code, 2) << why;
    EXPECT_THAT(ended.err, HasSubstr(".tpu-admission.yaml: " + why));
    EXPECT_EQ(RunToEnd({"check", "--no-project-file", "a.yaml"}, {}, "", root()).exit_code, 0);
    fs::remove_all(file);
  };
  fs::create_symlink("nowhere", file);
  refused("is a link that leads nowhere");
  fs::create_symlink(file, file);
  refused("Too many levels of symbolic links");
  fs::create_directory(file);
  refused("is a folder");
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  refused("is a pipe, socket or device");
  fs::create_symlink("/dev/zero", file);
  refused("is a pipe, socket or device");
}

TEST_F(CheckFolder, TellsOfABaselineOnlyWhatIsNew) {
  Write("deploy/a.yaml", kWrongPod);
  EXPECT_EQ(Run({"--write-baseline", "."}).exit_code, 2) << "where to?";
  EXPECT_EQ(Run({"--baseline", "known.yaml", "--write-baseline", "deploy"}).exit_code, 0);
  EXPECT_EQ(Run({"--baseline", "known.yaml", "--write-baseline", "deploy"}).exit_code, 0);
  const Ended other = Run({"--baseline", "deploy/a.yaml", "--write-baseline", "deploy"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("deploy/a.yaml is no baseline, and is left as it is"));
  Write("large", std::string(17 << 20, 'x'));
  ASSERT_EQ(::mkfifo((root() + "/pipe").c_str(), 0600), 0);
  for (const char* const name : {"large", "pipe"}) {
    EXPECT_EQ(Run({"--baseline", name, "--write-baseline", "deploy"}).exit_code, 2) << name;
  }
  EXPECT_EQ(std::filesystem::file_size(root() + "/large"), 17u << 20);
  EXPECT_TRUE(std::filesystem::is_fifo(root() + "/pipe"));
  const Ended known = Run({"--baseline", "known.yaml", "@deploy"});
  EXPECT_EQ(known.exit_code, 0);
  EXPECT_THAT(known.out, HasSubstr("1 finding stands in the baseline"));
  Write("two.yaml", std::string(kWrongPod) + "\n---\n" + kWrongPod);
  EXPECT_EQ(Run({"--baseline", "two", "--write-baseline", "two.yaml"}).exit_code, 0);
  EXPECT_THAT(Run({"--baseline", "two", "two.yaml"}).out,
              HasSubstr("2 findings stand in the baseline and are not told"));
  std::filesystem::remove(root() + "/two.yaml");
  Write("deploy/a.yaml", "# a line more\n" + std::string(kWrongPod));
  EXPECT_EQ(Run({"--baseline", "known.yaml", "."}).exit_code, 0);
  Write("deploy/b.yaml", kWrongPod);
  EXPECT_EQ(Run({"--baseline", "known.yaml", "."}).exit_code, 1);
  std::filesystem::remove(root() + "/deploy/a.yaml");
  EXPECT_THAT(Run({"--baseline", "known.yaml", "."}).err,
              HasSubstr("1 of the findings of known.yaml was not found"));
  // What was not looked at is not missing.
  Write("deploy/a.yaml", kWrongPod);
  EXPECT_EQ(Run({"--baseline", "known.yaml", "deploy/b.yaml"}).err, "");
  Write("deploy/a.yaml", "");
  EXPECT_EQ(Run({"--baseline", "known.yaml", "--select", "TPU101", "."}).err, "");
}

TEST_F(CheckFolder, SkipsTemplatesOfChartsWithALine) {
  Write("chart/Chart.yaml", "name: c\n");
  Write("chart/templates/job.yaml", "a: {{ .Values.x }}\n{{- if .Values.y }}\n");
  Write("chart/values.yaml", "x: 1\n");
  const Ended ended = Run({"."});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_THAT(ended.out, HasSubstr("chart/templates: warning: templates of a Helm chart are "
                                   "skipped; render it: helm template chart | tpu-admission"));
  const Ended named = Run({"chart/templates/job.yaml"});
  EXPECT_EQ(named.exit_code, 2);
  EXPECT_THAT(named.out, HasSubstr("chart/templates/job.yaml:1:4: this is a template; render it "
                                   "first: helm template CHART | tpu-admission check -"));
}

TEST_F(CheckFolder, DoesNotJudgeThePatchesOfAKustomization) {
  Write("overlay/kustomization.yaml",
        "patches: [{path: patch.yaml}]\npatchesStrategicMerge: [below/other.yaml]\n");
  Write("overlay/patch.yaml", kWrongPod);
  Write("overlay/below/other.yaml", kWrongPod);
  Write("overlay/own.yaml", kWrongPod);
  for (const char* path : {".", "overlay"}) {
    const Ended ended = Run({path});
    EXPECT_THAT(ended.out, HasSubstr("1 TPU workload checked")) << path;
    EXPECT_THAT(ended.out, HasSubstr("overlay/patch.yaml: warning: is a patch of "
                                     "overlay/kustomization.yaml and no whole object; build it: "
                                     "kustomize build overlay | tpu-admission check -"));
  }
  EXPECT_EQ(Run({"overlay/patch.yaml", "overlay/below/other.yaml"}).exit_code, 0);
}

TEST(Check, NamesTheTemplateThatHelmRendered) {
  const Ended ended = RunToEnd({"check", "--output=github", "-"}, {},
                               "---\n# Source: c/templates/job.yaml\n" + std::string(kWrongPod));
  EXPECT_THAT(ended.out, HasSubstr("::error file=c/templates/job.yaml,line=1,"));
}

TEST(Check, ColoursOnlyWhereItIsWanted) {
  EXPECT_THAT(RunToEnd({"check", "--color=always", "-"}, {}, kWrongPod).out,
              HasSubstr("\x1b[1;31m"));
  EXPECT_THAT(RunToEnd({"check", "-"}, {}, kWrongPod).out, Not(HasSubstr("\x1b[")));
}

TEST(Check, TellsOfTheRulesThatAreAskedFor) {
  EXPECT_EQ(RunToEnd({"check", "--select", "tpu5", "-"}, {}, kWrongPod).exit_code, 0);
  EXPECT_EQ(RunToEnd({"check", "--select", "topology-not-offered", "-"}, {}, kWrongPod).exit_code,
            1);
  EXPECT_EQ(RunToEnd({"check", "--ignore", "TPU203", "-"}, {}, kWrongPod).exit_code, 0);
  const Ended wrong = RunToEnd({"check", "--ignore", "TPU2O3", "-"}, {}, kWrongPod);
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean TPU203?"));
}

TEST(Check, FailsIfNothingIsFoundOrNever) {
  EXPECT_EQ(RunToEnd({"check", "--fail-if-nothing-found", "-"}, {}, "a: b\n").exit_code, 2);
  EXPECT_EQ(RunToEnd({"check", "--fail-on=never", "-"}, {}, kWrongPod).exit_code, 0);
}

TEST(Check, ManyThreadsTellTheSameInTheSameOrder) {
  std::vector<std::string> arguments = {"check", "--threads=1"};
  for (int i = 0; i < 50; ++i) {
    for (const char* file : {"wrong-job.yaml", "sound-pod.yaml", "wrong-pod.yaml", "none.yaml"}) {
      arguments.push_back(kExamples + file);
    }
  }
  const std::string one = RunToEnd(arguments).out;
  EXPECT_GT(one.size(), 10'000U);
  arguments[1] = "--threads=8";
  EXPECT_EQ(RunToEnd(arguments).out, one);
}

TEST_F(CheckFolder, PolicyTestTellsWhichCasesDoNotHold) {
  Write("policy.yaml", "namespaces: [{match: dev, rules: {TPU203: warn}}]\n");
  Write("pod.yaml", kWrongPod);
  const std::string text = "  text: '" + std::string(kWrongPod) + "'\n";
  Write("cases.yaml",
        "policy: policy.yaml\ncases:\n- name: dev is warned\n  namespace: dev\n"
        "  manifest: pod.yaml\n  expect: warn\n  rules: {TPU203: warn, TPU301: off}\n"
        "- name: others are denied\n  expect: deny\n" +
            text);
  const auto test = [&] { return RunToEnd({"policy", "test", "cases.yaml"}, {}, "", root()); };
  EXPECT_EQ(test().out, "ok    dev is warned\nok    others are denied\n2 passed, 0 failed\n");
  Write("policy.yaml", "rules: {TPU203: warn}\n");
  const Ended wrong = test();
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.out, HasSubstr("FAIL  others are denied\n      expected deny, is warn (TPU203 "
                                   "warn)\n"));
  Write("cases.yaml", "cases: [{name: x, expect: maybe, text: a, rules: {TPU2O3: warn}}]\n");
  const Ended broken = test();
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.err, HasSubstr("cases.yaml:1:27: "));
  EXPECT_THAT(broken.err, HasSubstr("did you mean TPU203?"));
  Write("cases.yaml",
        "cases:\n- name: x\n  expect: warn\n  manifest: pod.yaml\n  rules:\n"
        "    TPU203: warn\n    topology-not-offered: deny\n");
  EXPECT_EQ(test().exit_code, 2);
  EXPECT_THAT(test().err, HasSubstr("cases.yaml:7:"));
  EXPECT_THAT(test().err, HasSubstr("duplicate rule TPU203, topology-not-offered (first on line 6, "
                                    "again on line 7)"));
  Write("cases.yaml", "cases: []\n");
  EXPECT_EQ(test().exit_code, 2);
  EXPECT_EQ(test().err, "tpu-admission: cases.yaml: there is no case in it\n");
  Write("cases.yaml", "cases: [{name: x, expect: allow, text: ''}]\n");
  EXPECT_EQ(
      test().err,
      "tpu-admission: cases.yaml:1:40: cases[0].text: found \"\", wanted a string that is not "
      "empty\n");
}

TEST(Check, PrintsSchemasWithTheRulesOfTheBuild) {
  const auto schema = nlohmann::json::parse(RunToEnd({"schema", "policy"}).out);
  EXPECT_THAT(schema["$defs"]["rule"]["enum"].dump(), HasSubstr("\"TPU301\""));
  const std::string fixable = schema["$defs"]["fixable"]["enum"].dump();
  EXPECT_THAT(fixable, AllOf(HasSubstr("\"TPU601\""), HasSubstr("\"requests-missing\"")));
  EXPECT_THAT(fixable, Not(HasSubstr("TPU301")));
  EXPECT_EQ(RunToEnd({"schema", "policies"}).exit_code, 2);
}

TEST_F(CheckFolder, SaysWhatIsTooLargeTooDeepOrNoText) {
  Write("huge.yaml", "a: 1\n");
  std::filesystem::resize_file(root() + "/huge.yaml", std::uintmax_t{1} << 30);  // takes no room
  Write("deep.yaml", std::string(100'000, '['));
  Write("bytes.yaml", "a: b\nc: \xFF\xFE\n");
  Write("good.yaml", kWrongPod);
  for (const char* format : {"text", "sarif", "junit"}) {
    const Ended ended = Run({"--output", format, ".", "/dev/zero"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.out, HasSubstr("is larger than 16 MiB")) << format;
    EXPECT_THAT(ended.out, Not(HasSubstr("huge.yaml: huge.yaml"))) << format;
    EXPECT_THAT(ended.out, HasSubstr("/dev/zero")) << format;
    EXPECT_THAT(ended.out, HasSubstr("inside each other")) << format;
    EXPECT_THAT(ended.out, HasSubstr("the text is not UTF-8")) << format;
    EXPECT_THAT(ended.out, HasSubstr("TPU203")) << "the others are judged";
  }
}

// A fix is proven by reading all of the text, so that the fixes of a long list take the square of
// its length.
TEST_F(CheckFolder, SarifHasTheFixesOfTheFirstOfVeryManyObjects) {
  std::string list = "kind: List\napiVersion: v1\nitems:\n";
  for (int i = 0; i < 400; ++i) {
    list += "- {apiVersion: v1, kind: Pod, metadata: {name: p" + std::to_string(i) +
            ", annotations: {a: " + std::string(400, 'a') +
            "}}, spec: {nodeSelector: {cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, "
            "cloud.google.com/gke-tpu-topology: 2x2}, containers: [{name: c, image: i, resources: "
            "{limits: {google.com/tpu: 3}}}]}}\n";
  }
  Write("list.yaml", list);
  const auto report = nlohmann::json::parse(Run({"--output", "sarif", "list.yaml"}).out);
  int with_fixes = 0;
  int without = 0;
  for (const auto& result : report["runs"][0]["results"]) {
    if (result["ruleId"] == "TPU301") ++(result.contains("fixes") ? with_fixes : without);
  }
  EXPECT_GT(with_fixes, 10);
  EXPECT_GT(without, 100);
}

}  // namespace
}  // namespace tpu_admission::support::check_test

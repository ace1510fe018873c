// `scan` and `why` with a script in the place of kubectl.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "integration/app/program.h"
#include "support/temp_dir.h"

namespace tpu_admission::support::live_test {
namespace {

using ::testing::HasSubstr;

const std::string kJob = R"({
  "apiVersion": "batch/v1", "kind": "Job",
  "metadata": {"name": "train", "namespace": "ml", "uid": "u1"},
  "spec": {"parallelism": 4, "completions": 4, "completionMode": "Indexed", "template": {"spec": {
    "restartPolicy": "Never",
    "nodeSelector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
                     "cloud.google.com/gke-tpu-topology": "4x4"},
    "containers": [{"name": "jax", "image": "i", "resources": {"limits": {"google.com/tpu": 8}}}]}}}})";

// Answers a call by the file that is named as its second word (get jobs.batch: jobs.batch), or by
// an empty list.
class Script {
 public:
  Script() {
    WriteText(
        folder_ / "kubectl",
        "#!/bin/sh\ncd \"$(dirname \"$0\")\"\necho \"$@\" >> calls\n"
        "while [ \"${1#--}\" != \"$1\" ]; do shift; done\n"
        "if [ \"$1\" = api-resources ]; then echo jobs.batch; echo pods; exit; fi\n"
        "if [ -f \"$2\" ]; then cat \"$2\"; else echo '{\"kind\":\"List\",\"items\":[]}'; fi\n");
    std::filesystem::permissions(folder_ / "kubectl", std::filesystem::perms::owner_all);
  }
  void Answer(const std::string& resource, const std::string& text) const {
    WriteText(folder_ / resource, text);
  }
  std::string path() const { return folder_ / "kubectl"; }

 private:
  TempDir folder_;
};

TEST(Scan, AsksKubectlAndTellsByNamespace) {
  const Script kubectl;
  kubectl.Answer("jobs.batch", "{\"kind\":\"List\",\"items\":[" + kJob + "]}");
  const Ended ended = RunToEnd({"scan", "--kubectl", kubectl.path(), "--context", "c"});
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("namespace ml\n  Job \"train\"\n    denied: "));
  EXPECT_THAT(ended.out, HasSubstr("TPU301"));
  EXPECT_THAT(ended.out, HasSubstr("1 object read, 1 TPU workload: 1 denied"));
  EXPECT_EQ(ended.err, "");  // no terminal, no progress
}

// Nothing is in it, and that would look good.
TEST(Scan, OfANamespaceThatDoesNotExistIsNoScan) {
  const TempDir folder;
  const std::string program = folder / "kubectl";
  WriteText(program,
            "#!/bin/sh\ncase \"$*\" in *'get namespace nope'*) echo 'Error from server (NotFound): "
            "namespaces "
            "\"nope\" not found' >&2; exit 1;; esac\n"
            "echo '{\"kind\":\"List\",\"items\":[]}'\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const Ended ended = RunToEnd({"scan", "--namespace", "nope", "--kubectl", program});
  EXPECT_EQ(ended.exit_code, 2) << ended.out;
  EXPECT_THAT(ended.err, HasSubstr("the namespace nope does not exist"));
}

TEST(Why, AProgramThatPrintsNoObjectIsNamed) {
  const Ended ended = RunToEnd({"why", "job/x", "--kubectl", "/bin/true"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.err, HasSubstr("what kubectl prints is no object: "));
}

TEST(Scan, AProgramThatNamesNoKindIsNoCluster) {
  const Ended ended = RunToEnd({"scan", "--kubectl", "/bin/true"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.err, HasSubstr("`kubectl api-resources` names no kind to read\n"));
}

TEST(Scan, AProgramThatPrintsNothingIsNoAnswer) {
  const Script kubectl;
  kubectl.Answer("jobs.batch", "");
  const Ended ended = RunToEnd({"scan", "--kubectl", kubectl.path()});
  EXPECT_EQ(ended.exit_code, 2) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("not read: jobs.batch: kubectl printed nothing; wanted what"));
}

TEST(Scan, OfNothingPrintsWholeJson) {
  const Ended json =
      RunToEnd({"scan", "-", "--output", "json"}, {}, R"({"kind":"List","items":[]})");
  EXPECT_EQ(json.exit_code, 0) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out),
            nlohmann::json::parse(R"({"version": 1, "documents": 0, "workloads": 0, "findings": [],
                                      "repairs": [], "fixed": [], "notes": [], "errors": []})"));
  const Ended reports =
      RunToEnd({"scan", "-", "--output", "openreports"}, {}, R"({"kind":"List","items":[]})");
  EXPECT_EQ(nlohmann::json::parse(reports.out),
            nlohmann::json::parse(R"({"apiVersion": "v1", "kind": "List", "items": []})"));
}

TEST(Scan, ReadsAStreamAndPrintsJson) {
  const Ended ended = RunToEnd({"scan", "-", "--output", "json"}, {}, kJob + "\n" + kJob);
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  const auto report = nlohmann::json::parse(ended.out);
  EXPECT_EQ(report["version"], 1);
  EXPECT_EQ(report["workloads"], 2);
  EXPECT_EQ(report["findings"][0]["namespace"], "ml");
  EXPECT_EQ(report["findings"][0]["file"], "");
  EXPECT_EQ(report["findings"][0]["mode"], "deny");
  EXPECT_GE(report["findings"].size(), 2U);
  EXPECT_GE(report["repairs"].size(), 2U);
  EXPECT_EQ(report["fixed"][0]["rule"], "TPU104");
  EXPECT_EQ(report["errors"].size(), 0U);
}

TEST(Scan, TellsWhatWouldRunInstead) {
  const Ended json = RunToEnd({"scan", "-", "--output", "json"}, {}, kJob);
  const auto repairs = nlohmann::json::parse(json.out)["repairs"];
  ASSERT_FALSE(repairs.empty());
  EXPECT_EQ(repairs[0]["label"], "a");
  EXPECT_EQ(repairs[0]["name"], "train");
  EXPECT_EQ(repairs[0]["total_chips"].size(), 2U);
  // Its patch makes the object sound.
  const std::string mended = nlohmann::json::parse(kJob).patch(repairs[0]["patch"]).dump();
  EXPECT_EQ(RunToEnd({"scan", "-"}, {}, mended).exit_code, 0);
  EXPECT_THAT(RunToEnd({"scan", "-"}, {}, kJob).out, HasSubstr("what would run:\n      a) "));
}

TEST(Scan, PrintsTheFormatsOfCheck) {
  for (const std::string format : {"sarif", "github", "gitlab", "junit", "checkstyle"}) {
    const Ended ended = RunToEnd({"scan", "-", "--output", format}, {}, kJob);
    EXPECT_EQ(ended.exit_code, 1) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("TPU301")) << format;
    EXPECT_THAT(ended.out, HasSubstr("ml/Job/train")) << format;
  }
}

TEST(Scan, PrintsReportsOfOpenReports) {
  const Ended ended = RunToEnd({"scan", "-", "--output", "openreports"}, {}, kJob);
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  const auto list = nlohmann::json::parse(ended.out);
  ASSERT_EQ(list["items"].size(), 1U);
  const auto& report = list["items"][0];
  EXPECT_EQ(report["kind"], "Report");
  EXPECT_EQ(report["metadata"]["name"], "u1");
  EXPECT_EQ(report["metadata"]["ownerReferences"][0]["uid"], "u1");
  EXPECT_EQ(report["source"], "tpu-admission");
  EXPECT_EQ(report["scope"]["kind"], "Job");
  EXPECT_EQ(report["results"][0]["result"], "fail");
  EXPECT_GE(report["summary"]["fail"], 1);
}

TEST(Scan, OfTwoPoliciesTellsWhatChanges) {
  const TempDir folder;
  WriteText(folder / "old.yaml", "default: audit\n");
  WriteText(folder / "new.yaml", "{}");
  const Ended ended = RunToEnd(
      {"scan", "-", "--policy", folder / "old.yaml", "--policy", folder / "new.yaml"}, {}, kJob);
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("audit -> deny: "));
  const Ended back = RunToEnd(
      {"scan", "-", "--policy", folder / "new.yaml", "--policy", folder / "old.yaml"}, {}, kJob);
  EXPECT_EQ(back.exit_code, 0) << back.err;
  EXPECT_THAT(back.out, HasSubstr("deny -> audit: "));
}

TEST(Scan, ReadsAStreamBehindAPolicyAsWellAsBeforeIt) {
  const TempDir folder;
  WriteText(folder / "old.yaml", "default: audit\n");
  WriteText(folder / "new.yaml", "{}");
  const Ended one = RunToEnd({"scan", "--policy", folder / "old.yaml", "-"}, {}, kJob);
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("1 object read, 1 TPU workload: 0 denied"));
  const Ended two = RunToEnd(
      {"scan", "--policy", folder / "old.yaml", "--policy", folder / "new.yaml", "-"}, {}, kJob);
  EXPECT_EQ(two.exit_code, 1) << two.err;
  EXPECT_THAT(two.out, HasSubstr("audit -> deny: "));
}

TEST(Why, AsksKubectlAndTellsTheLikeliestCauseFirst) {
  const Script kubectl;
  kubectl.Answer("job", kJob);
  const Ended ended =
      RunToEnd({"why", "job/train", "-n", "ml", "--kubectl", kubectl.path(), "--context", "c"});
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_THAT(ended.out,
              HasSubstr("Job \"train\" in namespace ml does not run: 0 of 4 pods run.\n\n"
                        "own-fault: "));
  EXPECT_THAT(ended.out, HasSubstr("\n  -> "));
}

// A rollout whose last pod starts is not one of which nothing runs.
TEST(Why, TellsOfWhatRunsInPart) {
  std::string stream = R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"serve",
    "namespace":"ml","uid":"d"},"spec":{"replicas":2,"template":{"spec":{"nodeSelector":{
    "cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice",
    "cloud.google.com/gke-tpu-topology":"2x2"},"containers":[{"name":"a","resources":{"limits":{
    "google.com/tpu":"4"}}}]}}}})";
  for (const char* phase : {"Running", "Pending"}) {
    stream += std::string(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")") + phase +
              R"(","namespace":"ml","ownerReferences":[{"apiVersion":"apps/v1","controller":true,
              "kind":"Deployment","name":"serve","uid":"d"}]},"spec":{"nodeName":"n",
              "containers":[{"name":"a","resources":{"limits":{"google.com/tpu":"4"}}}]},
              "status":{"phase":")" +
              phase + "\"}}";
  }
  const Ended ended = RunToEnd({"why", "deployment/serve", "-n", "ml", "--from", "-"}, {}, stream);
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("Deployment \"serve\" in namespace ml runs in part: 1 of 2 "
                                   "pods run.\n"));
}

TEST(Why, ReadsAStreamAndPrintsJson) {
  const Ended ended = RunToEnd({"why", "job/train", "--from", "-", "--output", "json"}, {}, kJob);
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  const auto report = nlohmann::json::parse(ended.out);
  EXPECT_EQ(report["version"], 1);
  EXPECT_EQ(report["object"]["name"], "train");
  EXPECT_EQ(report["running"], false);
  EXPECT_EQ(report["left_out"], 0);
  EXPECT_EQ(report["causes"][0]["cause"], "own-fault");
  EXPECT_FALSE(report["causes"][0]["do"].get<std::string>().empty());
  EXPECT_TRUE(report["causes"][0]["evidence"].is_array());
}

TEST(Why, ListsItsCausesForPeopleAndForPrograms) {
  EXPECT_THAT(RunToEnd({"why", "--list"}).out, HasSubstr("| `deleting` | it is being deleted | "));
  const Ended ended = RunToEnd({"why", "--list", "--output", "json"});
  EXPECT_EQ(ended.exit_code, 0);
  const auto list = nlohmann::json::parse(ended.out);
  EXPECT_EQ(list["version"], 1);
  EXPECT_EQ(list["causes"][0]["cause"], "deleting");
  EXPECT_EQ(list["causes"][0]["meaning"], "it is being deleted");
  EXPECT_THAT(list["causes"][0]["do"].get<std::string>(), HasSubstr("finalizers"));
}

TEST(Why, SaysWhatItCannotRun) {
  const Ended missing = RunToEnd({"why", "job/train", "--kubectl", "/nowhere/kubectl"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("install kubectl"));
  const Ended none = RunToEnd({"why", "job/other", "--from", "-"}, {}, kJob);
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("not among what was read"));
  EXPECT_THAT(RunToEnd({"why", "train"}).err, HasSubstr("KIND/NAME"));
  EXPECT_EQ(RunToEnd({"why", "job/train", "--from", "/nowhere"}).exit_code, 2);
  EXPECT_THAT(RunToEnd({"why", "job/train", "--from", "/tmp"}).err,
              HasSubstr("/tmp: is a folder, wanted a file\n"));
  EXPECT_THAT(RunToEnd({"why", "job/train", "--from", "/dev/null"}).err,
              HasSubstr("/dev/null: there is nothing to look at"));
  EXPECT_THAT(RunToEnd({"why", "job/train", "--from", "-"}).err,
              HasSubstr("standard input: there is nothing to look at"));
}

// Half an input is no whole one, and what came of it is judged.
TEST(Scan, TellsWhatCameBeforeTheInputWasCut) {
  const std::string cut = "{\"kind\":\"List\",\"items\":[" + kJob + ",\n{\"kind\":";
  const Ended ended = RunToEnd({"scan", "-"}, {}, cut);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.out, HasSubstr("TPU301"));
  EXPECT_THAT(ended.out, HasSubstr("not read: standard input: the JSON ends in the middle"));
}

TEST(Scan, OfAStreamKeepsToTheNamespace) {
  const Ended ended = RunToEnd({"scan", "-", "-n", "other"}, {}, kJob);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("1 object read, 0 TPU workloads"));
  EXPECT_EQ(RunToEnd({"scan", "-", "-n", "ml"}, {}, kJob).exit_code, 1);
}

TEST(Scan, SaysWhatItCannotRun) {
  EXPECT_EQ(RunToEnd({"scan", "-"}, {}, "kind: Job\n").exit_code, 2);
  for (const char* nothing : {"", "\n", "{}", "[]\n"}) {
    const Ended ended = RunToEnd({"scan", "-"}, {}, nothing);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.err, HasSubstr("standard input: there is nothing to look at"));
  }
  const char* const broken = "standard input: the JSON ends in the middle, in line 2";
  EXPECT_THAT(RunToEnd({"scan", "-"}, {}, "{\n").err, HasSubstr(broken));
  EXPECT_THAT(RunToEnd({"why", "job/train", "--from", "-"}, {}, "[{},\n").err, HasSubstr(broken));
  const Ended odd = RunToEnd({"scan", "-"}, {}, R"({"kind":"List","items":5})");
  EXPECT_EQ(odd.exit_code, 2);
  EXPECT_THAT(odd.err, HasSubstr("standard input: the items of a list are no array"));
  const char* const no_items = R"({"apiVersion": "v1", "kind": "List", "items": []})";
  EXPECT_EQ(RunToEnd({"scan", "-"}, {}, no_items).exit_code, 0);
  const Ended missing = RunToEnd({"scan", "--kubectl", "/nowhere/kubectl"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("install kubectl"));
  EXPECT_EQ(RunToEnd({"scan", "--namespace", "-A"}).exit_code, 2);
}

}  // namespace
}  // namespace tpu_admission::support::live_test

// What the webhook says of an object, `check` says of its file: every case of a rule, the examples
// and the manifests of the e2e scenarios, through both.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "integration/app/program.h"
#include "support/asker.h"
#include "support/rule_page.h"
#include "support/temp_dir.h"
#include "support/yaml_json.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::support::one_judge_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// What is said of one file: each finding as one line, sorted.
using Said = std::map<std::string, std::vector<std::string>>;

// The cluster that a case asks for in its first lines ("# cluster-location: us-east5"), as flags.
std::vector<std::string> FlagsOf(const std::string& text) {
  std::vector<std::string> flags;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with("# ");) {
    for (const std::string name : {"cluster-location", "gke-version", "cluster-mode"}) {
      const std::string start = "# " + name + ": ";
      if (line.starts_with(start)) flags.push_back("--" + name + "=" + line.substr(start.size()));
    }
  }
  return flags;
}

rules::Cluster ClusterOf(const std::vector<std::string>& flags) {
  rules::Cluster cluster;
  for (const std::string& flag : flags) {
    const std::string value = flag.substr(flag.find('=') + 1);
    if (flag.starts_with("--cluster-location")) cluster.region = rules::RegionOf(value);
    if (flag.starts_with("--gke-version")) cluster.gke_version = value;
    if (value == "autopilot") cluster.platform = rules::Platform::kAutopilot;
    if (value == "self-managed") cluster.platform = rules::Platform::kSelfManaged;
  }
  return cluster;
}

// Files by the flags that they ask for.
std::map<std::vector<std::string>, std::vector<std::string>> Files() {
  std::map<std::vector<std::string>, std::vector<std::string>> files;
  const fs::path root = TPU_ADMISSION_SOURCE_DIR;
  for (const char* folder : {"src/rules", "examples", "tests/e2e/scenarios/testdata"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      files[FlagsOf(ReadText(entry.path()))].push_back(entry.path());
    }
  }
  return files;
}

std::string Line(const json& finding) {
  std::string line;
  for (const char* key :
       {"rule", "mode", "would_be", "field", "container", "summary", "problem", "change"}) {
    line += finding.at(key).get<std::string>() + " | ";
  }
  return line;
}

Said ByTheWebhook(const rules::Cluster& cluster, const std::vector<std::string>& files) {
  Said said;
  Asker asker({.policy = "", .docs_url = "", .cluster = cluster});
  for (const std::string& file : files) {
    const std::vector<YamlJson> documents = ParseYaml(ReadText(file)).value();
    for (const YamlJson& document : documents) {
      const json object = json::parse(document.json);
      if (!object.is_object()) continue;
      const std::string space = object.value("/metadata/namespace"_json_pointer, "");
      const Answer answer = asker.Validate(Review(object).Namespace(space));
      EXPECT_TRUE(answer.valid()) << file << ": " << answer.text;
      for (const admission::JudgedFinding& judged : answer.record.findings) {
        const rules::Finding& finding = judged.finding;
        said[file].push_back(Line({{"rule", finding.rule->id},
                                   {"mode", Name(judged.mode)},
                                   {"would_be", Name(judged.would_be)},
                                   {"field", FieldPath(finding.pointer)},
                                   {"container", Printable(finding.container)},
                                   {"summary", finding.summary},
                                   {"problem", finding.problem},
                                   {"change", finding.Change()}}));
      }
    }
  }
  return said;
}

Said ByCheck(const std::vector<std::string>& flags, const std::vector<std::string>& files) {
  std::vector<std::string> arguments = {"check", "--output=json"};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  arguments.insert(arguments.end(), files.begin(), files.end());
  Said said;
  const Ended ended = RunToEnd(arguments);
  EXPECT_NE(ended.exit_code, 2) << ended.err;
  const json report = json::parse(ended.out);
  for (const json& finding : report["findings"]) {
    const rules::Rule* rule = rules::FindRule(finding.at("rule").get<std::string>());
    if (rule == nullptr || rules::NeedsItsFile(*rule)) continue;
    said[finding.at("file")].push_back(Line(finding));
  }
  return said;
}

TEST(OneJudge, SaysTheSameToTheWebhookAndToCheck) {
  std::size_t findings = 0;
  for (const auto& [flags, files] : Files()) {
    Said online = ByTheWebhook(ClusterOf(flags), files);
    Said offline = ByCheck(flags, files);
    for (const std::string& file : files) {
      std::sort(online[file].begin(), online[file].end());
      std::sort(offline[file].begin(), offline[file].end());
      EXPECT_EQ(online[file], offline[file]) << file;
      findings += online[file].size();
    }
  }
  EXPECT_GT(findings, 100U) << "or nothing was compared";
}

// 101 containers: more than are looked at.
const json& Crowd() {
  static const json pod = [] {
    json crowd = TpuPod();
    for (int i = 0; i < 100; ++i) {
      crowd["spec"]["containers"].push_back(TpuContainer("c" + std::to_string(i), 3));
    }
    return crowd;
  }();
  return pod;
}

TEST(OneJudge, SaysWhyItDoesNotLook) {
  Asker asker;
  const Answer answer = asker.Validate(Review(Crowd()));
  EXPECT_TRUE(answer.allowed());
  EXPECT_EQ(answer.record.outcome, admission::Outcome::kNotChecked);
  const std::string reason = answer.record.error;
  EXPECT_NE(reason.find("100 containers"), std::string::npos) << reason;
  EXPECT_EQ(answer.warnings(), std::vector<std::string>{"not checked for TPU faults: " + reason});

  const Ended ended = RunToEnd({"check", "-"}, {}, Crowd().dump());
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.out.find("warning: Pod \"serve\": not checked: " + reason), std::string::npos)
      << ended.out;
  EXPECT_NE(ended.out.find("1 warning"), std::string::npos) << ended.out;
  EXPECT_EQ(RunToEnd({"check", "--fail-on", "warn", "-"}, {}, Crowd().dump()).exit_code, 1);
  const json report =
      json::parse(RunToEnd({"check", "--output", "json", "-"}, {}, Crowd().dump()).out);
  EXPECT_EQ(report["complaints"][0]["complaint"], "not checked: " + reason);
}

}  // namespace
}  // namespace tpu_admission::support::one_judge_test

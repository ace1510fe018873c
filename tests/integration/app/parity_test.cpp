// What the server says over HTTPS of generated workloads, `check` says of the same as files:
// allowed or not, findings, repairs. PARITY_WORKLOADS=10000 sets how many; by default few enough
// for every build.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "integration/app/program.h"
#include "support/certificate.h"
#include "support/http_client.h"
#include "support/review.h"
#include "support/self_signed.h"
#include "support/settings.h"
#include "tpu_admission/admission/repairs.h"
#include "tpu_admission/offline/check.h"
#include "unit/admission/random_pod.h"

namespace tpu_admission::support::parity_test {
namespace {

using nlohmann::json;

json Object(const char* api_version, const char* kind, json spec) {
  return {{"apiVersion", api_version},
          {"kind", kind},
          {"metadata", {{"name", "x"}}},
          {"spec", std::move(spec)}};
}

// A pod of RandomPod() as one of the kinds, with counts that may or may not fill its slice.
json RandomWorkload(std::uint64_t seed) {
  const json pod = RandomPod(seed / 7);
  const json pods = {{"metadata", {{"labels", {{"app", "x"}}}}}, {"spec", pod["spec"]}};
  const int count = 1 << (seed / 7 % 5);
  const json job = {{"parallelism", count},
                    {"completions", count},
                    {"completionMode", seed % 3 == 0 ? "NonIndexed" : "Indexed"},
                    {"template", pods}};
  switch (seed % 7) {
    case 0:
      return pod;
    case 1:
      return Object("batch/v1", "Job", job);
    case 2:
      return Object(
          "jobset.x-k8s.io/v1alpha2", "JobSet",
          {{"replicatedJobs",
            json::array({{{"name", "w"}, {"replicas", 2}, {"template", {{"spec", job}}}}})}});
    case 3:
      return Object(
          "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
          {{"replicas", 1}, {"leaderWorkerTemplate", {{"size", count}, {"workerTemplate", pods}}}});
    case 4:
      return Object("apps/v1", "StatefulSet",
                    {{"replicas", count}, {"serviceName", "x"}, {"template", pods}});
    case 5:
      return Object("ray.io/v1", "RayCluster",
                    {{"headGroupSpec", {{"template", {{"spec", {{"containers", json::array()}}}}}}},
                     {"workerGroupSpecs", json::array({{{"groupName", "w"},
                                                        {"replicas", 1},
                                                        {"numOfHosts", count},
                                                        {"template", pods}}})}});
    default:
      return Object("apps/v1", "Deployment", {{"replicas", count}, {"template", pods}});
  }
}

// As the audit annotation has it.
std::string Summary(const offline::FileReport& report) {
  std::string text;
  for (const offline::ObjectReport& object : report.objects) {
    for (const offline::ReportedFinding& finding : object.findings) {
      text += (text.empty() ? "" : " ") + std::string(finding.rule->id) + "=" +
              std::string(Name(finding.mode));
    }
  }
  return text;
}

std::string Repairs(const offline::FileReport& report) {
  std::vector<repair::Repair> repairs;
  for (const offline::ObjectReport& object : report.objects) {
    for (const offline::ReportedRepair& repair : object.repairs) repairs.push_back(repair.repair);
  }
  return admission::WhatWouldRun(repairs);
}

std::string RepairsOf(const std::string& message) {
  const std::size_t begin = message.find("What would run:\n");
  if (begin == message.npos) return "";
  return message.substr(begin, message.find("\nMore: ", begin) - begin);
}

class Parity : public ::testing::Test {
 protected:
  json Ask(const json& object) {
    const auto answer = client_.Exchange(Post("/validate", Review(object).Namespace("x").Text()));
    if (!answer) return nullptr;
    if (answer->status != 200) return answer->status;
    return json::parse(answer->body).at("response");
  }
  offline::FileReport Check(const json& object) const {
    offline::CheckWish wish;
    wish.namespace_name = "x";
    return CheckText(settings_, wish, "x.yaml", object.dump());
  }

  const MountedSecret secret_{MakeCertificate()};
  const Serving serving_{{"--tls-cert-file", secret_.files().certificate, "--tls-private-key-file",
                          secret_.files().private_key, "--shutdown-delay", "0s"}};
  HttpClient client_{serving_.secure_port()};
  const admission::Settings& settings_ = support::StandardSettings();
};

TEST_F(Parity, TheServerAndCheckSayTheSameOfGeneratedWorkloads) {
  const char* const wanted = std::getenv("PARITY_WORKLOADS");
  const std::uint64_t count = wanted == nullptr ? 500 : std::strtoull(wanted, nullptr, 10);
  std::size_t denied = 0;
  std::size_t repaired = 0;
  for (std::uint64_t seed = 0; seed < count && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const json object = RandomWorkload(seed);
    const json online = Ask(object);
    ASSERT_FALSE(online.is_null());
    const offline::FileReport report = Check(object);
    offline::Counts counts;
    counts.Add(report);
    if (online.is_number()) {
      EXPECT_GT(counts.unreadable, 0U) << online;
      continue;
    }
    const bool allowed = online.at("allowed");
    EXPECT_EQ(allowed, counts.denied == 0);
    EXPECT_EQ(online.value("/auditAnnotations/findings"_json_pointer, ""), Summary(report));
    if (allowed) continue;
    ++denied;
    const std::string repairs = Repairs(report);
    repaired += repairs.empty() ? 0U : 1U;
    EXPECT_EQ(RepairsOf(online.at("/status/message"_json_pointer)), repairs);
  }
  EXPECT_GT(denied, count / 10) << "or little was compared";
  EXPECT_GT(repaired, count / 50);
}

}  // namespace
}  // namespace tpu_admission::support::parity_test

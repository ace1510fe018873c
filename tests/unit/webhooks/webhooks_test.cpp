// That the conditions can be evaluated, and let through what they should, is shown in front of a
// real API server: tests/e2e/scenarios/conditions_test.go and reach_test.go.
#include "tpu_admission/webhooks/webhooks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "webhooks/paths.h"

namespace tpu_admission::webhooks::webhooks_test {
namespace {

using testing::HasSubstr;
using testing::Not;
using workload::Form;
using workload::Kind;
using workload::KindTable;
using workload::PodSetRow;

std::string Mutating(const std::string& text) { return text.substr(0, text.find("\nvalidating:")); }
std::string Validating(const std::string& text) { return text.substr(text.find("\nvalidating:")); }

KindTable WithTrainers() {
  workload::KindDefinition trainer;
  trainer.group = "example.com";
  trainer.versions = "v1 v2";
  trainer.name = "Trainer";
  trainer.resource = "trainers";
  trainer.pod_sets.emplace_back().path = "spec/pods[]/template";
  return KindTable::With({trainer}).value();
}

TEST(Webhooks, EveryKindWithPodSetsIsSent) {
  const std::string rules = Validating(Configuration({}));
  for (const Kind& kind : workload::Kinds()) {
    const std::string resource(kind.resource);
    const bool sent = rules.find("[" + resource + "]") != rules.npos ||
                      rules.find("[" + resource + ", ") != rules.npos ||
                      rules.find(", " + resource + "]") != rules.npos ||
                      rules.find(", " + resource + ", ") != rules.npos;
    EXPECT_EQ(sent, !kind.pod_sets.empty()) << kind.name;
  }
}

// By their names the chart tells that a kind of the user's is built in (checks.yaml).
TEST(Webhooks, ResourcesAreThePluralsOfTheirKinds) {
  for (const Kind& kind : workload::Kinds()) {
    std::string name(kind.name);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    EXPECT_TRUE(kind.pod_sets.empty() || kind.resource == name + "s" ||
                kind.resource == name + "es")
        << kind.name << " " << kind.resource;
  }
}

// What holds pods is in the list of templates; a choice of nodes is no template.
TEST(Webhooks, EveryTemplateOfTheTableIsAskedAbout) {
  const std::string text = Validating(Configuration({}));
  const std::size_t begin = text.find("[\n              optional.of(object)");
  const std::string templates = text.substr(begin, text.find(").exists(template,") - begin);
  const auto has = [&](const Places& places) {
    if (!places.list.empty()) return templates.find(places.list) != templates.npos;
    return templates.find("  " + places.one + ",\n") != templates.npos ||
           templates.find("  " + places.one + "\n") != templates.npos;
  };
  for (const Kind& kind : workload::Kinds()) {
    for (const PodSetRow& row : kind.pod_sets) {
      const bool holds_pods = row.form == Form::kPod || row.form == Form::kPodSpec ||
                              row.form == Form::kArgoTemplate || row.form == Form::kKserve ||
                              row.form == Form::kFlinkTemplate;
      EXPECT_EQ(has(PlacesAt(row.path)), holds_pods) << kind.name << " " << row.path;
    }
  }
}

TEST(Webhooks, EveryChoiceOfTheTableIsAskedAbout) {
  const std::string text = Validating(Configuration({}));
  for (const Kind& kind : workload::Kinds()) {
    for (const PodSetRow& row : kind.pod_sets) {
      const std::string holder(row.path.substr(0, row.path.find('[')));
      switch (row.form) {
        case Form::kNodeLabels:
        case Form::kTpuPriority:
        case Form::kDeviceClaim:
          EXPECT_THAT(text, HasSubstr(Steps("object", holder)));
          break;
        case Form::kPathwaysWorker:
        case Form::kKubeAiModel:
          EXPECT_THAT(text, HasSubstr("request.kind.kind == \"" + std::string(kind.name) + "\""));
          break;
        default:
          break;
      }
    }
  }
}

TEST(Webhooks, KindsOfTheUserAreSentWhole) {
  const std::string text = Validating(Configuration(WithTrainers()));
  EXPECT_THAT(text, HasSubstr("apiGroups: [example.com]\n      apiVersions: [v1, v2]\n"
                              "      resources: [trainers]\n      scope: Namespaced\n"));
  const std::string trainers =
      "(request.kind.group == \"example.com\" && request.kind.kind == \"Trainer\") ||\n";
  // An update of theirs too, whatever changes: nothing says that their templates stand in the spec.
  EXPECT_THAT(text,
              HasSubstr("        " + trainers + "        request.operation != \"UPDATE\" ||\n"));
  EXPECT_THAT(text, HasSubstr("object != null && (\n          " + trainers));
  EXPECT_THAT(text, Not(HasSubstr("object.?spec.?pods")));
  EXPECT_EQ(Mutating(Configuration(WithTrainers())), Mutating(Configuration({})));
}

// What an update changes elsewhere is held back (new-or-with-another-spec), so nothing that is
// looked at may stand elsewhere. A Pod's own annotations are not looked at when only they change.
TEST(Webhooks, AllOfBuiltInKindsStandsInWhatUpdatesAreComparedBy) {
  const std::string text = Validating(Configuration({}));
  EXPECT_THAT(text, HasSubstr("request.operation != \"UPDATE\" ||\n        object.?spec != "
                              "oldObject.?spec || object.?template != oldObject.?template\n"));
  for (const Kind& kind : workload::Kinds()) {
    for (const PodSetRow& row : kind.pod_sets) {
      for (const std::string_view path : {row.path, row.counts, row.slices}) {
        const std::string_view first = path.substr(0, path.find('/'));
        EXPECT_TRUE(first.empty() || first == "spec" || first == "template")
            << kind.name << " " << path;
      }
    }
  }
}

// A pod that claims devices is ours only if it selects TPU nodes too: other claims are for GPUs or
// network cards. One that tolerates TPU nodes is judged as their guest, and never patched.
TEST(Webhooks, WhatIsNoneOfOursIsNotSent) {
  const std::string text = Configuration({});
  EXPECT_THAT(text, Not(HasSubstr("resourceClaims")));
  EXPECT_THAT(Validating(text), HasSubstr("pod.?tolerations"));
  EXPECT_THAT(Mutating(text), Not(HasSubstr("pod.?tolerations")));
}

// `.or()` and `.optMap()` of the question are those of optionals: a plain object has none.
TEST(Webhooks, TheQuestionIsAskedOfOptionals) {
  EXPECT_THAT(Mutating(Configuration({})), HasSubstr("[optional.of(object)].exists(template,"));
}

TEST(Webhooks, NoPlaceIsLeftUnfilled) { EXPECT_THAT(Configuration({}), Not(HasSubstr("$"))); }

}  // namespace
}  // namespace tpu_admission::webhooks::webhooks_test

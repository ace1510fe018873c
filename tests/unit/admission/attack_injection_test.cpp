// Case 29 and 30: text of users in messages, warnings and annotations; and what the API server
// takes of these.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "support/asker.h"
#include "support/case_name.h"
#include "support/rule_page.h"
#include "support/yaml_json.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::admission::attack_injection_test {
namespace {

using nlohmann::json;

struct Evil {
  std::string name;
  std::string text;
};

const Evil kEvil[] = {
    {"Newline", "a\nadmission webhook denied: pwned"},
    {"CarriageReturn", "a\rb"},
    {"Ansi", "\x1B[31mred\x1B[0m"},
    {"C1Control",
     "a\xC2\x9B"
     "31m"},
    {"Quotes", "\"a\" 'b' \\"},
    {"Nul", std::string("a\0b", 3)},
    {"Bidi",
     "a\xE2\x80\xAE"
     "b"},
    {"LineSeparator",
     "a\xE2\x80\xA8"
     "b"},
    {"Delete", "a\x7F"},
    {"Megabyte", std::string(1 << 20, 'x')},
    {"ManyNewlines", std::string(1 << 16, '\n')},
    {"ManyEuros",
     [] {
       std::string text;
       while (text.size() < 1 << 16) text += "\xE2\x82\xAC";
       return text;
     }()},
    {"Format", "%s%n%1000000d {} {0}"},
    {"Template", "{{ .Values.x }}"},
};

// What would colour a terminal, forge a line or break a header; a newline too, unless it may.
void ExpectShowable(const std::string& text, bool lines) {
  EXPECT_TRUE(IsUtf8(text));
  for (const char c : text) {
    const bool control = (c >= 0 && c < 0x20) || c == 0x7F;
    EXPECT_TRUE(!control || (lines && c == '\n')) << int(c);
  }
  for (const char* mark : {"\xC2\x9B", "\xE2\x80\xAE", "\xE2\x80\xA8"}) {
    EXPECT_EQ(text.find(mark), std::string::npos);
  }
}

// A qualified name without a prefix: 63 characters of [A-Za-z0-9._-], and no mark at an end.
bool IsAuditKey(const std::string& key) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const auto may_stand = [&](char c) { return is_letter(c) || c == '.' || c == '_' || c == '-'; };
  return !key.empty() && key.size() <= 63 && is_letter(key.front()) && is_letter(key.back()) &&
         std::all_of(key.begin(), key.end(), may_stand);
}

// "TPU301=deny TPU402=warn": nothing of a user's can be in it.
bool IsSummary(const std::string& text) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = std::min(word.find('='), word.size() - 1);
    if (rules::FindRule(word.substr(0, equals)) == nullptr) return false;
    if (!rules::ModeOf(word.substr(equals + 1))) return false;
  }
  return !text.empty();
}

void ExpectCleanAnswer(const Answer& answer) {
  ASSERT_TRUE(answer.valid()) << answer.text.substr(0, 200);
  EXPECT_LT(answer.text.size(), 20'000U);
  const json response = answer.response();
  for (const std::string& warning : answer.warnings()) {
    ExpectShowable(warning, false);
    EXPECT_LE(warning.size(), kWarningBytes) << warning;
  }
  if (response.contains("status")) {
    ExpectShowable(answer.message(), true);
    const std::string message = answer.message();
    EXPECT_LE(message.find('\n'), kFirstLineBytes);
    EXPECT_EQ(message.find("pwned\n"), std::string::npos);
  }
  const json audit = response.value("auditAnnotations", json::object());
  for (const auto& [key, value] : audit.items()) {
    // The API server drops others in silence.
    EXPECT_TRUE(IsAuditKey(key)) << key;
    const auto text = value.get<std::string>();
    EXPECT_TRUE(key == "not-checked" || IsSummary(text)) << value;
    ExpectShowable(text, false);
  }
}

class Injection : public testing::TestWithParam<Evil> {
 protected:
  const std::string& text() const { return GetParam().text; }
};

// Every place of a pod from which text can reach a user, one after the other and all at once.
TEST_P(Injection, Case29TextOfPodsIsEscapedAndCut) {
  const std::string selector = "/spec/nodeSelector/";
  const std::string container = "/spec/containers/0";
  const std::string chips = container + "/resources/limits/google.com~1tpu";
  Asker asker;
  json everything = TpuPod();
  for (const std::string& pointer :
       {std::string("/metadata/name"), std::string("/metadata/generateName"),
        selector + "cloud.google.com~1gke-tpu-accelerator",
        selector + "cloud.google.com~1gke-tpu-topology", selector + "topology.kubernetes.io~1zone",
        selector + "topology.kubernetes.io~1region", selector + "node.kubernetes.io~1instance-type",
        selector + "cloud.google.com~1gke-accelerator-count", container + "/name",
        container + "/image", chips, container + "/resources/requests/google.com~1tpu",
        container + "/resources/requests/cpu", container + "/resources/requests/memory",
        std::string("/spec/tolerations/0/value"), std::string("/spec/tolerations/0/operator"),
        std::string("/metadata/annotations/cloud.google.com~1gke-tpu-slice-topology")}) {
    SCOPED_TRACE(pointer);
    const json faulty = With(With(TpuPod(), selector + "cloud.google.com~1gke-tpu-topology", "3x3"),
                             pointer, text());
    ExpectCleanAnswer(asker.Validate(Review(faulty)));
    ExpectCleanAnswer(asker.Mutate(Review(Without(faulty, "/spec/tolerations"))));
    everything = With(std::move(everything), pointer, text());
  }
  ExpectCleanAnswer(asker.Validate(Review(everything)));
}

TEST_P(Injection, Case29TextOfJobsAndRequestsIsEscapedAndCut) {
  Asker asker;
  json job = With(With(TpuJob(), "/metadata/name", text()), "/spec/parallelism", 3);
  for (const char* field : {"/request/name", "/request/namespace", "/request/userInfo/username",
                            "/request/resource/resource", "/request/requestKind/kind"}) {
    ExpectCleanAnswer(asker.Validate(Review(job).Set(field, text())));
  }
  job["spec"]["completionMode"] = text();
  job["spec"]["completions"] = text();
  ExpectCleanAnswer(asker.Validate(Review(job)));
  ExpectCleanAnswer(asker.Validate(Review(With(job, "/spec/parallelism", text()))));
  ExpectCleanAnswer(asker.Validate(Review(job).Set("/request/kind/kind", text() + "!")));
}

TEST_P(Injection, Case29TextInAffinityIsEscapedAndCut) {
  Asker asker;
  json pod = Without(TpuPod(), "/spec/nodeSelector");
  const std::string terms =
      "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
      "/nodeSelectorTerms";
  for (const char* key : {"cloud.google.com/gke-tpu-accelerator",
                          "cloud.google.com/gke-tpu-topology", "topology.kubernetes.io/zone"}) {
    const json in = {{"key", key}, {"operator", "In"}, {"values", json::array({text()})}};
    const json other = {{"key", key}, {"operator", "In"}, {"values", json::array({"x"})}};
    const json term = {{"matchExpressions", json::array({in})}};
    const json contradiction = {{"matchExpressions", json::array({in, other})}};
    ExpectCleanAnswer(asker.Validate(Review(With(pod, terms, json::array({term})))));
    ExpectCleanAnswer(asker.Validate(Review(With(pod, terms, json::array({contradiction})))));
  }
}

TEST_P(Injection, Case29KeysWithoutATextAreEscapedAndCut) {
  Asker asker;
  for (const json& none : {json(), json(5)}) {
    json pod = TpuPod();
    for (const char* const map : {"annotations", "labels"}) pod["metadata"][map][text()] = none;
    pod["spec"]["nodeSelector"][text()] = none;
    pod["spec"]["containers"][0]["env"] = json::array({{{"name", "N" + text()}, {"value", none}}});
    const Answer answer = asker.Validate(Review(pod));
    ExpectCleanAnswer(answer);
    EXPECT_GE(answer.warnings().size(), 3U);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Injection, testing::ValuesIn(kEvil), CaseName());

// The wrong example of every rule, each with an evil name.
class RuleText : public testing::TestWithParam<const rules::Rule*> {};

TEST_P(RuleText, Case30AnswerIsWhatTheApiServerTakes) {
  const std::string manifest = rules::ManifestOf(*GetParam(), "Wrong");
  json object = json::parse(ParseYaml(manifest).value().front().json);
  Asker asker({.policy = "",
               .docs_url = "https://example.com/docs",
               .cluster = rules::ClusterOf(manifest)});
  const Answer answer = asker.Validate(Review(object));
  ExpectCleanAnswer(answer);
  EXPECT_NE(answer.findings().find(GetParam()->id), std::string::npos);
  object["metadata"]["name"] = "a\nb\x1B[1m";
  ExpectCleanAnswer(asker.Validate(Review(object)));
}

INSTANTIATE_TEST_SUITE_P(Rules, RuleText, testing::ValuesIn(rules::RulesOfReviews()),
                         [](const auto& rule) { return std::string(rule.param->id); });

}  // namespace
}  // namespace tpu_admission::admission::attack_injection_test

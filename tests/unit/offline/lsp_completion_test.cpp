// What an editor is proposed, and what becomes of the text when it takes that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "offline/lsp_text.h"
#include "offline/tried_values.h"
#include "support/lsp_client.h"
#include "tpu_admission/base/yaml.h"

namespace tpu_admission::support::lsp_completion_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kShape =
    "cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
    "cloud.google.com/gke-tpu-topology: 4x4\n";

// Of a text with its caret, which is `|`: what is proposed, best first.
struct Proposals {
  std::string text;
  Json items;

  std::vector<std::string> Labels() const {
    std::vector<std::string> labels;
    for (const Json& item : items) labels.push_back(item["label"]);
    return labels;
  }
  std::string Taken(std::size_t index = 0) const {
    return items.size() > index ? Applied(text, Json::array({items[index]["textEdit"]})) : "";
  }
};

Proposals ProposalsAt(LspClient& editor, std::string text) {
  const std::size_t at = text.find('|');
  text.erase(at, 1);
  const offline::EditorText counted(text, offline::PositionEncoding::kUtf16);
  const offline::TextPosition place = counted.PositionOf(at);
  editor.Open(text);
  const Json answer =
      editor.Request("textDocument/completion",
                     {{"textDocument", {{"uri", "file:///a.yaml"}}},
                      {"position", {{"line", place.line}, {"character", place.character}}}});
  return {text, answer["result"]};
}

Proposals ProposalsAt(const std::string& text, const std::string& policy = "") {
  LspClient editor(Json::object(), policy);
  return ProposalsAt(editor, text);
}

// Why documents of a text cannot be read, other than for a key that is there twice.
std::vector<std::string> Errors(const std::string& text) {
  std::vector<std::string> errors;
  for (const YamlError& error : ReadYaml(text).errors) {
    if (!error.message.starts_with("duplicate key")) errors.push_back(error.Text());
  }
  return errors;
}

// A comment that has become a part of a value is none.
std::size_t Comments(const std::string& text) {
  std::size_t comments = 0;
  for (std::size_t at = text.find(" # c"); at != text.npos; at = text.find(" # c", at + 1)) {
    ++comments;
  }
  return comments;
}

struct EditCase {
  std::string before;
  std::string after;  // with the first proposal
};

TEST(LspCompletion, LeavesTheRestOfTheText) {
  const std::array<EditCase, 9> cases = {{
      {kShape + "parallelism:   | # c\n", kShape + "parallelism:   4 # c\n"},
      {kShape + "parallelism:| 2 # c\n", kShape + "parallelism: 4 # c\n"},
      {kShape + "parallelism:|", kShape + "parallelism: 4"},
      {kShape + "parallelism: |\r\nx: 1\r\n", kShape + "parallelism: 4\r\nx: 1\r\n"},
      {kShape + "x: {\xF0\x9F\x98\x80: \xC3\xA9, size: |}  # \xF0\x9F\x98\x80\n",
       kShape + "x: {\xF0\x9F\x98\x80: \xC3\xA9, size: 4}  # \xF0\x9F\x98\x80\n"},
      {"cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
       "cloud.google.com/gke-tpu-topology: |  # shape\n",
       "cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
       "cloud.google.com/gke-tpu-topology: 1x1  # shape\n"},
      {"{\"cloud.google.com/gke-tpu-accelerator\": \"tpu-v6e-slice\",\n"
       "\"cloud.google.com/gke-tpu-topology\":|}\n",
       "{\"cloud.google.com/gke-tpu-accelerator\": \"tpu-v6e-slice\",\n"
       "\"cloud.google.com/gke-tpu-topology\": \"1x1\"}\n"},
      {"{\"google.com/t|\"}\n", "{\"google.com/tpu\": }\n"},
      {"goog|: 4\n", "google.com/tpu: 4\n"},
  }};
  for (const EditCase& each : cases) EXPECT_EQ(ProposalsAt(each.before).Taken(), each.after);
}

TEST(LspCompletion, LeavesTextsAndCommentsAlone) {
  for (const char* line :
       {"command: [echo, \"google.com/tpu: |\", python]\n", "command: [echo, \"google.com/t|\"]\n",
        "command: [echo, google.com/t|]\n", "# google.com/t|\n", "# google.com/tpu: |\n",
        "a: \"google.com/tpu: |\"\n", "a: b  # cloud.google.com/gke-tpu-accelerator: |\n",
        "a: the google.com/t|\n"}) {
    EXPECT_THAT(ProposalsAt(kShape + line).items, IsEmpty()) << line;
  }
}

// Editors drop what does not begin as the text from the edit's begin to the caret does.
TEST(LspCompletion, IsNoLessThanWhatIsTyped) {
  const Proposals found = ProposalsAt(
      "cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
      "cloud.google.com/gke-tpu-topology:\"2|x2\"\n");
  ASSERT_FALSE(found.items.empty());
  EXPECT_THAT(found.Taken(), HasSubstr("topology: \"1x1\"\n"));
  EXPECT_EQ(found.items[0]["filterText"], "\"1x1");
}

// Every place of a text that is whole, and every proposal there.
TEST(LspCompletion, WhatIsReadStaysReadable) {
  const std::array<std::string, 2> texts = {
      "apiVersion: v1 # c\nkind: Pod\nmetadata: {name: \"\xF0\x9F\x98\x80\"}\nspec:\n"
      "  nodeSelector:   # c\n    cloud.google.com/gke-tpu-accelerator:   'tpu-v6e-slice'\t # c\n"
      "    \"cloud.google.com/gke-tpu-topology\": 2x4  # c\n  containers:\n  - name: jax\n"
      "    resources: {limits: {google.com/tpu: 8, cpu: 1}, requests: {google.com/tpu:   }} # c\n"
      "  size:  # c\n  completions:\t4 # c\n  parallelism:",
      "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"},\"spec\":{\r\n"
      "\"nodeSelector\":{\"cloud.google.com/gke-tpu-accelerator\":\"tpu-v6e-slice\",\r\n"
      "\"cloud.google.com/gke-tpu-topology\" : \"2x4\"},\"containers\":[{\"name\":\"jax\",\r\n"
      "\"resources\":{\"limits\":{\"google.com/tpu\":8 }}}]}}"};
  LspClient editor;
  int taken = 0;
  for (const std::string& text : texts) {
    ASSERT_THAT(Errors(text), IsEmpty());
    for (std::size_t at = 0; at <= text.size(); ++at) {
      const Proposals found = ProposalsAt(editor, text.substr(0, at) + "|" + text.substr(at));
      for (std::size_t i = 0; i < found.items.size(); i += 3) {
        const std::string after = found.Taken(i);
        EXPECT_THAT(Errors(after), IsEmpty()) << after;
        EXPECT_EQ(Comments(after), Comments(text)) << after;
        ++taken;
      }
    }
  }
  EXPECT_GT(taken, 200);
}

// ---- what the rules deny comes last

std::string PodSpec(const std::string& indent, const std::string& accelerator,
                    const std::string& topology, const std::string& chips) {
  const std::vector<std::string> lines = {
      "nodeSelector:",
      "  cloud.google.com/gke-tpu-accelerator: " + accelerator,
      "  cloud.google.com/gke-tpu-topology: " + topology,
      "containers:",
      "- name: jax",
      "  image: example.com/jax",
      "  resources:",
      "    requests: {cpu: 1, memory: 1Gi, google.com/tpu: " + chips + "}",
      "    limits: {google.com/tpu: " + chips + "}"};
  std::string spec;
  for (const std::string& line : lines) spec += indent + line + "\n";
  return spec;
}

// `leader`: what stands before the workers' template.
std::string LeaderWorkerSet(const std::string& size, const std::string& leader,
                            const std::string& workers) {
  return "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\n"
         "metadata: {name: serve}\nspec:\n  replicas: 1\n  leaderWorkerTemplate:\n    size: " +
         size + "\n" + leader + "    workerTemplate:\n      spec:\n" + workers;
}

const std::string kCpuLeader =
    "    leaderTemplate:\n      spec:\n"
    "        containers: [{name: leader, image: example.com/proxy}]\n";

std::string Pod(const std::string& selector, const std::string& limits) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  nodeSelector:\n"
         "    cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n" +
         selector + "  containers:\n  - name: jax\n    image: example.com/jax\n    resources:\n" +
         limits;
}

TEST(LspCompletion, APlaceForALeaderIsCounted) {
  const Proposals found = ProposalsAt(
      LeaderWorkerSet("|", kCpuLeader, PodSpec("        ", "tpu-v6e-slice", "4x4", "4")));
  EXPECT_THAT(found.Labels(), ElementsAre("5", "4"));
  EXPECT_EQ(found.items[0]["detail"], "what TPU401 (hosts) asks for");
  EXPECT_EQ(found.items[1]["detail"], "hosts of tpu-v6e-slice 4x4; denied by TPU401 (hosts)");
  EXPECT_THAT(found.Taken(), HasSubstr("size: 5\n"));
}

TEST(LspCompletion, PodsOfAPartOfAHostAreMore) {
  const Proposals found =
      ProposalsAt(LeaderWorkerSet("|", "", PodSpec("        ", "tpu7x", "2x2x2", "2")));
  EXPECT_THAT(found.Labels(), ElementsAre("4", "2"));
}

TEST(LspCompletion, TheHostsAreThoseOfThePodsChips) {
  const Proposals found =
      ProposalsAt(LeaderWorkerSet("|", "", PodSpec("        ", "tpu-v6e-slice", "2x4", "4")));
  EXPECT_THAT(found.Labels(), ElementsAre("2", "1"));
}

TEST(LspCompletion, TheChipsAreThoseOfTheSelectedNodes) {
  const std::string selector =
      "    cloud.google.com/gke-tpu-topology: 2x4\n"
      "    cloud.google.com/gke-accelerator-count: \"4\"\n";
  for (const std::string& limits :
       {std::string("      limits: {google.com/tpu: |}\n"),
        std::string("      limits: {google.com/tpu: \"|\"}\n"),
        std::string("      requests: &tpus {google.com/tpu: |}\n      limits: *tpus\n")}) {
    const Proposals found = ProposalsAt(Pod(selector, limits));
    EXPECT_THAT(found.Labels(), ElementsAre("4", "8")) << limits;
  }
}

std::string Job(const std::string& pods, const std::string& accelerator,
                const std::string& topology, const std::string& chips) {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec:\n" + pods +
         "  completionMode: Indexed\n  template:\n    spec:\n"
         "      subdomain: train\n      restartPolicy: Never\n" +
         PodSpec("      ", accelerator, topology, chips);
}

// Either number alone leaves two pods.
TEST(LspCompletion, WhatARuleAsksForIsTriedWithAllThatItAsksFor) {
  for (const char* const pods :
       {"  parallelism: |\n  completions: 2\n", "  parallelism: 2\n  completions: |\n"}) {
    EXPECT_THAT(ProposalsAt(Job(pods, "tpu7x", "2x2x2", "2")).Labels(), ElementsAre("4", "2"));
  }
}

const std::string kFourPods = "  parallelism: 4\n  completions: 4\n";

TEST(LspCompletion, TheTopologyIsThatOfTheRest) {
  EXPECT_THAT(ProposalsAt(Job(kFourPods, "tpu-v6e-slice", "|  # c", "4")).Labels(),
              ElementsAre("2x2", "2x4", "4x4", "1x1", "4x8", "8x8", "8x16", "16x16"));
}

std::string ReplicatedJob(const std::string& name, const std::string& topology,
                          const std::string& chips) {
  return "  - name: " + name +
         "\n    template:\n      spec:\n        parallelism: 4\n        completions: 4\n"
         "        template:\n          spec:\n" +
         PodSpec("            ", "tpu-v6e-slice", topology, chips);
}

// Of another pod set, which no value mends.
TEST(LspCompletion, OtherFaultsOfTheObjectChangeNoOrder) {
  const std::string head =
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: train}\nspec:\n"
      "  replicatedJobs:\n";
  for (const char* const chips : {"4", "7"}) {
    const Proposals found = ProposalsAt(head + ReplicatedJob("other", "4x4", chips) +
                                        ReplicatedJob("workers", "|", "4"));
    EXPECT_THAT(found.Labels(),
                ElementsAre("2x2", "2x4", "4x4", "1x1", "4x8", "8x8", "8x16", "16x16"));
  }
}

TEST(LspCompletion, WhereAllAreDeniedAlikeTheOrderStays) {
  const Proposals found =
      ProposalsAt(Pod("    cloud.google.com/gke-tpu-topology: 2x4\n"
                      "    cloud.google.com/gke-accelerator-count: \"3\"\n",
                      "      limits: {google.com/tpu: |}\n"));
  EXPECT_THAT(found.Labels(), ElementsAre("8", "4"));
}

TEST(LspCompletion, WhatWillBeDeniedCounts) {
  const std::string set =
      LeaderWorkerSet("|", kCpuLeader, PodSpec("        ", "tpu-v6e-slice", "4x4", "4"));
  EXPECT_THAT(ProposalsAt(set, "default: audit\n").Labels(), ElementsAre("5", "4"));
  EXPECT_THAT(ProposalsAt(set, "rules: {TPU401: warn}\n").Labels(), ElementsAre("4"));
}

TEST(LspCompletion, TriesInJsonToo) {
  const std::string head =
      "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"p\"}, \"spec\": {\n"
      "\"nodeSelector\": {\"cloud.google.com/gke-tpu-accelerator\": \"tpu-v6e-slice\",\n";
  const std::string middle =
      "},\n\"containers\": [{\"name\": \"jax\", \"image\": \"i\", \"resources\": {\"limits\":\n"
      "{\"google.com/tpu\":";
  const std::string shape = "\"cloud.google.com/gke-tpu-topology\":";
  EXPECT_EQ(ProposalsAt(head + shape + "|" + middle + "8}}}]}}").Labels()[0], "2x4");
  EXPECT_EQ(ProposalsAt(head + shape + "\"|\"" + middle + "8}}}]}}").Labels()[0], "2x4");
  EXPECT_EQ(
      ProposalsAt(head + shape + "\"2x4\", \"cloud.google.com/gke-accelerator-count\": \"4\"" +
                  middle + "|}}}]}}")
          .Labels()[0],
      "4");
}

TEST(LspCompletion, TriesAtTheRightBytes) {
  std::string wide = "\xEF\xBB\xBF# \xF0\x9F\x98\x80\r\n---\r\n# \xC3\xA9\r\n";
  for (const char c :
       LeaderWorkerSet("|", kCpuLeader, PodSpec("        ", "tpu-v6e-slice", "4x4", "4"))) {
    wide += c == '\n' ? std::string("\r\n") : std::string(1, c);
  }
  const Proposals found = ProposalsAt(wide);
  EXPECT_THAT(found.Labels(), ElementsAre("5", "4"));
  EXPECT_THAT(found.Taken(), HasSubstr("    size: 5\r\n"));
}

TEST(LspCompletion, WhatCannotBeReadKeepsTheOrderOfTheCatalog) {
  const std::string job = Job(kFourPods, "tpu-v6e-slice", "|", "4");
  for (const std::string& text : {job + "half: [\n", job + "{{ template }}\n",
                                  job + "# " + std::string(offline::kMostTriedBytes, '#') + "\n"}) {
    EXPECT_EQ(ProposalsAt(text).Labels()[0], "1x1");
  }
}

TEST(LspCompletion, TriesTheObjectOfAListAndNoOther) {
  const std::string wrong = "- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n  spec:\n" +
                            PodSpec("    ", "tpu-v6e-slice", "4x4", "8");
  const std::string right = "- apiVersion: v1\n  kind: Pod\n  metadata: {name: b}\n  spec:\n" +
                            PodSpec("    ", "tpu-v6e-slice", "|", "8");
  const Proposals found =
      ProposalsAt("apiVersion: v1\nkind: List\nitems:\n" + wrong + right + wrong);
  ASSERT_FALSE(found.items.empty());
  EXPECT_EQ(found.items[0]["label"], "2x4");
}

TEST(LspCompletion, WhatACommentExcusesIsNoDenial) {
  const std::string set =
      LeaderWorkerSet("|", kCpuLeader, PodSpec("        ", "tpu-v6e-slice", "4x4", "4"));
  EXPECT_THAT(ProposalsAt("# tpu-admission: ignore TPU401 it is on purpose\n" + set).Labels(),
              ElementsAre("4"));
}

}  // namespace
}  // namespace tpu_admission::support::lsp_completion_test

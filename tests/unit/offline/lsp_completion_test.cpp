// What an editor is proposed, and what becomes of the text when it takes that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "offline/lsp_text.h"
#include "support/lsp_client.h"

namespace tpu_admission::support::lsp_completion_test {
namespace {

using ::testing::HasSubstr;

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

Proposals ProposalsAt(std::string text) {
  const std::size_t at = text.find('|');
  text.erase(at, 1);
  const offline::EditorText counted(text, offline::PositionEncoding::kUtf16);
  const offline::TextPosition place = counted.PositionOf(at);
  LspClient editor;
  editor.Open(text);
  const Json answer =
      editor.Request("textDocument/completion",
                     {{"textDocument", {{"uri", "file:///a.yaml"}}},
                      {"position", {{"line", place.line}, {"character", place.character}}}});
  Json items = answer["result"];
  return {text, items};
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

// Editors drop what does not begin as the text from the edit's begin to the caret does.
TEST(LspCompletion, IsNoLessThanWhatIsTyped) {
  const Proposals found = ProposalsAt(
      "cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice\n"
      "cloud.google.com/gke-tpu-topology:\"2|x2\"\n");
  ASSERT_FALSE(found.items.empty());
  EXPECT_THAT(found.Taken(), HasSubstr("topology: \"1x1\"\n"));
  EXPECT_EQ(found.items[0]["filterText"], "\"1x1");
}

}  // namespace
}  // namespace tpu_admission::support::lsp_completion_test

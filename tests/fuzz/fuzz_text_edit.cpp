// Any YAML or JSON, and edits of it as --fix makes them: the edited text reads as the edited
// document and the others as they were, by an oracle that knows only JSON, and what was JSON stays
// so; or it is left alone. The diff of the two tells the edited text again.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fuzz/require.h"
#include "support/yaml_json.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/offline/text_edit.h"
#include "tpu_admission/offline/unified_diff.h"

namespace {

using namespace tpu_admission;
using nlohmann::json;

const k8s::JsonScalar kValues[] = {std::int64_t{4},       std::int64_t{-1}, std::string("2x4"),
                                   std::string("4"),      std::string(""),  std::string("a: b #\n"),
                                   std::string("x\"'\\"), std::string("on")};
const char* const kNewKeys[] = {"topology", "google.com/tpu", "~a", "", "- b", "é"};

json AsJson(const k8s::JsonScalar& value) {
  return std::visit([](const auto& each) { return json(each); }, value);
}

// A number in the place of a quoted text keeps the quotes: what is an amount stays one.
bool Same(const json& got, const json& wanted) {
  if (got.is_string() && wanted.is_number_integer()) return got == wanted.dump();
  if (got.type() != wanted.type() || got.size() != wanted.size()) return got == wanted;
  if (!got.is_structured()) return got == wanted;
  for (auto i = got.begin(), j = wanted.begin(); i != got.end(); ++i, ++j) {
    if (got.is_object() && i.key() != j.key()) return false;
    if (!Same(*i, *j)) return false;
  }
  return true;
}

// Walks down from the root as the bytes say, and now and then to a key that is not there.
std::string Choose(const json& root, std::string_view& bytes) {
  std::string pointer;
  const json* node = &root;
  while (node->is_structured() && !node->empty()) {
    const std::size_t step = fuzz::TakeByte(bytes);
    if (step >= 250 && node->is_object()) break;
    auto at = node->begin();
    std::advance(at, std::ptrdiff_t(step % node->size()));
    AppendPointerToken(pointer, node->is_object() ? at.key() : std::to_string(step % node->size()));
    node = &*at;
  }
  if (node->is_object()) {
    const char* const key = kNewKeys[fuzz::TakeByte(bytes) % std::size(kNewKeys)];
    AppendPointerToken(pointer, key);
    // A way through a scalar is none.
    if (fuzz::TakeByte(bytes) >= 128 && !node->contains(key)) AppendPointerToken(pointer, "deeper");
  }
  return pointer;
}

// The text that a unified diff makes of `before`, read hunk by hunk as patch(1) does.
std::string Patched(std::string_view before, std::string_view diff) {
  std::vector<std::string_view> lines;
  for (std::string_view rest = before; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    lines.push_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  std::string after;
  std::size_t next = 0;
  int header = 2;
  bool added = false;  // the last line is in `after`
  while (!diff.empty()) {
    const std::size_t end = std::min(diff.find('\n'), diff.size() - 1) + 1;
    const std::string_view line = diff.substr(0, end);
    diff.remove_prefix(end);
    if (header > 0) {
      --header;
    } else if (line.starts_with("@@ -")) {
      const std::size_t count = std::stoul(std::string(line.substr(line.find(',') + 1)));
      const std::size_t from = std::stoul(std::string(line.substr(4))) - (count == 0 ? 0 : 1);
      while (next < from) after += lines.at(next++);
    } else if (line.starts_with('\\')) {
      if (added) after.pop_back();  // the line break that the file does not have
    } else {
      if (line.front() != '+')
        REQUIRE(line.substr(1).substr(0, lines.at(next).size()) == lines[next]);
      if (line.front() != '+') ++next;
      added = line.front() != '-';
      if (added) after += line.substr(1);
    }
  }
  while (next < lines.size()) after += lines[next++];
  return after;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view all = fuzz::Text(data, size);
  // What chooses the edits stands behind the first NUL.
  const std::string text(all.substr(0, all.find('\0')));
  std::string_view choices = all.substr(text.size());
  const YamlStream stream = ReadYaml(text);
  if (stream.documents.empty()) return 0;
  std::vector<json> wanted;
  for (const YamlDocument& document : stream.documents) {
    if (document.root->values > 10'000) return 0;
    std::string dumped;
    AppendJson(dumped, *document.root);
    if (!json::accept(dumped)) return 0;  // a number that is too large for the oracle
    wanted.push_back(json::parse(dumped));
  }
  const std::size_t chosen = fuzz::TakeByte(choices) % wanted.size();
  std::vector<k8s::JsonEdit> edits;
  json& document = wanted[chosen];
  const json before = document;
  for (unsigned left = 1 + fuzz::TakeByte(choices) % 3; left > 0; --left) {
    const std::string pointer = Choose(document, choices);
    const k8s::JsonScalar& value = kValues[fuzz::TakeByte(choices) % std::size(kValues)];
    edits.push_back({pointer, value});
    document[json::json_pointer(pointer)] = AsJson(value);
  }
  const Result<std::vector<offline::TextChange>> changes =
      offline::ChangesOf(text, stream, stream.documents[chosen].index, edits);
  if (!changes) {
    REQUIRE(!changes.error().message.empty());
    return 0;
  }
  const std::string edited = offline::Changed(text, *changes);
  if (before.is_structured() && json::accept(text)) REQUIRE(json::accept(edited));
  const YamlStream after = ReadYaml(edited);
  REQUIRE(after.documents.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::string dumped;
    AppendJson(dumped, *after.documents[i].root);
    REQUIRE(Same(json::parse(dumped), wanted[i]));
  }
  const std::string diff = offline::UnifiedDiff("f", text, edited);
  REQUIRE(diff.empty() == (text == edited));
  if (!diff.empty()) REQUIRE(Patched(text, diff) == edited);
  return 0;
}

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "base/config_state.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission {
namespace {

using Kind = YamlNode::Kind;

std::string LinesOf(std::span<const YamlError> errors, const std::string& origin) {
  std::string lines;
  for (const YamlError& error : errors) {
    lines += (lines.empty() ? "" : "\n") + origin + ":" + error.Text();
  }
  return lines;
}

}  // namespace

std::string ConfigFile::State::Describe(const Problem& problem) const {
  const std::string path = FieldPath(problem.pointer);
  std::string text = (path.empty() ? "" : path + ": ") + problem.what;
  if (problem.mapping != nullptr) {
    const auto known = asked.find(problem.mapping);
    std::vector<std::string_view> keys;
    if (known != asked.end()) keys.assign(known->second.keys.begin(), known->second.keys.end());
    std::string_view pointer = std::string_view(problem.pointer);
    pointer.remove_prefix(pointer.rfind('/'));
    const std::string key = TakePointerToken(pointer);
    const std::string_view nearest = Nearest(key, keys, std::min<std::size_t>(2, key.size() / 3));
    text += "unknown key";
    if (!nearest.empty()) text += ", did you mean " + Quoted(nearest) + "?";
  }
  return YamlError{problem.mark, text}.Text();
}

// Walks the whole value: a member that nobody asked for is unknown, and not walked further, nor is
// what is of the wrong type as a whole.
void ConfigFile::State::ReportUnknownKeys(const YamlNode& value, const std::string& pointer) {
  if (wrong.contains(&value) || !walked.insert(&value).second) return;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    ReportUnknownKeys(*value.items[i], PointerBelow(pointer, i));
  }
  const auto found = asked.find(&value);
  for (const YamlMember& member : value.members) {
    const std::string place = PointerBelow(pointer, member.key);
    const bool known =
        found != asked.end() && (found->second.all || found->second.keys.contains(member.key));
    if (known) {
      ReportUnknownKeys(*member.value, place);
    } else {
      problems.push_back({member.mark, place, "", &value});
    }
  }
}

ConfigFile::ConfigFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
ConfigFile::~ConfigFile() = default;
ConfigFile::ConfigFile(ConfigFile&&) noexcept = default;
ConfigFile& ConfigFile::operator=(ConfigFile&&) noexcept = default;

Result<ConfigFile> ConfigFile::Parse(std::string_view text, std::string_view origin) {
  auto state = std::make_unique<State>();
  state->origin = ShownPath(origin);
  // Far more than a policy or catalog has; what a running server reads must fit its memory.
  state->stream = ReadYaml(text, {.max_values = 200'000});
  YamlStream& stream = state->stream;
  if (stream.documents.size() > 1) {
    stream.errors.push_back(
        {stream.documents[1].root->start, "found a second YAML document, one is wanted"});
  }
  if (!stream.errors.empty()) return Error{LinesOf(stream.errors, state->origin)};
  state->empty.kind = Kind::kMap;
  state->document.root = &state->empty;
  if (!stream.documents.empty() && stream.documents.front().root->kind != Kind::kNull) {
    state->document = stream.documents.front();
  }
  return ConfigFile(std::move(state));
}

ConfigNode ConfigFile::root() { return ConfigNode(*state_, state_->document.root, ""); }

Status ConfigFile::Finish() {
  State& state = *state_;
  state.ReportUnknownKeys(*state.document.root, "");
  std::vector<State::Problem>& problems = state.problems;
  if (problems.empty()) return OkStatus();
  std::stable_sort(problems.begin(), problems.end(),
                   [](const auto& a, const auto& b) { return a.mark.offset < b.mark.offset; });
  const std::size_t told = std::min(problems.size(), kMaxErrors);
  std::string lines;
  for (std::size_t i = 0; i < told; ++i) {
    lines += (i == 0 ? "" : "\n") + state.origin + ":" + state.Describe(problems[i]);
  }
  if (told < problems.size()) {
    lines += "\n" + state.origin + ": and " + std::to_string(problems.size() - told) + " more";
  }
  return Error{std::move(lines)};
}

}  // namespace tpu_admission

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/config_state.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission {

using Json = ConfigJson;

void ConfigFile::State::Report(const YamlMark& mark, std::string_view pointer,
                               std::string_view what) {
  std::string path = FieldPath(pointer);
  std::string message =
      origin + ":" + std::to_string(mark.line) + ":" + std::to_string(mark.column) + ": ";
  if (!path.empty()) message += path + ": ";
  problems.push_back({mark, message.append(what)});
}

void ConfigFile::State::ReportUnknownKey(const Json& mapping, const std::string& pointer,
                                         std::string_view key) {
  std::vector<std::string_view> known;
  const auto keys = asked.find(&mapping);
  if (keys != asked.end()) known.assign(keys->second.begin(), keys->second.end());
  std::string what = "unknown key";
  const std::string_view nearest = Nearest(key, known, std::min<std::size_t>(2, key.size() / 3));
  if (!nearest.empty()) what += ", did you mean " + Quoted(nearest) + "?";
  Report(document.PlaceOf(pointer).key, pointer, what);
}

// Walks the whole value: a member that nobody asked for is unknown, and not walked further, nor is
// what is of the wrong type as a whole.
void ConfigFile::State::ReportUnknownKeys(const Json& value, const std::string& pointer) {
  if (wrong.contains(&value)) return;
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      ReportUnknownKeys(value[i], MemberPointer(pointer, std::to_string(i)));
    }
  }
  if (!value.is_object()) return;
  const auto keys = asked.find(&value);
  for (const auto& [key, member] : value.items()) {
    const std::string place = MemberPointer(pointer, key);
    if (keys != asked.end() && keys->second.contains(key)) {
      ReportUnknownKeys(member, place);
    } else {
      ReportUnknownKey(value, place, key);
    }
  }
}

std::string_view ConfigFile::State::Written(const std::string& pointer) const {
  const YamlPlace& place = document.PlaceOf(pointer);
  return std::string_view(text).substr(place.value.offset, place.end.offset - place.value.offset);
}

ConfigFile::ConfigFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
ConfigFile::~ConfigFile() = default;
ConfigFile::ConfigFile(ConfigFile&&) noexcept = default;
ConfigFile& ConfigFile::operator=(ConfigFile&&) noexcept = default;

Result<ConfigFile> ConfigFile::Parse(std::string_view text, std::string_view origin) {
  Result<std::vector<YamlDocument>> documents = ParseYaml(text);
  const std::string prefix = std::string(origin) + ":";
  if (!documents) return Error{prefix + documents.error().message};
  if (documents->size() > 1) {
    const YamlMark& second = (*documents)[1].start;
    return Error{prefix + std::to_string(second.line) + ":" + std::to_string(second.column) +
                 ": found a second YAML document, one is wanted"};
  }
  auto state = std::make_unique<State>();
  state->origin = origin;
  state->text = text;
  state->json = Json::object();
  if (documents->empty()) {
    state->document.places.emplace("", YamlPlace{});
  } else {
    state->document = std::move(documents->front());
    Json json = Json::parse(state->document.json);
    if (!json.is_null()) state->json = std::move(json);
  }
  return ConfigFile(std::move(state));
}

ConfigNode ConfigFile::root() const { return ConfigNode(state_.get(), &state_->json, ""); }

Status ConfigFile::Finish() const {
  State& state = *state_;
  state.ReportUnknownKeys(state.json, "");
  if (state.problems.empty()) return OkStatus();
  const auto first =
      std::min_element(state.problems.begin(), state.problems.end(), [](auto& a, auto& b) {
        return std::pair(a.mark.line, a.mark.column) < std::pair(b.mark.line, b.mark.column);
      });
  std::string message = first->message;
  const std::size_t others = state.problems.size() - 1;
  if (others > 0) message += " (and " + std::to_string(others) + " more)";
  return Error{std::move(message)};
}

}  // namespace tpu_admission

#include "tpu_admission/offline/templates.h"

#include <algorithm>
#include <array>

#include "tpu_admission/base/line_index.h"
#include "tpu_admission/base/text.h"

namespace tpu_admission::offline {
namespace {

std::string Folder(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? "." : std::string(path.substr(0, slash));
}

void AddPath(const YamlNode& item, std::vector<std::string>& paths) {
  if (item.kind == YamlNode::Kind::kString) {
    paths.emplace_back(item.text);
  } else if (const YamlMember* path = item.Find("path")) {
    if (path->value->kind == YamlNode::Kind::kString) paths.emplace_back(path->value->text);
  }
}

constexpr std::string_view kNameBytes =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

// "${QUEUE:-none}" or "$QUEUE" at the beginning of `text`; empty: none.
std::string_view VariableAt(std::string_view text) {
  if (text.starts_with("${")) return text.substr(0, text.find('}') + 1);  // npos + 1 is 0
  if (!text.starts_with('$')) return {};
  const std::size_t end = std::min(text.find_first_not_of(kNameBytes, 1), text.size());
  return end == 1 ? std::string_view() : text.substr(0, end);
}

// But for a comment.
bool IsOnlyVariables(std::string_view line) {
  line = Trimmed(line);
  if (!line.starts_with('$')) return false;
  while (!line.empty() && !line.starts_with('#')) {
    const std::string_view variable = VariableAt(line);
    if (variable.empty()) return false;
    line = Trimmed(line.substr(variable.size()));
  }
  return true;
}

bool SaysNothing(std::string_view line) {
  line = Trimmed(line);
  return line.empty() || line.starts_with('#');
}

// What libyaml says of a line that it took for a part of the key in the next one.
bool IsOfKeyBefore(const YamlError& error) {
  return error.message.find("could not find expected ':'") != error.message.npos ||
         error.message.find("mapping values are not allowed") != error.message.npos;
}

}  // namespace

YamlMark TemplateMark(std::string_view text) {
  constexpr std::array<std::string_view, 3> kMarks = {"{{", "{%", "%{"};
  std::size_t first = text.npos;
  for (const std::string_view mark : kMarks) first = std::min(first, text.find(mark));
  if (first == text.npos) return {0, 0, 0};
  return LineIndex(text.substr(0, first)).At(first);
}

std::string RenderFirst(std::string_view text) {
  const bool helm = text.find(".Values") != text.npos || text.find(".Release") != text.npos ||
                    text.find("include \"") != text.npos;
  return std::string("this is a template; render it first: ") +
         (helm ? "helm template CHART | tpu-admission check -"
               : "helm template, jinja2 or terraform ... | tpu-admission check -");
}

YamlMark VariableMark(std::string_view text, const YamlError& error) {
  constexpr std::size_t kMostAbove = 64 << 10;
  const std::size_t at = std::min(error.mark.offset, text.size());
  std::size_t begin = LineBegin(text, at);
  const auto line = [&] { return text.substr(begin, LineEnd(text, begin) - begin); };
  if (!IsOnlyVariables(line())) {
    if (!IsOfKeyBefore(error)) return {0, 0, 0};
    do {
      if (begin == 0 || at - begin > kMostAbove) return {0, 0, 0};
      begin = LineBegin(text, begin - 1);
    } while (SaysNothing(line()));
    if (!IsOnlyVariables(line())) return {0, 0, 0};
  }
  const std::size_t variable = text.find('$', begin);
  return LineIndex(text.substr(0, variable)).At(variable);
}

std::string FillInFirst(std::string_view text, const YamlMark& variable) {
  constexpr std::size_t kNameLength = 80;
  return "this is a template: " + Printable(VariableAt(text.substr(variable.offset)), kNameLength) +
         " is yet to be filled in; render it first: envsubst, or what else fills it in ... | "
         "tpu-admission check -";
}

std::string ChartTemplates(std::string_view folder) {
  return "templates of a Helm chart are skipped; render it: helm template " + ShownPath(folder) +
         " | tpu-admission check -";
}

std::vector<std::string> PatchesOf(std::string_view kustomization) {
  std::vector<std::string> paths;
  const YamlStream stream = ReadYaml(kustomization, {.max_values = 100'000});
  for (const YamlDocument& document : stream.documents) {
    for (const char* key : {"patches", "patchesStrategicMerge", "patchesJson6902"}) {
      const YamlMember* const list = document.root->Find(key);
      if (list == nullptr) continue;
      for (const YamlNode* item : list->value->items) AddPath(*item, paths);
    }
  }
  return paths;
}

std::string RenderPatch(std::string_view kustomization) {
  const std::string shown = ShownPath(kustomization);
  return "is a patch of " + shown + " and no whole object; build it: kustomize build " +
         Folder(shown) + " | tpu-admission check -";
}

}  // namespace tpu_admission::offline

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

// What is no manifest yet: templates, patches, and what to do about them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/yaml.h"

namespace tpu_admission::offline {

// The first line with marks of a template engine (Helm and Go, Jinja, Terraform) that YAML cannot
// be read for; line 0: none.
YamlMark TemplateMark(std::string_view text);
// "this is a template; render it first: ...".
std::string RenderFirst(std::string_view text);
// The line that `error` is about, if it holds nothing but variables of a shell (`${AFFINITY}`), or
// if the one before it does: what they stand for may be YAML, and they are none. Line 0: none.
YamlMark VariableMark(std::string_view text, const YamlError& error);
// "this is a template: ${AFFINITY} is yet to be filled in; ...".
std::string FillInFirst(std::string_view text, const YamlMark& variable);
// Why templates/ of the chart in `folder` is skipped.
std::string ChartTemplates(std::string_view folder);

// The files that a kustomization names as patches: patches, patchesStrategicMerge,
// patchesJson6902. Relative to its folder.
std::vector<std::string> PatchesOf(std::string_view kustomization);
// Why a patch is not judged; `kustomization` is its path.
std::string RenderPatch(std::string_view kustomization);

}  // namespace tpu_admission::offline

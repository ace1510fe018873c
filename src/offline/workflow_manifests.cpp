#include "offline/workflow_manifests.h"

#include <algorithm>
#include <array>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/k8s/decoder.h"

namespace tpu_admission::offline {
namespace {

constexpr std::array<std::string_view, 4> kMaking = {"", "create", "apply", "replace"};

}  // namespace

void ForEachManifest(const ManifestObject& workflow,
                     const std::function<void(const std::string&, std::string_view)>& each) {
  if (workflow.gvk.group != "argoproj.io") return;
  const bool timed = workflow.gvk.kind == "CronWorkflow";
  const std::string list = timed ? "/spec/workflowSpec/templates" : "/spec/templates";
  const k8s::JsonView templates = workflow.json.Follow(list.substr(1));
  for (std::size_t i = 0; i < std::min(templates.size(), k8s::Decoder::kMost); ++i) {
    const k8s::JsonView resource = templates.Element(i)["resource"];
    const std::string_view text = resource["manifest"].StringOr("");
    const std::string_view action = resource["action"].StringOr("");
    if (text.empty() || std::find(kMaking.begin(), kMaking.end(), action) == kMaking.end())
      continue;
    each(PointerBelow(list, i) + "/resource/manifest", text);
  }
}

}  // namespace tpu_admission::offline

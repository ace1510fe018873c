#include "offline/unread_kind.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "tpu_admission/base/text.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::offline {
namespace {

// Whether something in the object asks for chips as a container does, by limits or requests of
// google.com/tpu. Quotas, nodes and autoscalers only count them.
bool AsksForChips(k8s::JsonView value) {
  for (std::size_t i = 0; i < value.size(); ++i) {
    const k8s::JsonView below = value.is_object() ? value.Member(i) : value.Element(i);
    if (AsksForChips(below)) return true;
    if (!value.is_object() || !below.is_object()) continue;
    const std::string_view key = value.MemberKey(i);
    const bool asks = key == "limits" || key == "requests";
    if (asks && below[workload::kTpuResource].has_value()) return true;
  }
  return false;
}

// Holds pieces of pods, and makes none of its own: a policy, or the values of a chart.
bool HoldsPiecesOfPods(const k8s::GroupVersionKind& gvk) {
  constexpr std::array<std::string_view, 4> kGroups = {
      "helm.toolkit.fluxcd.io", "kyverno.io", "mutations.gatekeeper.sh", "policies.kyverno.io"};
  const bool is_argo_cd =
      gvk.group == "argoproj.io" && (gvk.kind == "Application" || gvk.kind == "ApplicationSet");
  return is_argo_cd || std::find(kGroups.begin(), kGroups.end(), gvk.group) != kGroups.end();
}

// No custom resource is of such a group: the API server wants a dot in theirs.
bool IsKubernetesOwn(std::string_view group) { return group.find('.') == group.npos; }

// Values of a chart and pieces of manifests look otherwise.
bool LooksLikeManifest(const ManifestObject& object) {
  return (!object.gvk.kind.empty() || !object.gvk.version.empty()) &&
         object.json["metadata"].is_object() && object.json["spec"].is_object();
}

bool IsSlipOf(std::string_view word, std::string_view right) {
  const std::size_t most_edits = std::min<std::size_t>(2, word.size() / 3);
  return !Nearest(word, std::array{right}, most_edits).empty();
}

std::string ServedAs(const workload::Kind& kind) {
  std::string_view versions = kind.versions;
  return ApiVersion({kind.group, TakeUntil(versions, ' '), kind.name});
}

class Guess {
 public:
  explicit Guess(const workload::KindTable& kinds) {
    for (const workload::Kind& kind : workload::Kinds()) kinds_.push_back(&kind);
    for (const workload::Kind& kind : kinds.own()) kinds_.push_back(&kind);
  }

  // The kind of this very name whose group, or its version alone, was probably meant.
  const workload::Kind* OfName(const k8s::GroupVersionKind& gvk) const {
    return First([&](const workload::Kind& kind) {
      return kind.name == gvk.kind &&
             (IsKubernetesOwn(gvk.group) || IsSlipOf(gvk.group, kind.group));
    });
  }

  // The kind whose name is misspelt.
  const workload::Kind* Misspelt(const k8s::GroupVersionKind& gvk) const {
    const auto is_near = [&](const workload::Kind& kind) { return IsSlipOf(gvk.kind, kind.name); };
    const workload::Kind* const of_group =
        First([&](const workload::Kind& kind) { return kind.group == gvk.group && is_near(kind); });
    return of_group == nullptr && IsKubernetesOwn(gvk.group) ? First(is_near) : of_group;
  }

 private:
  template <typename Is>
  const workload::Kind* First(const Is& is) const {
    const auto found = std::find_if(kinds_.begin(), kinds_.end(),
                                    [&](const workload::Kind* kind) { return is(*kind); });
    return found == kinds_.end() ? nullptr : *found;
  }

  std::vector<const workload::Kind*> kinds_;
};

std::string WhyOf(const Guess& guess, const k8s::GroupVersionKind& gvk) {
  if (gvk.kind.empty()) return "has no kind, so it is not read; write it below apiVersion";
  const bool is_service = gvk.group.empty() && gvk.kind == "Service";  // not Knative's
  const workload::Kind* const same = is_service ? nullptr : guess.OfName(gvk);
  const std::string is_of =
      same == nullptr ? "" : "; " + std::string(same->name) + " is of " + ServedAs(*same);
  if (gvk.version.empty()) return "has no apiVersion, so it is not read" + is_of;
  const std::string has_none =
      "is not read: " + Printable(ApiVersion(gvk)) + " has no kind " + Printable(gvk.kind);
  if (same != nullptr) return has_none + is_of;
  if (const workload::Kind* const near = is_service ? nullptr : guess.Misspelt(gvk)) {
    return has_none + "; did you mean " + std::string(near->name) + " (" + ServedAs(*near) + ")?";
  }
  return "is of a kind that is not read; see `kinds` of the policy";
}

// Whether each line begins with //.
bool IsAllComments(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = Trimmed(TakeUntil(text, '\n'));
    if (!line.empty() && !line.starts_with("//")) return false;
  }
  return true;
}

}  // namespace

std::string ApiVersion(const k8s::GroupVersionKind& gvk) {
  return gvk.group.empty() ? std::string(gvk.version)
                           : std::string(gvk.group) + "/" + std::string(gvk.version);
}

bool IsListOfNothing(const ManifestObject& object) {
  const k8s::JsonView items = object.json["items"];
  return object.gvk.group.empty() && object.gvk.kind == "List" && items.has_value() &&
         !items.is_array();
}

void TellNoJson(const YamlStream& stream, FileReport& report) {
  if (!report.file.ends_with(".json")) return;
  for (const YamlDocument& document : stream.documents) {
    const YamlNode& root = *document.root;
    const std::string_view text =
        std::string_view(report.text)
            .substr(root.start.offset, root.end.offset - root.start.offset);
    if (root.kind == YamlNode::Kind::kString && !text.starts_with('"') && !IsAllComments(text)) {
      report.errors.push_back(
          {root.start, "this is no JSON, which has no comments; nothing in it was checked"});
    }
  }
}

bool SaysWhatItIs(const k8s::GroupVersionKind& gvk) {
  return !gvk.kind.empty() && !gvk.version.empty();
}

std::string WhyUnread(const workload::KindTable& kinds, const ManifestObject& object) {
  const k8s::GroupVersionKind& gvk = object.gvk;
  const bool is_silent =
      SaysWhatItIs(gvk) ? kinds.Find(gvk.group, gvk.kind) != nullptr : !LooksLikeManifest(object);
  if (is_silent || HoldsPiecesOfPods(gvk) || !AsksForChips(object.json)) return "";
  return "asks for google.com/tpu, but " + WhyOf(Guess(kinds), gvk);
}

}  // namespace tpu_admission::offline

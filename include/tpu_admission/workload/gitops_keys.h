// The labels and annotations by which tools that apply whole folders mark what they applied. Each
// key stands here and nowhere else.
// https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/,
// https://fluxcd.io/flux/components/kustomize/kustomizations/,
// https://cloud.google.com/kubernetes-engine/enterprise/config-sync/docs/reference/metadata
#pragma once

#include <array>
#include <string_view>

namespace tpu_admission::workload {

inline constexpr std::array<std::string_view, 5> kGitOpsMarks = {
    "argocd.argoproj.io/tracking-id", "argocd.argoproj.io/instance",
    "kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name",
    "configmanagement.gke.io/managed"};

}  // namespace tpu_admission::workload

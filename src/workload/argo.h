// The pods of Argo workflows: containers stand in other places than in a pod, and a template takes
// from its workflow what it does not say itself.
// https://argo-workflows.readthedocs.io/en/latest/fields/
#pragma once

#include <optional>
#include <string_view>

#include "tpu_admission/workload/workload.h"

namespace tpu_admission::workload {

// What the templates of one workflow share; decoded once, however many templates there are.
class ArgoWorkflow {
 public:
  // `path` leads to the templates: "spec/templates[]".
  ArgoWorkflow(k8s::JsonView object, std::string_view path, k8s::Decoder& decoder);

  // Fills in the pod of `set` and where its selectors stand. False if `json` is no pod: a step
  // without a container of its own.
  bool Read(PodSet& set, k8s::JsonView json, k8s::Decoder& decoder) const;
  // What was decoded for the workflow itself.
  std::size_t entries() const { return entries_; }

 private:
  // A place that says what a template does not.
  struct Source {
    k8s::PodSpec spec;
    std::string_view pointer;
  };
  static void TakeSelectors(PodSet& set, const Source& source);

  Source workflow_;
  Source defaults_;          // templateDefaults, which Argo merges into each template
  bool is_patched_ = false;  // by a podSpecPatch of either
  std::size_t entries_ = 0;
};

// The path of the workflow that the templates at `path` belong to: "spec".
std::string_view WorkflowPath(std::string_view path);

}  // namespace tpu_admission::workload

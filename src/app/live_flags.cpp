#include "app/live_flags.h"

#include "app/flags.h"
#include "tpu_admission/offline/format.h"

namespace tpu_admission::app {
namespace {

// How to reach the cluster.
void AddKubectl(CLI::App& command, KubectlOptions& options) {
  command.add_option("-n,--namespace", options.namespace_name, "namespace to look at")
      ->check(IsName());
  command.add_option("--context", options.context, "context of the kubeconfig");
  command.add_option("--kubeconfig", options.kubeconfig, "kubeconfig file")->type_name("FILE");
  AddFlag(command, "--kubectl", options.program, "program that is asked")->type_name("PROGRAM");
  AddDuration(command, "--timeout", options.timeout, "how long one call of kubectl may take");
}

}  // namespace

void AddScan(CLI::App& command, ScanOptions& options) {
  const auto of_check = offline::FormatNames();
  std::set<std::string> formats(of_check.begin(), of_check.end());
  formats.insert("openreports");
  AddKubectl(command, options.kubectl);
  command
      .add_option("PATH", options.path,
                  "- reads what `kubectl get ... -o json` prints; without it kubectl is asked")
      ->check(IsOneOf({"-"}))
      ->excludes(command.get_option("--context"), command.get_option("--kubeconfig"));
  command.add_flag("-A,--all-namespaces", options.all_namespaces,
                   "all namespaces, which is the default");
  command.remove_option(command.get_option("--policy"));  // here it may be given twice
  command
      .add_option("--policy", options.policies,
                  "modes and fixes by rule and namespace; given twice: old and new, and only what "
                  "differs is told")
      ->type_name("FILE")
      ->envname(EnvironmentTwin("--policy"))
      ->allow_extra_args(false)  // one value each: what stands behind it is PATH
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  AddOutput(command, options.output, formats);
  command.footer(
      "Examples:\n"
      "  tpu-admission scan\n"
      "  tpu-admission scan --namespace ml --output json\n"
      "  tpu-admission scan --policy today.yaml --policy tomorrow.yaml\n"
      "  kubectl get pods,jobs -A -o json | tpu-admission scan -");
}

void AddWhy(CLI::App& command, WhyOptions& options) {
  AddKubectl(command, options.kubectl);
  CLI::Option* list =
      command.add_flag("--list", options.list, "print all causes: a table, or JSON");
  command.add_option("KIND/NAME", options.object, "what is asked about, e.g. job/train")
      ->excludes(list);
  command
      .add_option(
          "--from", options.from,
          "file of what `kubectl get ... -o json` printed, or -; without it kubectl is asked")
      ->type_name("FILE")
      ->excludes(command.get_option("--context"), command.get_option("--kubeconfig"));
  AddOutput(command, options.output, {"text", "json"});
  command.footer(
      "Examples:\n"
      "  tpu-admission why job/train\n"
      "  tpu-admission why jobset/train --namespace ml --output json\n"
      "  kubectl get jobs,pods,events,nodes -n ml -o json | tpu-admission why job/train --from -");
}

}  // namespace tpu_admission::app

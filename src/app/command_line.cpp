#include "app/command_line.h"

#include <iostream>

#include "app/commands.h"
#include "app/controller_flags.h"
#include "app/flags.h"
#include "app/plan_flags.h"
#include "app/settings_loader.h"
#include "tpu_admission/base/config_reader.h"
#include "tpu_admission/base/version.h"

namespace tpu_admission::app {
namespace {

std::vector<std::string> ProfileNames() {
  const std::vector<admission::Profile> profiles = admission::BuiltInProfiles().value();
  std::vector<std::string> names;
  for (const admission::Profile& profile : profiles) names.push_back(profile.name);
  return names;
}

void AddEngineFlags(CLI::App& command, EngineOptions& options) {
  AddFlag(command, "--catalog", options.catalog_file,
          "TPU catalog to use instead of the built-in one")
      ->type_name("FILE");
  AddFlag(command, "--policy", options.policy_file, "modes and fixes by rule and namespace")
      ->type_name("FILE");
  AddFlag(command, "--profile", options.profile,
          "named set of rule modes; without it that of the policy, else standard")
      ->check(CLI::IsMember(ProfileNames()));
  AddFlag(command, "--cluster-location", options.cluster_location,
          "zone or region of the cluster, e.g. us-central1; enables the location rules");
  AddFlag(command, "--cluster-mode", options.cluster_mode,
          "kind of GKE cluster; without it that of the profile, else standard")
      ->check(CLI::IsMember({"standard", "autopilot"}));
  AddFlag(command, "--gke-version", options.gke_version,
          "control plane version, e.g. 1.33.2-gke.1111000");
}

void AddServe(CLI::App& command, ServeOptions& options) {
  AddFlag(command, "--bind-address", options.bind_address, "address that both ports listen on");
  AddFlag(command, "--secure-port", options.secure_port,
          "HTTPS port of /mutate and /validate; 0 takes a free one");
  AddFlag(command, "--metrics-port", options.metrics_port,
          "plain HTTP port of /livez, /readyz and /metrics; 0 takes a free one");
  AddFlag(command, "--tls-cert-file", options.tls_cert_file,
          "serving certificate, PEM, leaf first; read again when it changes")
      ->type_name("FILE");
  AddFlag(command, "--tls-private-key-file", options.tls_private_key_file,
          "private key of the certificate, PEM")
      ->type_name("FILE");
  AddFlag(command, "--tls-min-version", options.tls_min_version, "oldest TLS version to accept")
      ->check(CLI::IsMember({"1.2", "1.3"}));
  AddEngineFlags(command, options.engine);
  AddFlag(command, "--threads", options.threads,
          "threads that answer requests; 0: one per processor, at most 4")
      ->check(CLI::Range(0, 64));
  AddDuration(command, "--shutdown-delay", options.shutdown_delay,
              "how long to go on answering after SIGTERM, until clients have moved on");
  AddFlag(command, "--docs-url", options.docs_url,
          "base of links to rule pages in messages; without it there are none");
  AddFlag(command, "--log-level", options.log_level, "least severe lines to log")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
}

void AddVerify(CLI::App& command, VerifyOptions& options) {
  AddFlag(command, "--namespace", options.namespace_name,
          "where to ask; nothing is created. Not one that the webhooks leave alone");
  AddFlag(command, "--namespace-selector", options.namespace_selector,
          "namespaceSelector of the webhooks, to find out whether they leave the namespace alone")
      ->type_name("JSON");
  AddFlag(command, "--mutating", options.mutating, "whether the mutating webhook must answer");
  AddFlag(command, "--validating", options.validating,
          "whether the validating webhook must answer");
  AddFlag(command, "--expect", options.expect, "least that must become of a wrong Pod")
      ->check(CLI::IsMember({"any", "warning", "denial"}));
  AddDuration(command, "--timeout", options.timeout, "how long to go on asking");
  AddFlag(command, "--api-server", options.api_server,
          "https://HOST:PORT of the API server; that of the pod's environment if not given");
  AddFlag(command, "--service-account-dir", options.service_account_dir,
          "where token and ca.crt of the service account are")
      ->type_name("DIR");
}

// Gives every option that neither flag nor environment set the value of the file's key of the same
// name. Throws CLI::Error, as flags do.
void ApplyConfigFile(CLI::App& command, const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  if (!text) throw CLI::FileError(text.error().message);
  const Result<ConfigFile> file = ConfigFile::Parse(*text, path);
  if (!file) throw CLI::FileError(file.error().message);
  for (const auto& [key, node] : file->root().Members()) {
    CLI::Option* option = command.get_option_no_throw("--" + key);
    if (option == nullptr || key == "config" || key == "help") {
      node.Fail("is no flag of " + command.get_name() + "; --help lists them");
    } else if (option->count() == 0) {
      option->add_result(node.AsString());
      option->run_callback();
    }
  }
  if (const Status status = file->Finish(); !status) throw CLI::FileError(status.error().message);
}

void RequireCertificate(const ServeOptions& options) {
  if (!options.tls_cert_file.empty() && !options.tls_private_key_file.empty()) return;
  throw CLI::RequiredError(
      "--tls-cert-file and --tls-private-key-file (flag, environment or config file)");
}

// CLI11 would only say that a subcommand is required.
void RefuseUnknownCommand(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == argv[1]) return;
    names += " " + command->get_name();
  }
  throw CLI::ExtrasError("there is no command \"" + std::string(argv[1]) + "\"; there are:" + names,
                         CLI::ExitCodes::ExtrasError);
}

constexpr const char* kFlagsFooter =
    "Every flag has an environment twin (--metrics-port is TPU_ADMISSION_METRICS_PORT) and a key\n"
    "in the YAML file of --config (metrics-port: 8080). Flag beats environment beats file.";

}  // namespace

int Run(int argc, char** argv) {
  CLI::App app(
      "Checks TPU workloads on GKE before they are stuck: admission webhook and offline checker.",
      "tpu-admission");
  const std::string version =
      "tpu-admission " + std::string(Version()) + " (" + std::string(Revision()) + ")";
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.get_formatter()->column_width(36);

  ServeOptions serve;
  CLI::App* serve_command = app.add_subcommand("serve", "run the admission webhook");
  AddServe(*serve_command, serve);
  std::string config_file;
  AddFlag(*serve_command, "--config", config_file, "YAML file with flags")->type_name("FILE");
  serve_command->footer(kFlagsFooter);

  ControllerOptions controller;
  CLI::App* controller_command =
      app.add_subcommand("controller", "keep certificates and webhook configurations in order");
  AddController(*controller_command, controller);
  AddFlag(*controller_command, "--config", config_file, "YAML file with flags")->type_name("FILE");
  controller_command->footer(kFlagsFooter);

  CheckOptions check;
  CLI::App* check_command = app.add_subcommand("check", "check YAML files by the same rules");
  check_command->add_option("PATH", check.paths, "files or directories; - is standard input")
      ->required();
  AddEngineFlags(*check_command, check.engine);
  AddFlag(*check_command, "--output", check.output, "for people or for programs")
      ->check(CLI::IsMember({"text", "json"}));
  AddFlag(*check_command, "--fail-on", check.fail_on,
          "least severe finding that makes the exit code 1")
      ->check(CLI::IsMember({"deny", "warn"}));

  ExplainOptions explain;
  CLI::App* explain_command = app.add_subcommand("explain", "tell what a rule is about");
  explain_command->add_option("RULE", explain.rules, "ids or names; without any, all are listed");
  explain_command->add_flag("--profiles", explain.profiles, "tell what the profiles change");
  AddFlag(*explain_command, "--output", explain.output, "for people or for docs/")
      ->check(CLI::IsMember({"text", "markdown"}));

  CatalogOptions catalog;
  CLI::App* catalog_command =
      app.add_subcommand("catalog", "print generations, topologies and zones");
  AddFlag(*catalog_command, "--catalog", catalog.catalog_file,
          "catalog to print instead of the built-in one")
      ->type_name("FILE");
  AddFlag(*catalog_command, "--output", catalog.output, "for people or for programs")
      ->check(CLI::IsMember({"text", "json"}));

  PlanOptions plan;
  CLI::App* plan_command =
      app.add_subcommand("plan", "tell the ways to get chips, and write one down");
  AddPlan(*plan_command, plan);

  WebhooksOptions webhooks;
  CLI::App* webhooks_command =
      app.add_subcommand("webhooks", "print rules and matchConditions for webhook configurations");
  AddFlag(*webhooks_command, "--policy", webhooks.policy_file, "policy with kinds of your own")
      ->type_name("FILE");

  VerifyOptions verify;
  CLI::App* verify_command =
      app.add_subcommand("verify", "ask the API server whether the webhook is at work");
  AddVerify(*verify_command, verify);

  CLI::App* version_command = app.add_subcommand("version", "print the version");

  try {
    RefuseUnknownCommand(app, argc, argv);
    app.parse(argc, argv);
    if (!config_file.empty()) {
      ApplyConfigFile(serve_command->parsed() ? *serve_command : *controller_command, config_file);
    }
    if (serve_command->parsed()) RequireCertificate(serve);
    if (controller_command->parsed()) CheckController(controller);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kCannotRun;
  }
  if (serve_command->parsed()) return Serve(serve);
  if (controller_command->parsed()) return RunController(controller);
  if (check_command->parsed()) return Check(check);
  if (explain_command->parsed()) return Explain(explain);
  if (catalog_command->parsed()) return ShowCatalog(catalog);
  if (plan_command->parsed()) return ShowPlan(plan);
  if (webhooks_command->parsed()) return ShowWebhooks(webhooks);
  if (verify_command->parsed()) return Verify(verify);
  if (version_command->parsed()) std::cout << version << '\n';
  return kDone;
}

}  // namespace tpu_admission::app

#include "app/command_line.h"

#include <exception>
#include <functional>
#include <iostream>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "app/audit_flags.h"
#include "app/check_flags.h"
#include "app/commands.h"
#include "app/config_flags.h"
#include "app/controller_flags.h"
#include "app/engine_flags.h"
#include "app/flags.h"
#include "app/live_flags.h"
#include "app/plan_flags.h"
#include "app/project_file.h"
#include "app/reference_command.h"
#include "app/verify_flags.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/base/version.h"
#include "tpu_admission/offline/schema.h"

namespace tpu_admission::app {
namespace {

void AddServeFlags(CLI::App& command, ServeOptions& options) {
  AddFlag(command, "--bind-address", options.bind_address, "address that both ports listen on");
  AddFlag(command, "--secure-port", options.secure_port,
          "HTTPS port of /mutate and /validate; 0 takes a free one")
      ->check(IsPort());
  AddMetricsPort(command, options.metrics_port);
  AddFlag(command, "--tls-cert-file", options.tls_cert_file,
          "serving certificate, PEM, leaf first; read again when it changes")
      ->type_name("FILE");
  AddFlag(command, "--tls-private-key-file", options.tls_private_key_file,
          "private key of the certificate, PEM")
      ->type_name("FILE");
  AddFlag(command, "--tls-min-version", options.tls_min_version, "oldest TLS version to accept")
      ->check(IsOneOf({"1.2", "1.3"}));
  AddEngineFlags(command, options.engine);
  AddFlag(command, "--node-record", options.engine.node_record_file,
          "what TPU nodes the cluster has, as the controller keeps it; need not be there")
      ->type_name("FILE");
  AddFlag(command, "--threads", options.threads,
          "threads that answer requests; 0: one per processor that may be used, at most 4")
      ->check(IsWhole(0, 64));
  AddDuration(command, "--shutdown-delay", options.shutdown_delay,
              "how long to go on answering after SIGTERM, until clients have moved on; at most 10m",
              std::chrono::minutes(10));
  AddFlag(command, "--docs-url", options.docs_url,
          "base of links to rule pages in messages; without it there are none")
      ->transform(IsBaseUrl());
  AddLogLevel(command, options.log_level);
}

void CheckServe(const ServeOptions& options) {
  std::string missing = options.tls_cert_file.empty() ? "--tls-cert-file" : "";
  if (options.tls_private_key_file.empty()) {
    missing.append(missing.empty() ? "" : " and ").append("--tls-private-key-file");
  }
  if (!missing.empty()) {
    throw CLI::RequiredError(missing + " (flag, environment or config file)");
  }
  if (options.secure_port != 0 && options.secure_port == options.metrics_port) {
    throw CLI::ValidationError("--metrics-port", "is " + std::to_string(options.metrics_port) +
                                                     ", as --secure-port is; each needs its own");
  }
}

constexpr const char* kFlagsFooter =
    "Every flag has an environment twin (--metrics-port is TPU_ADMISSION_METRICS_PORT) and a key\n"
    "in the YAML file of --config (metrics-port: 8080). Flag beats environment beats file.";

constexpr const char* kCompletionFooter =
    "For one session: source <(tpu-admission completion bash)\n"
    "For good: write it to ~/.local/share/bash-completion/completions/tpu-admission (bash), to\n"
    "_tpu-admission in a folder of $fpath (zsh), to ~/.config/fish/completions/tpu-admission.fish.";

// The subcommands, what their flags say, and how each is run.
class CommandLine {
 public:
  // `called` is argv[0]: kubectl runs its plugins by the name of kubectl-tpu.
  explicit CommandLine(const char* called) {
    if (std::string_view(called).ends_with("kubectl-tpu")) app_.name("kubectl tpu");
    app_.set_version_flag("--version", VersionLine());
    app_.require_subcommand(1);
    app_.get_formatter()->column_width(36);
    AddServe();
    AddController();
    AddAudit();
    AddCheck();
    AddPolicy();
    AddSchema();
    AddLsp();
    AddExplain();
    AddCatalog();
    AddPlan();
    AddScan();
    AddWhy();
    AddWebhooks();
    AddVerify();
    AddCompletion();
    AddHelp();
    Add("version", "print the version", [] {
      std::cout << VersionLine() << '\n';
      return kDone;
    });
  }

  int Run(int argc, char** argv) {
    try {
      if (argc > 1) RefuseUnknown(app_, argv[1]);
      app_.parse(argc, argv);
      for (const auto& [command, run] : commands_) {
        if (command->parsed()) RefuseLostVariables(*command);
      }
      Check();
    } catch (const CLI::ParseError& error) {
      std::ostringstream why;  // with words of the command line, which may be names of files
      if (app_.exit(error, std::cout, why) == 0) return kDone;
      std::cerr << ShownLines(why.str()) << Help(error.what(), {argv, std::size_t(argc)});
      return kCannotRun;
    }
    std::cerr << MisspeltVariables(app_);
    for (const auto& [command, run] : commands_) {
      if (command->parsed()) return run();
    }
    return kDone;
  }

 private:
  static std::string VersionLine() {
    return "tpu-admission " + std::string(Version()) + " (" + std::string(Revision()) + ")";
  }

  CLI::App& Add(const std::string& name, const std::string& what, std::function<int()> run) {
    CLI::App* const command = app_.add_subcommand(name, what);
    commands_.emplace_back(command, std::move(run));
    return *command;
  }

  void AddServe() {
    CLI::App& command = Add("serve", "run the admission webhook", [this] { return Serve(serve_); });
    AddServeFlags(command, serve_);
    AddConfig(command);
  }

  void AddController() {
    CLI::App& command = Add("controller", "keep certificates and webhook configurations in order",
                            [this] { return RunController(controller_); });
    AddControllerFlags(command, controller_);
    AddConfig(command);
  }

  void AddAudit() {
    CLI::App& command = Add("audit", "judge what is in the cluster again and again, as reports",
                            [this] { return Audit(audit_); });
    AddEngineFlags(command, audit_.engine);
    AddAuditFlags(command, audit_);
    AddConfig(command);
    command.footer(
        "Every flag has a key in the YAML file of --config (metrics-port: 8080), and all but\n"
        "--once and --clean an environment twin (--metrics-port is\n"
        "TPU_ADMISSION_METRICS_PORT). Flag beats environment beats file.");
  }

  void AddConfig(CLI::App& command) {
    AddFlag(command, "--config", config_file_, "YAML file with flags")->type_name("FILE");
    command.footer(kFlagsFooter);
  }

  void AddCheck() {
    CLI::App& command = Add("check", "check YAML files by the same rules", [this] {
      if (const Status read = project_.Apply(check_); !read) return CannotRun(read.error());
      return app::Check(check_);
    });
    AddEngineFlags(command, check_.engine);
    AddCheckFlags(command, check_);
    project_.AddFlags(command);
  }

  void AddPolicy() {
    CLI::App& command = Add("policy", "test a policy", [this] { return TestPolicy(policy_test_); });
    command.require_subcommand(1);
    CLI::App& test = *command.add_subcommand(
        "test", "hold a policy against cases: manifests and the verdicts that are expected");
    test.add_option("FILE", policy_test_.files, "files of cases; docs/policy.md has one")
        ->required();
    AddEngineFlags(test, policy_test_.engine);
    test.footer("Exit codes: 0 all cases hold, 1 some do not, 2 a file could not be read.");
  }

  void AddSchema() {
    CLI::App& command = Add("schema", "print the JSON Schema of a file or an answer", [this] {
      std::cout << offline::Schema(schema_);
      return kDone;
    });
    const auto names = offline::SchemaNames();
    command.add_option("NAME", schema_, "of which")
        ->required()
        ->check(IsOneOf({names.begin(), names.end()}));
  }

  void AddLsp() {
    CLI::App& command = Add("lsp", "the same rules in an editor: a language server", [this] {
      lsp_.given = GivenFlags(*app_.get_subcommand("lsp"));
      return Lsp(lsp_);
    });
    AddEngineFlags(command, lsp_.engine);
    AddProjectFlags(command, lsp_.project_file, lsp_.no_project_file);
    AddFlag(command, "--namespace", lsp_.namespace_name, "of objects that name none")
        ->check(IsName());
    command.add_flag("--stdio", lsp_.stdio, "speak over standard streams, as it always does");
  }

  void AddExplain() {
    CLI::App& command =
        Add("explain", "tell what a rule is about", [this] { return Explain(explain_); });
    CLI::Option* rules = command.add_option(
        "RULE", explain_.rules, "ids, names, or how ids begin (TPU3); without any, all are listed");
    command.add_flag("--profiles", explain_.profiles, "tell what the profiles change")
        ->excludes(rules);
    AddOutput(command, explain_.output, {"text", "markdown"});
  }

  void AddCatalog() {
    CLI::App& command = Add("catalog", "print generations, topologies and zones",
                            [this] { return ShowCatalog(catalog_); });
    command.add_option("ONLY", catalog_.only, "generations and topologies, e.g. v6e 4x4");
    AddFlag(command, "--catalog", catalog_.catalog_file,
            "catalog to print instead of the built-in one")
        ->type_name("FILE");
    AddOutput(command, catalog_.output, {"text", "json"});
  }

  void AddPlan() {
    app::AddPlan(Add("plan", "tell the ways to get chips, and write one down",
                     [this] { return ShowPlan(plan_); }),
                 plan_);
  }

  void AddScan() {
    CLI::App& command = Add("scan", "judge what is in a cluster, by your own kubectl",
                            [this] { return Scan(scan_); });
    AddEngineFlags(command, scan_.engine);
    app::AddScan(command, scan_);
  }

  void AddWhy() {
    CLI::App& command = Add("why", "tell why a workload does not run, by your own kubectl",
                            [this] { return Why(why_); });
    AddEngineFlags(command, why_.engine);
    app::AddWhy(command, why_);
  }

  void AddWebhooks() {
    CLI::App& command =
        Add("webhooks", "print rules and matchConditions for webhook configurations",
            [this] { return ShowWebhooks(webhooks_); });
    AddFlag(command, "--policy", webhooks_.policy_file, "policy with kinds of your own")
        ->type_name("FILE");
  }

  void AddVerify() {
    CLI::App& command = Add("verify", "ask the API server whether the webhook is at work",
                            [this] { return Verify(verify_); });
    AddVerifyFlags(command, verify_);
  }

  void AddCompletion() {
    CLI::App& command = Add("completion", "print what a shell completes by", [this] {
      PrintCompletion(app_, shell_);
      return kDone;
    });
    command.add_option("SHELL", shell_, "which shell")
        ->required()
        ->check(IsOneOf({"bash", "zsh", "fish"}));
    command.footer(kCompletionFooter);
  }

  void AddHelp() {
    CLI::App& command = Add("help", "tell about a command", [this] {
      PrintHelp(app_, help_words_, help_output_ == "man");
      return kDone;
    });
    const auto find = [this](const std::vector<std::string>& words) {
      (void)FindCommand(app_, words);
      help_words_ = words;
    };
    command.add_option_function<std::vector<std::string>>("COMMAND", find, "its name");
    AddOutput(command, help_output_, {"text", "man"});
  }

  // What CLI11 does not say: "did you mean --version?" for the first flag that is none, else which
  // variables gave what is wrong.
  std::string Help(std::string_view error, std::span<const char* const> words) const {
    const auto parsed = app_.get_subcommands();
    const CLI::App& command = parsed.empty() ? app_ : *parsed.front();
    for (const std::string_view each : words) {
      const std::string word(each.substr(0, each.find('=')));
      if (!word.starts_with("--") || command.get_option_no_throw(word) != nullptr) continue;
      const std::string nearest = NearestFlag(command, word);
      return nearest.empty() ? "" : "did you mean " + nearest + "?\n";
    }
    return WantsTrueOrFalse(command, error) + GivenByVariables(command, error, words);
  }

  // "Could not convert: --mutating = maybe" says not to what.
  static std::string WantsTrueOrFalse(const CLI::App& command, std::string_view error) {
    constexpr std::string_view kStart = "Could not convert: ";
    if (!error.starts_with(kStart)) return "";
    const std::string_view flag = error.substr(kStart.size(), error.find(" = ") - kStart.size());
    const CLI::Option* const option = command.get_option_no_throw(std::string(flag));
    const bool is_bool = option != nullptr && option->get_type_name() == "BOOLEAN";
    return is_bool ? "it wants true or false\n" : "";
  }

  // What parsing alone cannot see. Throws CLI::ParseError.
  void Check() {
    for (const auto& [command, run] : commands_) {
      if (!command->parsed()) continue;
      if (!config_file_.empty()) ApplyConfigFile(*command, config_file_, DiskFiles());
      RequireFiles(*command, DiskFiles());
    }
    if (app_.got_subcommand("serve")) CheckServe(serve_);
    if (app_.got_subcommand("controller")) CheckController(controller_);
  }

  CLI::App app_{
      "Checks TPU workloads on GKE before they are stuck: admission webhook and offline checker.",
      "tpu-admission"};
  std::vector<std::pair<CLI::App*, std::function<int()>>> commands_;
  std::string config_file_;
  std::vector<std::string> help_words_;
  std::string help_output_ = "text";
  std::string shell_;
  ServeOptions serve_;
  ControllerOptions controller_;
  AuditOptions audit_;
  CheckOptions check_;
  ProjectFile project_;
  PolicyTestOptions policy_test_;
  std::string schema_;
  LspOptions lsp_;
  ExplainOptions explain_;
  CatalogOptions catalog_;
  PlanOptions plan_;
  ScanOptions scan_;
  WhyOptions why_;
  WebhooksOptions webhooks_;
  VerifyOptions verify_;
};

}  // namespace

int CannotRun(const Error& why) {
  std::cerr << "tpu-admission: " << ShownLines(why.message) << '\n';
  return kCannotRun;
}

void ShowWarnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::cerr << "tpu-admission: warning: " << ShownLines(warning) << '\n';
  }
}

int Run(int argc, char** argv) try {
  const int code = CommandLine(argc > 0 ? argv[0] : "").Run(argc, argv);
  std::cout.flush();
  return std::cout ? code : CannotRun(Error{"the output cannot be written"});
} catch (const std::exception& unforeseen) {
  return CannotRun(Error{unforeseen.what()});
}

}  // namespace tpu_admission::app

// `tpu-admission scan`: what is in a cluster, judged as if it were created now.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/kubectl_options.h"
#include "app/open_reports.h"
#include "app/scan_formats.h"
#include "app/settings_loader.h"
#include "app/streams.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/cluster/scan.h"

namespace tpu_admission::app {
namespace {

using cluster::ScanFinding;
using cluster::ScannedWorkload;
using cluster::ScanReport;
using rules::Mode;
using Json = nlohmann::ordered_json;

// Empty: it is not told to people.
std::string Word(const ScanFinding& finding) {
  if (finding.mode_before) {
    return std::string(rules::Name(*finding.mode_before)) + " -> " +
           std::string(rules::Name(finding.mode));
  }
  if (finding.denies()) return "denied";
  if (finding.would_deny()) return "denied without the policy's default";
  return finding.mode == Mode::kWarn ? "warned" : "";
}

void PrintIndented(const std::string& text, std::ostream& out) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out << "    " << line << '\n';
}

void Print(const ScannedWorkload& workload, std::ostream& out) {
  out << "  " << workload.kind << " \"" << workload.name << "\"\n";
  for (const ScanFinding& finding : workload.findings) {
    const std::string word = Word(finding);
    if (word.empty()) continue;
    out << "    " << word << ": " << finding.summary << '\n';
    PrintIndented(finding.paragraph + "  -> " + finding.change, out);
  }
  if (workload.mode() == Mode::kDeny && !workload.repairs.empty()) {
    out << "    what would run:\n";
    char label = 'a';
    for (const cluster::ScanRepair& repair : workload.repairs) {
      out << "      " << label++ << ") " << repair.text << '\n';
    }
  }
  if (!workload.fixed.empty()) {
    out << "    fixed in its new pods:";
    for (const rules::Rule* rule : workload.fixed) out << ' ' << rule->id;
    out << '\n';
  }
  for (const std::string& note : workload.notes) out << "    " << note << '\n';
}

void PrintCounts(const ScanReport& report, bool difference, std::ostream& out) {
  out << Counted(report.objects, "object") << " read, " << Counted(report.workloads, "TPU workload")
      << ": ";
  if (difference) {
    out << report.told.size() << " would be treated otherwise\n";
    return;
  }
  out << report.Count(Mode::kDeny) << " denied, " << report.Count(Mode::kWarn) << " warned, "
      << report.CountFixed() << " fixed in new pods\n";
  if (const std::size_t more = report.CountWouldBeDenied(); more > 0) {
    out << more << " more denied without the policy's default\n";
  }
}

bool IsTold(const ScannedWorkload& workload) {
  return !workload.fixed.empty() || !workload.notes.empty() ||
         std::any_of(workload.findings.begin(), workload.findings.end(),
                     [](const ScanFinding& finding) { return !Word(finding).empty(); });
}

void PrintText(const ScanReport& report, bool difference) {
  const auto print = [](const std::ostringstream& out) { std::cout << ShownLines(out.str()); };
  std::optional<std::string> last;
  for (const ScannedWorkload& workload : report.told) {
    if (!IsTold(workload)) continue;
    std::ostringstream out;
    if (last != workload.namespace_name) {
      out << (workload.namespace_name.empty() ? "cluster" : "namespace " + workload.namespace_name)
          << '\n';
      last = workload.namespace_name;
    }
    Print(workload, out);
    out << '\n';
    print(out);
  }
  std::ostringstream out;
  for (const std::string& error : report.errors) out << "not read: " << error << '\n';
  PrintCounts(report, difference, out);
  print(out);
}

Json ToJson(const ScannedWorkload& workload, const ScanFinding& finding) {
  Json entry = {{"file", ""},
                {"line", 0},
                {"column", 0},
                {"document", 0},
                {"apiVersion", workload.api_version},
                {"kind", workload.kind},
                {"namespace", workload.namespace_name},
                {"name", workload.name},
                {"rule", finding.rule->id},
                {"rule_name", finding.rule->name},
                {"mode", rules::Name(finding.mode)},
                {"would_be", rules::Name(finding.would_be)},
                {"field", FieldPath(finding.pointer)},
                {"pointer", finding.pointer},
                {"container", finding.container},
                {"summary", finding.summary},
                {"problem", finding.problem},
                {"change", finding.change},
                {"edits", Json::parse(finding.edits)}};
  if (!finding.decision.empty()) entry["decision"] = finding.decision;
  if (finding.more > 0) entry["more"] = finding.more;
  if (finding.mode_before) entry["mode_before"] = rules::Name(*finding.mode_before);
  return entry;
}

Json NameOf(const ScannedWorkload& workload) {
  return {{"apiVersion", workload.api_version},
          {"kind", workload.kind},
          {"namespace", workload.namespace_name},
          {"name", workload.name}};
}

void PrintRepairs(const ScannedWorkload& workload, JsonList& repairs) {
  char label = 'a';
  for (const cluster::ScanRepair& repair : workload.repairs) {
    Json entry = {{"file", ""}, {"document", 0}};
    entry.update(NameOf(workload));
    entry.update({{"label", std::string(1, label++)},
                  {"text", repair.text},
                  {"total_chips", {repair.chips_before, repair.chips_after}},
                  {"patch", Json::parse(repair.patch)}});
    repairs.Add(entry);
  }
}

void PrintNamed(const ScannedWorkload& workload, const char* member, const std::string& value,
                JsonList& list) {
  Json entry = NameOf(workload);
  entry[member] = value;
  list.Add(entry);
}

// List by list, a workload at a time.
void PrintJson(const ScanReport& report) {
  const auto print_list = [&](const char* name, const auto& print) {
    std::cout << ",\n";
    JsonList list(name);
    for (const ScannedWorkload& workload : report.told) print(workload, list);
  };
  std::cout << "{\n  \"version\": 1,\n  \"documents\": " << report.objects
            << ",\n  \"workloads\": " << report.workloads;
  print_list("findings", [](const ScannedWorkload& workload, JsonList& list) {
    for (const ScanFinding& finding : workload.findings) list.Add(ToJson(workload, finding));
  });
  print_list("repairs", PrintRepairs);
  print_list("fixed", [](const ScannedWorkload& workload, JsonList& list) {
    for (const rules::Rule* rule : workload.fixed) {
      PrintNamed(workload, "rule", std::string(rule->id), list);
    }
  });
  print_list("notes", [](const ScannedWorkload& workload, JsonList& list) {
    for (const std::string& note : workload.notes) PrintNamed(workload, "note", note, list);
  });
  std::cout << ",\n";
  {
    JsonList errors("errors");
    for (const std::string& error : report.errors) {
      errors.Add({{"file", ""}, {"line", 0}, {"column", 0}, {"error", error}});
    }
  }
  std::cout << "\n}\n";
}

Status ReadStream(cluster::Scanner& scanner) {
  return ReadObjects(
      std::cin, [&](std::string_view block) { return scanner.Read(block); },
      [&] { return scanner.FinishReading(); });
}

// A line on a terminal that is written over; nothing elsewhere.
class Progress {
 public:
  ~Progress() { Say(""); }
  void Say(const std::string& what) const {
    if (!terminal_) return;
    std::cerr << "\r\033[K" << (what.empty() ? "" : "reading " + what) << std::flush;
  }

 private:
  const bool terminal_ = ::isatty(STDERR_FILENO) == 1;
};

Status Read(const ScanOptions& options, cluster::Scanner& scanner) {
  scanner.KeepTo(options.kubectl.namespace_name);
  if (options.path == "-") {
    const Status status = ReadStream(scanner);
    return status ? status : Error{"standard input: " + status.error().message};
  }
  cluster::KubectlProgram kubectl(ToProgram(options.kubectl));
  const std::string& space = options.kubectl.namespace_name;
  if (!space.empty()) {  // nothing is in one that is misspelt, and that would look good
    constexpr std::size_t kOfAName = 4096;
    const auto found = Output(kubectl, {"get", "namespace", space, "--output=name"}, kOfAName);
    const bool is_missing = !found && found.error().code == std::errc::no_such_file_or_directory;
    if (is_missing) return Error{"the namespace " + Printable(space) + " does not exist"};
  }
  const Progress progress;
  return scanner.ReadCluster(kubectl, space, [&](const std::string& what) { progress.Say(what); });
}

void Print(const std::string& format, const ScanReport& report, bool difference) {
  if (format == "text") return PrintText(report, difference);
  if (format == "json") return PrintJson(report);
  if (format == "openreports") return PrintOpenReports(report, SystemClock().Now());
  PrintAsCheckDoes(report, format);
}

bool NewlyDenies(const ScanReport& report) {
  return std::any_of(report.told.begin(), report.told.end(), [](const ScannedWorkload& workload) {
    return workload.mode() == Mode::kDeny;
  });
}

}  // namespace

int Scan(const ScanOptions& options) {
  if (options.policies.size() > 2) return CannotRun(Error{"--policy may be given twice, not more"});
  if (options.all_namespaces && !options.kubectl.namespace_name.empty()) {
    return CannotRun(Error{"--all-namespaces and --namespace exclude each other"});
  }
  EngineOptions engine = options.engine;
  if (!options.policies.empty()) engine.policy_file = options.policies.back();
  const auto settings = SettingsLoader(engine, DiskFiles()).Load();
  if (!settings) return CannotRun(settings.error());
  std::shared_ptr<const admission::Settings> before;
  if (options.policies.size() == 2) {
    engine.policy_file = options.policies.front();
    auto loaded = SettingsLoader(engine, DiskFiles()).Load();
    if (!loaded) return CannotRun(loaded.error());
    before = *std::move(loaded);
  }
  cluster::Scanner scanner(**settings, before.get(), DayOf(SystemClock().Now()));
  const Status status = Read(options, scanner);
  ScanReport report = scanner.TakeReport();
  const bool nothing_came = report.workloads == 0 && report.errors.empty();
  if (!status && nothing_came) return CannotRun(status.error());
  if (!status) report.errors.push_back(status.error().message);
  Print(options.output, report, before != nullptr);
  if (!report.errors.empty()) return kCannotRun;
  return NewlyDenies(report) ? kFaultsFound : kDone;
}

}  // namespace tpu_admission::app

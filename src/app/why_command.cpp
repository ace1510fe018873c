// `tpu-admission why`: why a workload does not run.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/kubectl_options.h"
#include "app/settings_loader.h"
#include "app/streams.h"
#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/cluster/collector.h"
#include "tpu_admission/cluster/why.h"

namespace tpu_admission::app {
namespace {

using cluster::Cause;
using cluster::Diagnosis;
using cluster::Snapshot;
using Json = nlohmann::ordered_json;

void Print(const Cause& cause, std::ostream& out) {
  out << cause.word << ": " << cause.text << '\n';
  out << "  -> " << cause.change << '\n';
  for (const std::string& line : cause.evidence) out << "     " << line << '\n';
}

void PrintText(const Snapshot& snapshot, const Diagnosis& diagnosis) {
  std::ostringstream out;
  out << snapshot.object.Title();
  if (!snapshot.object.namespace_name.empty()) {
    out << " in namespace " << snapshot.object.namespace_name;
  }
  const bool some_run = snapshot.running_workers() > 0;
  out << (diagnosis.running ? " runs: "
          : some_run        ? " runs in part: "
                            : " does not run: ")
      << diagnosis.summary << ".\n";
  for (std::size_t i = 0; i < diagnosis.causes.size(); ++i) {
    out << (i == 1 ? "\nAlso:\n" : i == 0 ? "\n" : "");
    Print(diagnosis.causes[i], out);
  }
  for (const std::string& what : snapshot.not_read) out << "\nnot read: " << what << '\n';
  if (snapshot.left_out > 0) {
    out << "\nnot looked at, since there are too many: " << snapshot.left_out << " objects\n";
  }
  std::cout << ShownLines(out.str());
}

void PrintJson(const Snapshot& snapshot, const Diagnosis& diagnosis) {
  Json causes = Json::array();
  for (const Cause& cause : diagnosis.causes) {
    causes.push_back({{"cause", cause.word},
                      {"text", cause.text},
                      {"do", cause.change},
                      {"evidence", cause.evidence}});
  }
  const Json answer = {{"version", 1},
                       {"object",
                        {{"apiVersion", snapshot.object.api_version},
                         {"kind", snapshot.object.kind},
                         {"namespace", snapshot.object.namespace_name},
                         {"name", snapshot.object.name}}},
                       {"running", diagnosis.running},
                       {"summary", diagnosis.summary},
                       {"causes", causes},
                       {"not_read", snapshot.not_read},
                       {"left_out", snapshot.left_out}};
  WriteJson(answer);
}

Status ReadStream(std::istream& in, cluster::Collector& collector) {
  return ReadObjects(
      in, [&](std::string_view block) { return collector.Read(block); },
      [&] { return collector.FinishReading(); });
}

Status Read(const WhyOptions& options, const cluster::Target& target,
            cluster::Collector& collector) {
  if (options.from.empty()) {
    cluster::KubectlProgram kubectl(ToProgram(options.kubectl));
    return collector.ReadCluster(kubectl, target);
  }
  collector.LookFor(target);
  if (options.from == "-") {
    const Status status = ReadStream(std::cin, collector);
    return status ? status : Error{"standard input: " + status.error().message};
  }
  const std::string shown = ShownPath(options.from);
  std::error_code error;
  if (std::filesystem::is_directory(options.from, error)) {
    return Error{shown + ": is a folder, wanted a file"};
  }
  std::ifstream file(options.from, std::ios::binary);
  if (!file) return Error{shown + ": " + std::generic_category().message(errno)};
  const Status status = ReadStream(file, collector);
  return status ? status : Error{shown + ": " + status.error().message};
}

// What may matter all the same is no reason for another exit code.
bool IsDoubt(const Cause& cause) {
  return cause.word == "own-doubt" || cause.word == "finished" || cause.word == "idle";
}

void PrintTable() {
  std::cout << "| cause | what is so | what to do |\n|---|---|---|\n";
  for (const cluster::CauseRow& row : cluster::CauseTable()) {
    std::cout << "| `" << row.word << "` | " << row.meaning << " | " << row.change << " |\n";
  }
}

void PrintTableAsJson() {
  Json causes = Json::array();
  for (const cluster::CauseRow& row : cluster::CauseTable()) {
    causes.push_back({{"cause", row.word}, {"meaning", row.meaning}, {"do", row.change}});
  }
  WriteJson({{"version", 1}, {"causes", std::move(causes)}});
}

}  // namespace

int Why(const WhyOptions& options) {
  if (options.list) {
    options.output == "json" ? PrintTableAsJson() : PrintTable();
    return kDone;
  }
  const auto target = cluster::ParseTarget(options.object, options.kubectl.namespace_name);
  if (!target) return CannotRun(target.error());
  const auto settings = SettingsLoader(options.engine, DiskFiles()).Load();
  if (!settings) return CannotRun(settings.error());
  cluster::Collector collector(**settings, DayOf(SystemClock().Now()));
  if (const Status status = Read(options, *target, collector); !status) {
    return CannotRun(status.error());
  }
  const auto snapshot = collector.Finish();
  if (!snapshot) return CannotRun(snapshot.error());
  const Diagnosis diagnosis = cluster::Diagnose(*snapshot);
  options.output == "json" ? PrintJson(*snapshot, diagnosis) : PrintText(*snapshot, diagnosis);
  const bool fine = std::all_of(diagnosis.causes.begin(), diagnosis.causes.end(), IsDoubt);
  return fine ? kDone : kFaultsFound;
}

}  // namespace tpu_admission::app

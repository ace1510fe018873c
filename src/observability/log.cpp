#include "tpu_admission/observability/log.h"

#include "observability/line_writer.h"
#include "observability/log_line.h"
#include "observability/request_counters.h"

namespace tpu_admission::observability {

struct Log::State {
  LineWriter writer;
  const Level level;
};

Log::Log(int descriptor, Level level)
    : state_(new State{.writer = LineWriter(descriptor), .level = level}) {}
Log::~Log() = default;

std::size_t Log::lines_dropped() const { return state_->writer.dropped(); }

void Log::Write(Level level, std::string_view message, Fields fields) {
  if (level < state_->level) return;
  LogLine line(level, message);
  for (const auto& [name, value] : fields) line.Text(name, value);
  state_->writer.Add(line.Finish());
}

void Log::WriteDecision(const admission::Record& record, const Call& call) {
  if (Level::kInfo < state_->level) return;
  const k8s::AdmissionRequest& request = record.request;
  const bool mutates = call.endpoint == admission::Endpoint::kMutate;
  LogLine line(Level::kInfo, "decision");
  line.Raw("endpoint", mutates ? "\"/mutate\"" : "\"/validate\"");
  line.Text("uid", request.uid);
  if (!call.trace_id.empty()) line.Text("trace_id", call.trace_id);
  line.Text("kind", request.kind.kind);
  line.Text("namespace", request.namespace_name);
  line.Text("name", request.name);
  if (request.name.empty()) {
    line.Text("generate_name", request.object["metadata"]["generateName"].StringOr(""));
  }
  line.Text("operation", Name(request.operation));
  line.Text("decision", OutcomeLabel(record));
  line.Rules(record.findings);
  line.Ignored(record.findings);
  line.Raw("dry_run", request.dry_run ? "true" : "false");
  line.Raw("duration_us", std::to_string(call.duration.count() / 1000));
  if (!record.error.empty()) line.Text("error", record.error);
  state_->writer.Add(line.Finish());
}

}  // namespace tpu_admission::observability

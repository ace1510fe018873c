#include "controller/record_writer.h"

#include <algorithm>
#include <utility>

#include "controller/json.h"
#include "tpu_admission/controller/node_recorder.h"

namespace tpu_admission::controller {
namespace {

// GKE's and the open-source cluster autoscaler write it wherever they run.
// kubernetes/autoscaler, cluster-autoscaler/clusterstate/utils/status.go
const kube::ObjectPath kAutoscalerStatus =
    kube::ConfigMapPath("kube-system", "cluster-autoscaler-status");

std::optional<tpu::SeenShapes> ReadRecord(const std::string& body) {
  const Json object = ParseJson(body);
  const Json& data = At(object, "/data");
  const auto text = data.is_object() ? data.find(kNodeRecordKey) : data.end();
  if (!data.is_object() || text == data.end() || !text->is_string()) return std::nullopt;
  auto record = tpu::SeenShapes::Load(text->get_ref<const std::string&>(), kNodeRecordKey);
  return record ? std::optional(*std::move(record)) : std::nullopt;
}

}  // namespace

RecordWriter::RecordWriter(kube::Api& api, kube::ObjectPath config_map, NodeTable& table,
                           const Clock& clock, std::function<bool()> may_write, Observer& observer)
    : api_(api),
      path_(std::move(config_map)),
      table_(table),
      clock_(clock),
      may_write_(std::move(may_write)),
      observer_(observer) {}

void RecordWriter::Step() {
  if (clock_.Elapsed() < not_before_ || !may_write_()) return;
  if (!table_.Record()) return;
  if (version_.empty() && !Adopt()) {
    not_before_ = clock_.Elapsed() + kBetweenWrites;
    return;
  }
  std::optional<tpu::SeenShapes> record = table_.Record();
  if (!record) return;
  record->since = since_ = std::min(since_, record->current);  // the clock may be set back
  record->autoscaler = record->autoscaler || HasAutoscaler();
  if (IsDue(*record) && may_write_()) Write(*std::move(record));
}

// A record that was kept until now is continued; what an older one says of shapes that are gone is
// remembered all the same.
bool RecordWriter::Adopt() {
  const kube::Answer answer = api_.Get(path_);
  if (!answer.ok()) {
    observer_.OnError(Operation::kReadNodeRecord, answer.error);
    return false;
  }
  const std::int64_t now = std::chrono::system_clock::to_time_t(clock_.Now());
  version_ = TextAt(ParseJson(answer.body), "/metadata/resourceVersion");
  written_ = ReadRecord(answer.body);
  if (written_) table_.Remember(*written_);
  since_ = written_ && written_->IsCurrent(now) ? written_->since : now;
  return true;
}

// Where that cannot be told, there may be one.
bool RecordWriter::HasAutoscaler() {
  if (clock_.Elapsed() < ask_autoscaler_) return has_autoscaler_;
  ask_autoscaler_ = clock_.Elapsed() + kAskAutoscaler;
  const kube::Answer answer = api_.Get(kAutoscalerStatus);
  has_autoscaler_ = answer.outcome != kube::Outcome::kNotFound;
  if (has_autoscaler_ && !answer.ok()) {
    observer_.OnError(Operation::kReadNodeRecord, answer.error);
  }
  return has_autoscaler_;
}

bool RecordWriter::IsDue(const tpu::SeenShapes& record) const {
  return !written_ || written_->since != record.since ||
         written_->autoscaler != record.autoscaler || written_->shapes != record.shapes ||
         record.current < written_->current || record.current - written_->current >= kBringUp;
}

void RecordWriter::Write(tpu::SeenShapes record) {
  not_before_ = clock_.Elapsed() + kBetweenWrites;
  const Json patch = {{"metadata", {{"resourceVersion", version_}}},
                      {"data", {{kNodeRecordKey, record.Text()}}}};
  const kube::Answer answer = api_.Patch(path_, kube::PatchKind::kMerge, Dumped(patch));
  version_.clear();
  if (answer.outcome == kube::Outcome::kConflict) return;  // it is read again, and then written
  if (!answer.ok()) return observer_.OnError(Operation::kWriteNodeRecord, answer.error);
  version_ = TextAt(ParseJson(answer.body), "/metadata/resourceVersion");
  written_ = std::move(record);
}

}  // namespace tpu_admission::controller

#include "tpu_admission/audit/auditor.h"

#include <array>
#include <optional>
#include <set>

#include "audit/lists.h"
#include "audit/report_store.h"
#include "tpu_admission/cluster/scan.h"
#include "tpu_admission/workload/gke_labels.h"

namespace tpu_admission::audit {
namespace {

using cluster::ReportApi;
using cluster::ScannedWorkload;

// The better ones first.
constexpr std::array<const ReportApi*, 2> kApis = {&cluster::kOpenReports,
                                                   &cluster::kPolicyReports};

class Run {
 public:
  Run(kube::Collections& api, const Clock& clock, std::chrono::seconds gang_patience)
      : api_(api),
        gang_patience_(gang_patience),
        discovery_(api),
        now_(clock.Now()),
        seconds_(
            std::chrono::duration_cast<std::chrono::seconds>(now_.time_since_epoch()).count()) {}

  Outcome Pass(const admission::Settings& settings) {
    if (!FindReports(true)) return std::move(outcome_);
    cluster::Scanner scanner(settings, nullptr, DayOf(now_));
    for (const auto& rows : {workload::Kinds(), settings.policy.kinds().own()}) {
      for (const workload::Kind& kind : rows) Judge(kind, scanner);
    }
    const bool counted = Note(ReadNodes()) && !failed_.contains("Pod");
    if (counted) WriteCapacity();
    if (!counted) failed_.insert("");  // of the report that is about no kind
    if (store_) Note(store_->DeleteOthers(failed_));
    return Finish();
  }

  Outcome Clean() {
    FindReports(false);
    return Finish();
  }

 private:
  Outcome Finish() {
    if (store_) outcome_.written = store_->written();
    if (store_) outcome_.deleted += store_->deleted();
    return std::move(outcome_);
  }

  // Chooses where to write, and deletes what lies elsewhere. False: there is no use in going on.
  bool FindReports(bool choose) {
    if (!Note(discovery_.Read())) return false;
    for (const ReportApi* const api : kApis) {
      const auto has = discovery_.Has(std::string(api->group), std::string(api->version),
                                      std::string(api->resource));
      if (!has) return Note(has.error());
      if (!*has) continue;
      ReportStore store(api_, *api);
      if (!Note(store.Read())) return false;
      if (choose && !store_) {
        outcome_.reports = api->group;
        before_ = cluster::SinceOf(store.capacity());
        report_api_ = api;
        store_.emplace(std::move(store));
        continue;
      }
      Note(store.DeleteOthers({}));
      outcome_.deleted += store.deleted();
    }
    return true;
  }

  void Judge(const workload::Kind& kind, cluster::Scanner& scanner) {
    const auto collection = discovery_.Find(kind);
    if (!collection) {
      failed_.insert(std::string(kind.name));
      return void(Note(collection.error()));
    }
    if (collection->path.empty()) return;
    const bool pods = kind.name == "Pod" && kind.group.empty();
    std::size_t since_told = 0;
    const Status status = ForEachObject(api_, *collection, "", [&](std::string_view object) {
      scanner.Take(object);
      if (pods) CountPod(object);
      constexpr std::size_t kOften = 100;  // bounds what the scanner keeps
      if (++since_told % kOften == 0) Tell(scanner.TakeReport());
    });
    Tell(scanner.TakeReport());
    if (!Note(status)) failed_.insert(std::string(kind.name));
  }

  void CountPod(std::string_view object) {
    // Most pods of a cluster ask for no TPUs: they are not parsed a second time.
    if (object.find(workload::kTpuResource) == object.npos) return;
    const auto json = parser_.Parse(object);
    if (!json) return;  // the scanner has said so
    auto pod = cluster::ReadTpuPod(*json);
    // One that has ended says only how many pods its slice had.
    if (!pod || (pod->phase == "Succeeded" && pod->slice.empty())) return;
    if (pod->phase == "Failed" && pod->refusal.empty()) return;
    Keep(std::move(*pod), pods_);
  }

  Status ReadNodes() {
    const Collection nodes{"/api/v1/nodes", "v1", "Node"};
    return ForEachObject(api_, nodes, std::string(workload::kGkeTpuAccelerator),
                         [this](std::string_view object) {
                           const auto json = parser_.Parse(object);
                           if (!json)
                             return Keep("a node: " + json.error().message, outcome_.unread);
                           if (auto node = cluster::ReadTpuNode(*json)) {
                             Keep(std::move(*node), nodes_);
                           }
                         });
  }

  template <typename Fact>
  void Keep(Fact fact, std::vector<Fact>& facts) {
    if (facts.size() < Outcome::kMostCounted) return facts.push_back(std::move(fact));
    ++outcome_.left_out;
  }

  void Tell(const cluster::ScanReport& report) {
    outcome_.objects += report.objects;
    outcome_.workloads += report.workloads;
    for (const std::string& error : report.errors) Keep(error, outcome_.unread);
    for (const ScannedWorkload& workload : report.told) {
      if (!workload.fixed.empty()) ++outcome_.fixed;
      if (workload.findings.empty()) continue;
      ++outcome_.told[workload.mode()];
      for (const auto& finding : workload.findings)
        ++outcome_.findings[{finding.rule, finding.mode}];
      if (!store_ || !IsReported(workload)) continue;
      Note(store_->Write(cluster::ReportOf(*report_api_, workload, seconds_)));
    }
  }

  void WriteCapacity() {
    outcome_.capacity = cluster::FindWaste(nodes_, pods_, before_, seconds_, gang_patience_);
    if (!store_ || outcome_.capacity.found.empty()) return;
    Note(store_->Write(cluster::ReportOf(*report_api_, outcome_.capacity, seconds_)));
  }

  bool Note(const Status& status) {
    if (!status) Keep(status.error().message, outcome_.errors);
    return status.ok();
  }
  static void Keep(const std::string& text, std::vector<std::string>& texts) {
    if (texts.size() < Outcome::kMostErrors) texts.push_back(text);
  }

  kube::Collections& api_;
  const std::chrono::seconds gang_patience_;
  Discovery discovery_;
  const Clock::Wall now_;
  const std::int64_t seconds_;
  k8s::JsonParser parser_;
  const ReportApi* report_api_ = nullptr;
  std::optional<ReportStore> store_;
  std::map<std::string, std::int64_t> before_;
  std::vector<cluster::TpuNode> nodes_;
  std::vector<cluster::TpuPod> pods_;
  std::set<std::string> failed_;  // kinds that were not all read
  Outcome outcome_;
};

}  // namespace

Outcome Auditor::Pass(const admission::Settings& settings) {
  return Run(api_, clock_, gang_patience_).Pass(settings);
}

Outcome Auditor::Clean() { return Run(api_, clock_, gang_patience_).Clean(); }

}  // namespace tpu_admission::audit

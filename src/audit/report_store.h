// The reports of ours in a cluster: written where they differ, deleted where nothing is found any
// more.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "audit/lists.h"
#include "tpu_admission/cluster/reports.h"

namespace tpu_admission::audit {

class ReportStore {
 public:
  ReportStore(kube::Collections& api, const cluster::ReportApi& of) : api_(api), of_(of) {}

  // What there is, by our label.
  Status Read();
  // The text of the report of the cluster's capacity as Read() saw it; empty: there is none.
  const std::string& capacity() const { return capacity_; }

  Status Write(const cluster::ReportObject& report);
  // Deletes what Read() saw and Write() was not given, but for reports about kinds of `spared`.
  Status DeleteOthers(const std::set<std::string>& spared);

  std::size_t written() const { return written_; }
  std::size_t deleted() const { return deleted_; }

 private:
  struct Known {
    std::string content;
    std::string kind;  // that it is about
  };
  Status ReadAll(const std::string& resource, const std::string& kind);
  std::string PathOf(const std::string& namespace_name, const std::string& name) const;

  kube::Collections& api_;
  const cluster::ReportApi& of_;
  std::map<std::string, Known> known_;  // by path
  std::string capacity_;
  std::size_t written_ = 0;
  std::size_t deleted_ = 0;
};

}  // namespace tpu_admission::audit

#include "cluster/served_kinds.h"

#include <set>
#include <span>
#include <sstream>

namespace tpu_admission::cluster {

std::string ResourceName(const workload::Kind& kind) {
  std::string name(kind.resource);
  if (!kind.group.empty()) name.append(".").append(kind.group);
  return name;
}

Result<std::set<std::string>> ServedResources(Kubectl& kubectl,
                                              std::vector<std::string>& complaints) {
  std::string text;
  const Status status = kubectl.Run({"api-resources", "--verbs=list", "-o", "name"},
                                    [&text](std::string_view piece) -> Status {
                                      constexpr std::size_t kMostBytes = std::size_t(4) << 20;
                                      if (text.size() > kMostBytes) return Error{"too many kinds"};
                                      text += piece;
                                      return OkStatus();
                                    });
  if (text.empty()) {
    return status ? Error{"`kubectl api-resources` names no kind to read"} : status.error();
  }
  if (!status) complaints.push_back(status.error().message);
  std::istringstream lines(text);
  std::set<std::string> served;
  for (std::string line; std::getline(lines, line);) served.insert(line);
  return served;
}

Result<std::vector<const workload::Kind*>> ServedKinds(
    Kubectl& kubectl, const std::vector<const workload::KindTable*>& tables,
    std::vector<std::string>& complaints) {
  TPU_ADMISSION_TRY(std::set<std::string> served, ServedResources(kubectl, complaints));
  std::vector<const workload::Kind*> kinds;
  const auto add = [&](std::span<const workload::Kind> rows) {
    for (const workload::Kind& kind : rows) {
      if (served.erase(ResourceName(kind)) > 0) kinds.push_back(&kind);
    }
  };
  add(workload::Kinds());
  for (const workload::KindTable* const table : tables) add(table->own());
  return kinds;
}

}  // namespace tpu_admission::cluster

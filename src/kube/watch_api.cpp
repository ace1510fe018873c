#include "tpu_admission/kube/watch_api.h"

#include "tpu_admission/kube/collections.h"

namespace tpu_admission::kube {
namespace {

void Append(std::string& target, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  target += target.find('?') == target.npos ? '?' : '&';
  target.append(key).append("=").append(Escaped(value));
}

}  // namespace

std::string TargetOf(const ListQuery& query) {
  std::string target = query.collection;
  Append(target, "labelSelector", query.label_selector);
  Append(target, "limit", std::to_string(query.limit));
  Append(target, "continue", query.continue_token);
  return target;
}

std::string TargetOf(const WatchQuery& query) {
  std::string target = query.collection;
  Append(target, "labelSelector", query.label_selector);
  Append(target, "watch", "true");
  Append(target, "allowWatchBookmarks", "true");
  Append(target, "resourceVersion", query.resource_version);
  Append(target, "timeoutSeconds", std::to_string(query.length.count()));
  return target;
}

}  // namespace tpu_admission::kube

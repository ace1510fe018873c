// The other border to the API server: what is in a collection, page by page, and what changes in
// it. Whoever uses this needs the verbs list and watch on the collection. Only metadata is asked
// for (PartialObjectMetadata): a node's status is large, and changes all the time.
// https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "tpu_admission/kube/api.h"

namespace tpu_admission::kube {

struct ListQuery {
  std::string collection;           // "/api/v1/nodes"
  std::string label_selector = {};  // empty: all
  int limit = 500;                  // of objects in a page
  std::string continue_token = {};  // of the page before; empty: the first
};

struct WatchQuery {
  std::string collection;
  std::string label_selector = {};
  std::string resource_version = {};  // of the list, or of the last event
  std::chrono::seconds length{240};   // after which the server shall end it
};

// Calls block. One thread at a time.
class WatchApi {
 public:
  // An event as it came, one JSON object; false ends the watch.
  using Take = std::function<bool(std::string_view event)>;

  virtual ~WatchApi() = default;
  // One page: a list object, whose metadata has `continue` if there are more.
  virtual Answer List(const ListQuery& query) = 0;
  // Hands over events as they come. kOk: the server ended the watch in order, or `take` did. It
  // blocks for little more than `length`. There is one attempt.
  virtual Answer Watch(const WatchQuery& query, const Take& take) = 0;
};

// What follows "?" for the query, escaped.
std::string TargetOf(const ListQuery& query);
std::string TargetOf(const WatchQuery& query);

}  // namespace tpu_admission::kube

// What an API server has, and its objects page by page.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/result.h"
#include "tpu_admission/kube/collections.h"
#include "tpu_admission/workload/kinds.h"

namespace tpu_admission::audit {

// A collection of one kind.
struct Collection {
  std::string path;  // "/apis/batch/v1/jobs"
  std::string api_version;
  std::string kind;
};

// What the server says of itself; asks for each group and version once.
class Discovery {
 public:
  explicit Discovery(kube::Collections& api) : api_(api) {}

  // Reads which groups there are.
  Status Read();
  // The kind in the first version of its group that the server has it in, as something that can be
  // listed; an empty path: it has not. An error: the server cannot tell.
  Result<Collection> Find(const workload::Kind& kind);
  // Whether the server has the resource in just this version.
  Result<bool> Has(const std::string& group, const std::string& version,
                   const std::string& resource);

 private:
  using Resources = std::set<std::string>;
  Result<Resources> Of(const std::string& path);

  kube::Collections& api_;
  std::map<std::string, std::vector<std::string>> versions_;  // by group
  std::map<std::string, Resources> resources_;                // by path of group and version
};

// Hands over the JSON of each object, with the apiVersion and kind that lists of built-in kinds
// leave out. Pages of 500, or fewer where they are too large to be read at once. A page that
// goes on where it began, or the 20,000th, ends it as an error: such a list goes in circles.
Status ForEachObject(kube::Collections& api, const Collection& collection,
                     const std::string& label_selector,
                     const std::function<void(std::string_view)>& each);

// A list without what is in arrays: its metadata.
std::string Envelope(std::string_view list);

}  // namespace tpu_admission::audit

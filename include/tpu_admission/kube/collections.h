// The border to the Kubernetes API server for those who look at whole collections, and keep objects
// that are theirs alone. (Who only needs a few objects by name uses kube::Api.)
#pragma once

#include <string>

#include "tpu_admission/kube/api.h"

namespace tpu_admission::kube {

// Calls block, for a limited time. One thread at a time.
class Collections {
 public:
  virtual ~Collections() = default;
  // A GET of `target`, path and query: a page of a list, or what the server says of itself.
  // kTooLarge: ask for less.
  virtual Answer Read(const std::string& target) = 0;
  // Server-side apply: makes the object at `path` or changes it, whoever else has written it.
  virtual Answer Apply(const std::string& path, const std::string& object) = 0;
  virtual Answer Delete(const std::string& path) = 0;
};

// What may stand in a query or path as it is; the rest as %XX.
std::string Escaped(std::string_view text);

}  // namespace tpu_admission::kube

// The record of the cluster's TPU nodes as a server finds it: a mounted file that the controller
// keeps. It sharpens answers and is never needed, so whatever is wrong with it makes the nodes
// unknown, and nothing else. One thread.
#pragma once

#include <memory>
#include <string>

#include "tpu_admission/base/clock.h"
#include "tpu_admission/base/files.h"
#include "tpu_admission/base/lifetime.h"
#include "tpu_admission/base/result.h"
#include "tpu_admission/tpu/seen_shapes.h"

namespace tpu_admission::app {

// For those who are given the file by a person: an error if it cannot be read, or is no record.
Status CheckNodeRecord(const std::string& path, const Files& files);

class NodeRecord {
 public:
  // An empty path: there is no record.
  NodeRecord(std::string path, const Files& files TPU_ADMISSION_LIFETIME_BOUND)
      : path_(std::move(path)), files_(files) {}

  // Reads the file; true if what is known is another thing than before.
  bool Refresh(Clock::Wall now);

  // nullptr: the nodes are not known as they are now.
  const std::shared_ptr<const tpu::SeenShapes>& shapes() const { return shapes_; }
  // Why they are not, if somebody should see to it; else empty.
  const std::string& fault() const { return fault_; }

 private:
  std::shared_ptr<const tpu::SeenShapes> Known(Clock::Wall now);

  std::string path_;
  const Files& files_;
  std::shared_ptr<const tpu::SeenShapes> shapes_;
  std::string fault_;
};

}  // namespace tpu_admission::app

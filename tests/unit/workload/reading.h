// An object in, the workload out: the way of the tests of this layer.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tpu_admission/workload/workload.h"

namespace tpu_admission::workload {

// Reads one object after the other; a workload lives until the next is read.
class Reading {
 public:
  Result<Workload> Try(std::string_view group, std::string_view kind, const nlohmann::json& object,
                       std::string_view version = "v1") {
    text_ = object.dump();
    return ReadWorkload(kinds, {group, version, kind}, parser_.Parse(text_).value(), arena_);
  }
  Workload Of(std::string_view group, std::string_view kind, const nlohmann::json& object) {
    return Try(group, kind, object).value();
  }

  KindTable kinds;

 private:
  std::string text_;
  k8s::JsonParser parser_;
  k8s::Arena arena_;
};

// The spec of a pod whose container asks for `chips`; of 0 chips without any resource.
inline nlohmann::json PodSpecOf(int chips = 4) {
  nlohmann::json container = {{"name", "jax"}};
  if (chips != 0) container["resources"]["limits"]["google.com/tpu"] = chips;
  return {{"containers", {container}}};
}

// `object` with `value` at `pointer`; parents are made.
inline nlohmann::json Put(nlohmann::json object, const std::string& pointer, nlohmann::json value) {
  object[nlohmann::json::json_pointer(pointer)] = std::move(value);
  return object;
}

}  // namespace tpu_admission::workload

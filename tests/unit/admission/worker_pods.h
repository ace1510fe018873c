// Pods of workers as their controllers make them, and what becomes of them in /mutate.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "support/asker.h"

namespace tpu_admission::admission {

nlohmann::json Container(const std::string& name, int chips, nlohmann::json env = nullptr);
nlohmann::json TwoContainers(nlohmann::json env);  // of two chips

nlohmann::json RayPod(const std::string& replica, const std::string& host,
                      const std::string& accelerator, const std::string& topology,
                      nlohmann::json containers);
nlohmann::json StatefulPod(int number, const std::string& accelerator, const std::string& topology,
                           nlohmann::json containers);
// Worker 2 of slice 1 of 2, which work together.
nlohmann::json JobSetPod(nlohmann::json env);

extern const rules::Cluster kSelfManaged;

// The pod as it will be stored; fails if the patch does not apply or is asked for again.
nlohmann::json Mutated(const nlohmann::json& pod, const rules::Cluster& cluster = {},
                       const std::string& policy = "");

// The variable of a container; "" if it is not set, "twice" if it is set twice.
std::string Value(const nlohmann::json& pod, const std::string& name, std::size_t container = 0,
                  const std::string& list = "containers");

}  // namespace tpu_admission::admission

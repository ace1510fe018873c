// Pods as users may well write them, by a seed: the same seed, the same pod.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace tpu_admission {

// Valid for the API server, but not always sound, and odd in every optional place: missing, null
// and empty parents, 0 to 12 containers of every role, keys with / and ~, amounts in every form.
nlohmann::json RandomPod(std::uint64_t seed);
// The same, of a controller that numbers its pods: one of several workers of a slice, mostly.
nlohmann::json RandomWorker(std::uint64_t seed);

}  // namespace tpu_admission

// A container of a pod, decoded from JSON once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tpu_admission/k8s/decoder.h"
#include "tpu_admission/k8s/resources.h"

namespace tpu_admission::k8s {

enum class ContainerRole : std::uint8_t { kInit, kSidecar, kMain, kEphemeral };

struct Variable {
  std::string_view name;
  std::optional<std::string_view> value;  // nothing if it is set from elsewhere (valueFrom)
};

struct Container {
  // The index of a container that stands alone, outside a list.
  static constexpr std::size_t kAlone = std::size_t(-1);

  ContainerRole role = ContainerRole::kMain;
  bool privileged = false;
  bool has_host_port = false;
  std::string_view list;  // "initContainers", "containers", ...: its path below the pod's spec
  std::size_t index = 0;  // within its list
  std::string_view name;
  ResourceList requests;
  ResourceList limits;
  std::span<const Variable> env;
  JsonView json;  // all of it

  // Runs for the pod's life, beside the other containers: a container or a sidecar.
  bool Stays() const { return role == ContainerRole::kMain || role == ContainerRole::kSidecar; }
  bool IsPrivileged() const { return privileged; }
  bool HasHostPort() const { return has_host_port; }
  bool HasEnv(std::string_view variable) const { return EnvIndex(variable) < env.size(); }
  // The value as written; nothing if the variable is not set, or set from elsewhere (valueFrom).
  std::optional<std::string_view> EnvValue(std::string_view variable) const;
  std::size_t EnvIndex(std::string_view variable) const;  // its place in env, if it is there
  // What counts for the scheduler: the request, or the limit where there is no request; nullptr if
  // there is neither.
  const Amount* Requested(std::string_view resource) const;
};

// Where containers stand: a path of one or two names below the spec, and what stands there.
struct ContainerList {
  std::string_view path;
  ContainerRole role;
  bool alone = false;  // no list: one container
};

// The containers of all `lists`, at most a hundred: rules hold them against each other, and real
// pods have a handful.
std::span<const Container> DecodeContainers(JsonView spec, std::span<const ContainerList> lists,
                                            Decoder& decoder);

}  // namespace tpu_admission::k8s

#include "tpu_admission/k8s/container.h"

#include <algorithm>
#include <array>

#include "tpu_admission/base/same_text.h"

namespace tpu_admission::k8s {
namespace {

constexpr std::size_t kMaxContainers = 100;

std::span<const Variable> DecodeEnv(JsonView container, Decoder& decoder) {
  const JsonView list = decoder.List(container, "env");
  const std::span<Variable> env = decoder.arena().Array<Variable>(list.size());
  for (std::size_t i = 0; i < env.size(); ++i) {
    const JsonView json = list.Element(i);
    if (!decoder.Fits(json, "an element of env")) break;
    env[i] = {json["name"].StringOr(""), decoder.ValueOf(json)};
  }
  return env;
}

bool UsesHostPort(JsonView container, Decoder& decoder) {
  const JsonView ports = container["ports"];
  if (!decoder.Fits(ports, "ports")) return false;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const JsonView port = ports.Element(i);
    if (!decoder.Fits(port, "an element of ports")) return false;
    if (port["hostPort"].AsInteger().value_or(0) != 0) return true;
  }
  return false;
}

bool IsPrivileged(JsonView container, Decoder& decoder) {
  const JsonView context = container["securityContext"];
  return decoder.Fits(context, "securityContext") && context["privileged"].IsTrue();
}

Container DecodeContainer(JsonView element, const ContainerList& list, std::size_t index,
                          Decoder& decoder) {
  const JsonView json = decoder.ObjectElement(element, list.path);
  Container container;
  container.json = json;
  container.list = list.path;
  container.index = index;
  container.name = decoder.Name(json);
  const JsonView resources = decoder.Object(json, "resources");
  container.requests = DecodeResources(resources, "requests", decoder);
  container.limits = DecodeResources(resources, "limits", decoder);
  container.env = DecodeEnv(json, decoder);
  container.privileged = IsPrivileged(json, decoder);
  container.has_host_port = UsesHostPort(json, decoder);
  const bool sidecar =
      list.role == ContainerRole::kInit && json["restartPolicy"].StringOr("") == "Always";
  container.role = sidecar ? ContainerRole::kSidecar : list.role;
  return container;
}

JsonView Find(JsonView spec, const ContainerList& list, Decoder& decoder) {
  if (list.alone) return decoder.Object(spec, list.path);
  const std::size_t slash = list.path.find('/');
  if (slash == list.path.npos) return decoder.List(spec, list.path);
  const JsonView parent = decoder.Object(spec, list.path.substr(0, slash));
  return decoder.List(parent, list.path.substr(slash + 1));
}

}  // namespace

std::optional<std::string_view> Container::EnvValue(std::string_view variable) const {
  const std::size_t place = EnvIndex(variable);
  return place < env.size() ? env[place].value : std::nullopt;
}

std::size_t Container::EnvIndex(std::string_view variable) const {
  const auto found = std::find_if(
      env.begin(), env.end(), [&](const Variable& each) { return SameText(each.name, variable); });
  return std::size_t(found - env.begin());
}

const Amount* Container::Requested(std::string_view resource) const {
  const Amount* const amount = requests.Find(resource);
  return amount != nullptr ? amount : limits.Find(resource);
}

std::span<const Container> DecodeContainers(JsonView spec, std::span<const ContainerList> lists,
                                            Decoder& decoder) {
  constexpr std::size_t kMostLists = 8;
  std::array<JsonView, kMostLists> found;
  std::size_t count = 0;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    found[i] = Find(spec, lists[i], decoder);
    count += lists[i].alone ? std::size_t{found[i].present()} : found[i].size();
  }
  if (count > kMaxContainers) decoder.Exceed(kMaxContainers, "containers");
  if (!decoder.exceeded().empty()) return {};
  const std::span<Container> containers = decoder.arena().Array<Container>(count);
  std::size_t next = 0;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (lists[i].alone) {
      if (!found[i].present()) continue;
      containers[next++] = DecodeContainer(found[i], lists[i], Container::kAlone, decoder);
      continue;
    }
    for (std::size_t j = 0; j < found[i].size(); ++j) {
      containers[next++] = DecodeContainer(found[i].Element(j), lists[i], j, decoder);
    }
  }
  return containers;
}

}  // namespace tpu_admission::k8s

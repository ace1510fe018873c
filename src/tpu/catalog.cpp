#include "tpu_admission/tpu/catalog.h"

#include <algorithm>

namespace tpu_admission::tpu {

const StorageClass* Catalog::FindStorageClass(std::string_view name) const {
  const auto found = std::find_if(storage_classes_.begin(), storage_classes_.end(),
                                  [&](const StorageClass& row) { return row.name == name; });
  return found == storage_classes_.end() ? nullptr : &*found;
}

const Generation* Catalog::FindByLabel(std::string_view label) const {
  const auto found =
      std::find_if(generations_.begin(), generations_.end(),
                   [label](const Generation& generation) { return generation.label == label; });
  return found == generations_.end() ? nullptr : &*found;
}

const Generation* Catalog::FindByMachine(std::string_view machine) const {
  const auto found = std::find_if(
      generations_.begin(), generations_.end(),
      [machine](const Generation& generation) { return generation.FindMachine(machine); });
  return found == generations_.end() ? nullptr : &*found;
}

const Generation* Catalog::FindByFamily(std::string_view family) const {
  const auto found = std::find_if(
      generations_.begin(), generations_.end(),
      [family](const Generation& generation) { return generation.machine_family == family; });
  return found == generations_.end() ? nullptr : &*found;
}

}  // namespace tpu_admission::tpu

#include "offline/text_proof.h"

#include <algorithm>
#include <map>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/k8s/yaml_tree.h"

namespace tpu_admission::offline {
namespace {

using k8s::JsonEdit;

using EditsByItem = std::map<std::size_t, std::vector<JsonEdit>>;  // with pointers from the item on

bool ReadsAs(k8s::JsonView before, k8s::JsonView after, const std::vector<JsonEdit>& edits,
             k8s::Arena& arena);

// Whether `after` is the list `before` with the edits of its items.
bool ItemsReadAs(k8s::JsonView before, k8s::JsonView after, const EditsByItem& edits,
                 k8s::Arena& arena) {
  if (!after.is_array() || after.size() != before.size()) return false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto some = edits.find(i);
    const k8s::JsonView was = before.Element(i);
    const k8s::JsonView item = after.Element(i);
    if (some == edits.end() ? !Equal(was, item) : !ReadsAs(was, item, some->second, arena)) {
      return false;
    }
  }
  return true;
}

// Whether `after` is `before` with the edits. Each edit copies the list that it is in, so those of
// the items of a list are made item by item, also in a list in a list.
bool ReadsAs(k8s::JsonView before, k8s::JsonView after, const std::vector<JsonEdit>& edits,
             k8s::Arena& arena) {
  const bool in_list = before.is_array();
  const k8s::JsonView list = in_list ? before : before["items"];
  EditsByItem by_item;
  for (const JsonEdit& edit : edits) {
    const std::string_view pointer = edit.pointer;
    const std::size_t bytes = ItemBytes(pointer);
    const std::size_t slash = pointer.substr(0, bytes).rfind('/');
    const std::optional<std::size_t> index =
        PointerIndex(pointer.substr(0, bytes).substr(slash + 1));
    const bool good =
        list.is_array() && bytes > 0 && (slash == 0) == in_list && index && *index < list.size();
    if (!good) return Equal(Edited(before, edits, arena), after);
    by_item[*index].push_back({std::string(pointer.substr(bytes)), edit.value, edit.name});
  }
  if (in_list) return ItemsReadAs(before, after, by_item, arena);
  if (!after.is_object() || before.size() != after.size()) return false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::string_view key = before.MemberKey(i);
    if (after.MemberKey(i) != key) return false;
    const bool same = key == "items" ? ItemsReadAs(list, after.Member(i), by_item, arena)
                                     : Equal(before.Member(i), after.Member(i));
    if (!same) return false;
  }
  return true;
}

}  // namespace

std::size_t ItemBytes(std::string_view pointer) {
  constexpr std::string_view kItems = "/items";
  const std::size_t list = pointer.starts_with("/items/") ? kItems.size() : 0;
  const std::size_t end = std::min(pointer.find('/', list + 1), pointer.size());
  const bool is_index =
      end > list + 1 && std::all_of(pointer.begin() + std::ptrdiff_t(list) + 1,
                                    pointer.begin() + std::ptrdiff_t(end), IsDigit);
  return is_index ? end : 0;
}

std::size_t InnermostItemBytes(std::string_view pointer) {
  std::size_t bytes = ItemBytes(pointer);
  while (pointer.substr(bytes).starts_with("/items/")) {
    const std::size_t more = ItemBytes(pointer.substr(bytes));
    if (more == 0) break;
    bytes += more;
  }
  return bytes;
}

bool ReadsAs(const YamlStream& before, std::string_view text, const std::vector<JsonEdit>& edits) {
  const YamlStream after = ReadYaml(text);
  if (before.documents.size() != 1 || after.documents.size() != 1 ||
      after.errors.size() != before.errors.size()) {
    return false;
  }
  k8s::Arena arena;
  return ReadsAs(k8s::TreeOf(*before.documents[0].root, arena),
                 k8s::TreeOf(*after.documents[0].root, arena), edits, arena);
}

}  // namespace tpu_admission::offline

// The one sentence that says what edits do, so that text and data cannot differ.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/rules/finding.h"

namespace tpu_admission::rules {
namespace {

constexpr std::string_view kOf = " of ";

// "parallelism", "limits of google.com/tpu", "cloud.google.com/gke-tpu-topology".
std::string NameOf(const k8s::JsonEdit& edit) {
  if (!edit.name.empty()) return std::string(edit.name);
  const std::string_view pointer = edit.pointer;
  const std::size_t slash = pointer.rfind('/');
  std::string_view last = pointer.substr(slash);
  const std::string_view above = pointer.substr(0, slash);
  const std::string_view list = above.substr(above.rfind('/') + 1);
  std::string name = Printable(TakePointerToken(last));
  if (name.find_first_not_of("0123456789") == name.npos) {
    name.insert(0, "[").insert(0, list).append("]");  // "zones[0]"
  }
  return list == "requests" || list == "limits" ? std::string(list).append(kOf) + name : name;
}

// "a", "a and b", "a, b and c"; "requests and limits of cpu" of both.
std::string Join(std::vector<std::string> names) {
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    const std::size_t of = names[i].find(kOf);
    const std::size_t next = names[i + 1].find(kOf);
    if (of == std::string::npos || next == std::string::npos) continue;
    if (names[i].substr(of) != names[i + 1].substr(next)) continue;
    names[i] = names[i].substr(0, of) + " and " + names[i + 1];
    names.erase(names.begin() + std::ptrdiff_t(i) + 1);
  }
  std::string text = names.front();
  for (std::size_t i = 1; i < names.size(); ++i) {
    text += (i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

}  // namespace

std::string SentenceOf(const workload::Edits& edits) {
  std::string text;
  for (std::size_t i = 0; i < edits.size();) {
    const k8s::JsonEdit& first = edits[i];
    std::vector<std::string> names;
    for (; i < edits.size() && edits[i].value == first.value; ++i)
      names.push_back(NameOf(edits[i]));
    const bool goes_on = &first != edits.data() && (&first - 1)->value && first.value;
    text += text.empty() ? "" : ", and ";
    text += goes_on ? "" : first.value ? "set " : "remove ";
    text += Join(std::move(names));
    if (first.value) text += " to " + workload::Shown(first);
  }
  return text;
}

std::string Finding::Change() const { return SentenceOf(edits) + change; }

}  // namespace tpu_admission::rules

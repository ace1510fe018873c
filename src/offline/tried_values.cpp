#include "offline/tried_values.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "offline/ignore_comments.h"
#include "offline/unread_kind.h"
#include "tpu_admission/base/json_pointer.h"
#include "tpu_admission/base/text.h"
#include "tpu_admission/base/yaml.h"
#include "tpu_admission/k8s/arena.h"
#include "tpu_admission/k8s/json_edit.h"

namespace tpu_admission::offline {
namespace {

using Pointers = std::vector<std::string>;

// Of a document: every place of the scalar that is written at `begin`, for aliases repeat it.
class Places {
 public:
  Places(const YamlDocument& document, std::size_t begin) : begin_(begin) {
    std::string pointer;
    Visit(*document.root, pointer);
  }
  const Pointers& pointers() const { return pointers_; }
  bool is_text() const { return is_text_; }

 private:
  void Visit(const YamlNode& node, std::string& pointer) {
    const std::size_t size = pointer.size();
    for (const YamlMember& member : node.members) {
      AppendPointerToken(pointer, member.key);
      Visit(*member.value, pointer);
      pointer.resize(size);
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      AppendPointerIndex(pointer, i);
      Visit(*node.items[i], pointer);
      pointer.resize(size);
    }
    const bool is_scalar = node.kind != YamlNode::Kind::kList && node.kind != YamlNode::Kind::kMap;
    if (!is_scalar || node.start.offset != begin_) return;
    pointers_.push_back(pointer);
    is_text_ = node.kind == YamlNode::Kind::kString;
  }

  std::size_t begin_;
  Pointers pointers_;
  bool is_text_ = false;
};

k8s::JsonScalar ScalarOf(const std::string& value, bool is_text) {
  const std::optional<std::int64_t> number = WholeNumber(value);
  if (is_text || !number) return value;
  return *number;
}

std::string TextOf(const k8s::JsonScalar& scalar) {
  const auto* const number = std::get_if<std::int64_t>(&scalar);
  return number != nullptr ? std::to_string(*number) : std::get<std::string>(scalar);
}

// A value that a finding names for the place, with all that the finding would change.
struct NamedValue {
  std::string value;
  const rules::Rule* rule = nullptr;
  std::vector<k8s::JsonEdit> edits;
};

// Tries values in one object of a file.
class Trial {
 public:
  Trial(const admission::Settings& settings, const CheckWish& wish, const TextWithValue& place,
        const ManifestObject& object, const Places& places, IgnoreComments& comments)
      : settings_(settings),
        wish_(wish),
        place_(place),
        object_(object),
        comments_(comments),
        is_text_(places.is_text()) {
    for (const std::string& pointer : places.pointers()) {
      if (!pointer.starts_with(object_.pointer + "/")) continue;
      pointers_.push_back(pointer.substr(object_.pointer.size()));
    }
  }

  bool is_of_object() const { return !pointers_.empty(); }

  // Together with other edits. What the findings name for the place is added to `named`.
  TriedValue Try(const std::string& value, std::vector<k8s::JsonEdit> edits,
                 std::vector<NamedValue>& named) {
    TriedValue tried{.value = value, .denied_by = {}};
    for (const std::string& pointer : pointers_) {
      edits.push_back({pointer, ScalarOf(value, is_text_)});
    }
    arena_.Reset();
    admission::Submission submission = SubmissionOf(object_, wish_);
    submission.object = Edited(object_.json, edits, arena_);
    if (!place_.companions.empty()) submission.companions = &place_.companions;
    const admission::Judgement judgement = Judge(settings_, submission, arena_);
    for (const admission::JudgedFinding& judged : judgement.decision.findings) {
      if (!Denies(judged)) continue;
      tried.denied_by.push_back(judged.finding.rule);
      AddNamed(judged.finding, named);
    }
    return tried;
  }

 private:
  // As it will be when the policy is enforced.
  bool Denies(const admission::JudgedFinding& judged) {
    const rules::Finding& finding = judged.finding;
    return std::max(judged.mode, judged.would_be) == rules::Mode::kDeny &&
           wish_.rules.Has(*finding.rule) &&
           comments_
               .ReasonToIgnore(*finding.rule, object_.document, object_.pointer + finding.pointer)
               .empty();
  }

  void AddNamed(const rules::Finding& finding, std::vector<NamedValue>& named) const {
    for (const k8s::JsonEdit& edit : finding.edits) {
      const bool is_here =
          std::find(pointers_.begin(), pointers_.end(), edit.pointer) != pointers_.end();
      if (!is_here || !edit.value) continue;
      named.push_back({TextOf(*edit.value), finding.rule, finding.edits});
    }
  }

  const admission::Settings& settings_;
  const CheckWish& wish_;
  const TextWithValue& place_;
  const ManifestObject& object_;
  IgnoreComments& comments_;
  Pointers pointers_;  // of the place, in the object
  bool is_text_;
  k8s::Arena arena_;
};

bool Has(const std::vector<TriedValue>& some, const std::string& value) {
  return std::any_of(some.begin(), some.end(),
                     [&](const TriedValue& tried) { return tried.value == value; });
}

std::size_t FewestDenials(const std::vector<TriedValue>& tried) {
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const TriedValue& each : tried) fewest = std::min(fewest, each.denied_by.size());
  return fewest;
}

// Of what the findings name, that which is denied less than all that was asked about.
void TryNamed(Trial& trial, const std::vector<NamedValue>& named, std::vector<TriedValue>& values) {
  const std::size_t fewest = FewestDenials(values);
  std::size_t left = fewest == 0 ? 0 : kMostTriedSuggestions;
  std::vector<NamedValue> more;  // which nobody follows
  for (const NamedValue& each : named) {
    if (Has(values, each.value)) continue;
    if (left-- == 0) return;
    TriedValue tried = trial.Try(each.value, each.edits, more);
    tried.asked_by = each.rule;
    if (tried.denied_by.size() < fewest) values.push_back(std::move(tried));
  }
}

void TryAll(Trial& trial, std::vector<TriedValue>& values) {
  std::vector<NamedValue> named;
  for (TriedValue& each : values) each = trial.Try(each.value, {}, named);
  TryNamed(trial, named, values);
  std::stable_sort(values.begin(), values.end(), [](const TriedValue& a, const TriedValue& b) {
    return a.denied_by.size() < b.denied_by.size();
  });
}

// The document of the stream that has the byte; nullptr: it could not be read.
const YamlDocument* DocumentAt(const YamlStream& stream, std::size_t offset) {
  for (const YamlDocument& document : stream.documents) {
    const YamlNode& root = *document.root;
    if (root.start.offset <= offset && offset < root.end.offset) return &document;
  }
  return nullptr;
}

// With its quote.
std::size_t BeginOf(const TextWithValue& place) {
  const char before = place.at == 0 ? ' ' : place.text[place.at - 1];
  return before == '"' || before == '\'' ? place.at - 1 : place.at;
}

}  // namespace

std::vector<TriedValue> TryValues(const admission::Settings& settings, const CheckWish& wish,
                                  const TextWithValue& place,
                                  const std::vector<std::string>& values) {
  std::vector<TriedValue> tried;
  for (const std::string& value : values) tried.push_back({.value = value, .denied_by = {}});
  if (values.empty() || values.size() > kMostTriedValues || place.text.size() > kMostTriedBytes) {
    return tried;
  }
  const std::size_t begin = BeginOf(place);
  const YamlStream stream = ReadYaml(place.text);
  const YamlDocument* const document = DocumentAt(stream, begin);
  if (document == nullptr || document->root->values * values.size() > kMostTriedNodes) return tried;
  std::vector<Note> ignored;
  IgnoreComments comments(place.text, stream, ignored);
  const Places places(*document, begin);
  bool is_done = places.pointers().empty();
  ForEachObject(stream, [&](const ManifestObject& object) {
    if (is_done || &object.document != document || !SaysWhatItIs(object.gvk)) return;
    Trial trial(settings, wish, place, object, places, comments);
    if (!trial.is_of_object()) return;
    TryAll(trial, tried);
    is_done = true;
  });
  return tried;
}

}  // namespace tpu_admission::offline

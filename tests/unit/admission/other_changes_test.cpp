// Of every manifest of the rules' cases: what has nothing to do with TPUs makes no difference. An
// UPDATE that changes nothing else is let in whatever was wrong before, and a new object is judged
// as it is without.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "support/asker.h"
#include "support/rule_cases.h"
#include "support/temp_dir.h"
#include "support/yaml_json.h"

namespace tpu_admission::admission::other_changes_test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct Change {
  const char* name;
  std::function<void(json& object)> make;
};

// Each map of the object, outermost first.
void ForEachMap(json& value, const std::function<void(json& map)>& take) {
  if (value.is_object()) take(value);
  if (!value.is_structured()) return;
  for (json& below : value) ForEachMap(below, take);
}

bool HasList(const json& map, const char* key) {
  return map.contains(key) && map[key].is_array() && !map[key].empty();
}

void ForEachContainer(json& object, const std::function<void(json& container)>& take) {
  ForEachMap(object, [&](json& map) {
    if (!HasList(map, "containers")) return;
    for (json& container : map["containers"]) {
      if (container.is_object()) take(container);
    }
  });
}

void AddFirst(json& map, const char* list, const char* name) {
  const json container = {{"name", name}, {"image", "example.com/log"}};
  if (!map[list].is_array()) map[list] = json::array();
  map[list].insert(map[list].begin(), container);
}

const Change kChanges[] = {
    {"nothing", [](json&) {}},
    {"a label", [](json& object) { object["metadata"]["labels"]["team"] = "a"; }},
    {"a container before the others",
     [](json& object) {
       ForEachMap(object, [](json& map) {
         if (HasList(map, "containers")) AddFirst(map, "containers", "log");
       });
     }},
    {"an init container",
     [](json& object) {
       ForEachMap(object, [](json& map) {
         if (HasList(map, "containers")) AddFirst(map, "initContainers", "prepare");
       });
     }},
    {"images",
     [](json& object) {
       ForEachContainer(object, [](json& c) { c["image"] = "example.com/other:2"; });
     }},
    {"a variable",
     [](json& object) {
       ForEachContainer(object, [](json& c) {
         if (!c["env"].is_array()) c["env"] = json::array();
         c["env"].push_back({{"name", "LEVEL"}, {"value", "debug"}});
       });
     }},
    {"a toleration before the others",
     [](json& object) {
       ForEachMap(object, [](json& map) {
         if (!HasList(map, "containers")) return;
         const json toleration = {{"key", "team"}, {"operator", "Exists"}};
         if (!map["tolerations"].is_array()) map["tolerations"] = json::array();
         map["tolerations"].insert(map["tolerations"].begin(), toleration);
       });
     }},
    {"the order of the containers",
     [](json& object) {
       ForEachMap(object, [](json& map) {
         if (HasList(map, "containers")) {
           std::reverse(map["containers"].begin(), map["containers"].end());
         }
       });
     }},
    {"the order of the pod sets",
     [](json& object) {
       ForEachMap(object, [](json& map) {
         for (const char* const list : {"replicatedJobs", "workerGroupSpecs"}) {
           if (HasList(map, list)) std::reverse(map[list].begin(), map[list].end());
         }
       });
     }},
};

// Each workload of the cases as it is, with what is said of it.
void ForEachCase(Asker& asker,
                 const std::function<void(const fs::path&, const json&, const Answer&)>& take) {
  for (const fs::path& path : support::RuleCases()) {
    const std::string text = support::ReadText(path);
    const auto documents = ParseYaml(text).value();
    for (const auto& document : documents) {
      const json object = json::parse(document.json);
      if (!object.is_object() || !object.contains("kind")) continue;
      const Answer answer = asker.Validate(Review(object));
      if (answer.valid()) take(path, object, answer);
    }
  }
}

TEST(OtherChanges, AnotherChangeOfWhatIsDeniedIsLetIn) {
  Asker asker;
  std::size_t denied = 0;
  ForEachCase(asker, [&](const fs::path& path, const json& before, const Answer& fresh) {
    if (fresh.allowed()) return;
    ++denied;
    for (const Change& change : kChanges) {
      json after = before;
      change.make(after);
      const Answer answer = asker.Validate(Review(after).Update(before));
      EXPECT_TRUE(answer.allowed())
          << path << ": " << change.name << " is denied: " << answer.findings();
    }
  });
  EXPECT_GT(denied, 200u);
}

TEST(OtherChanges, WhatIsLetInIsSoWithWhatHasNothingToDoWithTpus) {
  Asker asker;
  std::size_t let_in = 0;
  ForEachCase(asker, [&](const fs::path& path, const json& object, const Answer& fresh) {
    if (!fresh.allowed()) return;
    ++let_in;
    for (const Change& change : kChanges) {
      json other = object;
      change.make(other);
      const Answer answer = asker.Validate(Review(other));
      EXPECT_TRUE(answer.allowed())
          << path << ": with " << change.name << " it is denied: " << answer.findings();
    }
  });
  EXPECT_GT(let_in, 400u);
}

}  // namespace
}  // namespace tpu_admission::admission::other_changes_test

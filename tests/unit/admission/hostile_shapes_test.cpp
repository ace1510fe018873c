// Bodies whose shape is chosen to cost much: what one review takes in memory is bounded, whatever
// is in it, and so is the number of things that are made for it (each costs an allocation, or a
// place in an array that is counted). No clock: a slow machine must not fail, a fast one not hide.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "support/asker.h"
#include "support/case_name.h"

namespace {

std::size_t live = 0;
std::size_t peak = 0;
std::size_t allocations = 0;

}  // namespace

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* memory = std::malloc(size);
  if (memory == nullptr) return nullptr;
  live += malloc_usable_size(memory);
  peak = std::max(peak, live);
  ++allocations;
  return memory;
}
void* operator new(std::size_t size) {
  void* memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  live -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
// Of an array too, which a sanitizer's own operators would not send here.
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { operator delete(memory); }
// Arenas ask for an alignment, by which malloc() aligns anyway.
void* operator new(std::size_t size, std::align_val_t) { return operator new(size); }
void operator delete(void* memory, std::align_val_t) noexcept { operator delete(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  operator delete(memory);
}

namespace tpu_admission::admission::hostile_shapes_test {
namespace {

constexpr std::size_t kMostBytes = 16 << 20;
constexpr std::size_t kMostAllocations = 400'000;

// `count` times `element`, with commas between; "#" is the number of the element.
std::string Many(std::size_t count, const std::string& element) {
  std::string all;
  const std::size_t mark = element.find('#');
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) all += ',';
    if (mark == element.npos) {
      all += element;
    } else {
      all += element.substr(0, mark) + std::to_string(i) + element.substr(mark + 1);
    }
  }
  return all;
}

std::string List(std::size_t count, const std::string& element) {
  return "[" + Many(count, element) + "]";
}
std::string Map(std::size_t count, const std::string& member) {
  return "{" + Many(count, member) + "}";
}

const std::string kKeys = R"("k#":"v")";
const std::string kLimits = R"({"name":"c#","resources":{"limits":{"google.com/tpu":3}}})";
const std::string kSelector =
    R"("nodeSelector":{"cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice"})";

// An affinity with `count` topologies to choose from.
std::string Topologies(std::size_t count) {
  std::string values;
  for (std::size_t i = 0; i < count; ++i) {
    values += (i == 0 ? "\"4x" : ",\"4x") + std::to_string(4 * i + 4) + "\"";
  }
  return R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
         R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"cloud.google.com/gke-tpu-topology",)"
         R"("operator":"In","values":[)" +
         values + "]}]}]}}}";
}

// The spec of a pod with TPUs and `more` of its members.
std::string Spec(const std::string& more, const std::string& containers = "[" + kLimits + "]") {
  return "{" + kSelector + R"(,"containers":)" + containers + (more.empty() ? "" : "," + more) +
         "}";
}

std::string Body(const std::string& group, const std::string& kind, const std::string& object,
                 const std::string& old_object = "") {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
         R"("kind":{"group":")" +
         group + R"(","version":"v1","kind":")" + kind + R"("},"operation":")" +
         (old_object.empty() ? "CREATE" : "UPDATE") + R"(","object":)" + object +
         (old_object.empty() ? "" : R"(,"oldObject":)" + old_object) + "}}";
}
std::string PodBody(const std::string& spec, const std::string& metadata = "{}") {
  return Body("", "Pod", R"({"metadata":)" + metadata + R"(,"spec":)" + spec + "}");
}
std::string Workflow(const std::string& templates, const std::string& more) {
  return R"({"spec":{"templates":)" + templates + "," + more + "}}";
}
std::string WorkflowBody(const std::string& templates, const std::string& more) {
  return Body("argoproj.io", "Workflow", Workflow(templates, more));
}
std::string JobSet(std::size_t sets, std::size_t containers, std::size_t alternatives,
                   const std::string& name = "s") {
  const std::string pod = Spec(Topologies(alternatives), List(containers, kLimits));
  std::string jobs;
  for (std::size_t i = 0; i < sets; ++i) {
    jobs += (i == 0 ? "" : ",") + (R"({"name":")" + name) + std::to_string(i) +
            R"(","template":{"spec":{"template":{"spec":)" + pod + "}}}}";
  }
  return R"({"spec":{"replicatedJobs":[)" + jobs + "]}}";
}
constexpr std::string_view kJobSets = "jobset.x-k8s.io";

struct Shape {
  std::string name;
  std::string (*body)();
  // Of the warning that it was not checked, or of the refusal; "judged": it was checked.
  std::string reason;
};

class HostileShapes : public testing::TestWithParam<Shape> {};

TEST_P(HostileShapes, CostBoundedMemoryAndAreLetInWithAWord) {
  const std::string body = GetParam().body();
  ASSERT_LT(body.size(), std::size_t{7} << 20);
  Asker asker;
  asker.Validate(Review(TpuPod()));
  const std::size_t before = live;
  for (const Endpoint endpoint : {Endpoint::kValidate, Endpoint::kMutate}) {
    const std::size_t made = allocations;
    peak = live;
    const Answer answer = asker.Ask(endpoint, body);
    EXPECT_LT(peak - before, body.size() + kMostBytes) << (peak - before - body.size());
    EXPECT_LT(allocations - made, kMostAllocations);
    EXPECT_LT(answer.text.size(), 200'000U);
    if (endpoint == Endpoint::kMutate) continue;
    if (GetParam().reason == "judged") {
      EXPECT_THAT(answer.text, testing::Not(testing::HasSubstr("not checked")));
      EXPECT_TRUE(answer.valid());
    } else {
      EXPECT_THAT(answer.text, testing::HasSubstr(GetParam().reason));
      const bool in_part = GetParam().reason.ends_with("all TPU faults");
      EXPECT_TRUE(in_part || !answer.valid() || answer.allowed());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    C1, HostileShapes,
    testing::Values(Shape{"EmptyTemplatesAndTolerations",
                          [] {
                            return WorkflowBody(
                                List(2000, "{}"),
                                R"("x":"google.com/tpu","tolerations":)" + List(2000, "{}"));
                          },
                          "not checked for TPU faults: more than 1000 entries in templates"},
                    Shape{"ManyMore",
                          [] {
                            return WorkflowBody(List(16'000, "{}"),
                                                R"("tolerations":[{"key":"google.com/tpu"},)" +
                                                    Many(16'000, "{}") + "]");
                          },
                          "more than 1000 entries in templates"},
                    Shape{"TemplatesThatShareDefaults",
                          [] {
                            return WorkflowBody(
                                List(1000, R"({"container":{}})"),
                                R"("tolerations":)" + List(200, R"({"key":"other"})"));
                          },
                          "judged"},
                    Shape{"DefaultsInNodeSelector",
                          [] {
                            return WorkflowBody(List(500, R"({"container":{}})"),
                                                R"("nodeSelector":)" + Map(40'000, kKeys) +
                                                    R"(,"tolerations":[{"key":"google.com/tpu"}])");
                          },
                          "entries in nodeSelector"},
                    Shape{"TemplatesWithChipsAndDefaults",
                          [] {
                            return WorkflowBody(List(50, R"({"container":)" + kLimits + "}"),
                                                R"("nodeSelector":)" + Map(500, kKeys));
                          },
                          "judged"},
                    Shape{"UpdateOfManyTemplates",
                          [] {
                            const std::string workflow =
                                Workflow(List(1000, R"({"name":"t#","container":{}})"),
                                         R"("nodeSelector":)" + Map(999, kKeys) +
                                             R"(,"tolerations":[{"key":"google.com/tpu"}])");
                            return Body("argoproj.io", "Workflow", workflow, workflow);
                          },
                          "not checked"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    C2, HostileShapes,
    testing::Values(
        Shape{"JobSet100x100x32",
              [] { return Body(std::string(kJobSets), "JobSet", JobSet(100, 100, 32)); },
              "not checked for TPU faults: more than 50000 entries in all lists and maps"},
        Shape{"UpdateOfJobSet",
              [] {
                return Body(std::string(kJobSets), "JobSet", JobSet(100, 100, 32),
                            JobSet(100, 100, 32, "t"));
              },
              "more than 50000 entries"},
        Shape{"JobSet100x20x32",
              [] { return Body(std::string(kJobSets), "JobSet", JobSet(100, 20, 32)); },
              "more than 30000 entries times alternatives of nodes"},
        Shape{"JobSet50x99",
              [] { return Body(std::string(kJobSets), "JobSet", JobSet(50, 99, 1)); },
              "more than 500 containers that ask for TPUs"},
        Shape{"AsManyContainersAsAreJudged",
              [] { return Body(std::string(kJobSets), "JobSet", JobSet(5, 100, 1)); }, "judged"},
        Shape{"AsMuchAsIsJudged",
              [] { return Body(std::string(kJobSets), "JobSet", JobSet(1, 90, 32)); }, "judged"},
        Shape{"Volumes", [] { return PodBody(Spec(R"("volumes":)" + List(280'000, "{}"))); },
              "more than 500 entries in volumes"},
        Shape{"MoreVolumesThanValues",
              [] { return PodBody(Spec(R"("volumes":)" + List(960'000, "{}"))); },
              "the body has more than 300000 JSON values"},
        Shape{"WorkflowOfManyKeys",
              [] {
                return WorkflowBody(List(90, R"({"container":)" + kLimits + "}"),
                                    Many(140'000, kKeys));
              },
              "more than 1000 entries in spec"},
        Shape{"Limits",
              [] {
                return PodBody(Spec("", R"([{"resources":{"limits":{"google.com/tpu":4,)" +
                                            Many(140'000, R"("k#":"1")") + "}}}]"));
              },
              "more than 100 entries in limits"},
        Shape{"NodeSelector",
              [] {
                return PodBody(R"({"nodeSelector":)" + Map(140'000, kKeys) + R"(,"containers":[)" +
                               kLimits + "]}");
              },
              "more than 1000 entries in nodeSelector"},
        Shape{"Annotations",
              [] { return PodBody(Spec(""), R"({"annotations":)" + Map(140'000, kKeys) + "}"); },
              "more than 1000 entries in annotations"},
        Shape{"Labels",
              [] { return PodBody(Spec(""), R"({"labels":)" + Map(140'000, kKeys) + "}"); },
              "more than 1000 entries in labels"}),
    CaseName());

// A pod of which each of `count` containers has as many amounts, requested beyond their limits.
std::string Amounts(std::size_t count, std::size_t alternatives, std::size_t name_bytes) {
  const std::string name = "\"r#" + std::string(name_bytes, 'x') + "\":";
  const std::string container = R"({"name":"c","resources":{"limits":{"google.com/tpu":4,)" +
                                Many(count, name + "\"1\"") + R"(},"requests":)" +
                                Map(count, name + "\"2\"") + "}}";
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += (i == 0 ? "" : ",") + container;
  return Spec(Topologies(alternatives), "[" + all + "]");
}
// Keys that each might be meant to be a label of GKE's.
std::string NearLabels(std::size_t count, std::size_t alternatives) {
  return R"({"nodeSelector":{"cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice",)" +
         Many(count, R"("cloud.google.com/gke-nodepoo#":"v")") + R"(},"containers":[)" + kLimits +
         "]," + Topologies(alternatives) + "}";
}

// A Volcano Job of `tasks` whose containers all ask for more than their limits, under `name`.
std::string ManyTasks(std::size_t tasks, const std::string& name) {
  std::string container = R"({"name":")" + name + std::string(240, 'n') +
                          R"(","resources":{"limits":{"google.com/tpu":4,)" +
                          Many(98, R"("r#":"1")") + R"(},"requests":)" + Map(98, R"("r#":"2")") +
                          "}}";
  std::string all;
  for (std::size_t i = 0; i < tasks; ++i) {
    all += (i == 0 ? "" : ",") + (R"({"name":"t)" + std::to_string(i)) +
           R"(","replicas":1,"template":{"spec":)" + Spec("", "[" + container + "]") + "}}";
  }
  return R"({"spec":{"tasks":[)" + all + "]}}";
}

// A JobSet at fault whose templates have `annotations`.
std::string Annotated(const std::string& annotations) {
  std::string job_set = JobSet(1, 1, 1);
  const std::string pod = R"("template":{"spec":{"nodeSelector")";
  return job_set.insert(job_set.find(pod) + 12,
                        R"("metadata":{"annotations":)" + annotations + "},");
}

// As much as is judged, all of it at fault.
INSTANTIATE_TEST_SUITE_P(
    Faults, HostileShapes,
    testing::Values(
        Shape{
            "UpdateOfAmounts",
            [] { return Body("batch.volcano.sh", "Job", ManyTasks(50, "a"), ManyTasks(50, "b")); },
            "not checked for all TPU faults"},
        Shape{"Exemptions",
              [] {
                std::string entries = R"({"tpu-admission.io/ignore":"TPU301=a)";
                for (int i = 0; i < 300'000; ++i) entries += ",TPU999=";
                return Body(std::string(kJobSets), "JobSet", Annotated(entries + "\"}"));
              },
              "judged"},
        Shape{"KeysNearTheExemption",
              [] {
                return Body(std::string(kJobSets), "JobSet",
                            Annotated(Map(999, R"("tpu-admission/ignore#":"a")")));
              },
              "judged"},
        Shape{"LabelsNearOthers", [] { return PodBody(NearLabels(900, 25)); }, "judged"},
        Shape{"LabelsNearOthersUpdated",
              [] {
                return Body("", "Pod", R"({"spec":)" + NearLabels(800, 25) + "}",
                            R"({"spec":)" + NearLabels(801, 24) + "}");
              },
              "judged"},
        Shape{"Amounts", [] { return PodBody(Amounts(20, 25, 0)); }, "judged"},
        Shape{"AmountsOfLongNames", [] { return PodBody(Amounts(10, 8, 2500)); },
              "not checked for all TPU faults"},
        Shape{"Volumes",
              [] {
                return PodBody(
                    Spec(Topologies(20) + R"(,"volumes":)" +
                         List(400, R"({"name":"v#","gcePersistentDisk":{"pdName":"x"}})")));
              },
              "judged"}),
    CaseName());

// Texts that rules read again for each alternative.
std::string LongText(std::size_t bytes, const std::string& before, const std::string& after) {
  return before + std::string(bytes, 'a') + after;
}
std::string LongVariable(std::size_t bytes, std::size_t alternatives) {
  return PodBody(Spec(Topologies(alternatives),
                      LongText(bytes,
                               R"([{"name":"c","resources":{"limits":{"google.com/tpu":3}},)"
                               R"("env":[{"name":"TPU_WORKER_HOSTNAMES","value":")",
                               "\"}]}]")));
}
INSTANTIATE_TEST_SUITE_P(
    LongTexts, HostileShapes,
    testing::Values(
        Shape{"Variable", [] { return LongVariable(2'800'000, 32); },
              "more than 30000 entries times alternatives of nodes"},
        Shape{"VariableOfOneShape", [] { return LongVariable(6'600'000, 1); }, "judged"},
        Shape{"VariableThatIsJudged", [] { return LongVariable(180'000, 32); }, "judged"},
        Shape{"NameOfAJob",
              [] {
                return Body(std::string(kJobSets), "JobSet",
                            JobSet(1, 1, 32, std::string(2'700'000, 'a')));
              },
              "more than 30000 entries times alternatives of nodes"},
        Shape{"Resource",
              [] {
                return PodBody(Spec(Topologies(32), LongText(2'700'000,
                                                             R"([{"resources":{"limits":{)"
                                                             R"("google.com/tpu":3,")",
                                                             "\":1}}}]")));
              },
              "more than 30000 entries times alternatives of nodes"}),
    CaseName());

INSTANTIATE_TEST_SUITE_P(
    Crowds, HostileShapes,
    testing::Values(
        Shape{"Containers", [] { return PodBody(Spec("", List(25'000, kLimits))); },
              "more than 1000 entries in containers"},
        Shape{"Variables",
              [] {
                return PodBody(Spec("", R"([{"resources":{"limits":{"google.com/tpu":4}},"env":)" +
                                            List(90'000, R"({"name":"E#"})") + "}]"));
              },
              "more than 1000 entries in env"},
        Shape{"Tolerations",
              [] { return PodBody(Spec(R"("tolerations":)" + List(90'000, R"({"key":"k"})"))); },
              "more than 200 entries in tolerations"},
        Shape{
            "Claims",
            [] { return PodBody(Spec(R"("resourceClaims":)" + List(90'000, R"({"name":"n"})"))); },
            "more than 100 entries in resourceClaims"},
        Shape{"Values", [] { return PodBody(Spec(Topologies(200'000))); },
              "more than 1000 entries in values"},
        Shape{"Alternatives", [] { return PodBody(Spec(Topologies(33))); },
              "its choice of nodes, which has more than 32 alternatives"},
        Shape{"Quantity",
              [] {
                return PodBody(Spec(Topologies(26), R"([{"resources":{"limits":)"
                                                    R"({"google.com/tpu":4,"cpu":")" +
                                                        std::string(1 << 20, '1') + "\"}}}]"));
              },
              "more than 128 characters in an amount"},
        Shape{"LongNames",
              [] {
                return PodBody(Spec(Topologies(32), R"([{"name":")" + std::string(3 << 20, 'n') +
                                                        R"(","resources":{"limits":)"
                                                        R"({"google.com/tpu":3}}}])"));
              },
              "judged"},
        Shape{"LongLabelValue",
              [] {
                return PodBody(R"({"nodeSelector":{"cloud.google.com/gke-tpu-accelerator":")" +
                               std::string(3 << 20, 'n') + R"("},"containers":[)" + kLimits + "]}");
              },
              "judged"},
        Shape{"Deep",
              [] {
                return PodBody(Spec(R"("deep":)" + std::string(120, '[') + std::string(120, ']')));
              },
              "judged"},
        Shape{"TooDeep",
              [] {
                return PodBody(
                    Spec(R"("deep":)" + std::string(1'000'000, '[') + std::string(1'000'000, ']')));
              },
              "not valid JSON"},
        Shape{"MillionElements", [] { return PodBody(Spec(R"("x":)" + List(1'000'000, "1"))); },
              "the body has more than 300000 JSON values"},
        Shape{"AsManyElementsAsAreRead",
              [] { return PodBody(Spec(R"("x":)" + List(299'000, "1"))); }, "judged"},
        Shape{"ManyKeys", [] { return PodBody(Spec(R"("x":)" + Map(149'000, kKeys))); }, "judged"},
        Shape{"TextsWithEscapes",
              [] { return PodBody(Spec(R"("x":)" + List(299'000, R"("\u0041aaaaaaaa")"))); },
              "judged"},
        Shape{"ALongTextWithEscapesAndManyElements",
              [] {
                return PodBody(Spec(R"("y":"\n)" + std::string(3'000'000, 'y') + R"(","x":)" +
                                    List(298'000, "1")));
              },
              "judged"},
        Shape{"AsMuchAsIsJudgedAmongMuchElse",
              [] {
                return Body(std::string(kJobSets), "JobSet",
                            JobSet(1, 90, 32).insert(
                                1, R"("x":)" + List(285'000, R"("\u0041aaaaaaaa")") + ","));
              },
              "judged"},
        Shape{"ManyElementsAndALongTextOfEscapes",
              [] {
                std::string text;
                for (int i = 0; i < 3'100'000; ++i) text += R"(\n)";
                return PodBody(Spec(R"("x":)" + List(298'000, "1") + R"(,"y":")" + text + "\""));
              },
              "judged"},
        Shape{"TooMuchTextWithEscapes",
              [] { return PodBody(Spec(R"("y":"\n)" + std::string(6'000'000, 'y') + "\"")); },
              "the body has more than 3145728 bytes of text with escapes"},
        Shape{"Slips",
              [] {
                return PodBody(R"({"nodeSelector":)" + Map(999, R"("k#":1)") +
                               R"(,"containers":[)" + kLimits + "]}");
              },
              "judged"}),
    CaseName());

TEST(HostileShapes, AreForgotten) {
  const std::string body = List(299'000, R"("\u0041aaaaaaaa")");
  k8s::JsonParser parser;
  const std::size_t before = live;
  ASSERT_TRUE(parser.Parse(body).ok());
  EXPECT_GT(live, before + (4U << 20));
  parser.Release();
  EXPECT_LT(live, before + (1U << 20));
}

// Nothing is said where there is nothing of ours, however much there is.
TEST(HostileShapes, WithoutTpusAreNotSpokenOf) {
  Asker asker;
  const std::string many = R"({"containers":)" + List(50'000, R"({"name":"c#"})") + "}";
  EXPECT_THAT(asker.Ask(Endpoint::kValidate, PodBody(many)).text,
              testing::Not(testing::HasSubstr("warnings")));
}

}  // namespace
}  // namespace tpu_admission::admission::hostile_shapes_test

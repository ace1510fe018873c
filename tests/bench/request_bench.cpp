// Where the time of a request goes, row by row; the transport is measured by tests/bench/run.
#include <benchmark/benchmark.h>
#include <fcntl.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tpu_admission/admission/handler.h"
#include "tpu_admission/observability/server_journal.h"

namespace tpu_admission {
namespace {

std::string ReviewText(const char* name) {
  std::ifstream file(std::string(TPU_ADMISSION_SOURCE_DIR) + "/tests/bench/reviews/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string& ValidateReview() {
  static const std::string text = ReviewText("validate.json");
  return text;
}

admission::Settings NewSettings() {
  auto catalog = tpu::Catalog::Load(tpu::BuiltInCatalogText(), "built-in").value();
  return {rules::Engine(catalog, {}), admission::Policy::Load("", "").value(), ""};
}

void JsonDecode(benchmark::State& state) {
  k8s::JsonParser parser;
  for (auto _ : state) benchmark::DoNotOptimize(parser.Parse(ValidateReview()).value());
}
BENCHMARK(JsonDecode);

void ReadWorkload(benchmark::State& state) {
  k8s::JsonParser parser;
  k8s::Arena arena;
  const auto request = k8s::DecodeReview(*parser.Parse(ValidateReview())).value();
  for (auto _ : state) {
    arena.Reset();
    benchmark::DoNotOptimize(workload::ReadWorkload({}, request.kind, request.object, arena));
  }
}
BENCHMARK(ReadWorkload);

void AllRules(benchmark::State& state) {
  const admission::Settings settings = NewSettings();
  k8s::JsonParser parser;
  k8s::Arena arena;
  const auto request = k8s::DecodeReview(*parser.Parse(ValidateReview())).value();
  const auto workload = workload::ReadWorkload({}, request.kind, request.object, arena).value();
  for (auto _ : state) benchmark::DoNotOptimize(settings.engine.Evaluate(workload));
}
BENCHMARK(AllRules);

// What another rule costs: the first of the list, so many.
void SomeRules(benchmark::State& state) {
  const auto catalog = tpu::Catalog::Load(tpu::BuiltInCatalogText(), "built-in").value();
  const rules::Engine engine(catalog, {}, rules::AllRules().first(std::size_t(state.range(0))));
  k8s::JsonParser parser;
  k8s::Arena arena;
  const auto request = k8s::DecodeReview(*parser.Parse(ValidateReview())).value();
  const auto workload = workload::ReadWorkload({}, request.kind, request.object, arena).value();
  for (auto _ : state) benchmark::DoNotOptimize(engine.Evaluate(workload));
}
BENCHMARK(SomeRules)->Arg(15)->Arg(30)->Arg(45)->Arg(60);

void WholeReview(benchmark::State& state, admission::Endpoint endpoint, const char* review) {
  const SnapshotCell<admission::Settings> settings(
      std::make_shared<const admission::Settings>(NewSettings()));
  admission::Handler handler(settings);
  const std::string body = ReviewText(review);
  std::string answer;
  for (auto _ : state) {
    answer.clear();
    benchmark::DoNotOptimize(handler.Handle(endpoint, body, Day(), answer));
  }
}
BENCHMARK_CAPTURE(WholeReview, validate, admission::Endpoint::kValidate, "validate.json");
BENCHMARK_CAPTURE(WholeReview, mutate, admission::Endpoint::kMutate, "mutate.json");

// The books of a request: a Record as the handler leaves it.
struct Answered {
  SnapshotCell<admission::Settings> settings{
      std::make_shared<const admission::Settings>(NewSettings())};
  admission::Handler handler{settings};
  std::string answer;
  admission::Record record =
      handler.Handle(admission::Endpoint::kValidate, ValidateReview(), Day(), answer);
};

constexpr observability::Log::Call kCall = {admission::Endpoint::kValidate, "",
                                            std::chrono::microseconds(10)};

void LogLine(benchmark::State& state) {
  const Answered answered;
  observability::Log log(open("/dev/null", O_WRONLY), observability::Level::kInfo);
  for (auto _ : state) {
    log.WriteDecision(answered.record, kCall);
  }
}
BENCHMARK(LogLine);

void Metrics(benchmark::State& state) {
  const Answered answered;
  observability::Log quiet(open("/dev/null", O_WRONLY), observability::Level::kError);
  observability::ServerJournal journal(quiet);
  for (auto _ : state) journal.OnReview(answered.record, kCall);
}
BENCHMARK(Metrics);

}  // namespace
}  // namespace tpu_admission

BENCHMARK_MAIN();

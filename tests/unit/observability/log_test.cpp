// A review's line of the log, from the bytes of the request to those on the descriptor.
#include "tpu_admission/observability/log.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>

#include "support/asker.h"

namespace tpu_admission::observability {
namespace {

using nlohmann::json;

const json kWrongPod =
    With(TpuPod(), "/spec/nodeSelector/cloud.google.com~1gke-tpu-topology", "3x3");

// What a log writes of the calls, each about the same denied review.
std::string Written(std::initializer_list<Log::Call> calls) {
  std::array<int, 2> pipe_ends;
  if (pipe(pipe_ends.data()) != 0) return "no pipe";
  Asker asker;
  const Answer answer = asker.Validate(Review(kWrongPod));
  {
    Log log(pipe_ends[1], Level::kInfo);
    for (const Log::Call& call : calls) log.WriteDecision(answer.record, call);
  }
  close(pipe_ends[1]);
  std::string text;
  std::array<char, 4096> piece;
  ssize_t bytes;
  while ((bytes = read(pipe_ends[0], piece.data(), piece.size())) > 0) {
    text.append(piece.data(), static_cast<std::size_t>(bytes));
  }
  close(pipe_ends[0]);
  return text;
}

TEST(DecisionLine, NamesTheTraceOfTheCall) {
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const json line = json::parse(
      Written({{admission::Endpoint::kValidate, trace, std::chrono::microseconds(88)}}));
  EXPECT_EQ(line["trace_id"], trace);
  EXPECT_EQ(line["endpoint"], "/validate");
  EXPECT_EQ(line["decision"], "denied");
  EXPECT_EQ(line["duration_us"], 88);
}

TEST(DecisionLine, WithoutATraceHasNoSuchField) {
  const json line =
      json::parse(Written({{admission::Endpoint::kValidate, "", std::chrono::microseconds(88)}}));
  EXPECT_FALSE(line.contains("trace_id")) << line;
  EXPECT_EQ(line["decision"], "denied");
}

TEST(DecisionLine, IsOneLineEach) {
  const std::string text =
      Written({{admission::Endpoint::kMutate, "", {}}, {admission::Endpoint::kValidate, "", {}}});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
}

}  // namespace
}  // namespace tpu_admission::observability

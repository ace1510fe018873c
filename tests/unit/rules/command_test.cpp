#include "rules/engine/command.h"

#include <gtest/gtest.h>

#include <string>

#include "tpu_admission/k8s/json.h"

namespace tpu_admission::rules::command_test {
namespace {

class Command : public testing::Test {
 protected:
  k8s::Container With(const std::string& args, const std::string& image = "i") {
    text_ = R"({"image":")" + image + R"(","command":["sh"],"args":)" + args + "}";
    k8s::Container container;
    container.json = parser_.Parse(text_).value();
    return container;
  }
  static std::string Long(std::size_t bytes) { return "[\"" + std::string(bytes, 'x') + "\"]"; }

 private:
  std::string text_;
  k8s::JsonParser parser_;
};

TEST_F(Command, IsReadWhereThoseOfThePodAreShort) {
  EXPECT_TRUE(ShortCommands().Take(With(Long(16'000))));
  EXPECT_FALSE(ShortCommands().Take(With(Long(17'000))));
  EXPECT_FALSE(ShortCommands().Take(With("[]", std::string(17'000, 'x'))));
  std::string many = "[";
  for (int i = 0; i < 9000; ++i) many += i == 0 ? "\"-\"" : ",\"-\"";
  EXPECT_FALSE(ShortCommands().Take(With(many + "]")));
  ShortCommands of_a_pod;
  EXPECT_TRUE(of_a_pod.Take(With(Long(9000))));
  EXPECT_FALSE(of_a_pod.Take(With(Long(9000)))) << "together they are long";
}

TEST_F(Command, HoldsWhatAWordHolds) {
  const k8s::Container container = With(R"(["-c","export TPU_HOST_BOUNDS=1,1,1"])");
  EXPECT_TRUE(CommandHolds(container, "TPU_HOST_BOUNDS"));
  EXPECT_TRUE(CommandHolds(container, "sh"));
  EXPECT_FALSE(CommandHolds(container, "TPU_PROCESS_BOUNDS"));
}

}  // namespace
}  // namespace tpu_admission::rules::command_test

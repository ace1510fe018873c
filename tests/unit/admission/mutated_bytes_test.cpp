// Damaged reviews: whatever the bytes, an answer that is a review or a refusal, and no exception.
#include <gtest/gtest.h>

#include <random>

#include "support/asker.h"
#include "unit/admission/random_pod.h"

namespace tpu_admission::admission::mutated_bytes_test {
namespace {

using nlohmann::json;

void ExpectAnswer(Asker& asker, Endpoint endpoint, const std::string& body) {
  Answer answer;
  ASSERT_NO_THROW(answer = asker.Ask(endpoint, body)) << body;
  if (!answer.valid()) {
    EXPECT_TRUE(answer.text.ends_with("\n"));
    return;
  }
  json review;
  ASSERT_NO_THROW(review = answer.whole()) << answer.text;
  EXPECT_TRUE(review["response"]["allowed"].is_boolean());
  const json& response = review["response"];
  EXPECT_TRUE(endpoint == Endpoint::kValidate || response["allowed"].get<bool>());
  EXPECT_TRUE(endpoint == Endpoint::kMutate || !response.contains("patch"));
}

TEST(DamagedReviews, EveryPrefixIsAnswered) {
  Asker asker;
  const std::string whole = Review(TpuPod()).Text();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Answer answer = asker.Ask(Endpoint::kValidate, whole.substr(0, size));
    EXPECT_FALSE(answer.valid()) << size;
  }
}

TEST(DamagedReviews, ChangedBytesAreAnswered) {
  Asker asker;
  std::mt19937_64 random(18);
  const std::string marks = "{}[]\",:0123456789-+eE.\\untf \n\x00\xFF\xC3";
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    std::string body = Review(RandomPod(seed % 50)).Text();
    for (std::size_t i = 1 + random() % 4; i > 0; --i) {
      const std::size_t at = random() % body.size();
      switch (random() % 4) {
        case 0:
          body[at] = marks[random() % marks.size()];
          break;
        case 1:
          body.erase(at, 1 + random() % 8);
          break;
        case 2:
          body.insert(at, 1, marks[random() % marks.size()]);
          break;
        default:
          body.insert(at, body.substr(random() % body.size(), 1 + random() % 40));
      }
      if (body.empty()) break;
    }
    ExpectAnswer(asker, seed % 2 == 0 ? Endpoint::kValidate : Endpoint::kMutate, body);
  }
}

// Valid JSON of the wrong shape: any value of a review in the place of any other.
TEST(DamagedReviews, ExchangedValuesAreAnswered) {
  Asker asker;
  std::mt19937_64 random(27);
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    json review = Review(seed % 2 == 0 ? RandomPod(seed % 50) : TpuJob()).whole();
    const json flat = review.flatten();
    const auto any = [&] {
      return std::next(flat.begin(), std::ptrdiff_t(random() % flat.size()));
    };
    json::json_pointer where(any().key());
    for (std::size_t up = random() % 3; up > 0 && !where.empty(); --up) where.pop_back();
    static const json kOdd[] = {
        nullptr,          true,        -1, 1e300, "x", json::array(), json::object(),
        json::array({1}), {{"a", "b"}}};
    review[where] = random() % 2 == 0 ? any().value() : kOdd[random() % std::size(kOdd)];
    ExpectAnswer(asker, seed % 3 == 0 ? Endpoint::kMutate : Endpoint::kValidate, review.dump());
  }
}

}  // namespace
}  // namespace tpu_admission::admission::mutated_bytes_test

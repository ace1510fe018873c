// The plan as a pure function: a table of what there is and what is to be done.
#include "controller/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tpu_admission::controller::plan_test {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using ::testing::HasSubstr;

const Clock::Wall kStart = std::chrono::system_clock::from_time_t(1795262400);
const std::vector<std::string> kNames = {"webhook.tpu.svc"};
const Lifetimes kLifetimes{hours(90), hours(360)};

Material After(Step step, Material material, Clock::Wall now) {
  auto next = ApplyStep(step, std::move(material), kNames, kLifetimes, now);
  if (!next) ADD_FAILURE() << next.error().message;
  return next ? std::move(*next) : Material{};
}

Step At(const Material& material, Clock::Wall now, bool published = false) {
  return MakePlan(material, kNames, kLifetimes, {now, published}).step;
}

class PlanTest : public ::testing::Test {
 protected:
  const Material fresh_ = After(Step::kStartOver, {}, kStart);
};

TEST_F(PlanTest, StartsOverWithNothing) {
  EXPECT_EQ(At({}, kStart), Step::kStartOver);
  EXPECT_EQ(At(fresh_, kStart), Step::kNothing);
}

TEST_F(PlanTest, WritesAndReadsTheSame) {
  const Material prepared = After(Step::kPrepare, fresh_, kStart);
  for (const Material& material : {fresh_, prepared}) {
    const SecretData data = WriteMaterial(material);
    const Material read = ReadMaterial(data);
    EXPECT_TRUE(read.faults.empty());
    EXPECT_EQ(WriteMaterial(read), data);
  }
}

TEST_F(PlanTest, IssuesInTheLastThirdOfTheCertificate) {
  EXPECT_EQ(At(fresh_, kStart + hours(59)), Step::kNothing);
  EXPECT_EQ(At(fresh_, kStart + hours(61)), Step::kIssue);
  EXPECT_EQ(At(fresh_, kStart + hours(91)), Step::kIssue) << "expired";
}

TEST_F(PlanTest, IssuesWhatFitsIntoTheLifeOfTheAuthority) {
  const Clock::Wall late = kStart + hours(340);
  const Material material = After(Step::kIssue, fresh_, late);
  EXPECT_EQ(material.serving->certificate.validity.not_after, kStart + hours(360));
  const Material prepared = After(Step::kPrepare, material, late);
  EXPECT_EQ(At(prepared, late + hours(14)), Step::kNothing)
      << "another certificate would live no longer";
}

TEST_F(PlanTest, PreparesInTheLastThirdOfTheAuthority) {
  const Clock::Wall late = kStart + hours(241);
  const Material material = After(Step::kIssue, fresh_, late);
  const Clock::Wall early = late - hours(2);
  EXPECT_EQ(At(After(Step::kIssue, fresh_, early), early), Step::kNothing);
  EXPECT_EQ(At(material, late), Step::kPrepare);
  EXPECT_EQ(At(After(Step::kPrepare, material, late), late), Step::kNothing);
  EXPECT_EQ(At(After(Step::kPrepare, material, late), late, true), Step::kPromote);
}

TEST_F(PlanTest, APreparedAuthorityDoesNotStopRenewals) {
  const Clock::Wall late = kStart + hours(241);
  Material material = After(Step::kPrepare, After(Step::kIssue, fresh_, late), late);
  EXPECT_EQ(At(material, late + hours(61)), Step::kIssue);
}

TEST_F(PlanTest, PromotesUnpublishedOnlyWhenTheCertificateIsAboutToExpire) {
  const Clock::Wall late = kStart + hours(300);
  const Material material = After(Step::kPrepare, After(Step::kIssue, fresh_, late), late);
  EXPECT_EQ(At(material, kStart + hours(349)), Step::kNothing);
  EXPECT_EQ(At(material, kStart + hours(351)), Step::kPromote);
}

TEST_F(PlanTest, PromotionKeepsTheOldAuthorityAndDropsItsKey) {
  const Material prepared = After(Step::kPrepare, fresh_, kStart);
  const Material promoted = After(Step::kPromote, prepared, kStart);
  EXPECT_EQ(promoted.Bundle(), prepared.Bundle());
  for (const auto& [key, value] : WriteMaterial(promoted)) {
    EXPECT_EQ(value.find(fresh_.signer->private_key), value.npos) << key;
  }
  EXPECT_TRUE(
      pki::Verify(promoted.serving->text, promoted.signer->certificate.pem, kNames[0], kStart));
  EXPECT_TRUE(pki::Verify(fresh_.serving->text, promoted.Bundle(), kNames[0], kStart));
}

TEST_F(PlanTest, TidiesAwayWhatHasExpired) {
  const Clock::Wall late = kStart + hours(300);
  Material material = After(Step::kIssue, fresh_, late);
  material = After(Step::kPromote, After(Step::kPrepare, material, late), late);
  const Clock::Wall end = kStart + hours(360);
  EXPECT_NE(At(material, end - seconds(1)), Step::kTidy);
  material = After(Step::kIssue, material, end - seconds(1));
  EXPECT_EQ(material.trusted.size(), 2U);
  EXPECT_EQ(At(material, end), Step::kTidy);
  material = After(Step::kTidy, material, end);
  EXPECT_EQ(material.trusted.size(), 1U);
  EXPECT_EQ(At(material, end), Step::kNothing);
}

TEST_F(PlanTest, ShortLivesOfTestsWorkToo) {
  const Lifetimes brief{seconds(20), seconds(60)};
  const auto made = ApplyStep(Step::kStartOver, {}, kNames, brief, kStart);
  ASSERT_TRUE(made);
  const auto step = [&](seconds later) {
    return MakePlan(*made, kNames, brief, {kStart + later, false}).step;
  };
  EXPECT_EQ(step(seconds(0)), Step::kNothing);
  EXPECT_EQ(step(seconds(12)), Step::kNothing);
  EXPECT_EQ(step(seconds(14)), Step::kIssue);
}

}  // namespace
}  // namespace tpu_admission::controller::plan_test

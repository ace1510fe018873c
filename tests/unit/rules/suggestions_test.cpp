#include "rules/engine/suggestions.h"

#include <gtest/gtest.h>

#include "unit/rules/judge.h"

namespace tpu_admission::rules {
namespace {

TEST(Suggestions, NearestTopologiesOfAGenerationWithoutPlacementsIsAPhrase) {
  const tpu::Generation bare;
  Shape shape;
  shape.generation = &bare;
  const workload::Workload workload;
  const workload::PodSet pods;
  const Cluster cluster;
  const Subject subject{workload, pods, *TestCatalog(), cluster, shape};
  EXPECT_EQ(NearestTopologies(subject, 16), std::vector<std::string>{"one that it has"});
}

}  // namespace
}  // namespace tpu_admission::rules

#include "webhooks/paths.h"

#include <gtest/gtest.h>

namespace tpu_admission::webhooks::paths_test {
namespace {

TEST(Paths, StepsAreOptional) {
  EXPECT_EQ(Steps("object", ""), "object");
  EXPECT_EQ(Steps("object", "spec"), "object.?spec");
  EXPECT_EQ(Steps("object", "spec/template"), "object.?spec.?template");
}

TEST(Paths, APlaceIsOneOrInAListOrInAMap) {
  EXPECT_EQ(PlacesAt("").one, "optional.of(object)");
  EXPECT_EQ(PlacesAt("spec/template").one, "object.?spec.?template");
  EXPECT_EQ(PlacesAt("spec/template").list, "");
  const std::string in_list = PlacesAt("spec/jobs[]/template/spec").list;
  EXPECT_TRUE(in_list.starts_with(ListOf("object.?spec.?jobs"))) << in_list;
  EXPECT_TRUE(in_list.ends_with(".map(e, e.?template.?spec)")) << in_list;
  const std::string elements = PlacesAt("spec/templates[]").list;
  EXPECT_TRUE(elements.ends_with(".map(e, optional.of(e))")) << elements;
  const std::string in_map = PlacesAt("spec/replicaSpecs{}/template").list;
  EXPECT_TRUE(in_map.ends_with(".map(key, object.spec.replicaSpecs[key].?template)")) << in_map;
}

}  // namespace
}  // namespace tpu_admission::webhooks::paths_test

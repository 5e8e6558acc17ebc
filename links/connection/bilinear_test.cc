#include "catena/links/connection/bilinear.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/links/testing/golden_link.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::golden_cases;
using ::catena::testing::GoldenCase;
using ::testing::HasSubstr;

class BilinearTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, BilinearTest,
                         ::catena::testing::every_device(),
                         ::catena::testing::device_name);

// chainer 7.8.1
TEST_P(BilinearTest, FollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/Bilinear")) {
    SCOPED_TRACE(golden.name());
    Bilinear link(golden.attr<int64_t>("left_size"),
                  golden.attr<int64_t>("right_size"),
                  golden.attr<int64_t>("out_size"),
                  {.nobias = golden.attr_or("nobias", false)});
    ::catena::testing::set_golden_params(link, golden);
    ::catena::testing::expect_golden_call(
        link, golden,
        [&](const Variables& in) -> Variables { return {link(in[0], in[1])}; });
  }
}

TEST_P(BilinearTest, ZeroGradsFillsGradientsWithZeros) {
  Bilinear link(2, 3, 4);
  EXPECT_EQ(link.params().size(), 4u);
  link.zero_grads();
  EXPECT_THAT(link.V1.grad(), ::catena::testing::IsArray(
                                  array::zeros({2, 4}, Dtype::kFloat32)));
  EXPECT_EQ(link.b.data().to_vector<float>(), std::vector<float>(4, 0));
}

TEST(BilinearErrorTest, NamesSizesThatAreNotPositive) {
  EXPECT_THAT(error_of<ValueError>([] { Bilinear(2, 0, 4); }),
              HasSubstr("Bilinear: expected positive sizes, got left_size 2, "
                        "right_size 0 and out_size 4"));
}

}  // namespace
}  // namespace catena::links

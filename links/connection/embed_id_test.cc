#include "catena/links/connection/embed_id.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
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

class EmbedIDTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, EmbedIDTest,
                         ::catena::testing::every_device());

// chainer 7.8.1
TEST_P(EmbedIDTest, FollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/EmbedID")) {
    SCOPED_TRACE(golden.name());
    EmbedIDOptions options;
    if (golden.has_attr("ignore_label")) {
      options.ignore_label = golden.attr<int64_t>("ignore_label");
    }
    EmbedID embed(golden.attr<int64_t>("in_size"),
                  golden.attr<int64_t>("out_size"), options);
    ::catena::testing::set_golden_params(embed, golden);
    ::catena::testing::expect_golden_call(
        embed, golden,
        [&](const Variables& in) -> Variables { return {embed(in[0])}; });
  }
}

TEST_P(EmbedIDTest, VectorsHaveUnitVarianceAtFirst) {
  const EmbedID embed(100, 50);
  EXPECT_EQ(embed.W.shape(), Shape({100, 50}));
  double squares = 0;
  for (const double w : embed.W.data().to_vector<double>()) squares += w * w;
  EXPECT_NEAR(squares / 5000, 1, 0.1);
}

TEST(EmbedIDErrorTest, NamesWhatDoesNotFit) {
  EXPECT_THAT(error_of<ValueError>([] { EmbedID(0, 2); }),
              HasSubstr("EmbedID: expected in_size of at least 1, got 0"));
  EXPECT_THAT(error_of<ValueError>([] { EmbedID(2, -1); }),
              HasSubstr("out_size of at least 1"));
  EmbedID embed(3, 2);
  EXPECT_THAT(error_of<ValueError>([&] {
                embed(Variable(array::array({0, 3})));
              }),
              HasSubstr("expected labels from 0 to 2, got 3"));
}

}  // namespace
}  // namespace catena::links

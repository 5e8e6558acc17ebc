#include "catena/links/loss/crf1d.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/links/testing/golden_link.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::golden_cases;
using ::catena::testing::GoldenCase;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::HasSubstr;

class CRF1dTest : public ::catena::testing::DeviceTest {
 protected:
  Array on_host(const Array& a) { return a.to_device(native_device()); }
};
INSTANTIATE_TEST_SUITE_P(Devices, CRF1dTest, ::catena::testing::every_device(),
                         ::catena::testing::device_name);

// chainer 7.8.1
TEST_P(CRF1dTest, FollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/CRF1d")) {
    SCOPED_TRACE(golden.name());
    CRF1d link(golden.attr<int64_t>("n_label"));
    ::catena::testing::set_golden_params(link, golden);
    const size_t count = golden.attr<int>("n_seq");
    const std::string reduce = golden.attr<std::string>("reduce");
    const CRF1dCallOptions options{.reduce = reduce,
                                   .transpose = golden.attr<bool>("transpose")};
    ::catena::testing::expect_golden_call(
        link, golden, [&](const Variables& in) -> Variables {
          return {link(std::span(in.data(), count),
                       std::span(in.data() + count, count), options)};
        });
  }
}

TEST_P(CRF1dTest, ArgmaxFollowsChainer) {
  for (const GoldenCase& golden : golden_cases("links/CRF1d")) {
    SCOPED_TRACE(golden.name());
    CRF1d link(golden.attr<int64_t>("n_label"));
    ::catena::testing::set_golden_params(link, golden);
    const size_t count = golden.attr<int>("n_seq");
    Variables xs;
    for (size_t i = 0; i < count; ++i) {
      xs.push_back(Variable(golden.inputs()[i].to_device(device())));
    }
    const auto [score, labels] =
        link.argmax(xs, {.transpose = golden.attr<bool>("transpose")});
    EXPECT_THAT(on_host(score.data()),
                IsClose(golden.array("extra/argmax_score")));
    ASSERT_EQ(labels.size(), golden.keys("extra/argmax_path").size());
    for (size_t i = 0; i < labels.size(); ++i) {
      EXPECT_THAT(on_host(labels[i]),
                  IsArray(golden.array(str("extra/argmax_path", i))));
    }
  }
}

TEST(CRF1dErrorTest, NamesASizeThatIsNotPositive) {
  EXPECT_THAT(error_of<ValueError>([] { CRF1d(0); }),
              HasSubstr("CRF1d: expected a positive n_label, got 0"));
}

}  // namespace
}  // namespace catena::links

#include "catena/optimizers/sum_many.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::optimizers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SumManyTest : public ::catena::testing::DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (device().is_native()) GTEST_SKIP() << "for GPUs";
  }
};

TEST_P(SumManyTest, IsTheSumOfTheSumsAndTheSameEachTime) {
  for (const Dtype dtype :
       {Dtype::kFloat16, Dtype::kBFloat16, Dtype::kFloat32, Dtype::kFloat64}) {
    std::vector<Array> arrays;
    const auto add = [&](const Shape& shape) -> const Array& {
      return arrays.emplace_back(
          array::random::normal(0, 1, shape, Dtype::kFloat32, native_device())
              .astype(dtype)
              .to_device(device()));
    };
    for (int64_t i = 0; i < 140; ++i) add({1 + i * i % 997});
    for (const int64_t size : {40000, 100001, 0, 3}) add({size});
    arrays.push_back(Array(add({3, 5})).T());
    arrays.push_back(Array(add({16}))[{Slice(1, 16)}]);  // not aligned
    double squares = 0;
    double values = 0;
    for (const Array& a : arrays) {
      squares += array::sum_of_squares(a).item<double>();
      values += array::sum(a.astype(Dtype::kFloat64)).item<double>();
    }
    const auto sums = sum_many<array::SumOfSquaresOp>(arrays);
    ASSERT_THAT(sums, SizeIs(1));
    EXPECT_EQ(sums[0].device(), device());
    EXPECT_NEAR(sums[0].item<double>(), squares, 1e-7 * squares);
    EXPECT_THAT(sum_many<array::SumOfSquaresOp>(arrays)[0], IsArray(sums[0]));
    EXPECT_NEAR(sum_many<array::SumOp>(arrays)[0].item<double>(), values,
                1e-7 * squares);
  }
}

TEST_P(SumManyTest, DtypesAreSummedTogether) {
  const std::vector<Array> arrays = {
      array::full({3}, 2.0, Dtype::kFloat32, device()),
      array::full({70000}, 2.0, Dtype::kFloat16, device())};
  const auto sums = sum_many<array::SumOp>(arrays);
  ASSERT_THAT(sums, SizeIs(1));
  EXPECT_EQ(sums[0].item<double>(), 140006);
  EXPECT_THAT(sum_many<array::SumOp>({}), IsEmpty());
}

TEST_P(SumManyTest, DtypesThatHaveNoKernelAreNamed) {
  const std::vector<Array> whole = {array::ones({4}, Dtype::kInt32, device())};
  EXPECT_THAT(error_of<DtypeError>([&] { sum_many<array::SumOp>(whole); }),
              HasSubstr("sum: not offered"));
}

INSTANTIATE_TEST_SUITE_P(Devices, SumManyTest,
                         ::catena::testing::every_device());

}  // namespace
}  // namespace catena::optimizers

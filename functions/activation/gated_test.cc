#include "catena/functions/activation/gated.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class GatedTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Gated, GatedTest, testing::every_device(),
                         testing::device_name);

TEST_P(GatedTest, GradientsMatchFiniteDifferences) {
  // Halves of one array, as a product gives them.
  const Array both = testing::uniform({3, 14}, -3, 3);
  const Array gate = both[{Slice(), Slice(0, 7)}];
  const Array value = both[{Slice(), Slice(7, 14)}];
  testing::check_function_gradients(swiglu, {gate, value});
  for (const bool tanh : {false, true}) {
    testing::check_function_gradients(
        [tanh](const Variable& x, const Variable& y) {
          return geglu(x, y, {.tanh = tanh});
        },
        {gate, value});
  }
}

TEST_P(GatedTest, EveryFloatDtypeIsKept) {
  for (const Dtype dtype : testing::float_dtypes()) {
    const Variable x(testing::uniform({2, 5}, -1, 1, dtype));
    EXPECT_EQ(swiglu(x, x).dtype(), dtype);
    EXPECT_EQ(geglu(x, x).dtype(), dtype);
  }
}

TEST(GatedErrorTest, NamesWhatDoesNotFit) {
  const Variable x(array::zeros({2, 4}));
  const Variable wide(array::zeros({2, 5}));
  const Variable half(array::zeros({2, 4}, Dtype::kFloat16));
  EXPECT_THAT(error_of<InvalidType>([&] { swiglu(x, wide); }),
              HasSubstr("shapes (2, 4) and (2, 5) cannot be broadcast"));
  EXPECT_THAT(error_of<InvalidType>([&] { geglu(x, half); }),
              HasSubstr("gate.dtype == value.dtype"));
}

}  // namespace
}  // namespace catena::functions

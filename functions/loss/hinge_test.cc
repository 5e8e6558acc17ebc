#include "catena/functions/loss/hinge.h"

#include <gmock/gmock.h>

#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class HingeTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Hinge, HingeTest, testing::every_device(),
                         testing::device_name);

TEST_P(HingeTest, GradientsMatchFiniteDifferences) {
  for (const std::string_view norm : {"L1", "L2"}) {
    for (const std::string_view reduce : {"mean", "no"}) {
      const auto check = [&](const Array& x, const Array& t) {
        testing::check_function_gradients(
            [&](const Variable& x) {
              return hinge(x, t, {.norm = norm, .reduce = reduce});
            },
            {x});
      };
      // In (0.2, 0.8) and mirrored: away from the kinks at -1 and 1.
      check(testing::away_from_zero({3, 4}, 0.2, 0.8), array::array({0, 3, 1}));
      check(testing::away_from_zero({3, 4}, 1.2, 1.8), array::array({2, 2, 0}));
      check(array::zeros({0, 4}), array::zeros({0}, Dtype::kInt32));
    }
  }
}

// Rows longer than a register, in every dtype, against array operations.
TEST_P(HingeTest, AgreesWithItsFormula) {
  for (const Dtype dtype : testing::float_dtypes()) {
    const Array x = testing::uniform({40, 257}, -2, 2).astype(dtype);
    array::random::Generator generator(3, current_device());
    const Array t = generator.randint(0, 257, {40});
    const Array is_label = array::equal(array::arange(257), t.expand_dims(1));
    const Array margin = array::maximum(
        1 - x.astype(Dtype::kFloat64) * array::where(is_label, 1.0, -1.0), 0);
    for (const bool squared : {false, true}) {
      const Array losses = squared ? array::square(margin) : margin;
      const std::string_view norm = squared ? "L2" : "L1";
      EXPECT_THAT(hinge(Variable(x), t, {.norm = norm, .reduce = "no"}).data(),
                  testing::IsClose(losses.astype(dtype)));
      EXPECT_THAT(hinge(Variable(x), t, {.norm = norm}).data(),
                  testing::IsClose((array::sum(losses) / 40).astype(dtype)));
    }
  }
}

TEST_P(HingeTest, AGreatScoreDoesNotHideTheOthers) {
  const Variable x(array::array({{1e9, -0.5, -0.5}}).astype(Dtype::kFloat32));
  EXPECT_THAT(hinge(x, array::array({0})).data(),
              testing::IsClose(array::array(1.0).astype(Dtype::kFloat32)));
}

TEST(HingeErrorTest, NamesWhatItRejects) {
  const Variable x(array::zeros({3, 4}));
  const Array t = array::zeros({3}, Dtype::kInt32);
  const auto invalid = [&](const Variable& x, const Array& t,
                           std::string_view text) {
    EXPECT_THAT(error_of<InvalidType>([&] { hinge(x, t); }),
                HasSubstr(std::string(text)));
  };
  invalid(x, array::zeros({2}, Dtype::kInt32),
          "Expect: x.shape[0] == t.shape[0]\nActual: 3 != 2");
  invalid(x, array::zeros({3}), "Expect: t.dtype is an integer");
  invalid(Variable(array::zeros({3})), t, "Expect: x.ndim == 2");
  EXPECT_THAT(
      error_of<ValueError>([&] {
        hinge(x, array::array({0, 4, 1}));
      }),
      HasSubstr("hinge: expected labels from 0 to 3, got 4 for 4 classes"));
  EXPECT_THAT(error_of<ValueError>([&] {
                hinge(x, array::array({0, -1, 1}));
              }),
              HasSubstr("got -1"));
  EXPECT_THAT(
      error_of<NotImplementedError>([&] { hinge(x, t, {.norm = "L3"}); }),
      HasSubstr("hinge: expected norm \"L1\" or \"L2\", got \"L3\""));
  EXPECT_THAT(error_of<ValueError>([&] { hinge(x, t, {.reduce = "sum"}); }),
              HasSubstr("got \"sum\""));
}

}  // namespace
}  // namespace catena::functions

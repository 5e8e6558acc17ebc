#include "catena/functions/math/matmul.h"

#include <gmock/gmock.h>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/autograd/testing/live_objects.h"
#include "catena/functions/math/operators.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class MatmulTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Matmul, MatmulTest, testing::every_device(),
                         testing::device_name);

TEST_P(MatmulTest, GradientsMatchFiniteDifferences) {
  struct Shapes {
    Shape a;
    Shape b;
    MatmulOptions options = {};
  };
  for (const Shapes& shapes : {
           Shapes{{2, 3}, {3, 4}},
           Shapes{{3, 2}, {3, 4}, {.transa = true}},
           Shapes{{2, 3}, {4, 3}, {.transb = true}},
           Shapes{{3, 2}, {4, 3}, {.transa = true, .transb = true}},
           Shapes{{2, 2, 3}, {3, 2}},
           Shapes{{2, 1, 2, 3}, {3, 3, 2}},
           Shapes{{3}, {3}},
           Shapes{{3}, {3, 2}, {.transa = true}},
           Shapes{{3}, {2, 2, 3}, {.transb = true}},
           Shapes{{2, 2, 3}, {3}, {.transb = true}},
           Shapes{{3, 2}, {3}, {.transa = true}},
           Shapes{{2, 2, 3}, {4, 3}, {.transb = true, .alpha = -0.5}},
           Shapes{{3, 2}, {4, 3}, {.transa = true, .transb = true, .alpha = 3}},
           Shapes{{3}, {3, 2}, {.alpha = 2}},
           Shapes{{0, 3}, {3, 2}},
           Shapes{{2, 0}, {0, 3}},
       }) {
    SCOPED_TRACE(str(shapes.a, " by ", shapes.b));
    testing::check_function_gradients(
        [&](const Variable& a, const Variable& b) {
          return matmul(a, b, shapes.options);
        },
        {testing::uniform(shapes.a),
         testing::uniform(shapes.b, -1, 1, Dtype::kFloat64, 3)});
  }
}

TEST_P(MatmulTest, AlphaIsAFactorOfTheProduct) {
  const Variable a(testing::uniform({2, 3, 4}));
  const Variable b(testing::uniform({2, 5, 4}));
  EXPECT_THAT(matmul(a, b, {.transb = true, .alpha = 0.25}).data(),
              testing::IsClose((matmul(a, b, {.transb = true}) * 0.25).data()));
}

// A frozen factor keeps the other from being retained.
TEST(MatmulMemoryTest, OfAConstantKeepsOnlyTheConstant) {
  const Variable x(array::zeros({1000, 8}));
  const Variable frozen = as_variable(array::zeros({8, 1}));
  const testing::ExpectNoSurvivors survivors;
  {
    const Variable y = matmul(x + x, frozen);
    EXPECT_LT(survivors.bytes(), x.data().nbytes());
    const Variable other =
        matmul(frozen, x + x, {.transa = true, .transb = true});
    EXPECT_LT(survivors.bytes(), x.data().nbytes());
  }
}

TEST(MatmulErrorTest, NamesWhatDoesNotFit) {
  const Variable a(array::zeros({2, 3}));
  EXPECT_THAT(
      error_of<InvalidType>([&] { matmul(a, a); }),
      HasSubstr("Invalid operation is performed in: matmul (Forward)\n\n"
                "Expect: a.shape[-1] == b.shape[-2]\nActual: 3 != 2"));
  EXPECT_THAT(
      error_of<InvalidType>([&] { matmul(a, Variable(array::zeros({}))); }),
      HasSubstr("Expect: b.ndim >= 1"));
  EXPECT_THAT(error_of<InvalidType>([&] {
                matmul(a, Variable(array::zeros({3}, Dtype::kFloat32)));
              }),
              HasSubstr("Expect: a.dtype == b.dtype\n"
                        "Actual: float64 != float32"));
  const Variable x(array::zeros({2, 2, 3}));
  const Variable y(array::zeros({3, 3, 2}));
  EXPECT_THAT(error_of<InvalidType>([&] { matmul(x, y); }),
              HasSubstr("Expect: axes before the last two that broadcast"));
}

}  // namespace
}  // namespace catena::functions

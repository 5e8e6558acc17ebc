#include "catena/functions/math/det.h"

#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/linalg_error.h"
#include "catena/array/linalg/matmul.h"
#include "catena/functions/array/transpose.h"
#include "catena/functions/math/batch_det.h"
#include "catena/functions/math/batch_inv.h"
#include "catena/functions/math/cholesky.h"
#include "catena/functions/math/inv.h"
#include "catena/functions/math/operators.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;

class DetTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Det, DetTest, testing::every_device(),
                         testing::device_name);

// Far from singular.
Array matrices(const Shape& shape) {
  return testing::uniform(shape) + 3 * array::eye(shape.back());
}

TEST_P(DetTest, GradientsMatchFiniteDifferences) {
  testing::check_function_gradients(
      [](const Variable& a) {
        return Variables{det(a), inv(a)};
      },
      {matrices({3, 3})});
  for (const int64_t batch : {0, 2}) {
    testing::check_function_gradients(
        [](const Variable& a) {
          return Variables{batch_det(a), batch_inv(a)};
        },
        {matrices({batch, 3, 3})});
  }
  testing::check_function_gradients(
      [](const Variable& a) {
        return Variables{det(a), inv(a)};
      },
      {array::zeros({0, 0})});
  // Numerical differences have to keep the matrix symmetric.
  testing::check_function_gradients(
      [](const Variable& a) { return cholesky((a + transpose(a)) * 0.5); },
      {matrices({3, 3})});
}

TEST(DetErrorTest, SingularMatricesHaveNoInverse) {
  const Variable singular(array::ones({2, 2}));
  EXPECT_THAT(error_of<LinAlgError>([&] { inv(singular); }),
              HasSubstr("singular"));
  EXPECT_THAT(error_of<LinAlgError>([] {
                batch_inv(Variable(array::ones({2, 3, 3})));
              }),
              HasSubstr("singular"));
  const Variable y = det(singular);
  EXPECT_EQ(y.data().item<double>(), 0);
  EXPECT_THAT(error_of<LinAlgError>([&] { y.backward(); }),
              HasSubstr("singular"));
  EXPECT_THAT(
      error_of<LinAlgError>([] { cholesky(Variable(-1 * array::eye(2))); }),
      HasSubstr("positive definite"));
}

TEST(DetErrorTest, NamesFunctionAndShape) {
  const Variable wide(array::zeros({2, 3}));
  const Variable batch(array::zeros({2, 2, 2}));
  const Variable half(array::zeros({2, 2}, Dtype::kFloat16));
  const auto expect_invalid = [](const std::function<void()>& f,
                                 const std::string& message) {
    EXPECT_THAT(error_of<InvalidType>(f), HasSubstr(message));
  };
  expect_invalid([&] { det(wide); },
                 "det (Forward)\n\nExpect: a.shape[-1] == a.shape[-2]");
  expect_invalid([&] { det(batch); }, "Expect: a.ndim == 2\nActual: 3 != 2");
  expect_invalid([&] { inv(wide); }, "inv (Forward)");
  expect_invalid([&] { cholesky(wide); }, "cholesky (Forward)");
  expect_invalid([&] { batch_det(wide); },
                 "batch_det (Forward)\n\nExpect: a.ndim == 3");
  expect_invalid([&] { batch_inv(wide); }, "batch_inv (Forward)");
  expect_invalid([&] { inv(half); },
                 "Expect: a.dtype is float32 or float64\nActual: float16");
  expect_invalid(
      [] {
        det(Variable(array::zeros({2, 2}, Dtype::kInt64)));
      },
      "Expect: a.dtype is floating");
}

}  // namespace
}  // namespace catena::functions

// Rows of minus infinity, as a mask leaves them when it masks all: softmax and
// what is made of it give NaN there, on each device, and no other row changes.

#include <gmock/gmock.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/activation/log_softmax.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class MaskedRowsTest : public testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(MaskedRows, MaskedRowsTest, testing::every_device(),
                         testing::device_name);

struct Case {
  std::string name;
  std::function<Variable(const Variable& x)> function;
};

Array first_class(const Variable& x) {
  Shape rows = x.shape();
  rows.erase(1);
  return array::zeros(rows, Dtype::kInt32);
}

std::vector<Case> cases() {
  return {{"softmax", [](const Variable& x) { return softmax(x); }},
          {"log_softmax", [](const Variable& x) { return log_softmax(x); }},
          {"softmax_cross_entropy",
           [](const Variable& x) {
             return softmax_cross_entropy(x, first_class(x), {.reduce = "no"});
           }},
          {"softmax_cross_entropy, smoothed", [](const Variable& x) {
             return softmax_cross_entropy(
                 x, first_class(x), {.reduce = "no", .label_smoothing = 0.1});
           }}};
}

// Rows along axis 1 of 3 samples: warps, blocks and parts of rows; axes that
// are not the last.
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {{3, 1},     {3, 2},    {3, 7},
                                         {3, 1000},  {3, 1001}, {3, 5000},
                                         {3, 40000}, {3, 7, 5}, {3, 40, 2, 3}};
  return all;
}

struct Results {
  Array y;
  Array gx;
};

Results both_ways(const Case& c, const Array& x) {
  const Variable in(x);
  const Variable y = c.function(in);
  y.set_grad(array::ones_like(y.data()));
  y.backward();
  return {y.data(), in.grad()};
}

TEST_P(MaskedRowsTest, AreNanAndNoOthers) {
  for (const Dtype dtype : testing::float_dtypes()) {
    for (const Shape& shape : shapes()) {
      const Array x = testing::uniform(shape).astype(dtype);
      const Array masked = x.copy();
      masked[1].fill(-kInfinity);
      for (const Case& c : cases()) {
        SCOPED_TRACE(str(c.name, " ", dtype, " ", shape));
        const Results plain = both_ways(c, x);
        const Results found = both_ways(c, masked);
        for (const int64_t sample : {0, 2}) {
          EXPECT_THAT(found.y[sample], testing::IsArray(plain.y[sample]));
          EXPECT_THAT(found.gx[sample], testing::IsArray(plain.gx[sample]));
        }
        EXPECT_THAT(found.y[1], testing::IsArray(
                                    array::full_like(found.y[1].copy(), kNan)));
        EXPECT_THAT(found.gx[1], testing::IsArray(array::full_like(
                                     found.gx[1].copy(), kNan)));
      }
    }
  }
}

// An infinity that is the largest has no difference from itself.
TEST_P(MaskedRowsTest, InfinityIsNanToo) {
  for (const Dtype dtype : testing::float_dtypes()) {
    for (const Shape& shape : shapes()) {
      const Array x = testing::uniform(shape).astype(dtype);
      x[{1, 0}].fill(kInfinity);
      const Array y = softmax(Variable(x)).data();
      EXPECT_TRUE(array::isnan(y[{1, 0}].copy()).reshape({-1})[0].item<bool>())
          << dtype << shape;
      EXPECT_THAT(y[2],
                  testing::IsArray(
                      softmax(Variable(x[{Slice(2, 3)}].copy())).data()[0]))
          << dtype << shape;
    }
  }
}

// One that is not masked is certain.
TEST_P(MaskedRowsTest, OneElementIsEnough) {
  for (const Dtype dtype : testing::float_dtypes()) {
    for (const Shape& shape : shapes()) {
      const Array x = array::full(shape, -kInfinity, dtype);
      x[{Slice(), 0}].fill(3);
      const Array certain = array::zeros(shape, dtype);
      certain[{Slice(), 0}].fill(1);
      const Variable in(x);
      EXPECT_THAT(softmax(in).data(), testing::IsArray(certain))
          << dtype << shape;
      // The CPU rounds a sum of powers of 2, of float32, and takes its log.
      EXPECT_THAT(log_softmax(in).data(),
                  testing::IsClose(array::log(certain), {.atol = 2e-7}))
          << dtype << shape;
    }
  }
}

}  // namespace
}  // namespace catena::functions

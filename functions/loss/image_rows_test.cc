// Functions along the channels of images, which are not adjacent in memory.

#include <gtest/gtest.h>

#include <vector>

#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/functions/activation/log_softmax.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

class ImageRowsTest : public testing::DeviceTest {
 protected:
  // Results and gradients for images (n, c, h, w), on a device.
  static std::vector<Array> results_on(Device device, const Array& images,
                                       const Array& labels) {
    const Array x = images.to_device(device);
    const Array t = labels.to_device(device);
    std::vector<Array> results;
    const auto add = [&](const Variable& in, const Variable& y) {
      // Other gradients for each row.
      y.set_grad(y.data() * 0.5 + 1);
      y.backward();
      results.push_back(y.data().to_device(native_device()));
      results.push_back(in.grad().to_device(native_device()));
    };
    const auto run = [&](auto function) {
      const Variable in(x);
      add(in, function(in));
    };
    run([](const Variable& in) { return softmax(in, {.axis = 1}); });
    run([](const Variable& in) { return log_softmax(in, {.axis = 1}); });
    run([&](const Variable& in) { return softmax_cross_entropy(in, t); });
    const Array weights =
        array::arange(x.shape()[1], x.dtype(), device) * 0.25 + 1;
    run([&](const Variable& in) {
      return softmax_cross_entropy(in, t,
                                   {.class_weight = weights, .reduce = "no"});
    });
    return results;
  }

  void check(const Shape& shape, Dtype dtype) {
    array::random::seed(1);
    const Array images =
        array::random::normal(0, 2, shape, dtype).to_device(native_device());
    Shape of_labels = shape;
    of_labels.erase(1);
    // -1, the label that is left out, to the last class.
    const Array labels = array::random::randint(-1, shape[1], of_labels)
                             .to_device(native_device());
    const std::vector<Array> expected =
        results_on(native_device(), images, labels);
    const std::vector<Array> results = results_on(device(), images, labels);
    const std::vector<Array> again = results_on(device(), images, labels);
    constexpr size_t kGradientOfLogSoftmax = 3;
    for (size_t i = 0; i < expected.size(); ++i) {
      // Gradients are small differences of results that were rounded. That of
      // log_softmax is gy - exp(y) sum(gy): where the terms, of up to 3,
      // cancel, one unit in the last place of y, 2^-5 in bfloat16, remains of
      // them.
      const bool is_short = images.itemsize() == 2;
      const testing::Tolerance tolerance =
          !is_short ? testing::default_tolerance(dtype)
          : dtype == Dtype::kBFloat16 && i == kGradientOfLogSoftmax
              ? testing::Tolerance{.rtol = 0.02, .atol = 0.1}
              : testing::Tolerance{.rtol = 0.02, .atol = 0.02};
      EXPECT_THAT(results[i], testing::IsClose(expected[i], tolerance))
          << dtype << " " << to_string(shape) << " " << i;
      EXPECT_THAT(again[i], testing::IsArray(results[i]));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Images, ImageRowsTest, testing::every_device(),
                         testing::device_name);

TEST_P(ImageRowsTest, AgreeWithRowsOnTheCpu) {
  for (const Dtype dtype : testing::float_dtypes()) {
    for (const int64_t channels : {1, 2, 3, 10, 21, 130}) {
      check({3, channels, 5, 9}, dtype);
    }
    check({2, 1000, 7, 7}, dtype);
    check({3, 10, 2, 2}, dtype);
    check({2, 10, 1, 33}, dtype);
  }
}

// So many that long rows share warps, too.
TEST_P(ImageRowsTest, AgreeForManyRows) {
  check({4, 40, 65, 64}, Dtype::kFloat16);
  check({4, 40, 65, 64}, Dtype::kBFloat16);
  check({2, 140, 65, 64}, Dtype::kFloat32);
  check({2, 140, 65, 64}, Dtype::kFloat64);
}

}  // namespace
}  // namespace catena::functions

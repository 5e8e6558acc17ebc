// Normalization of numbers whose mean is so far from 0 that rounding it moves
// them: in float32 a mean of 1000 is known to 3e-5. Compared with float64.

#include <gmock/gmock.h>

#include <functional>

#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/functions/normalization/batch_renormalization.h"
#include "catena/functions/normalization/group_normalization.h"
#include "catena/functions/normalization/layer_normalization.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"

namespace catena::functions {
namespace {

using testing::IsClose;

using Normalization = std::function<Variable(
    const Variable& x, const Variable& gamma, const Variable& beta)>;

struct Results {
  Array y;
  Array gx;
  Array ggamma;
};

// With x and gy in one dtype, and parameters in another.
Results normalize_in(Dtype dtype, Dtype parameters, const Array& x,
                     const Array& gy, const BackwardOptions& options,
                     const Normalization& function) {
  const int64_t channels = x.shape()[1];
  const Variable in(x.astype(dtype));
  const Variable gamma(
      testing::uniform({channels}, 0.5, 1.5, Dtype::kFloat32, 2)
          .astype(parameters));
  const Variable y =
      function(in, gamma, Variable(array::zeros({channels}, parameters)));
  y.set_grad(gy.astype(dtype));
  y.backward(options);
  const auto single = [](const Array& a) { return a.astype(Dtype::kFloat32); };
  return {single(y.data()), single(in.grad()), single(gamma.grad())};
}

class FarMeanTest : public testing::DeviceTest {
 protected:
  // The sum of gy, by which an error of the mean is multiplied, is 0 or large.
  static void expect_exact(const Shape& shape, const Normalization& function,
                           Dtype parameters = Dtype::kFloat32) {
    const auto own = using_config(&Config::use_cudnn, Usage::kNever);
    for (const double std : {0.01, 1.0}) {
      const Array noise = testing::uniform(shape, -1, 1);
      const Array x = (noise * std + 1000.0).astype(Dtype::kFloat32);
      for (const double mean : {0.0, 10.0}) {
        const Array gy =
            (noise + testing::uniform(shape, -1, 1, Dtype::kFloat64, 1) + mean)
                .astype(Dtype::kFloat32);
        const Results exact =
            normalize_in(Dtype::kFloat64, Dtype::kFloat64, x, gy, {}, function);
        for (const bool recorded : {false, true}) {
          SCOPED_TRACE(::testing::Message()
                       << shape << ", deviations of " << std
                       << ", gradients of mean " << mean
                       << (recorded ? ", recorded" : ""));
          const Results actual =
              normalize_in(Dtype::kFloat32, parameters, x, gy,
                           {.enable_double_backprop = recorded}, function);
          const double atol = 1e-5 * (1 + mean);
          EXPECT_THAT(actual.y, IsClose(exact.y, {.rtol = 1e-5, .atol = 1e-5}));
          EXPECT_THAT(actual.ggamma,
                      IsClose(exact.ggamma, {.rtol = 1e-5, .atol = atol}));
          EXPECT_THAT(actual.gx,
                      IsClose(exact.gx, {.rtol = 1e-5, .atol = atol / std}));
        }
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(FarMean, FarMeanTest, testing::every_device(),
                         testing::device_name);

// In the order of memory, shorter than lanes, and side by side.
const Shape kImages[] = {{3, 4, 131}, {70, 4, 3}, {130, 4}};

TEST_P(FarMeanTest, BatchNormalizationIgnoresHowTheMeanIsRounded) {
  for (const Shape& shape : kImages) {
    expect_exact(shape, [](const Variable& x, const Variable& gamma,
                           const Variable& beta) {
      return batch_normalization(x, gamma, beta);
    });
  }
}

TEST_P(FarMeanTest, GroupNormalizationIgnoresHowTheMeanIsRounded) {
  for (const Shape& shape : kImages) {
    expect_exact(shape, [](const Variable& x, const Variable& gamma,
                           const Variable& beta) {
      return group_normalization(x, 2, gamma, beta);
    });
  }
}

TEST_P(FarMeanTest, LayerNormalizationIgnoresHowTheMeanIsRounded) {
  for (const Shape& shape : {Shape{20, 131}, Shape{70, 4}, Shape{2, 1000}}) {
    expect_exact(shape, [](const Variable& x, const Variable& gamma,
                           const Variable& beta) {
      return layer_normalization(x, gamma, beta);
    });
  }
}

// With corrections at their bounds, and with ones that undo the batch's mean.
TEST_P(FarMeanTest, BatchRenormalizationIgnoresHowTheMeanIsRounded) {
  for (const double bound : {1.5, 1000.0}) {
    for (const Shape& shape : kImages) {
      expect_exact(shape, [&](const Variable& x, const Variable& gamma,
                              const Variable& beta) {
        const auto running = [&](double value) {
          return array::full({4}, value, Dtype::kFloat32);
        };
        return batch_renormalization(
            x, gamma, beta, bound, bound - 1,
            {.running_mean = running(1000.0025), .running_var = running(0.01)});
      });
    }
  }
}

// A mean that is given is exact, unless x has fewer digits.
TEST_P(FarMeanTest, FixedBatchNormalizationUsesTheWholeMean) {
  for (const Dtype given : {Dtype::kFloat32, Dtype::kFloat64}) {
    const Array mean = array::full({4}, 1000.00001, given);
    const Array var = array::full({4}, 1e-3, given);
    for (const Shape& shape : kImages) {
      expect_exact(
          shape,
          [&](const Variable& x, const Variable& gamma, const Variable& beta) {
            const auto statistic = [&](const Array& numbers) {
              return Variable(numbers.astype(gamma.dtype()));
            };
            return fixed_batch_normalization(x, gamma, beta, statistic(mean),
                                             statistic(var));
          },
          given);
    }
  }
}

}  // namespace
}  // namespace catena::functions

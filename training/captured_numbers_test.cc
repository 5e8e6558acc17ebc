#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/functions/activation/leaky_relu.h"
#include "catena/functions/array/get_item.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/clip.h"
#include "catena/functions/math/cumsum.h"
#include "catena/functions/math/matmul.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/square.h"
#include "catena/functions/math/sum.h"
#include "catena/functions/math/variable_methods.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/functions/normalization/layer_normalization.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/optimizers/sgd.h"
#include "catena/training/captured_steps.h"
#include "catena/training/testing/step_runs.h"

namespace catena::training {
namespace {

namespace F = catena::functions;
using ::testing::HasSubstr;

// A function of a (4, 4) array and a number of the host, 1 or 2, which reaches
// kernels of some family. Its name is what warnings say. Kernels of blocks get
// shapes alone.
struct NumberCase {
  std::string family;
  std::string function;
  std::function<Variable(const Variable& x, int number)> call;
};

Variable mean_of_windows(const Variable& x, const Shape& image, int number) {
  return F::average_pooling_nd(x.reshape(image), number == 1 ? 1 : 3,
                               {.stride = 1, .pad = number - 1});
}

Array labels_on(Device device) {
  return array::array({1, 2, 1, 0}, Dtype::kInt32).to_device(device);
}

std::vector<NumberCase> number_cases() {
  return {
      {"elementwise", "leaky_relu",
       [](const Variable& x, int n) { return F::leaky_relu(x, 0.1 * n); }},
      {"bounds", "clip",
       [](const Variable& x, int n) { return F::clip(x, -0.1 * n, 0.2); }},
      {"immediate", "_ * ",
       [](const Variable& x, int n) { return x * (0.5 * n); }},
      {"rows", "layer_normalization",
       [](const Variable& x, int n) {
         return F::layer_normalization(x, x[0], x[1], {.eps = 0.1 * n});
       }},
      {"channels", "batch_normalization",
       [](const Variable& x, int n) {
         return F::batch_normalization(x, x[0], x[1], {.eps = 0.1 * n});
       }},
      {"windows", "sums of windows",
       [](const Variable& x, int n) {
         return mean_of_windows(x, {1, 1, 4, 4}, n);
       }},
      {"spans", "sums of windows",
       [](const Variable& x, int n) {
         return mean_of_windows(x, {1, 1, 2, 2, 4}, n);
       }},
      {"labels", "softmax_cross_entropy",
       [](const Variable& x, int n) {
         return F::softmax_cross_entropy(x, labels_on(x.device()),
                                         {.ignore_label = n});
       }},
      {"reduction", "sum",
       [](const Variable& x, int n) { return F::square(F::sum(x, n - 1)); }},
      {"scan", "cumsum",
       [](const Variable& x, int n) { return F::cumsum(x, n - 1); }},
      {"random", "dropout",
       [](const Variable& x, int n) { return F::dropout(x, 0.1 * n); }},
      {"products", "matmul",
       [](const Variable& x, int n) {
         return F::matmul(x, x, {.alpha = 0.1 * n});
       }},
      // A view, which runs no kernel.
      {"views", "square",
       [](const Variable& x, int n) { return F::square(x[n]); }},
  };
}

class Weights : public Link {
 public:
  Weights() : W(this, "W", 0.0, Shape{4, 4}) {}
  Param W;
};

class CapturedNumbersTest : public StepRunsTest {
 protected:
  struct Run {
    State state;
    std::vector<float> losses;
    size_t graphs = 0;
    std::string obstacle = {};
    std::string log = {};
  };

  // Steps with a number for each.
  Run run(const NumberCase& of, Capture capture, int count,
          const std::function<int(int step)>& number) const {
    for (const Device each : {native_device(), device()}) {
      array::random::generator(each).seed(9);
    }
    Weights model;
    model.W.set_data(random({4, 4}, 3));
    model.to_device(device());
    optimizers::SGD optimizer({.lr = 0.01});
    optimizer.setup(model);
    int step = 0;
    Array loss;
    CapturedSteps steps(
        optimizer,
        [&](const LossInputs& inputs) {
          Variable result =
              F::sum(of.call(model.W + F::sum(inputs[0]), number(step)));
          loss = result.data();
          return result;
        },
        capture);
    Run result;
    ::testing::internal::CaptureStderr();
    for (; step < count; ++step) {
      steps.update(batch(1, static_cast<uint64_t>(step)));
      result.losses.push_back(loss.item<float>());
    }
    result.log = ::testing::internal::GetCapturedStderr();
    result.state = state_of(optimizer);
    result.graphs = steps.n_graphs();
    result.obstacle = steps.obstacle();
    return result;
  }
};

TEST_P(CapturedNumbersTest, ThatStayTheSameAreCaptured) {
  for (const NumberCase& each : number_cases()) {
    SCOPED_TRACE(each.family);
    const auto number = [](int) { return 1; };
    const Run eager = run(each, Capture::kNever, 5, number);
    const Run automatic = run(each, Capture::kAuto, 5, number);
    EXPECT_EQ(automatic.graphs, if_gpu(1));
    EXPECT_EQ(automatic.log, "");
    expect_equal(automatic.state, eager.state);
    EXPECT_EQ(automatic.losses, eager.losses);
  }
}

TEST_P(CapturedNumbersTest, ThatChangeInEachStepAreNotCaptured) {
  for (const NumberCase& each : number_cases()) {
    SCOPED_TRACE(each.family);
    const auto number = [](int step) { return 1 + step % 2; };
    const Run eager = run(each, Capture::kNever, 10, number);
    const Run automatic = run(each, Capture::kAuto, 10, number);
    EXPECT_EQ(automatic.graphs, 0u);
    expect_equal(automatic.state, eager.state);
    EXPECT_EQ(automatic.losses, eager.losses);
    if (device().is_native()) continue;
    EXPECT_THAT(
        automatic.log,
        HasSubstr("steps do not do the same, as the last two show in '" +
                  each.function));
    EXPECT_EQ(std::ranges::count(automatic.log, '\n'), 1);
  }
}

TEST_P(CapturedNumbersTest, ThatChangeLaterEndCaptures) {
  if (device().is_native()) GTEST_SKIP() << "the CPU captures nothing";
  for (const NumberCase& each : number_cases()) {
    SCOPED_TRACE(each.family);
    const Run automatic = run(each, Capture::kAuto, 104,
                              [](int step) { return step < 50 ? 1 : 2; });
    EXPECT_EQ(automatic.graphs, 0u);
    EXPECT_THAT(
        automatic.log,
        HasSubstr("step 102 differs from those before the capture in '" +
                  each.function));
    EXPECT_EQ(std::ranges::count(automatic.log, '\n'), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(CapturedSteps, CapturedNumbersTest,
                         testing::every_device(), testing::device_name);

}  // namespace
}  // namespace catena::training

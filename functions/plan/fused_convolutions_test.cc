// Plans on GPUs: what convolutions compute besides, by cuDNN and without it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catena/array/channels_last.h"
#include "catena/array/core/backend.h"
#include "catena/array/core/device.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/functions/connection/internal/convolution_cudnn.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/functions/plan/execution_plan.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/gpu_limit.h"

namespace catena::functions {
namespace {

using ::catena::testing::IsArray;
using ::catena::testing::IsClose;

std::string& calls() {
  static std::string& calls = *new std::string;
  return calls;
}

// What cuDNN computes, by other functions.
bool compute_apart(const ConvolutionArgs& args,
                   const ConvolutionEpilogue& epilogue) {
  calls() += args.geometry.groups > 1 ? "grouped" : "convolution";
  const bool reorders = item_size(args.y.dtype()) == 2;
  for (const Array* const a : {&args.y, &args.W}) {
    EXPECT_TRUE(reorders ? array::is_channels_last(*a) : a->is_contiguous());
  }
  const Window& window = args.geometry.window;
  const Variable product =
      convolution_2d(args.x, args.W, args.b,
                     {.stride = {window.stride[0], window.stride[1]},
                      .pad = {window.pad[0], window.pad[1]},
                      .dilate = {window.dilate[0], window.dilate[1]},
                      .groups = args.geometry.groups});
  args.y.assign(product.data());
  if (epilogue.residual.defined()) {
    calls() += "+residual";
    args.y += epilogue.residual;
  }
  if (epilogue.relu) {
    calls() += "+relu";
    array::maximum(args.y, array::zeros_like(args.y), {.out = args.y});
  }
  calls() += " ";
  return true;
}

bool decline(const ConvolutionArgs&, const ConvolutionEpilogue&) {
  return false;
}

class FusedConvolutionsTest : public testing::DeviceTest {
 protected:
  void SetUp() override {
    testing::DeviceTest::SetUp();
    if (device().is_native()) GTEST_SKIP() << "for GPUs";
    calls().clear();
  }
  Array random(const Shape& shape, Dtype dtype) const {
    return array::random::uniform(-1.0, 1.0, shape, dtype);
  }

 private:
  ConfigScope<bool> test_ = using_config(&Config::train, false);
  ConfigScope<bool> backprop_ = no_backprop_mode();
};
INSTANTIATE_TEST_SUITE_P(Devices, FusedConvolutionsTest,
                         testing::every_device(), testing::device_name);

// Layers of a network with all that a convolution takes in, and parameters of
// batch normalization in a dtype of their own.
struct Layers {
  Layers(Dtype dtype, Dtype statistics)
      : W(array::random::uniform(-1.0, 1.0, {8, 4, 3, 3}, dtype)),
        b(array::random::uniform(-1.0, 1.0, {8}, dtype)),
        grouped(array::random::uniform(-1.0, 1.0, {8, 4, 3, 2}, dtype)),
        gamma(array::random::uniform(0.5, 1.5, {8}, statistics)),
        beta(array::random::uniform(-1.0, 1.0, {8}, statistics)),
        mean(array::random::uniform(-1.0, 1.0, {8}, statistics)),
        var(array::random::uniform(0.5, 1.5, {8}, statistics)) {}

  Variable operator()(const Variable& x) const {
    const auto norm = [&](const Variable& h) {
      return fixed_batch_normalization(h, gamma, beta, mean, var,
                                       {.eps = 1e-3});
    };
    const Variable h = relu(norm(convolution_2d(x, W, b)));
    const Variable other = norm(convolution_2d(
        h, grouped, {},
        {.stride = {1, 2}, .pad = {2, 1}, .dilate = {2, 3}, .groups = 2}));
    const Variable sum = convolution_2d(x, W, {}, {.stride = {1, 2}}) + other;
    return relu(sum + convolution_2d(x, W, b, {.stride = {1, 2}}));
  }

  Variable W, b, grouped, gamma, beta;
  Array mean, var;
};

TEST_P(FusedConvolutionsTest, TakeInWhatFollows) {
  for (const Dtype dtype :
       {Dtype::kFloat32, Dtype::kFloat16, Dtype::kBFloat16}) {
    for (const Dtype statistics : {dtype, Dtype::kFloat32}) {
      const Layers layers(dtype, statistics);
      const Array x = random({2, 4, 7, 8}, dtype);
      const double error = dtype == Dtype::kFloat32   ? 1e-4
                           : dtype == Dtype::kFloat16 ? 2e-2
                                                      : 2e-1;
      const auto close =
          IsClose(layers(x).data(), {.rtol = error, .atol = 10 * error});
      for (auto* const cudnn : {decline, compute_apart}) {
        fused_convolution_cudnn.fill(cudnn);
        calls().clear();
        ExecutionPlan plan(layers);
        plan(random(x.shape(), dtype));
        EXPECT_THAT(plan(x).data(), close) << dtype << " " << statistics;
        const std::vector<PlanStep> steps = plan.steps();
        ASSERT_EQ(steps.size(), 4U);
        EXPECT_EQ(steps[0].functions,
                  "convolution_2d + fixed_batch_normalization + relu");
        EXPECT_EQ(steps[0].kind, "fused");
        if (cudnn == decline) continue;
        // Once before the capture, and once in it.
        const std::string once =
            "convolution+relu grouped+residual "
            "convolution+residual+relu ";
        EXPECT_EQ(calls(), once + once);
      }
    }
  }
}

// The arrays' device need not be the current one.
TEST_P(FusedConvolutionsTest, OnAnotherGpu) {
  if (testing::gpus_for_tests(backend_table(Backend::kCuda)->device_count()) <
      2) {
    GTEST_SKIP() << "needs 2 CUDA devices";
  }
  const auto make = [] {
    const DeviceScope second(cuda_device(1));
    return Layers(Dtype::kFloat16, Dtype::kFloat32);
  };
  const Layers layers = make();
  const Array x =
      random({2, 4, 7, 8}, Dtype::kFloat16).to_device(cuda_device(1));
  for (auto* const cudnn : {decline, compute_apart}) {
    fused_convolution_cudnn.fill(cudnn);
    ExecutionPlan plan(layers);
    plan(x * 0.5);
    const Array y = plan(x).data();
    EXPECT_EQ(y.device(), cuda_device(1));
    EXPECT_THAT(y, IsClose(layers(x).data(), {.rtol = 2e-2, .atol = 0.2}));
  }
}

TEST_P(FusedConvolutionsTest, FoldWeightsAsTheyAreTold) {
  const Layers layers(Dtype::kFloat32, Dtype::kFloat32);
  const Array x = random({1, 4, 5, 8}, Dtype::kFloat32);
  ExecutionPlan always(layers);
  ExecutionPlan once(layers, {.weights = PlanCheck::kNone});
  always(x);
  const Array before = once(x).data();
  layers.gamma.data() *= 2.0;
  layers.mean += 0.25;
  const Array after = layers(x).data();
  EXPECT_THAT(always(x).data(), IsClose(after, {.rtol = 1e-4, .atol = 1e-4}));
  EXPECT_EQ(always.n_traces(), 1);
  EXPECT_THAT(once(x).data(), IsArray(before));
  once.refresh();
  EXPECT_THAT(once(x).data(), IsClose(after, {.rtol = 1e-4, .atol = 1e-4}));
}

}  // namespace
}  // namespace catena::functions

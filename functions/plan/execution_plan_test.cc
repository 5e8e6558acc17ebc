#include "catena/functions/plan/execution_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/array/creation.h"
#include "catena/array/random.h"
#include "catena/autograd/config.h"
#include "catena/autograd/parameter.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/activation/sigmoid.h"
#include "catena/functions/activation/softmax.h"
#include "catena/functions/array/concat.h"
#include "catena/functions/array/reshape.h"
#include "catena/functions/connection/convolution_nd.h"
#include "catena/functions/connection/linear.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/normalization/batch_normalization.h"
#include "catena/functions/pooling/average_pooling.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"

namespace catena::functions {
namespace {

using ::catena::testing::DeviceTest;
using ::catena::testing::IsClose;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ExecutionPlanTest : public DeviceTest {
 protected:
  Array random(const Shape& shape, Dtype dtype = Dtype::kFloat32) const {
    return array::random::uniform(-1.0, 1.0, shape, dtype);
  }
  Variable weights(const Shape& shape, Dtype dtype = Dtype::kFloat32) const {
    return Variable(random(shape, dtype));
  }
  bool is_native() const { return device().is_native(); }

 private:
  ConfigScope<bool> test_ = using_config(&Config::train, false);
  ConfigScope<bool> backprop_ = no_backprop_mode();
};

// The network of these tests: everything that is folded.
struct Network {
  Variable W1, W2, b2, W3, gamma, beta, W4, b4;
  Array mean, var;

  Variable operator()(const Variable& x) const {
    const auto norm = [&](const Variable& h) {
      return fixed_batch_normalization(h, gamma, beta, mean, var,
                                       {.eps = 1e-3});
    };
    Variable h = relu(norm(convolution_2d(x, W1, {}, {.pad = 1})));
    h = max_pooling_2d(h, 3, {.stride = 2});
    const Variable first = norm(convolution_2d(h, W2, b2, {.pad = 1}));
    const Variable second = convolution_2d(h, W3);
    h = relu(first + second);
    h = relu(h + convolution_2d(h, W3));
    h = concat({h, convolution_2d(h, W3)}, {.axis = 1});
    h = average_pooling_2d(h, {h.shape()[2], h.shape()[3]});
    return softmax(relu(linear(h, W4, b4)));
  }
};

TEST_P(ExecutionPlanTest, ComputesWhatTheFunctionComputes) {
  Network net{weights({16, 3, 3, 3}), weights({16, 16, 3, 3}),
              weights({16}),          weights({16, 16, 1, 1}),
              weights({16}),          weights({16}),
              weights({5, 32}),       weights({5}),
              random({16}),           random({16}) * 0.5 + 1.0};
  ExecutionPlan plan(net);
  for (const int64_t batch : {2, 1, 2}) {
    for (int i = 0; i < 2; ++i) {
      const Array x = random({batch, 3, 9, 11});
      const Variable y = plan(x);
      EXPECT_THAT(y.data(), IsClose(net(x).data()));
      EXPECT_EQ(y.creator_node(), nullptr);
    }
  }
  EXPECT_EQ(plan.n_plans(), 2);
  EXPECT_EQ(plan.n_traces(), 2);
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Devices, ExecutionPlanTest,
                         ::catena::testing::every_device(),
                         ::catena::testing::device_name);

}  // namespace catena::functions

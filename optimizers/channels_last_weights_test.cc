// Weights whose channels are last in memory (Link::to_channels_last) are
// trained as those in C order are, and stay so.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "catena/array/channels_last.h"
#include "catena/array/creation.h"
#include "catena/autograd/config.h"
#include "catena/autograd/data_layout.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/math/square.h"
#include "catena/functions/math/sum.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/deconvolution_nd.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/function_gradients.h"
#include "catena/tests/testing/save_and_load.h"

namespace catena::optimizers {
namespace {

using ::catena::testing::IsClose;

// Convolutions of 3 by 3 pixels, grouped, of one, which is in both orders, and
// transposed; the first waits for its input.
class Net : public Chain<Net> {
 public:
  Net()
      : conv1(this, "conv1", links::Convolution2D(std::nullopt, 8, 3)),
        conv2(this, "conv2",
              links::Convolution2D(8, 6, 3, {.pad = 1, .groups = 2})),
        conv3(this, "conv3", links::Convolution2D(6, 4, 1)),
        deconv(this, "deconv", links::Deconvolution2D(4, 3, 2)) {}

  Variable forward(const Variable& x) {
    return deconv(conv3(functions::relu(conv2(functions::relu(conv1(x))))));
  }

  Child<links::Convolution2D> conv1;
  Child<links::Convolution2D> conv2;
  Child<links::Convolution2D> conv3;
  Child<links::Deconvolution2D> deconv;
};

void expect_reordered(const Net& net) {
  for (const auto& [path, param] : net.namedparams()) {
    const bool is_expected =
        path == "/conv1/W" || path == "/conv2/W" || path == "/deconv/W";
    EXPECT_EQ(has_channels_last(param.data()), is_expected) << path;
    // The CPU computes gradients in C order.
    if (param.grad().defined() && !param.device().is_native()) {
      EXPECT_EQ(has_channels_last(param.grad()), is_expected) << path;
    }
  }
}

// Parameters of both, in C order.
void expect_same(const Net& net, const Net& other) {
  const auto ours = net.namedparams();
  const auto theirs = other.namedparams();
  ASSERT_EQ(ours.size(), theirs.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_THAT(ours[i].second.data(),
                IsClose(theirs[i].second.data(), {.rtol = 1e-4, .atol = 1e-5}))
        << ours[i].first;
  }
}

class ChannelsLastWeightsTest : public ::catena::testing::DeviceTest {
 protected:
  static Variable images() {
    return Variable(array::in_channels_last(
        ::catena::testing::uniform({2, 3, 7, 6}, -1, 1, get_dtype())));
  }
  template <class Optimizer>
  static void train(Net& net, Optimizer& optimizer, int steps = 3) {
    for (int i = 0; i < steps; ++i) {
      optimizer.update(
          [&] { return functions::sum(functions::square(net(images()))); });
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, ChannelsLastWeightsTest,
                         ::catena::testing::every_device(),
                         ::catena::testing::device_name);

template <class Optimizer>
void add_hooks(Optimizer& optimizer) {
  optimizer.add_hook(WeightDecay(1e-3));
  optimizer.add_hook(GradientClipping(5));
}

TEST_P(ChannelsLastWeightsTest, AreTrainedLikeOthers) {
  Net net;
  net(images());
  Net reordered = net;
  reordered.to_channels_last();
  expect_same(reordered, net);
  const auto compare = [&](auto optimizer, auto other) {
    optimizer.setup(net);
    other.setup(reordered);
    add_hooks(optimizer);
    add_hooks(other);
    train(net, optimizer);
    train(reordered, other);
    expect_reordered(reordered);
    expect_same(reordered, net);
    for (const auto& [path, param] : reordered.namedparams()) {
      const auto& rule = dynamic_cast<UpdateRule&>(*param.update_rule());
      EXPECT_FALSE(rule.state().empty());
      for (const auto& [name, state] : rule.state()) {
        EXPECT_EQ(has_channels_last(state), has_channels_last(param.data()))
            << path << name;
      }
    }
  };
  compare(MomentumSGD({.lr = 0.01}), MomentumSGD({.lr = 0.01}));
  compare(Adam({.alpha = 0.01}), Adam({.alpha = 0.01}));
}

TEST_P(ChannelsLastWeightsTest, HaveFloat32CopiesInTheirOrder) {
  const auto scope =
      using_config(&Config::dtype, DefaultDtype(Dtype::kFloat16));
  Net net;
  net(images());
  Net reordered = net;
  reordered.to_channels_last();
  const auto run = [](Net& model) {
    MomentumSGD optimizer({.lr = 0.001});
    optimizer.setup(model);
    optimizer.use_fp32_update();
    train(model, optimizer);
  };
  run(net);
  run(reordered);
  expect_reordered(reordered);
  const auto ours = reordered.params();
  const auto theirs = net.params();
  for (size_t i = 0; i < ours.size(); ++i) {
    EXPECT_THAT(ours[i].data(),
                IsClose(theirs[i].data(), {.rtol = 1e-2, .atol = 1e-2}));
  }
}

TEST_P(ChannelsLastWeightsTest, OfDeferredLinksTurnOnceTheyHaveAShape) {
  Net net;
  net.to_channels_last();
  Net copy = net;
  net(images());
  copy(images());
  expect_reordered(net);
  expect_reordered(copy);
}

TEST_P(ChannelsLastWeightsTest, StayInCopiesAndOnOtherDevices) {
  Net net;
  net(images());
  Net reordered = net;
  reordered.to_channels_last();
  functions::sum(reordered(images())).backward();
  Net copy = reordered;
  expect_reordered(copy);
  expect_same(copy, net);
  reordered.to_device(native_device(1));
  expect_reordered(reordered);
  reordered.to_device(device());
  expect_reordered(reordered);
  expect_same(reordered, net);
  reordered.zerograds();
  expect_reordered(reordered);
  Net other;
  other(images());
  other.to_channels_last();
  other.copyparams(net);
  expect_reordered(other);
  expect_same(other, net);
}

TEST_P(ChannelsLastWeightsTest, AreInCOrderInFiles) {
  Net net;
  net(images());
  Net reordered = net;
  reordered.to_channels_last();
  MomentumSGD optimizer({.lr = 0.01});
  MomentumSGD other({.lr = 0.01});
  optimizer.setup(net);
  other.setup(reordered);
  train(reordered, other);
  ::catena::testing::save_and_load_npz(reordered, net);
  expect_same(net, reordered);
  EXPECT_TRUE(net.conv1->W.data().is_contiguous());
  train(net, optimizer, 1);
  // Into weights that are reordered, and the state of their optimizer.
  ::catena::testing::save_and_load_npz(net, reordered);
  ::catena::testing::save_and_load_npz(optimizer, other);
  expect_reordered(reordered);
  train(net, optimizer);
  train(reordered, other);
  expect_same(reordered, net);
  expect_reordered(reordered);
}

}  // namespace
}  // namespace catena::optimizers

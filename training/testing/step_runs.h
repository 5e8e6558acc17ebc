#pragma once

// Shared by the tests of captured steps: networks, and all that a run changes.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/loss/mean_squared_error.h"
#include "catena/functions/math/variable_methods.h"
#include "catena/functions/noise/dropout.h"
#include "catena/functions/pooling/max_pooling.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/linear.h"
#include "catena/links/connection/lstm.h"
#include "catena/links/normalization/batch_normalization.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/optimizer.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"

namespace catena::training {

// A network with a loss, which it reports.
template <class Net>
class Model : public Chain<Model<Net>> {
 public:
  Model() : net(this, "net") {}
  Variable forward(const Variable& x, const Variable& t) {
    const Variable loss = functions::mean_squared_error(net(x), t);
    report({{"loss", loss}, {"size", x.len()}, {"doubled", loss.data() * 2}},
           this);
    return loss;
  }
  Child<Net> net;
};

class MLP : public Chain<MLP> {
 public:
  MLP() : l1(this, "l1", 7), l2(this, "l2", 3) {}
  Variable forward(const Variable& x) {
    return l2(functions::dropout(functions::relu(l1(x)), 0.3));
  }
  Child<links::Linear> l1, l2;
};

class CNN : public Chain<CNN> {
 public:
  CNN()
      : conv(this, "conv", 4, 3, links::ConvolutionOptions{.pad = 1}),
        norm(this, "norm", 4),
        fc(this, "fc", 3) {}
  Variable forward(const Variable& x) {
    const Variable h =
        functions::relu(norm(conv(x.reshape({x.len(), 1, 6, 6}))));
    return fc(functions::dropout(functions::max_pooling_2d(h, 2), 0.5));
  }
  Child<links::Convolution2D> conv;
  Child<links::BatchNormalization> norm;
  Child<links::Linear> fc;
};

// The state goes on from minibatch to minibatch.
class Truncated : public Chain<Truncated> {
 public:
  Truncated() : lstm(this, "lstm", 36, 5), out(this, "out", 5, 3) {}
  Variable forward(const Variable& x) {
    if (lstm->h.defined()) {
      lstm->h = as_variable(lstm->h.data());
      lstm->c = as_variable(lstm->c.data());
    }
    return out(lstm(x));
  }
  Child<links::LSTM> lstm;
  Child<links::Linear> out;
};

// Everything that a run changes, by name.
struct State {
  std::vector<std::pair<std::string, Array>> arrays;
  std::vector<int64_t> steps;
  array::random::GeneratorState generator;
};

inline void expect_equal(const State& captured, const State& eager) {
  ASSERT_EQ(captured.arrays.size(), eager.arrays.size());
  for (size_t i = 0; i < eager.arrays.size(); ++i) {
    SCOPED_TRACE(eager.arrays[i].first);
    ASSERT_EQ(captured.arrays[i].first, eager.arrays[i].first);
    EXPECT_THAT(captured.arrays[i].second,
                testing::IsArray(eager.arrays[i].second));
  }
  EXPECT_EQ(captured.steps, eager.steps);
  EXPECT_EQ(captured.generator, eager.generator);
}

class StepRunsTest : public testing::DeviceTest {
 protected:
  // What is captured on a GPU.
  size_t if_gpu(size_t graphs) const {
    return device().is_native() ? 0 : graphs;
  }

  Array random(const Shape& shape, uint64_t seed) const {
    array::random::Generator generator(seed, native_device());
    return generator.normal(0, 1, shape, Dtype::kFloat32);
  }
  LossInputs batch(int64_t size, uint64_t seed) const {
    return LossInputs(
        {as_variable(random({size, 36}, seed).to_device(device())),
         as_variable(random({size, 3}, seed + 100).to_device(device()))});
  }

  State state_of(Optimizer& optimizer) const {
    State state;
    for (const auto& [path, param] : optimizer.target().namedparams()) {
      state.arrays.emplace_back(path, param.data());
      if (!param.is_frozen()) {
        state.arrays.emplace_back(path + " grad", param.grad());
      }
      const UpdateRule& rule = update_rule_of(param);
      for (const auto& [name, array] : rule.state()) {
        state.arrays.emplace_back(path + " " + name, array);
      }
      state.steps.push_back(rule.t());
    }
    for (const Array* array : optimizer.target().persistents()) {
      state.arrays.emplace_back("persistent", *array);
    }
    state.steps.push_back(optimizer.t());
    state.generator = array::random::generator(device()).state();
    return state;
  }
};

}  // namespace catena::training

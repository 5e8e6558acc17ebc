#include "catena/training/captured_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/core/backend.h"
#include "catena/array/core/captured_work.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/functions/math/variable_methods.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/chain.h"
#include "catena/links/connection/linear.h"
#include "catena/links/connection/lstm.h"
#include "catena/links/connection/n_step_lstm.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/optimizers.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/training/standard_updater.h"
#include "catena/training/testing/step_runs.h"

namespace catena::training {
namespace {

namespace F = catena::functions;
namespace L = catena::links;
using ::catena::testing::error_of;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Step by step, from a state that is reset for every minibatch.
class StepByStep : public Chain<StepByStep> {
 public:
  StepByStep() : lstm(this, "lstm", 6, 5), out(this, "out", 5, 3) {}
  Variable forward(const Variable& x) {
    lstm->reset_state();
    Variable h;
    const Variable steps = x.reshape({x.len(), 6, 6});
    for (int64_t i = 0; i < 6; ++i) {
      h = F::dropout(lstm(steps[{Slice(), i}]), 0.2);
    }
    return out(h);
  }
  Child<L::LSTM> lstm;
  Child<L::Linear> out;
};

class WholeSequences : public Chain<WholeSequences> {
 public:
  WholeSequences() : lstm(this, "lstm", 2, 6, 5, 0.3), out(this, "out", 5, 3) {}
  Variable forward(const Variable& x) {
    std::vector<Variable> xs;
    for (int64_t i = 0; i < x.len(); ++i) xs.push_back(x[i].reshape({6, 6}));
    const auto [hy, cy, ys] = lstm(Variable(), Variable(), xs);
    return out(hy[1]);
  }
  Child<L::NStepLSTM> lstm;
  Child<L::Linear> out;
};

using MakeOptimizer = std::function<std::unique_ptr<Optimizer>()>;

template <class O>
MakeOptimizer make(const typename O::Options& options = {}) {
  return [options] { return std::make_unique<O>(options); };
}

class CapturedStepsTest : public StepRunsTest {
 protected:
  // Six steps of a trainer, with the values reported in each.
  template <class Net>
  State train(const MakeOptimizer& make_optimizer, Capture capture) const {
    for (const Device each : {native_device(), device()}) {
      array::random::generator(each).seed(5);
    }
    Model<Net> model;
    model.to_device(device());
    const std::unique_ptr<Optimizer> optimizer = make_optimizer();
    optimizer->setup(model);
    const Array x = random({24, 36}, 1);
    const Array t = random({24, 3}, 2);
    const datasets::TupleDataset data(x, t);
    iterators::SerialIterator iterator(data, 4, {.shuffle = false});
    StandardUpdater updater(iterator, *optimizer,
                            {.device = device(), .capture = capture});
    Reporter reporter;
    reporter.add_observer("main", model);
    std::vector<Observation> observations(6);
    for (int i = 0; i < 6; ++i) {
      // Hyperparameters change between steps, as extensions change them.
      const std::string_view rate = optimizer->hyperparameter_names()[0];
      optimizer->set_hyperparameter(rate,
                                    optimizer->hyperparameter(rate) * 0.75);
      if (i == 4) {
        update_rule_of(optimizer->target().params()[0])
            .set_hyperparameter(rate, 0.002);
      }
      const auto scope = reporter.scope(observations[static_cast<size_t>(i)]);
      updater.update();
    }
    State state = state_of(*optimizer);
    for (const Observation& observation : observations) {
      for (const char* name : {"main/loss", "main/doubled"}) {
        state.arrays.emplace_back(name, observation[name].array());
      }
      state.steps.push_back(*observation["main/size"].integer());
    }
    return state;
  }

  template <class Net>
  void expect_captured_is_eager(const MakeOptimizer& make_optimizer) const {
    const State eager = train<Net>(make_optimizer, Capture::kNever);
    for (const Capture capture : {Capture::kAuto, Capture::kAlways}) {
      expect_equal(train<Net>(make_optimizer, capture), eager);
    }
  }
};

TEST_P(CapturedStepsTest, MLPsAreTheSameToTheBit) {
  expect_captured_is_eager<MLP>(make<optimizers::SGD>({.lr = 0.1}));
}

TEST_P(CapturedStepsTest, CNNsAreTheSameToTheBit) {
  expect_captured_is_eager<CNN>(make<optimizers::MomentumSGD>({.lr = 0.1}));
}

TEST_P(CapturedStepsTest, LSTMsAreTheSameToTheBit) {
  expect_captured_is_eager<StepByStep>(make<optimizers::Adam>());
  expect_captured_is_eager<WholeSequences>(make<optimizers::Adam>());
}

TEST_P(CapturedStepsTest, StatesGoOnFromStepToStep) {
  expect_captured_is_eager<Truncated>(make<optimizers::SGD>({.lr = 0.1}));
}

TEST_P(CapturedStepsTest, StatesThatAreResetBetweenStepsAreReset) {
  State states[2];
  for (const bool capture : {false, true}) {
    for (const Device each : {native_device(), device()}) {
      array::random::generator(each).seed(9);
    }
    Model<Truncated> model;
    model.to_device(device());
    optimizers::SGD optimizer({.lr = 0.1});
    optimizer.setup(model);
    CapturedSteps steps(optimizer);
    L::LSTM& lstm = *model.net->lstm;
    for (uint64_t i = 0; i < 12; ++i) {
      // Now and then, then always.
      if (i == 4 || i > 7) lstm.reset_state();
      if (capture) {
        steps.update(batch(3, i));
      } else {
        optimizer.update(optimizer.loss_function(), batch(3, i));
      }
    }
    EXPECT_EQ(steps.n_graphs(), capture ? if_gpu(1) : 0);
    states[capture] = state_of(optimizer);
    states[capture].arrays.emplace_back("h", lstm.h.data());
    states[capture].arrays.emplace_back("c", lstm.c.data());
  }
  expect_equal(states[1], states[0]);
}

TEST_P(CapturedStepsTest, AllOptimizersAreTheSameToTheBit) {
  for (const MakeOptimizer& make_optimizer :
       {make<optimizers::Adam>({.weight_decay_rate = 0.1, .amsgrad = true}),
        make<optimizers::Adam>({.adabound = true}),
        make<optimizers::AdaDelta>(), make<optimizers::AdaGrad>(),
        make<optimizers::CorrectedMomentumSGD>(), make<optimizers::MSVAG>(),
        make<optimizers::NesterovAG>(), make<optimizers::RMSprop>(),
        make<optimizers::RMSpropGraves>(), make<optimizers::SMORMS3>()}) {
    expect_captured_is_eager<MLP>(make_optimizer);
  }
}

TEST_P(CapturedStepsTest, HooksAreCaptured) {
  expect_captured_is_eager<MLP>([] {
    auto optimizer = std::make_unique<optimizers::SGD>();
    optimizer->add_hook(optimizers::GradientClipping(0.5));
    optimizer->add_hook(optimizers::WeightDecay(0.1));
    optimizer->add_hook(optimizers::Lasso(0.01));
    optimizer->add_hook(optimizers::GradientHardClipping(-0.1, 0.1));
    optimizer->add_hook(optimizers::GradientLARS());
    return optimizer;
  });
}

// The scale doubles until gradients of 1e37 overflow.
class Steep : public Link {
 public:
  Steep() : W(this, "W", 1.0, Shape{3}) {}
  Variable forward(const Variable& x, const Variable& /*t*/) {
    Variable loss = F::sum(W * (F::sum(x) * 0.0 + 1e37));
    report({{"loss", loss}}, this);
    return loss;
  }
  Param W;
};

TEST_P(CapturedStepsTest, StepsThatOverflowAreSkippedByTheDevice) {
  State states[2];
  for (const bool capture : {false, true}) {
    Steep model;
    if (capture) model.to_device(device());
    optimizers::Adam optimizer;
    optimizer.setup(model);
    optimizer.loss_scaling({.interval = 2});
    CapturedSteps steps(optimizer, nullptr,
                        capture ? Capture::kAlways : Capture::kNever);
    for (uint64_t i = 0; i < 14; ++i) {
      steps.update(LossInputs(
          {as_variable(random({3}, i).to_device(model.W.device())),
           as_variable(random({3}, i).to_device(model.W.device()))}));
    }
    EXPECT_EQ(steps.n_graphs(), capture ? if_gpu(1) : 0);
    EXPECT_LT(optimizer.t(), 14);
    State& state = states[capture];
    state.arrays.emplace_back("W", model.W.data().to_device(native_device()));
    for (const auto& [name, array] : update_rule_of(model.W).state()) {
      state.arrays.emplace_back(name, array.to_device(native_device()));
    }
    state.steps = {optimizer.t(), update_rule_of(model.W).t(),
                   optimizer.was_skipped(),
                   static_cast<int64_t>(optimizer.loss_scale() * 1024)};
  }
  expect_equal(states[1], states[0]);
}

TEST_P(CapturedStepsTest, EveryShapeHasItsGraph) {
  State states[2];
  for (const bool capture : {false, true}) {
    for (const Device each : {native_device(), device()}) {
      array::random::generator(each).seed(9);
    }
    Model<MLP> model;
    model.to_device(device());
    optimizers::Adam optimizer;
    optimizer.setup(model);
    CapturedSteps steps(optimizer);
    const auto run = [&](int64_t size, uint64_t seed) {
      if (capture) {
        steps.update(batch(size, seed));
      } else {
        optimizer.update(optimizer.loss_function(), batch(size, seed));
      }
    };
    for (uint64_t epoch = 0; epoch < 4; ++epoch) {
      for (int64_t size = 1; size <= 6; ++size) {
        run(size, epoch * 10 + static_cast<uint64_t>(size));
      }
    }
    if (capture) {
      EXPECT_EQ(steps.n_graphs(), if_gpu(CapturedSteps::kMaxGraphs));
    }
    states[capture] = state_of(optimizer);
  }
  expect_equal(states[1], states[0]);
}

// Temporaries of 4 MiB and more for the largest shape.
TEST_P(CapturedStepsTest, GraphsShareMemory) {
  if (device().is_native()) GTEST_SKIP() << "the CPU captures nothing";
  int64_t bytes[2];
  for (const int64_t shapes : {1, 4}) {
    L::Linear model(36, 1 << 11);
    model.to_device(device());
    optimizers::SGD optimizer({.lr = 1e-3});
    optimizer.setup(model);
    CapturedSteps steps(optimizer, [&](const LossInputs& inputs) {
      Variable h = model(inputs[0]);
      for (int i = 0; i < 6; ++i) h = F::dropout(h, 0.1);
      return F::sum(h);
    });
    const int64_t before = backend_table(Backend::kCuda)->used_bytes();
    for (int64_t shape = 0; shape < shapes; ++shape) {
      for (uint64_t i = 0; i < 4; ++i) steps.update(batch(512 >> shape, i));
    }
    EXPECT_EQ(steps.n_graphs(), static_cast<size_t>(shapes));
    bytes[shapes > 1] = backend_table(Backend::kCuda)->used_bytes() - before;
  }
  EXPECT_GT(bytes[0], 6 * (4 << 20));
  EXPECT_LT(bytes[1], bytes[0] + bytes[0] / 4);
}

// What changes between the steps leads to a new capture.
TEST_P(CapturedStepsTest, ChangesBetweenStepsAreSeen) {
  std::vector<State> states[2];
  for (const bool capture : {false, true}) {
    for (const Device each : {native_device(), device()}) {
      array::random::generator(each).seed(9);
    }
    Model<CNN> model;
    model.to_device(device());
    optimizers::MomentumSGD optimizer({.lr = 0.01});
    optimizer.setup(model);
    CapturedSteps steps(optimizer);
    uint64_t seed = 0;
    const auto run = [&](int count, size_t graphs) {
      for (int i = 0; i < count; ++i) {
        if (capture) {
          steps.update(batch(3, ++seed));
        } else {
          optimizer.update(optimizer.loss_function(), batch(3, ++seed));
        }
      }
      EXPECT_EQ(steps.n_graphs(), capture ? if_gpu(graphs) : 0);
      State state = state_of(optimizer);
      for (auto& [name, array] : state.arrays) array = array.copy();
      states[capture].push_back(std::move(state));
    };
    run(3, 1);
    // New arrays.
    model.net->fc->W.set_data(model.net->fc->W.data() * 0.5f);
    run(2, 0);
    run(2, 1);
    model.net->norm->avg_mean = model.net->norm->avg_mean + 1.0f;
    run(2, 0);
    run(2, 1);
    // New elements need no new graph.
    model.net->fc->W.data().fill(0.25f);
    array::random::seed(77, device());
    run(2, 1);
    model.net->conv->disable_update();
    run(2, 0);
    run(2, 1);
    model.net->conv->enable_update();
    run(3, 1);
    model.net->conv->freeze();
    run(3, 1);
    model.net->conv->unfreeze();
    optimizer.add_hook(optimizers::WeightDecay(0.5));
    run(3, 1);
    optimizer.remove_hook("WeightDecay");
    optimizer.add_hook(optimizers::WeightDecay(0.1));
    run(3, 1);
    {
      const auto testing = using_config(&Config::train, false);
      run(2, 0);
      run(2, 1);
    }
    run(3, 1);
  }
  for (size_t i = 0; i < states[0].size(); ++i) {
    SCOPED_TRACE(i);
    expect_equal(states[1][i], states[0][i]);
  }
}

// Observations and gradients of the launch before stay what they were, or are
// those of the step.
TEST_P(CapturedStepsTest, AnOrdinaryStepInBetweenIsSeen) {
  Model<MLP> model;
  model.to_device(device());
  optimizers::SGD optimizer({.lr = 0});
  optimizer.setup(model);
  const auto no_dropout = using_config(&Config::train, false);
  CapturedSteps steps(optimizer);
  for (int i = 0; i < 3; ++i) steps.update(batch(3, 1));
  const Array grad = model.net->l1->W.grad().copy();
  optimizer.update(optimizer.loss_function(), batch(3, 2));
  EXPECT_THAT(model.net->l1->W.grad(), ::testing::Not(testing::IsArray(grad)));
  steps.update(batch(3, 1));
  EXPECT_EQ(steps.n_graphs(), if_gpu(1));
  EXPECT_THAT(model.net->l1->W.grad(), testing::IsArray(grad));
}

// A persistent array that is replaced in every step, as by spectral
// normalization.
class Counting : public Link {
 public:
  Counting() : W(this, "W", 1.0, Shape{3}), n(this, "n", array::zeros({3})) {}
  Variable forward(const Variable& x, const Variable& t) {
    n = n + 1;
    return F::sum(W * as_variable(n.astype(Dtype::kFloat32))) * F::sum(t) +
           F::sum(F::dropout(x));
  }
  Param W;
  Persistent n;
};

TEST_P(CapturedStepsTest, PersistentArraysThatAreReplacedKeepCounting) {
  Counting model;
  model.to_device(device());
  optimizers::SGD optimizer;
  optimizer.setup(model);
  CapturedSteps steps(optimizer);
  for (uint64_t i = 0; i < 6; ++i) steps.update(batch(3, i));
  EXPECT_EQ(steps.n_graphs(), if_gpu(1));
  EXPECT_THAT(model.n, testing::IsArray(array::full({3}, 6.0)));
}

// A classifier; a wrong label is found by the GPU, and reported at the next
// wait.
TEST_P(CapturedStepsTest, LabelsAreCheckedInEveryLaunch) {
  MLP net;
  net.to_device(device());
  optimizers::SGD optimizer({.lr = 0.1});
  optimizer.setup(net);
  CapturedSteps steps(optimizer, [&](const LossInputs& inputs) {
    return F::softmax_cross_entropy(net(inputs[0]), inputs[1]);
  });
  const auto step = [&](std::initializer_list<int32_t> labels) {
    const auto size = static_cast<int64_t>(labels.size());
    steps.update({std::vector<Variable>{
        as_variable(random({size, 36}, 3).to_device(device())),
        as_variable(array::array(labels).to_device(device()))}});
  };
  for (int i = 0; i < 3; ++i) step({0, 2, 1});
  EXPECT_EQ(steps.n_graphs(), if_gpu(1));
  EXPECT_THAT(error_of<Error>([&] {
                step({0, 7, 1});
                synchronize(device());
              }),
              HasSubstr("7"));
  step({1, 1, 1});
  synchronize(device());
}

class CapturedStepsErrorTest : public testing::DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (device().is_native()) GTEST_SKIP() << "the CPU captures nothing";
    model.to_device(device());
    optimizer.setup(model);
  }
  LossInputs batch() const {
    return LossInputs({as_variable(array::ones({2, 36}, Dtype::kFloat32)),
                       as_variable(array::ones({2, 3}, Dtype::kFloat32))});
  }
  Model<MLP> model;
  optimizers::Adam optimizer;
};

TEST_P(CapturedStepsErrorTest, ReadingAResultSaysWhatToDo) {
  bool reads = false;
  CapturedSteps steps(optimizer, [&](const LossInputs& inputs) {
    Variable loss = model(inputs[0], inputs[1]);
    if (reads) static_cast<void>(loss.item<float>());
    return loss;
  });
  for (int i = 0; i < 2; ++i) steps.update(batch());
  const Array before = model.net->l1->W.data().copy();
  const auto generator = array::random::generator().state();
  reads = true;
  EXPECT_THAT(error_of<DeviceError>([&] { steps.update(batch()); }),
              HasSubstr("read results (item(), printing, copies to the "
                        "host) after the launch"));
  EXPECT_EQ(optimizer.t(), 2);
  EXPECT_EQ(update_rule_of(model.net->l1->W).t(), 2);
  EXPECT_EQ(array::random::generator().state(), generator);
  EXPECT_THAT(model.net->l1->W.data(), testing::IsArray(before));
  reads = false;
  steps.update(batch());
  EXPECT_EQ(steps.n_graphs(), 1u);
  EXPECT_EQ(optimizer.t(), 3);
}

TEST_P(CapturedStepsErrorTest, WhatNeedsTheHostIsRefused) {
  optimizer.add_hook(optimizers::GradientNoise(0.1));
  CapturedSteps steps(optimizer);
  // The noise becomes less from step to step.
  for (int i = 0; i < 8; ++i) steps.update(batch());
  EXPECT_THAT(error_of<NotImplementedError>([&] { steps.update(batch()); }),
              HasSubstr("steps do not do the same, as the last two show in "
                        "'GradientNoise'"));
  EXPECT_EQ(optimizer.t(), 8);
}

TEST_P(CapturedStepsErrorTest, EverythingIsOnOneGpu) {
  CapturedSteps steps(optimizer);
  EXPECT_THAT(
      [&] {
        steps.update(
            LossInputs({as_variable(array::ones({2, 36}, Dtype::kFloat32)),
                        as_variable(array::ones({2, 3}, Dtype::kFloat32,
                                                native_device()))}));
      },
      // Before the first step parameters have no device.
      ThrowsMessage<Error>(HasSubstr("native")));
  steps.update(batch());
  EXPECT_THAT(
      error_of<DeviceError>([&] {
        steps.update(
            LossInputs({as_variable(array::ones({2, 36}, Dtype::kFloat32)),
                        as_variable(array::ones({2, 3}, Dtype::kFloat32,
                                                native_device()))}));
      }),
      HasSubstr(
          "expected the model and its minibatches on one GPU, cuda:0, got a "
          "field of the minibatch on native:0"));
}

TEST_P(CapturedStepsErrorTest, TheFirstStepMakesTheState) {
  model(batch()[0], batch()[1]);  // makes the parameters
  EXPECT_THAT(error_of<ValueError>([&] {
                capture_work(device(), [&] {
                  optimizer.update(optimizer.loss_function(), batch());
                });
              }),
              HasSubstr("expected a step before"));
  EXPECT_EQ(optimizer.t(), 0);
  EXPECT_TRUE(update_rule_of(model.net->l1->W).state().empty());
}

INSTANTIATE_TEST_SUITE_P(CapturedSteps, CapturedStepsTest,
                         testing::every_device(), testing::device_name);
INSTANTIATE_TEST_SUITE_P(CapturedSteps, CapturedStepsErrorTest,
                         testing::every_device(), testing::device_name);

}  // namespace
}  // namespace catena::training

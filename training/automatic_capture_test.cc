#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/array/core/capture.h"
#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/autograd/function_hook.h"
#include "catena/dataset/datasets/tuple_dataset.h"
#include "catena/dataset/iterators/serial_iterator.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/optimizers.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/training/captured_steps.h"
#include "catena/training/standard_updater.h"
#include "catena/training/testing/step_runs.h"

namespace catena::training {
namespace {

namespace F = catena::functions;
using ::testing::HasSubstr;

// Steps that no graph can be right for, with Capture::kAuto: they are ordinary
// ones, to the bit, and a line says why.
class AutomaticCaptureTest : public StepRunsTest {
 protected:
  // The loss of a step, which has a number.
  using Loss = std::function<Variable(Model<CNN>&, const LossInputs&, int)>;
  struct Run {
    State state;
    std::vector<float> losses;
    size_t graphs = 0;
    std::string obstacle = {};
    std::string log = {};
  };

  Run run(Capture capture, int count, const Loss& loss,
          const std::function<void(Optimizer&)>& prepare = nullptr) const {
    for (const Device each : {native_device(), device()}) {
      array::random::generator(each).seed(9);
    }
    Model<CNN> model;
    model.to_device(device());
    optimizers::MomentumSGD optimizer({.lr = 0.01});
    optimizer.setup(model);
    if (prepare) prepare(optimizer);
    Reporter reporter;
    reporter.add_observer("main", model);
    int step = 0;
    CapturedSteps steps(
        optimizer,
        [&](const LossInputs& inputs) { return loss(model, inputs, step); },
        capture);
    Run result;
    ::testing::internal::CaptureStderr();
    for (; step < count; ++step) {
      Observation observation;
      {
        const auto scope = reporter.scope(observation);
        steps.update(batch(3, static_cast<uint64_t>(step)));
      }
      EXPECT_EQ(observation.size(), 3);
      result.losses.push_back(observation["main/loss"].array().item<float>());
    }
    result.log = ::testing::internal::GetCapturedStderr();
    result.state = state_of(optimizer);
    result.graphs = steps.n_graphs();
    result.obstacle = steps.obstacle();
    return result;
  }

  // Expects the results of ordinary steps, and on a GPU an obstacle that the
  // log names once.
  void expect_ordinary(
      int count, const Loss& loss, const std::string& why,
      const std::function<void(Optimizer&)>& prepare = nullptr) const {
    const Run eager = run(Capture::kNever, count, loss, prepare);
    const Run automatic = run(Capture::kAuto, count, loss, prepare);
    expect_equal(automatic.state, eager.state);
    EXPECT_EQ(automatic.losses, eager.losses);
    EXPECT_EQ(automatic.graphs, 0u);
    EXPECT_EQ(eager.log, "");
    if (device().is_native()) {
      EXPECT_EQ(automatic.log, "");
      return;
    }
    EXPECT_THAT(automatic.obstacle, HasSubstr(why));
    EXPECT_THAT(automatic.log, HasSubstr(automatic.obstacle));
    EXPECT_EQ(std::ranges::count(automatic.log, '\n'), 1);
  }
};

Variable plain_loss(Model<CNN>& model, const LossInputs& inputs, int /*step*/) {
  return model(inputs[0], inputs[1]);
}

TEST_P(AutomaticCaptureTest, StepsAreCapturedAfterTwoOthers) {
  const Run eager = run(Capture::kNever, 6, plain_loss);
  for (const int count : {2, 3, 6}) {
    const Run automatic = run(Capture::kAuto, count, plain_loss);
    EXPECT_EQ(automatic.graphs, if_gpu(count > 2 ? 1 : 0));
    EXPECT_EQ(automatic.log, "");
    if (count == 6) {
      expect_equal(automatic.state, eager.state);
      EXPECT_EQ(automatic.losses, eager.losses);
    }
  }
}

// With snapshots, reports and a schedule, as a trainer has them: what is
// resumed in the middle, before or after a capture, ends as if nothing had
// happened.
TEST_P(AutomaticCaptureTest, TrainingIsResumedToTheBit) {
  const Array x = random({24, 36}, 1);
  const Array t = random({24, 3}, 2);
  const datasets::TupleDataset data(x, t);
  struct Training {
    Training(const datasets::TupleDataset& data, Device device, Capture capture)
        : iterator(data, 4, {.shuffle = false}) {
      array::random::generator(device).seed(9);
      array::random::generator(native_device()).seed(9);
      model.to_device(device);
      optimizer.setup(model);
      optimizer.loss_scaling({.interval = 2});
      updater.emplace(
          iterator, optimizer,
          StandardUpdaterOptions{.device = device, .capture = capture});
      reporter.add_observer("main", model);
    }
    void run(int steps) {
      for (int i = 0; i < steps; ++i) {
        optimizer.set_hyperparameter(
            "alpha", 0.01 / static_cast<double>(updater->iteration() + 1));
        Observation observation;
        const auto scope = reporter.scope(observation);
        updater->update();
        losses.push_back(observation["main/loss"].array().item<float>());
      }
    }
    Model<CNN> model;
    optimizers::Adam optimizer;
    iterators::SerialIterator iterator;
    std::optional<StandardUpdater> updater;
    Reporter reporter;
    std::vector<float> losses;
  };
  Training whole(data, device(), Capture::kNever);
  whole.run(10);
  for (const int before : {2, 5}) {
    const std::string file = ::testing::TempDir() + "/captured_updater.npz";
    Training first(data, device(), Capture::kAuto);
    first.run(before);
    serializers::save_npz(file, *first.updater);
    const auto generator = array::random::generator(device()).state();
    first.run(10 - before);
    EXPECT_EQ(first.losses, whole.losses);
    expect_equal(state_of(first.optimizer), state_of(whole.optimizer));
    Training second(data, device(), Capture::kAuto);
    serializers::load_npz(file, *second.updater);
    array::random::generator(device()).set_state(generator);
    second.run(10 - before);
    expect_equal(state_of(second.optimizer), state_of(whole.optimizer));
    EXPECT_EQ(second.optimizer.loss_scale(), whole.optimizer.loss_scale());
  }
}

TEST_P(AutomaticCaptureTest, ReadingResultsOnTheHost) {
  expect_ordinary(
      6,
      [](Model<CNN>& model, const LossInputs& inputs, int) {
        const Variable loss = model(inputs[0], inputs[1]);
        return loss.item<float>() > 1 ? loss * 0.5 : loss;
      },
      "it reads results on the host (item(), printing, copies), after '");
}

TEST_P(AutomaticCaptureTest, HooksOfThePrograms) {
  int calls = 0;
  expect_ordinary(6, plain_loss,
                  "the optimizer's hook 'counts' is called by the host",
                  [&](Optimizer& optimizer) {
                    optimizer.add_hook("counts", [&](Optimizer&) { ++calls; });
                  });
  EXPECT_EQ(calls, 12);
  expect_ordinary(6, plain_loss, "a hook of the update rule of /net/conv/W",
                  [&](Optimizer& optimizer) {
                    const auto count = [&](UpdateRule&, const Parameter&) {
                      ++calls;
                    };
                    update_rule_of(optimizer.parameters()[0].second)
                        .add_hook("counts", count);
                  });
  EXPECT_EQ(calls, 24);
}

TEST_P(AutomaticCaptureTest, ScalarsThatChange) {
  expect_ordinary(
      12,
      [](Model<CNN>& model, const LossInputs& inputs, int step) {
        return model(inputs[0], inputs[1]) * (0.1 * step);
      },
      "steps do not do the same");
}

TEST_P(AutomaticCaptureTest, ArraysOfTheHostThatChange) {
  expect_ordinary(
      12,
      [&](Model<CNN>& model, const LossInputs& inputs, int step) {
        const Array weight =
            array::full({}, 0.5f * step, Dtype::kFloat32, native_device());
        return model(inputs[0], inputs[1]) *
               as_variable(weight.to_device(device()));
      },
      "steps do not do the same");
}

TEST_P(AutomaticCaptureTest, BranchesOnTheStep) {
  expect_ordinary(
      12,
      [](Model<CNN>& model, const LossInputs& inputs, int step) {
        const Variable loss = model(inputs[0], inputs[1]);
        return step % 2 == 0 ? loss : F::relu(loss - 0.5);
      },
      "steps do not do the same");
}

TEST_P(AutomaticCaptureTest, ParametersThatAreReplacedAgainAndAgain) {
  State states[2];
  ::testing::internal::CaptureStderr();
  for (const Capture capture : {Capture::kNever, Capture::kAuto}) {
    for (const Device each : {native_device(), device()}) {
      array::random::generator(each).seed(9);
    }
    Model<MLP> model;
    model.to_device(device());
    optimizers::SGD optimizer({.lr = 0.1});
    optimizer.setup(model);
    CapturedSteps steps(optimizer, nullptr, capture);
    for (uint64_t i = 0; i < 48; ++i) {
      const Parameter& W = model.net->l2->W;
      if (i % 4 == 3) W.set_data(W.data().copy());
      steps.update(batch(3, i));
    }
    EXPECT_EQ(steps.n_graphs(), 0u);
    states[capture == Capture::kAuto] = state_of(optimizer);
    if (capture == Capture::kAuto && !device().is_native()) {
      EXPECT_THAT(steps.obstacle(), HasSubstr("change again and again"));
    }
  }
  ::testing::internal::GetCapturedStderr();
  expect_equal(states[1], states[0]);
}

// The branch comes after the capture: the next check finds it.
TEST_P(AutomaticCaptureTest, LaterBranchesAreFound) {
  const Run automatic =
      run(Capture::kAuto, 110,
          [](Model<CNN>& model, const LossInputs& inputs, int step) {
            const Variable loss = model(inputs[0], inputs[1]);
            return step < 50 ? loss : F::relu(loss - 0.5);
          });
  EXPECT_EQ(automatic.graphs, 0u);
  if (device().is_native()) return;
  EXPECT_THAT(automatic.log, HasSubstr("step 102 differs from those before the "
                                       "capture in"));
  EXPECT_EQ(std::ranges::count(automatic.log, '\n'), 1);
}

TEST_P(AutomaticCaptureTest, ChecksChangeNothing) {
  State states[2];
  for (const bool capture : {false, true}) {
    for (const Device each : {native_device(), device()}) {
      array::random::generator(each).seed(9);
    }
    Model<Truncated> model;
    model.to_device(device());
    optimizers::Adam optimizer;
    optimizer.setup(model);
    CapturedSteps steps(optimizer, nullptr,
                        capture ? Capture::kAuto : Capture::kNever);
    for (uint64_t i = 0; i < 210; ++i) {
      optimizer.set_hyperparameter("alpha", 0.01 / static_cast<double>(i + 1));
      steps.update(batch(3, i));
    }
    EXPECT_EQ(steps.n_graphs(), capture ? if_gpu(1) : 0);
    EXPECT_EQ(steps.obstacle(), "");
    states[capture] = state_of(optimizer);
    states[capture].arrays.emplace_back("h", model.net->lstm->h.data());
  }
  expect_equal(states[1], states[0]);
}

// A persistent number of the host, an array of the device that is replaced, and
// random numbers of both.
class Stateful : public Link {
 public:
  Stateful()
      : W(this, "W", 1.0, Shape{3}), sum(this, "sum", array::zeros({3})) {
    add_persistent("calls", calls);
  }
  Variable forward(const Variable& x, const Variable& t) {
    if (counts) ++calls;
    sum = sum + 1;
    report({{"loss", x}}, this);
    Variable loss = F::sum(W * F::sum(F::dropout(x))) * F::sum(t);
    if (current_capture() != nullptr && fails) {
      array::random::generator(native_device()).uniform(0, 1, {4});
      static_cast<void>(loss.item<float>());
    }
    return loss;
  }
  Param W;
  Persistent sum;
  int64_t calls = 0;
  bool counts = false;
  bool fails = false;
};

TEST_P(AutomaticCaptureTest, PersistentNumbersThatChange) {
  Stateful model;
  model.to_device(device());
  model.counts = true;
  optimizers::SGD optimizer({.lr = 1e-3});
  optimizer.setup(model);
  CapturedSteps steps(optimizer, nullptr, Capture::kAuto);
  ::testing::internal::CaptureStderr();
  for (uint64_t i = 0; i < 6; ++i) steps.update(batch(3, i));
  ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(model.calls, 6);
  EXPECT_EQ(steps.n_graphs(), 0u);
  if (!device().is_native()) {
    EXPECT_THAT(steps.obstacle(), HasSubstr("persistent number"));
  }
}

TEST_P(AutomaticCaptureTest, AFailedCaptureLeavesNoTrace) {
  for (const Capture capture : {Capture::kAuto, Capture::kAlways}) {
    State states[2];
    for (const bool fails : {false, true}) {
      for (const Device each : {native_device(), device()}) {
        array::random::generator(each).seed(9);
      }
      Stateful model;
      model.to_device(device());
      model.fails = fails;
      optimizers::Adam optimizer;
      optimizer.setup(model);
      optimizer.add_hook(optimizers::WeightDecay(0.1));
      Reporter reporter;
      reporter.add_observer("main", model);
      CapturedSteps steps(optimizer, nullptr,
                          fails ? capture : Capture::kNever);
      ::testing::internal::CaptureStderr();
      Observation observation;
      for (uint64_t i = 0; i < 5; ++i) {
        observation.clear();
        const auto scope = reporter.scope(observation);
        const bool throws = fails && capture == Capture::kAlways &&
                            !device().is_native() && i >= 2;
        if (!throws) {
          steps.update(batch(3, i));
          continue;
        }
        EXPECT_THROW(steps.update(batch(3, i)), DeviceError);
        EXPECT_TRUE(observation.empty());
        EXPECT_EQ(optimizer.t(), i);
        optimizer.update(optimizer.loss_function(), batch(3, i));
      }
      const std::string log = ::testing::internal::GetCapturedStderr();
      if (fails && capture == Capture::kAuto && !device().is_native()) {
        EXPECT_THAT(log, HasSubstr("the capture failed: "));
      }
      states[fails] = state_of(optimizer);
      states[fails].arrays.emplace_back("loss",
                                        observation["main/loss"].array());
      states[fails].steps.push_back(model.calls);
      states[fails].steps.push_back(static_cast<int64_t>(
          array::random::generator(native_device()).state().position));
    }
    expect_equal(states[1], states[0]);
  }
}

TEST_P(AutomaticCaptureTest, HooksOfFunctionsSeeEveryStep) {
  class Counter : public FunctionHook {
   public:
    std::string_view name() const override { return "Counter"; }
    void forward_preprocess(const FunctionNode&, const Arrays&) override {
      ++calls;
    }
    int calls = 0;
  };
  Model<MLP> model;
  model.to_device(device());
  optimizers::SGD optimizer;
  optimizer.setup(model);
  CapturedSteps steps(optimizer, nullptr, Capture::kAuto);
  for (uint64_t i = 0; i < 4; ++i) steps.update(batch(3, i));
  Counter counter;
  int once = 0;
  {
    const FunctionHookScope scope(counter);
    steps.update(batch(3, 4));
    once = counter.calls;
    steps.update(batch(3, 5));
  }
  EXPECT_GT(once, 0);
  EXPECT_EQ(counter.calls, 2 * once);
  steps.update(batch(3, 6));
  EXPECT_EQ(steps.n_graphs(), if_gpu(1));
  EXPECT_EQ(optimizer.t(), 7);
}

INSTANTIATE_TEST_SUITE_P(CapturedSteps, AutomaticCaptureTest,
                         testing::every_device(), testing::device_name);

}  // namespace
}  // namespace catena::training

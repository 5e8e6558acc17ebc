#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catena/array/core/capture.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/functions/noise/dropout.h"
#include "catena/links/reporter.h"
#include "catena/optimizers/sgd.h"
#include "catena/training/captured_steps.h"
#include "catena/training/testing/step_runs.h"

namespace catena::training {
namespace {

namespace F = catena::functions;
using ::testing::HasSubstr;

// What a step can change on the host: persistent arrays there and on the
// device, a number, a state, reports, and both devices' generators.
class Changing : public Link {
 public:
  Changing()
      : W(this, "W", 1.0, Shape{3}),
        replaced(this, "replaced", array::zeros({3})) {
    add_persistent("number", number);
  }
  Variable forward(const Variable& x, const Variable& t) {
    replaced = replaced + 1;
    array::random::generator(native_device()).uniform(0, 1, {4});
    const Variable h = F::sum(F::dropout(x)) * W;
    state = state.defined() ? as_variable(state.data()) + h : h;
    report({{"loss", x}, {"calls", int64_t{1}}}, this);
    Variable loss = F::sum(state) * F::sum(t);
    if (current_capture() != nullptr) {
      ++number;
      fail(loss);
    }
    return loss;
  }
  void visit_state(const StateVisitor& visit) override { visit(state); }

  Param W;
  Persistent replaced;
  int64_t number = 0;
  Variable state;
  std::function<void(const Variable& loss)> fail;
};

// Counts what the device is asked for: the calls of ordinary steps, and
// launches.
struct Count {
  static constexpr std::string_view kName = "Count";
  static constexpr bool kIsCapturable = true;

  void operator()(Optimizer& /*optimizer*/) const {
    if (auto* const capture = current_capture()) {
      capture->on_launch([calls = calls] { ++*calls; });
    } else {
      ++*calls;
    }
  }
  std::shared_ptr<int> calls = std::make_shared<int>(0);
};

class FailedCaptureTest : public StepRunsTest {
 protected:
  struct Training {
    explicit Training(Device device, Capture capture) {
      for (const Device each : {native_device(), device}) {
        array::random::generator(each).seed(9);
      }
      model.to_device(device);
      optimizer.setup(model);
      optimizer.add_hook(hook);
      reporter.add_observer("main", model);
      steps = std::make_unique<CapturedSteps>(optimizer, nullptr, capture);
    }
    Changing model;
    optimizers::SGD optimizer{{.lr = 1e-3}};
    Count hook;
    Reporter reporter;
    std::unique_ptr<CapturedSteps> steps;
  };

  // Compares steps whose capture fails, or else is not tried, by what `seen`
  // returns after each of them.
  template <class Seen>
  void expect_no_trace(const Seen& seen) const {
    const std::vector<std::pair<std::string, std::function<void(Variable)>>>
        failures = {{"copy to the host",
                     [](const Variable& loss) {
                       static_cast<void>(loss.item<float>());
                     }},
                    {"no luck", [](const Variable&) {
                       throw std::runtime_error("no luck");
                     }}};
    for (const auto& [why, fail] : failures) {
      SCOPED_TRACE(why);
      Training eager(device(), Capture::kNever);
      std::vector<decltype(seen(eager, Observation()))> expected;
      for (uint64_t i = 0; i < 5; ++i) expected.push_back(step(eager, i, seen));
      Training failing(device(), Capture::kAuto);
      failing.model.fail = fail;
      ::testing::internal::CaptureStderr();
      for (uint64_t i = 0; i < 5; ++i) {
        SCOPED_TRACE(i);
        EXPECT_EQ(step(failing, i, seen), expected[i]);
      }
      const std::string log = ::testing::internal::GetCapturedStderr();
      EXPECT_EQ(failing.steps->n_graphs(), 0u);
      if (device().is_native()) continue;
      EXPECT_THAT(log, HasSubstr("the capture failed: " + why));
    }
  }

 private:
  template <class Seen>
  auto step(Training& training, uint64_t i, const Seen& seen) const {
    Observation observation;
    {
      const auto scope = training.reporter.scope(observation);
      training.steps->update(batch(3, i));
    }
    return seen(training, observation);
  }
};

std::vector<float> values_of(const Array& x) {
  const Array flat = x.to_device(native_device()).astype(Dtype::kFloat32);
  return flat.ravel().to_vector<float>();
}

TEST_P(FailedCaptureTest, GeneratorsAreRestored) {
  expect_no_trace([&](const auto&, const Observation&) {
    return std::pair(array::random::generator(native_device()).state(),
                     array::random::generator(device()).state());
  });
}

TEST_P(FailedCaptureTest, PersistentValuesAreRestored) {
  expect_no_trace([](const auto& training, const Observation&) {
    return std::pair(values_of(training.model.replaced), training.model.number);
  });
}

TEST_P(FailedCaptureTest, StatesParametersAndGradientsAreRestored) {
  expect_no_trace([](const auto& training, const Observation&) {
    const Changing& model = training.model;
    return std::vector{values_of(model.state.data()), values_of(model.W.data()),
                       values_of(model.W.grad())};
  });
}

TEST_P(FailedCaptureTest, ReportsAreThoseOfTheStep) {
  expect_no_trace([](const auto&, const Observation& observation) {
    std::vector<std::pair<std::string, std::vector<float>>> values;
    for (const auto& [name, value] : observation) {
      const Array array = value.array();
      values.emplace_back(
          name, array.defined() ? values_of(array) : std::vector<float>{1});
    }
    return values;
  });
}

TEST_P(FailedCaptureTest, HooksAndUpdatesCountSteps) {
  expect_no_trace([](const auto& training, const Observation&) {
    return std::vector<int64_t>{*training.hook.calls, training.optimizer.t(),
                                update_rule_of(training.model.W).t()};
  });
}

// The next capture may succeed.
TEST_P(FailedCaptureTest, StepsAreCapturedAfterAnError) {
  if (device().is_native()) GTEST_SKIP() << "the CPU captures nothing";
  Training training(device(), Capture::kAlways);
  training.model.fail = [](const Variable&) {
    throw std::runtime_error("no luck");
  };
  // The first one makes the state.
  for (uint64_t i = 0; i < 3; ++i) training.steps->update(batch(3, i));
  EXPECT_THROW(training.steps->update(batch(3, 3)), std::runtime_error);
  EXPECT_EQ(training.optimizer.t(), 3);
  EXPECT_EQ(*training.hook.calls, 3);
  training.model.fail = [](const Variable&) {};
  for (uint64_t i = 3; i < 7; ++i) training.steps->update(batch(3, i));
  EXPECT_EQ(training.steps->n_graphs(), 1u);
  EXPECT_EQ(training.optimizer.t(), 7);
  EXPECT_EQ(*training.hook.calls, 7);
}

INSTANTIATE_TEST_SUITE_P(CapturedSteps, FailedCaptureTest,
                         testing::every_device(), testing::device_name);

}  // namespace
}  // namespace catena::training

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "catena/array/random/random.h"
#include "catena/links/link_hook.h"
#include "catena/links/link_hooks/spectral_normalization.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/training/captured_steps.h"
#include "catena/training/testing/step_runs.h"

namespace catena::training {
namespace {

using ::testing::HasSubstr;

class CallCounter : public LinkHook {
 public:
  std::string_view name() const override { return "CallCounter"; }
  void forward_preprocess(Link&, const Variables&) override { ++calls; }
  int calls = 0;
};

// Hooks of links with Capture::kAuto.
class CapturedHooksTest : public StepRunsTest {
 protected:
  struct Training {
    Training(Device device, Capture capture) {
      for (const Device each : {native_device(), device}) {
        array::random::generator(each).seed(9);
      }
      model.to_device(device);
      optimizer.setup(model);
      steps = std::make_unique<CapturedSteps>(optimizer, nullptr, capture);
    }
    Model<MLP> model;
    optimizers::MomentumSGD optimizer{{.lr = 0.01}};
    std::unique_ptr<CapturedSteps> steps;
  };
  void run(Training& training, int count) const {
    for (int i = 0; i < count; ++i) {
      training.steps->update(
          batch(3, static_cast<uint64_t>(training.optimizer.t())));
    }
  }
};

TEST_P(CapturedHooksTest, ThoseOfTheThreadSeeEveryStep) {
  Training training(device(), Capture::kAuto);
  run(training, 4);
  CallCounter counter;
  {
    const LinkHookScope scope(counter);
    run(training, 3);
  }
  EXPECT_EQ(counter.calls % 3, 0);
  EXPECT_GE(counter.calls, 3);
  run(training, 1);
  EXPECT_EQ(training.steps->n_graphs(), if_gpu(1));
}

TEST_P(CapturedHooksTest, ThoseOfALinkAreCalledInEveryStep) {
  const auto counter = std::make_shared<CallCounter>();
  Training training(device(), Capture::kAuto);
  training.model.net->l2->add_hook(counter);
  ::testing::internal::CaptureStderr();
  run(training, 5);
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(counter->calls, 5);
  EXPECT_EQ(training.steps->n_graphs(), 0u);
  if (device().is_native()) return;
  EXPECT_THAT(log, HasSubstr("the host calls the hook 'CallCounter' of the "
                             "link /net/l2 in each step"));
  EXPECT_EQ(std::ranges::count(log, '\n'), 1);
}

TEST_P(CapturedHooksTest, OneThatComesLaterIsCalledToo) {
  const auto counter = std::make_shared<CallCounter>();
  Training training(device(), Capture::kAuto);
  run(training, 4);
  EXPECT_EQ(training.steps->n_graphs(), if_gpu(1));
  training.model.net->l2->add_hook(counter);
  ::testing::internal::CaptureStderr();
  run(training, 4);
  ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(counter->calls, 4);
  EXPECT_EQ(training.steps->n_graphs(), 0u);
}

// Its vectors go on from step to step.
TEST_P(CapturedHooksTest, SpectralNormalizationIsCaptured) {
  State states[2];
  for (const Capture capture : {Capture::kNever, Capture::kAuto}) {
    Training training(device(), capture);
    training.model.net->l2->add_hook(
        std::make_shared<link_hooks::SpectralNormalization>());
    run(training, 6);
    EXPECT_EQ(training.steps->n_graphs(),
              capture == Capture::kAuto ? if_gpu(1) : 0);
    states[capture == Capture::kAuto] = state_of(training.optimizer);
  }
  expect_equal(states[1], states[0]);
}

INSTANTIATE_TEST_SUITE_P(CapturedSteps, CapturedHooksTest,
                         testing::every_device(), testing::device_name);

}  // namespace
}  // namespace catena::training

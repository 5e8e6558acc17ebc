#include "catena/training/extensions/stop_on_interrupt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::testing::HasSubstr;
using testing::ScriptedTraining;
using ::testing::ThrowsMessage;

bool has_default_action() {
  struct sigaction action = {};
  ::sigaction(SIGINT, nullptr, &action);
  return action.sa_handler == SIG_DFL;
}

TEST(StopOnInterruptTest, EndsTrainingAfterTheIteration) {
  ScriptedTraining training({10, "iteration"});
  int64_t last = 0;
  training.updater.on_update = [](int64_t iteration) {
    if (iteration == 3) ::raise(SIGINT);
  };
  training.trainer.extend(StopOnInterrupt());
  training.trainer.extend(
      [&](Trainer& trainer) { last = trainer.updater().iteration(); });
  EXPECT_THAT([&] { training.trainer.run(); },
              ThrowsMessage<Interrupted>(HasSubstr("after 3 iterations")));
  EXPECT_EQ(last, 3);
  EXPECT_EQ(training.updater.finalized, 1);
  EXPECT_TRUE(has_default_action());
}

TEST(StopOnInterruptTest, LeavesTheSignalAsItWas) {
  ScriptedTraining training({2, "iteration"});
  training.trainer.extend(StopOnInterrupt());
  training.updater.on_update = [](int64_t) {
    EXPECT_FALSE(has_default_action());
  };
  training.trainer.run();
  EXPECT_TRUE(has_default_action());
}

TEST(StopOnInterruptTest, ASecondOneEndsTheProgram) {
  EXPECT_EXIT(
      {
        ScriptedTraining training({2, "iteration"});
        training.trainer.extend(StopOnInterrupt());
        training.updater.on_update = [](int64_t) {
          ::raise(SIGINT);
          ::raise(SIGINT);
        };
        training.trainer.run();
      },
      ::testing::KilledBySignal(SIGINT), "");
}

TEST(StopOnInterruptTest, AnEarlierInterruptIsForgotten) {
  for (const bool interrupt : {true, false}) {
    ScriptedTraining training({2, "iteration"});
    training.trainer.extend(StopOnInterrupt());
    training.updater.on_update = [=](int64_t) {
      if (interrupt) ::raise(SIGINT);
    };
    if (interrupt) {
      EXPECT_THROW(training.trainer.run(), Interrupted);
    } else {
      EXPECT_NO_THROW(training.trainer.run());
    }
  }
}

}  // namespace
}  // namespace catena::training::extensions

#include "catena/training/extensions/stop_on_interrupt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "catena/tests/testing/error_of.h"
#include "catena/training/extensions/snapshot.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::ScriptedTraining;

bool has_default_actions() {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action = {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_DFL) return false;
  }
  return true;
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
  EXPECT_THAT(error_of<Interrupted>([&] { training.trainer.run(); }),
              HasSubstr("after 3 iterations"));
  EXPECT_EQ(last, 3);
  EXPECT_EQ(training.updater.finalized, 1);
  EXPECT_TRUE(has_default_actions());
}

TEST(StopOnInterruptTest, AProgramThatIsTerminatedSavesTheTrainerFirst) {
  const auto run = [](ScriptedTraining& training) {
    training.trainer.extend(StopOnInterrupt());
    training.trainer.extend(
        snapshot_object(training.updater.model, "model_{.updater.iteration}"));
    training.trainer.extend(snapshot({.autoload = true}));
    training.trainer.run();
  };
  for (const int64_t stop_at : {3, 4}) {  // after 4 there is a snapshot anyway
    SCOPED_TRACE(stop_at);
    ScriptedTraining training({10, "iteration"});
    training.updater.on_update = [=](int64_t iteration) {
      if (iteration == stop_at) ::raise(SIGTERM);
    };
    EXPECT_THAT(error_of<Interrupted>([&] { run(training); }),
                HasSubstr(str("terminated after ", stop_at, " iterations")));
    EXPECT_TRUE(has_default_actions());
    const auto has = [&](const std::string& name) {
      return std::filesystem::exists(
          training.trainer.out_path(str(name, "_", stop_at)));
    };
    EXPECT_TRUE(has("snapshot_iter"));
    EXPECT_EQ(has("model"), stop_at == 4);  // not at its trigger
    // Training goes on from there.
    ScriptedTraining resumed({10, "iteration"});
    std::vector<int64_t> iterations;
    resumed.updater.on_update = [&](int64_t iteration) {
      iterations.push_back(iteration);
    };
    std::filesystem::copy(training.trainer.out(), resumed.trainer.out());
    run(resumed);
    EXPECT_EQ(iterations.front(), stop_at + 1);
    EXPECT_EQ(iterations.back(), 10);
  }
}

TEST(StopOnInterruptTest, LeavesTheSignalAsItWas) {
  ScriptedTraining training({2, "iteration"});
  training.trainer.extend(StopOnInterrupt());
  training.updater.on_update = [](int64_t) {
    EXPECT_FALSE(has_default_actions());
  };
  training.trainer.run();
  EXPECT_TRUE(has_default_actions());
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

#include "catena/training/extensions/progress_bar.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <iostream>
#include <sstream>
#include <string>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ScriptedTraining;
using ::testing::StartsWith;

std::string bar_of(const AnyTrigger& stop_trigger, ProgressBarOptions options) {
  ScriptedTraining training(stop_trigger, 8);
  std::ostringstream out;
  options.out = &out;
  training.trainer.extend(ProgressBar(options));
  training.trainer.run();
  return out.str();
}

TEST(ProgressBarTest, ShowsTheWholeAndTheEpoch) {
  const std::string text =
      bar_of({2, "epoch"}, {.update_interval = 12, .bar_length = 20});
  EXPECT_THAT(text,
              StartsWith("     total [###############.....] 75.00%\n"
                         "this epoch [##########..........] 50.00%\n"
                         "        12 iter, 1 epoch / 2 epochs\n"
                         "       inf iters/sec. Estimated time to finish: "));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
}

TEST(ProgressBarTest, CountsIterationsToo) {
  EXPECT_THAT(bar_of({10, "iteration"}, {.update_interval = 5}),
              HasSubstr("         5 iter, 0 epoch / 10 iterations\n"));
}

TEST(ProgressBarTest, AppearsEverySoManyIterations) {
  const std::string text = bar_of({7, "iteration"}, {.update_interval = 3});
  EXPECT_THAT(text, HasSubstr("         3 iter"));
  EXPECT_THAT(text, HasSubstr("         6 iter"));
  EXPECT_THAT(text, Not(HasSubstr("         7 iter")));
}

TEST(ProgressBarTest, DoesWithoutAnEnd) {
  const auto stop = [](Trainer& trainer) {
    return trainer.updater().iteration() == 4;
  };
  const std::string text = bar_of(stop, {.update_interval = 4});
  EXPECT_THAT(text, Not(HasSubstr("total")));
  EXPECT_THAT(text, HasSubstr("         4 iter, 0 epoch\n"));
  EXPECT_THAT(bar_of(stop, {.training_length = TrainingLength{8, "iteration"},
                            .update_interval = 4}),
              HasSubstr(" 50.00%"));
}

TEST(ProgressBarTest, RejectsBadArguments) {
  EXPECT_THAT(error_of<ValueError>([] { ProgressBar({.update_interval = 0}); }),
              HasSubstr(">= 1, got 0 and 50"));
  EXPECT_THROW(ProgressBar({.bar_length = 0}), ValueError);
  EXPECT_THAT(error_of<ValueError>([] {
                ProgressBar({.training_length = TrainingLength{5, "day"}});
              }),
              HasSubstr("got 5 'day'"));
  EXPECT_THAT(error_of<ValueError>([] {
                ProgressBar({.training_length = TrainingLength{0, "epoch"}});
              }),
              HasSubstr("got 0 'epoch'"));
}

// The output of a run whose standard output is `descriptor`.
void run_with_stdout(int descriptor) {
  const int saved = dup(STDOUT_FILENO);
  std::cout << std::flush;
  dup2(descriptor, STDOUT_FILENO);
  ScriptedTraining training({4, "iteration"});
  training.trainer.extend(ProgressBar({.update_interval = 1}));
  training.trainer.run();
  std::cout << std::flush;
  dup2(saved, STDOUT_FILENO);
  close(saved);
}

TEST(ProgressBarTest, MovesTheCursorOnATerminal) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
    GTEST_SKIP() << "no pseudo terminal can be had here";
  }
  ASSERT_EQ(setenv("TERM", "xterm", 1), 0);
  const int side = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  ASSERT_GE(side, 0);
  run_with_stdout(side);
  char buffer[4096];
  const ssize_t size = read(terminal, buffer, sizeof(buffer));
  ASSERT_GT(size, 0);
  const std::string text(buffer, static_cast<size_t>(size));
  EXPECT_THAT(text, StartsWith("\033[J     total ["));
  EXPECT_THAT(text, HasSubstr("\033[4A"));
  // Four iterations within 0.1 s are shown once.
  EXPECT_EQ(text.find("total", 20), std::string::npos);
  EXPECT_TRUE(text.ends_with("\033[J"));
  close(side);
  close(terminal);
}

TEST(ProgressBarTest, IsSilentWhereNobodyLooks) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  run_with_stdout(ends[1]);
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

}  // namespace
}  // namespace catena::training::extensions

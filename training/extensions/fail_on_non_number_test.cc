#include "catena/training/extensions/fail_on_non_number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "catena/array/core/error.h"
#include "catena/tests/testing/error_of.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::ScriptedTraining;

TEST(FailOnNonNumberTest, EndsTrainingAtNaNAndInfinity) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {std::nan(""), inf, -inf}) {
    ScriptedTraining training({5, "iteration"});
    training.updater.on_update = [&](int64_t iteration) {
      if (iteration == 3) training.updater.model.W.data()[1].fill(bad);
    };
    training.trainer.extend(FailOnNonNumber());
    EXPECT_THAT(error_of<GradientError>([&] { training.trainer.run(); }),
                HasSubstr("in 'main/W' after 3 iterations"));
  }
}

TEST(FailOnNonNumberTest, LeavesNumbersAlone) {
  ScriptedTraining training({5, "iteration"});
  training.updater.model.W.data().fill(std::numeric_limits<float>::max());
  training.trainer.extend(FailOnNonNumber());
  training.trainer.run();
  EXPECT_EQ(training.updater.iteration(), 5);
}

}  // namespace
}  // namespace catena::training::extensions

#include "catena/training/extensions/micro_average.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catena/links/reporter.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/testing/scripted_training.h"

namespace catena::training::extensions {
namespace {

using ::testing::ElementsAre;
using testing::ScriptedTraining;
using testing::TempFolder;

// The averages of a run of 4 iterations, 2 per epoch, optionally interrupted
// and resumed.
std::vector<double> averages(int cut) {
  const TempFolder folder;
  std::vector<double> seen;
  for (const int end : {cut, 4}) {
    ScriptedTraining training({end, "iteration"});
    training.updater.on_update = [](int64_t iteration) {
      report({{"correct", iteration}, {"count", 10 * iteration * iteration}});
    };
    training.trainer.extend(MicroAverage("correct", "count", "accuracy"));
    training.trainer.extend([&](Trainer& trainer) {
      if (const auto* value = trainer.observation().find("accuracy")) {
        seen.push_back(value->as_double());
      }
    });
    if (end == 4 && cut < 4) {
      serializers::load_npz(folder.file("snapshot"), training.trainer);
    }
    training.trainer.run();
    serializers::save_npz(folder.file("snapshot"), training.trainer);
    if (cut == 4) break;
  }
  return seen;
}

TEST(MicroAverageTest, DividesSums) {
  EXPECT_THAT(averages(4), ElementsAre(3.0 / 50, 7.0 / 250));
}

TEST(MicroAverageTest, ContinuesInTheMiddleOfAnInterval) {
  for (const int cut : {1, 2, 3}) EXPECT_EQ(averages(cut), averages(4)) << cut;
}

TEST(MicroAverageTest, NeedsBothValues) {
  ScriptedTraining training({2, "iteration"});
  training.updater.on_update = [](int64_t) { report({{"correct", 1}}); };
  training.trainer.extend(MicroAverage("correct", "count", "accuracy"));
  training.trainer.run();
  EXPECT_FALSE(training.trainer.observation().contains("accuracy"));
}

}  // namespace
}  // namespace catena::training::extensions

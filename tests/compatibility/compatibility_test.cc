// Files of earlier versions load, and mean what they did.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/catena.h"
#include "catena/tests/compatibility/training_run.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::testing {
namespace {

// With the name of a folder, that of a version.
class CompatibilityTest : public ::testing::TestWithParam<const char*> {
 protected:
  static std::string file(const std::string& name) {
    return runfile(std::string("tests/compatibility/files/") + GetParam() +
                   "/" + name);
  }
  static Array expected(const std::string& name) {
    return array::load_npz(file("expected.npz")).at(name).array();
  }
  std::string out() const { return folder_.file("result"); }

 private:
  TempFolder folder_;
};
INSTANTIATE_TEST_SUITE_P(Versions, CompatibilityTest,
                         ::testing::Values("2026_11"));

TEST_P(CompatibilityTest, ModelsLoadFromEachFormat) {
  SavedRun npz(out(), 2);
  serializers::load_npz(file("model.npz"), npz.model);
  EXPECT_THAT(npz.predict().array(), IsClose(expected("before")));
  SavedRun hdf5(out(), 2);
  serializers::load_hdf5(file("model.h5"), hdf5.model);
  EXPECT_THAT(hdf5.predict().array(), IsClose(expected("before")));
  SavedRun safetensors(out(), 2);
  serializers::load_safetensors(file("model.safetensors"), safetensors.model);
  EXPECT_THAT(safetensors.predict().array(), IsClose(expected("before")));
}

TEST_P(CompatibilityTest, OptimizersLoad) {
  SavedRun run(out(), 2);
  serializers::load_npz(file("model.npz"), run.model);
  serializers::load_npz(file("optimizer.npz"), run.optimizer);
  EXPECT_EQ(run.optimizer.t(), 6);
}

// Another order of the examples, a moment or a rate that is lost, would show in
// the parameters.
TEST_P(CompatibilityTest, TrainingGoesOn) {
  for (const bool from_hdf5 : {false, true}) {
    array::random::seed(2);
    SavedRun run(out(), 3);
    if (from_hdf5) {
      serializers::load_hdf5(file("training.h5"), *run.trainer);
    } else {
      serializers::load_npz(file("training.npz"), *run.trainer);
    }
    EXPECT_EQ(run.updater->iteration(), 6);
    EXPECT_THAT(run.predict().array(), IsClose(expected("before")));
    run.trainer->run();
    EXPECT_EQ(run.updater->iteration(), 9);
    EXPECT_THAT(run.predict().array(),
                IsClose(expected("after"), {.rtol = 1e-3, .atol = 1e-4}));
  }
}

}  // namespace
}  // namespace catena::testing

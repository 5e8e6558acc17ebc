#include "catena/serializers/npz.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "catena/links/chain.h"
#include "catena/serializers/reference_model.h"
#include "catena/tests/support/temp_folder.h"

namespace catena::serializers {
namespace {

TEST(NpzTest, LoadsWhatChainerSaved) {
  for (const std::string file : {"model.npz", "model_stored.npz"}) {
    SCOPED_TRACE(file);
    Model model;
    load_npz(golden(file), model);
    expect_reference_model(model);
  }
}

TEST(NpzTest, AParameterThatChainerSavedWithoutAValueStaysUninitialized) {
  ChainList model(Weights(std::nullopt, 3), Weights(std::nullopt, 2));
  load_npz(golden("model_uninitialized.npz"), model);
  EXPECT_FALSE(model.at<Weights>(0).W.is_initialized());
  // One without a shape takes the file's.
  EXPECT_EQ(model.at<Weights>(1).W.shape(), Shape({2, 3}));
}

TEST(NpzTest, OptimizersGoOnWhereChainerStopped) {
  expect_next_steps([](const std::string& name, auto& optimizer) {
    load_npz(golden(name + ".npz"), optimizer);
  });
}

TEST(NpzTest, NumPyReadsWhatIsSaved) {
  if (std::system("python3 -c 'import numpy' 2>/dev/null") != 0) {
    GTEST_SKIP() << "python3 with numpy is not installed";
  }
  Model model;
  model.l1->W.data().fill(0.5);
  model.bn->N = 7;
  const testing::TempFolder folder;
  const std::string path = folder.file("numpy.npz");
  save_npz(path, model);
  const std::string script =
      "import numpy as n; f = n.load('" + path +
      "'); assert f['l1/W'].dtype == n.float32 and f['l1/W'].shape == (4, 3);"
      " assert (f['l1/W'] == 0.5).all() and f['bn/N'] == 7;"
      " assert f['blocks/1/0/W'].shape == (4, 4)";
  EXPECT_EQ(std::system(("python3 -c \"" + script + "\"").c_str()), 0);
}

}  // namespace
}  // namespace catena::serializers

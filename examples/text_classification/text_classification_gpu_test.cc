// Runs the programs on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

using TextClassificationGpuTest = GpuRunsTest;

TEST_F(TextClassificationGpuTest, EachModelTrainsAndLabels) {
  const std::string texts =
      "warm a red house\ncold the blue sea\nwarm so very red\ncold blue\n";
  testing::write_file(file("stsa.fine.train"), texts);
  testing::write_file(file("stsa.fine.test"), texts);
  for (const std::string model : {"cnn", "rnn", "bow"}) {
    run("text_classification/train_text_classifier",
        {"--device=cuda:0", "--dataset=stsa.fine", "--data_dir=" + file(""),
         "--batchsize=2", "--epoch=2", "--unit=6", "--model=" + model,
         "--out=" + file(model)});
    run("text_classification/run_text_classifier",
        {"--device=cuda:0", "--model_setup=" + file(model + "/args.json")},
        "a blue house\nred\n");
  }
}

}  // namespace
}  // namespace catena::examples

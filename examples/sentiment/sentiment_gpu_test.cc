// Runs the programs on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"

namespace catena::examples {
namespace {

using SentimentGpuTest = GpuRunsTest;

TEST_F(SentimentGpuTest, BothProgramsTrain) {
  for (const std::string name :
       {"train_sentiment", "train_recursive_minibatch"}) {
    run("sentiment/" + name,
        {"--device=cuda:0", "--test", "--batchsize=5", "--epoch=2",
         "--epocheval=1", "--unit=4", "--out=" + file(name)});
  }
}

TEST_F(SentimentGpuTest, OtherModelsTrain) {
  for (const std::string model : {"tree_lstm", "bag_of_words"}) {
    run("sentiment/train_recursive_minibatch",
        {"--device=cuda:0", "--test", "--batchsize=5", "--epoch=2",
         "--epocheval=1", "--unit=4", "--model=" + model,
         "--out=" + file(model)});
  }
}

}  // namespace
}  // namespace catena::examples

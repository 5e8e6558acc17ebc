// Runs the program on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"

namespace catena::examples {
namespace {

using Word2vecGpuTest = GpuRunsTest;

// 90 of 100 words have five others on each side.
TEST_F(Word2vecGpuTest, EachModelTrainsWithEachLoss) {
  for (const std::string model : {"skipgram", "cbow"}) {
    for (const std::string out_type : {"hsm", "ns", "original"}) {
      run("word2vec/train_word2vec",
          {"--device=cuda:0", "--test", "--batchsize=45", "--epoch=2",
           "--unit=4", "--model=" + model, "--out_type=" + out_type,
           "--out=" + file(model + out_type)});
    }
  }
}

}  // namespace
}  // namespace catena::examples

// Runs the programs on emulated GPUs.

#include <gtest/gtest.h>

#include "catena/array/random/random.h"
#include "catena/examples/support/gpu_runs.h"
#include "catena/links/model/pretrained.h"

namespace catena::examples {
namespace {

using GptGpuTest = GpuRunsTest;

TEST_F(GptGpuTest, TrainsAndWrites) {
  run("gpt/train_char",
      {"--device=cuda:0", "--layers=1", "--heads=2", "--units=16",
       "--context=16", "--batchsize=2", "--iteration=2", "--interval=2",
       "--out=" + file("result")});
}

TEST_F(GptGpuTest, Classifies) {
  array::random::seed(0);
  links::save_pretrained(links::Vit({.image_size = 8,
                                     .patch_size = 4,
                                     .units = 16,
                                     .hidden = 32,
                                     .heads = 2,
                                     .layers = 1,
                                     .classes = 0}),
                         file(""));
  run("gpt/classify",
      {"--device=cuda:0", "--model=" + file(""), "--batchsize=719", "--epoch=2",
       "--out=" + file("result")});
}

}  // namespace
}  // namespace catena::examples

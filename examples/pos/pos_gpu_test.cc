// Runs the program on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

using PosGpuTest = GpuRunsTest;

TEST_F(PosGpuTest, Trains) {
  std::string text;
  for (int i = 0; i < 4; ++i) text += "a/z b/x\nb/y\nc/z b/y a/z b/x\n";
  testing::write_file(file("data"), text);
  // 11 sentences to train with, and one to test.
  run("pos/postagging",
      {"--device=cuda:0", "--data=" + file("data"), "--batchsize=6",
       "--epoch=2", "--out=" + file("result")});
}

}  // namespace
}  // namespace catena::examples

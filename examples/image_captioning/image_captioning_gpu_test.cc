// Runs the programs on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"

namespace catena::examples {
namespace {

using ImageCaptioningGpuTest = GpuRunsTest;

// It ends before the first line of its log.
TEST_F(ImageCaptioningGpuTest, TrainsAndDescribesScenes) {
  for (const std::string rnn : {"nsteplstm", "lstm"}) {
    const std::string out = "--out=" + file(rnn);
    run("image_captioning/train",
        {"--device=cuda:0", "--max_iters=4", "--batch_size=8", "--unit=8",
         "--snapshot_iter=4", "--rnn=" + rnn, out});
    run("image_captioning/predict",
        {"--device=cuda:0", "--model=" + file(rnn), "--scenes=2",
         "--beam_size=2", "--out=" + file("captions")});
  }
}

}  // namespace
}  // namespace catena::examples

// Runs the program on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

using Seq2seqGpuTest = GpuRunsTest;

TEST_F(Seq2seqGpuTest, Trains) {
  testing::write_file(file("en"), "one two\ntwo\nthree one\nthree two one\n");
  testing::write_file(file("fr"), "a b\nb\nc a\nc b a\n");
  testing::write_file(file("en.vocab"), "one\ntwo\nthree\n");
  testing::write_file(file("fr.vocab"), "a\nb\nc\n");
  run("seq2seq/seq2seq",
      {"--device=cuda:0", "--source=" + file("en"), "--target=" + file("fr"),
       "--source_vocab=" + file("en.vocab"),
       "--target_vocab=" + file("fr.vocab"),
       "--validation_source=" + file("en"), "--validation_target=" + file("fr"),
       "--batchsize=2", "--epoch=2", "--unit=4", "--layer=2",
       "--log_interval=2", "--validation_interval=2",
       "--out=" + file("result")});
}

}  // namespace
}  // namespace catena::examples

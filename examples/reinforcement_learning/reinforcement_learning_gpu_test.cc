// Runs the programs on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"

namespace catena::examples {
namespace {

using ReinforcementLearningGpuTest = GpuRunsTest;

TEST_F(ReinforcementLearningGpuTest, DqnTrains) {
  run("reinforcement_learning/dqn_cartpole",
      {"--device=cuda:0", "--episodes=2", "--replay_start_size=10",
       "--batch_size=8", "--unit=8", "--out=" + file("result")});
}

TEST_F(ReinforcementLearningGpuTest, DdpgTrains) {
  run("reinforcement_learning/ddpg_pendulum",
      {"--device=cuda:0", "--episodes=1", "--replay_start_size=190",
       "--batch_size=8", "--unit=8", "--out=" + file("result")});
}

}  // namespace
}  // namespace catena::examples

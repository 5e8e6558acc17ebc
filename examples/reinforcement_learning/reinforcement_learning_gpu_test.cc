// Runs the programs on emulated GPUs.

#include <gtest/gtest.h>

#include <string>

#include "catena/examples/support/gpu_runs.h"

namespace catena::examples {
namespace {

using ReinforcementLearningGpuTest = GpuRunsTest;

TEST_F(ReinforcementLearningGpuTest, BothProgramsTrain) {
  for (const std::string name : {"dqn_cartpole", "ddpg_pendulum"}) {
    run("reinforcement_learning/" + name,
        {"--device=cuda:0", "--episodes=2", "--test_episodes=2",
         "--replay_start_size=10", "--batch_size=8", "--unit=8",
         "--out=" + file(name)});
  }
}

}  // namespace
}  // namespace catena::examples

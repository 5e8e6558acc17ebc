// Runs both programs as a user would, for a few episodes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "catena/dataset/image_file.h"
#include "catena/tests/support/program_checks.h"

namespace {

using ::catena::Shape;
using ::catena::testing::ProgramsTest;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class ReinforcementLearningTest : public ProgramsTest {
 protected:
  ReinforcementLearningTest()
      : ProgramsTest("examples/reinforcement_learning") {}
  std::string run(const std::string& name, Arguments arguments) const {
    arguments.push_back("--out=" + file("result"));
    return ProgramsTest::run(name, arguments);
  }
  // The numbers in a column of the table that the program prints.
  static std::vector<double> column(const std::string& out,
                                    const std::string& name) {
    std::istringstream lines(out);
    std::string line, word;
    std::getline(lines, line);
    std::istringstream header(line);
    int position = 0;
    while (header >> word && word != name) ++position;
    EXPECT_EQ(word, name) << out;
    std::vector<double> numbers;
    while (std::getline(lines, line) && std::isdigit(line[0])) {
      std::istringstream row(line);
      for (int i = 0; i <= position; ++i) row >> word;
      numbers.push_back(std::stod(word));
    }
    return numbers;
  }
  static std::string without_times(const std::string& out) {
    std::string result;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
      result += line.substr(0, line.rfind("  ")) + "\n";
    }
    return result;
  }
};

TEST_F(ReinforcementLearningTest, DqnLearnsToBalanceLonger) {
  const std::string out = run("dqn_cartpole", {"--episodes=100"});
  const std::vector<double> returns = column(out, "test_return");
  ASSERT_GE(returns.size(), 5u) << out;
  EXPECT_LT(returns.front(), 50);
  EXPECT_GT(*std::max_element(returns.begin(), returns.end()), 90) << out;
  const auto epsilons = column(out, "epsilon");
  EXPECT_GT(epsilons.front(), epsilons.back());
  EXPECT_THAT(out, HasSubstr("mean return over 100 episodes: "));
}

TEST_F(ReinforcementLearningTest, DqnReplaysWhatItSaved) {
  const std::vector<std::string> few = {"--episodes=15", "--unit=16",
                                        "--target_type=double_dqn",
                                        "--replay_start_size=70"};
  const std::string out = run("dqn_cartpole", few);
  EXPECT_EQ(column(out, "episode"), (std::vector<double>{10, 15}));
  EXPECT_THAT(out, HasSubstr("not solved; the best model has"));
  EXPECT_EQ(without_times(run("dqn_cartpole", few)), without_times(out));
  const std::string model = file("result/model.npz");
  const std::string film = file("result/episode.png");
  std::filesystem::remove(film);
  const std::string replayed =
      run("dqn_cartpole", {"--unit=16", "--load=" + model});
  EXPECT_THAT(replayed, ::testing::StartsWith("mean return over 100 episodes"));
  EXPECT_THAT(replayed, EndsWith("wrote " + film + "\n"));
  EXPECT_EQ(catena::dataset::read_image(film).ndim(), 3);
}

TEST_F(ReinforcementLearningTest, DdpgLearnsToSwingUp) {
  // It is solved after 20 to 40 episodes.
  const std::string out = run("ddpg_pendulum", {"--episodes=80"});
  const std::vector<double> returns = column(out, "test_return");
  ASSERT_GE(returns.size(), 2u) << out;
  EXPECT_LT(returns.front(), -600) << out;
  EXPECT_GT(returns.back(), -250) << out;
  EXPECT_EQ(catena::dataset::read_image(file("result/episode.png")).shape(),
            (Shape{4 * 82 + 2, 10 * 82 + 2, 3}));
}

TEST_F(ReinforcementLearningTest, DdpgReplaysWhatItSaved) {
  const std::vector<std::string> few = {"--episodes=3", "--unit=16",
                                        "--noise=ornstein_uhlenbeck"};
  const std::string out = run("ddpg_pendulum", few);
  EXPECT_EQ(column(out, "iteration"), (std::vector<double>{600}));
  EXPECT_EQ(without_times(run("ddpg_pendulum", few)), without_times(out));
  const std::string model = file("result/model.npz");
  EXPECT_THAT(run("ddpg_pendulum", {"--unit=16", "--load=" + model}),
              ::testing::StartsWith("mean return over 100 episodes: -"));
}

TEST_F(ReinforcementLearningTest, BadArgumentsAreOneClearLine) {
  for (const std::string name : {"dqn_cartpole", "ddpg_pendulum"}) {
    expect_failure(name, {"--batch_size=0"}, "flag 'batch_size'");
    expect_failure(name, {"--load=none.npz"}, "none.npz");
    expect_failure(name, {"--env=Pong-v0"}, "got 'Pong-v0'");
    expect_failure(name, {"--device=tpu"}, "got 'tpu'");
  }
  expect_failure("dqn_cartpole", {"--target_type=triple"},
                 "expected dqn or double_dqn, got 'triple'");
  expect_failure("dqn_cartpole", {"--min_epsilon=2"},
                 "expected a number from 0 to 1, got 2");
  expect_failure("ddpg_pendulum", {"--tau=0"}, "--tau: expected");
  expect_failure("ddpg_pendulum", {"--noise=white"}, "got 'white'");
  expect_failure("ddpg_pendulum", {"--noise_scale=-1"},
                 "--noise_scale: expected at least 0, got -1");
}

}  // namespace

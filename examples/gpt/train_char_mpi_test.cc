// Runs train_char under mpirun, as a user would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/array/io/npz.h"
#include "catena/tests/support/program_checks.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"
#include "catena/training/communicators/testing/mpirun.h"

namespace {

using ::catena::testing::IsClose;
using ::catena::testing::ProgramsTest;
using ::catena::testing::read_file;
using ::catena::testing::read_log;
using ::catena::testing::runfile;
using ::catena::training::communicators::testing::mpirun;
using ::catena::training::communicators::testing::RunResult;
using ::testing::HasSubstr;

class TrainCharMpiTest : public ProgramsTest {
 protected:
  TrainCharMpiTest() : ProgramsTest("examples/gpt") {}
  Arguments arguments(const std::string& out, const Arguments& more) const {
    Arguments result = {
        "--layers=2",     "--heads=2",      "--units=16",
        "--context=16",   "--batchsize=12", "--interval=10",
        "--iteration=20", "--start=to",     "--out=" + file(out)};
    result.insert(result.end(), more.begin(), more.end());
    return result;
  }
  RunResult train(int processes, const std::string& out,
                  const Arguments& more = {}) const {
    return mpirun(processes, runfile("examples/gpt/train_char"),
                  arguments(out, more));
  }
  void expect_equal_models(const std::string& one, const std::string& other,
                           double atol) const {
    const catena::array::NpzReader a(file(one + "/model.npz"));
    const catena::array::NpzReader b(file(other + "/model.npz"));
    ASSERT_EQ(a.keys(), b.keys());
    for (const std::string& key : a.keys()) {
      EXPECT_THAT(b.read_array(key),
                  IsClose(a.read_array(key), {.rtol = 0, .atol = atol}))
          << key;
    }
  }
};

TEST_F(TrainCharMpiTest, ProcessesTakeTheStepsOfOne) {
  run("train_char", arguments("one", {}));
  const nlohmann::json one = read_log(file("one/log"));
  ASSERT_EQ(one.size(), 2u);
  for (const int processes : {2, 3}) {
    const std::string out = std::to_string(processes);
    SCOPED_TRACE(out);
    const RunResult result = train(processes, out);
    ASSERT_EQ(result.code, 0) << result.output;
    const nlohmann::json several = read_log(file(out + "/log"));
    ASSERT_EQ(several.size(), one.size());
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_NEAR(several[i]["main/loss"].get<double>(),
                  one[i]["main/loss"].get<double>(), 1e-5);
      // The last part of the texts is a few texts longer.
      EXPECT_NEAR(several[i]["validation/main/loss"].get<double>(),
                  one[i]["validation/main/loss"].get<double>(), 1e-2);
    }
    expect_equal_models("one", out, 1e-5);
  }
}

TEST_F(TrainCharMpiTest, ResumedTheyEndWithTheSameBits) {
  const Arguments dropout = {"--dropout=0.2"};
  ASSERT_EQ(train(2, "whole", dropout).code, 0);
  ASSERT_EQ(train(2, "parts", dropout).code, 0);
  for (const std::string rank : {"0", "1"}) {
    ASSERT_TRUE(std::filesystem::remove(
        file("parts/checkpoint_iter_20_rank_" + rank + "_of_2")));
  }
  const RunResult result =
      train(2, "parts", {"--dropout=0.2", "--resume=latest"});
  ASSERT_EQ(result.code, 0) << result.output;
  expect_equal_models("whole", "parts", 0);
  EXPECT_EQ(read_file(file("parts/texts.txt")),
            read_file(file("whole/texts.txt")));
}

TEST_F(TrainCharMpiTest, RefusesAMinibatchThatDoesNotDivide) {
  const RunResult result = train(2, "bad", {"--batchsize=3"});
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.output, HasSubstr("divisible by the number of ranks, 2"));
}

}  // namespace

// Runs the program under mpirun, as a user would.

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

using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::catena::testing::read_log;
using ::catena::testing::runfile;
using ::catena::testing::TempFolder;
using ::catena::training::communicators::testing::mpirun;
using ::catena::training::communicators::testing::RunResult;
using ::testing::HasSubstr;
using Arguments = std::vector<std::string>;

class DataParallelMpiTest : public ::testing::Test {
 protected:
  // Trains with minibatches of 120 images in total.
  RunResult train(const std::string& name, int ranks, int epochs,
                  const Arguments& more = {}) const {
    Arguments arguments = {"--out=" + folder_.file(name),
                           "--epoch=" + std::to_string(epochs), "--unit=20",
                           "--batchsize=" + std::to_string(120 / ranks)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return mpirun(ranks,
                  runfile("examples/mnist/train_mnist_data_parallel_mpi"),
                  arguments);
  }
  void expect_trains(const std::string& name, int ranks, int epochs,
                     const Arguments& more = {}) const {
    const RunResult result = train(name, ranks, epochs, more);
    ASSERT_EQ(result.code, 0) << result.output;
  }
  std::string model(const std::string& name) const {
    return folder_.file(name + "/model.npz");
  }
  nlohmann::json log(const std::string& name) const {
    return read_log(folder_.file(name + "/log"));
  }

  TempFolder folder_;
};

TEST_F(DataParallelMpiTest, RanksEndWithTheParametersOfOneWithAllTheirImages) {
  expect_trains("one", 1, 4);
  const catena::array::NpzReader one(model("one"));
  ASSERT_EQ(one.keys().size(), 6u);
  const double loss = log("one").back()["main/loss"];
  EXPECT_LT(loss, log("one").front()["main/loss"]);
  for (const int ranks : {2, 4}) {
    for (const std::string kind : {"mpi", "naive", "hierarchical"}) {
      if (ranks == 4 && kind != "mpi") continue;
      const std::string name = kind + std::to_string(ranks);
      SCOPED_TRACE(name);
      expect_trains(name, ranks, 4, {"--communicator=" + kind});
      const catena::array::NpzReader several(model(name));
      EXPECT_EQ(several.keys(), one.keys());
      for (const std::string& key : one.keys()) {
        SCOPED_TRACE(key);
        EXPECT_THAT(several.read_array(key),
                    IsClose(one.read_array(key), {.rtol = 1e-4, .atol = 1e-5}));
      }
      // Reported values also cover all images.
      EXPECT_NEAR(log(name).back()["main/loss"].get<double>(), loss, 1e-4);
    }
  }
}

TEST_F(DataParallelMpiTest, LearnsDigits) {
  expect_trains("result", 2, 20, {"--unit=100"});
  EXPECT_GE(log("result").back()["validation/main/accuracy"].get<double>(),
            0.94);
}

TEST_F(DataParallelMpiTest, AResumedTrainingIsThatOfOneThatWasNot) {
  expect_trains("whole", 2, 4);
  expect_trains("halves", 2, 2);
  expect_trains("halves", 2, 4, {"--resume"});
  EXPECT_EQ(log("halves"), log("whole"));
  const catena::array::NpzReader whole(model("whole"));
  const catena::array::NpzReader halves(model("halves"));
  for (const std::string& key : whole.keys()) {
    EXPECT_THAT(halves.read_array(key), IsClose(whole.read_array(key), {}));
  }
  const RunResult result = train("halves", 3, 4, {"--resume"});
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.output,
              HasSubstr("of 3 ranks, found files of a different number"));
}

TEST_F(DataParallelMpiTest, BadArgumentsEndTheRun) {
  const RunResult unknown = train("bad", 2, 1, {"--communicator=pigeon"});
  EXPECT_NE(unknown.code, 0);
  EXPECT_THAT(unknown.output, HasSubstr("got 'pigeon'"));
  const RunResult zero = train("bad", 2, 1, {"--batchsize=0"});
  EXPECT_NE(zero.code, 0);
  EXPECT_THAT(zero.output, HasSubstr("flag 'batchsize'"));
}

}  // namespace

// Runs each variant of the program as a user would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "catena/tests/support/program_checks.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::ProgramsTest;
using ::catena::testing::read_file;
using ::testing::HasSubstr;

class MnistVariantsTest : public ProgramsTest {
 protected:
  MnistVariantsTest() : ProgramsTest("examples/mnist") {}
  // The program's output.
  std::string run(const std::string& name, Arguments arguments) const {
    arguments.push_back("--out=" + file("result"));
    return ProgramsTest::run(name, arguments);
  }
  // The log of a successful run.
  nlohmann::json check_learning(const std::string& name, int epochs,
                                double accuracy) const {
    run(name, {"--epoch=" + std::to_string(epochs)});
    const auto log = nlohmann::json::parse(read_file(file("result/log")));
    EXPECT_EQ(log.size(), static_cast<size_t>(epochs));
    EXPECT_GE(log.back()["validation/main/accuracy"].get<double>(), accuracy);
    EXPECT_LT(log.back()["main/loss"].get<double>(),
              log.front()["main/loss"].get<double>() / 2);
    return log;
  }
};

TEST_F(MnistVariantsTest, AConvolutionalNetworkLearns) {
  check_learning("train_mnist_cnn", 8, 0.9);
  EXPECT_THAT(read_file(file("result/report.html")),
              HasSubstr(">convolution_nd</text>"));
}

TEST_F(MnistVariantsTest, ALoopOfItsOwnLearnsSavesAndLoads) {
  const std::string out = run("train_mnist_custom_loop", {"--epoch=12"});
  const size_t last = out.rfind("test_accuracy: ");
  ASSERT_NE(last, std::string::npos) << out;
  EXPECT_GE(std::stod(out.substr(last + 15)), 0.9);
  EXPECT_THAT(out, HasSubstr("epoch: 12 "));
  EXPECT_THAT(out,
              ::testing::ContainsRegex("label: [0-9] predicted_label: [0-9]"));
  EXPECT_TRUE(std::filesystem::exists(file("result/my_mnist.npz")));
  EXPECT_TRUE(std::filesystem::exists(file("result/misread.png")));
}

TEST_F(MnistVariantsTest, TwoDevicesShareMinibatches) {
  const auto log = check_learning("train_mnist_data_parallel", 12, 0.9);
  EXPECT_LT(log.back()["second/loss"].get<double>(),
            log.front()["second/loss"].get<double>() / 2);
}

TEST_F(MnistVariantsTest, TwoDevicesShareAModel) {
  check_learning("train_mnist_model_parallel", 12, 0.9);
}

TEST_F(MnistVariantsTest, BadArgumentsAreOneClearLine) {
  expect_failure("train_mnist_cnn", {"--dataset=cats"},
                 "expected digits or mnist, got 'cats'");
  for (const std::string name :
       {"train_mnist_cnn", "train_mnist_custom_loop",
        "train_mnist_data_parallel", "train_mnist_model_parallel"}) {
    expect_failure(name, {"--batchsize=0"},
                   "'0' specified for flag 'batchsize'; expected an integer of "
                   "at least 1");
    expect_failure(name, {"--epoch=0"}, "flag 'epoch'; expected an integer of");
    expect_failure(name, {"--unit=-1"}, "'-1' specified for flag 'unit'");
    expect_failure(name, {"--seed=-1"}, "'-1' specified for flag 'seed'");
  }
  expect_failure("train_mnist_data_parallel", {"--device1=tpu"}, "got 'tpu'");
}

}  // namespace

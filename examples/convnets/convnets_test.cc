// The networks on small images, and the program as a user runs it.

#include "catena/examples/convnets/convnets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/autograd/config.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/tests/support/program.h"
#include "catena/tests/support/program_checks.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples::convnets {
namespace {

using ::catena::testing::expect_error_line;
using ::catena::testing::IsArray;
using ::catena::testing::Program;
using ::catena::testing::read_file;
using ::catena::testing::TempFolder;

Variable images(const Shape& shape) {
  return Variable(array::random::uniform(0, 1, shape, Dtype::kFloat32));
}

// The layers with weights, which the networks are named for.
int64_t layers(const Link& network) {
  const auto params = network.namedparams();
  return std::ranges::count_if(params, [](const auto& named) {
    return named.first.ends_with("/W") && !named.first.ends_with("1x1r/W");
  });
}

// Every parameter gets a gradient.
template <class Network>
void check_backward_pass(Network& network, const Variable& x) {
  network.cleargrads();
  const Array t = array::zeros({x.len()}, Dtype::kInt32);
  F::softmax_cross_entropy(network(x), t).backward();
  for (const auto& [path, param] : network.namedparams()) {
    EXPECT_TRUE(param.grad().defined()) << path;
  }
}

TEST(LeNet5Test, HasItsFiveLayers) {
  LeNet5 network;
  EXPECT_EQ(network(images({2, 1, 28, 28})).shape(), Shape({2, 10}));
  EXPECT_EQ(layers(network), 5);
  EXPECT_EQ(network.count_params(), 44426);
  check_backward_pass(network, images({2, 1, 28, 28}));
}

TEST(LeNet5Test, TakesLargerImages) {
  LeNet5 network(7);
  EXPECT_EQ(network(images({2, 3, 32, 32})).shape(), Shape({2, 7}));
}

TEST(VGG16Test, HasTheConvolutionsOfThePaper) {
  VGG16 network(10, {.n_units = 32});
  EXPECT_EQ(network(images({1, 3, 32, 32})).shape(), Shape({1, 10}));
  EXPECT_EQ(layers(network), 16);
  const int64_t head = (512 * 32 + 32) + (32 * 32 + 32) + (32 * 10 + 10);
  EXPECT_EQ(network.count_params(), 14714688 + head);
}

TEST(VGG16Test, TakesSmallImages) {
  VGG16 network(10, {.width = 2, .n_units = 8});
  EXPECT_EQ(network(images({2, 1, 28, 28})).shape(), Shape({2, 10}));
  check_backward_pass(network, images({2, 1, 28, 28}));
}

TEST(ResNet152Test, HasTheParametersOfThePaper) {
  ResNet152 network;
  EXPECT_EQ(network(images({1, 3, 32, 32})).shape(), Shape({1, 1000}));
  EXPECT_EQ(layers(network), 152);
  EXPECT_EQ(network.count_params(), 60192808);
}

TEST(ResNet152Test, TakesSmallImages) {
  ResNet152 network(10, {.width = 2, .n_blocks = {1, 2, 1, 1}});
  EXPECT_EQ(network(images({2, 1, 28, 28})).shape(), Shape({2, 10}));
  check_backward_pass(network, images({2, 1, 28, 28}));
}

TEST(BottleNeckTest, HasAProjectionOnlyOnRequest) {
  BottleNeck plain(2, 8);
  BottleNeck projected(2, 8, {.stride = 2, .proj = true});
  const Variable x = images({1, 8, 4, 4});
  EXPECT_EQ(plain(x).shape(), Shape({1, 8, 4, 4}));
  EXPECT_EQ(projected(x).shape(), Shape({1, 8, 2, 2}));
  EXPECT_EQ(plain.params().size() + 3, projected.params().size());
  EXPECT_THAT(
      [&] {
        plain(images({1, 4, 4, 4}));
      },
      ::testing::Throws<InvalidType>());
}

TEST(BottleNeckTest, CopiesAreIndependent) {
  BottleNeck original(2, 8, {.stride = 2, .proj = true});
  const Variable x = images({1, 4, 4, 4});
  const auto test = using_config(&Config::train, false);
  const Array y = original(x).data();
  BottleNeck copy = original;
  for (const Parameter& param : original.params()) {
    param.set_data(array::zeros_like(param.data()));
  }
  EXPECT_THAT(copy(x).data(), IsArray(y));
  EXPECT_THAT(original(x).data(), IsArray(array::zeros_like(y)));
}

class TrainConvnetTest : public ::testing::Test {
 protected:
  Program run(Program::Arguments arguments) const {
    arguments.push_back("--out=" + folder_.file("result"));
    return Program("examples/convnets/train_convnet", arguments, folder_);
  }
  nlohmann::json log_of(const Program::Arguments& arguments) const {
    const Program program = run(arguments);
    EXPECT_EQ(program.wait(), 0) << program.err();
    return nlohmann::json::parse(read_file(folder_.file("result/log")));
  }
  void expect_failure(const std::string& argument,
                      const std::string& message) const {
    const Program program = run({argument});
    expect_error_line(program, message);
  }

  TempFolder folder_;
};

TEST_F(TrainConvnetTest, LeNet5Learns) {
  const auto log = log_of({"--epoch=25"});
  ASSERT_EQ(log.size(), 25u);
  EXPECT_GT(log.back()["validation/main/accuracy"].get<double>(), 0.8);
  EXPECT_LT(log.back()["main/loss"].get<double>(),
            log.front()["main/loss"].get<double>() / 2);
  EXPECT_TRUE(std::filesystem::exists(folder_.file("result/accuracy.png")));
}

TEST_F(TrainConvnetTest, VGG16Learns) {
  const auto log = log_of({"--arch=vgg16", "--epoch=3", "--unit=64"});
  EXPECT_GT(log.back()["validation/main/accuracy"].get<double>(), 0.4);
}

TEST_F(TrainConvnetTest, ResNet152LearnsAndResumes) {
  const Program::Arguments narrow = {"--arch=resnet152", "--width=4",
                                     "--batchsize=200"};
  Program::Arguments first = narrow;
  first.push_back("--epoch=1");
  EXPECT_EQ(log_of(first).size(), 1u);
  Program::Arguments second = narrow;
  second.insert(second.end(), {"--epoch=3", "--resume=latest"});
  const auto log = log_of(second);
  ASSERT_EQ(log.size(), 3u);
  EXPECT_LT(log.back()["main/loss"].get<double>(),
            log.front()["main/loss"].get<double>());
}

TEST_F(TrainConvnetTest, BadArgumentsAreOneClearLine) {
  expect_failure("--arch=alexnet",
                 "expected lenet5, vgg16 or resnet152, got 'alexnet'");
  expect_failure("--dataset=cats",
                 "expected digits, mnist or cifar10, got 'cats'");
  expect_failure("--epoch=0", "flag 'epoch'; expected an integer of");
  expect_failure("--resume=none.npz", "none.npz");
}

}  // namespace
}  // namespace catena::examples::convnets

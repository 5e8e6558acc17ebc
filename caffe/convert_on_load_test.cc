// Models that convert their .caffemodel themselves. Nothing here names the
// conversion: that its library is linked has to be enough.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/io/npz.h"
#include "catena/caffe/testing/net_builder.h"
#include "catena/caffe/testing/reference_nets.h"
#include "catena/dataset/dataset_root.h"
#include "catena/links/model/googlenet.h"
#include "catena/links/model/published_weights.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::caffe {
namespace {

using ::catena::testing::error_of;
using links::GoogLeNet;
using links::published_weights_file;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsArray;
using ::testing::UnorderedElementsAre;

class ConvertOnLoadTest : public ::testing::Test {
 protected:
  ConvertOnLoadTest() : models_(root_.file("pfnet/chainer/models")) {
    dataset::set_dataset_root(root_.path());
    std::filesystem::create_directories(models_);
  }

  std::string file(const std::string& name) const {
    return models_ + "/" + name;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(models_)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  testing::TempFolder root_;
  std::string models_;
};

TEST_F(ConvertOnLoadTest, GoogLeNetConvertsOnce) {
  const GoogLeNet model(std::nullopt);
  testing::googlenet_of(model).save(file("bvlc_googlenet.caffemodel"));
  testing::expect_same_params(GoogLeNet(), model);
  EXPECT_THAT(files(), UnorderedElementsAre("bvlc_googlenet.caffemodel",
                                            "bvlc_googlenet.npz"));

  std::filesystem::remove(file("bvlc_googlenet.caffemodel"));
  testing::expect_same_params(GoogLeNet(), model);
}

TEST_F(ConvertOnLoadTest, ModelsMayConvertAtOnce) {
  const GoogLeNet model(std::nullopt);
  testing::googlenet_of(model).save(file("bvlc_googlenet.caffemodel"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back(
        [&] { testing::expect_same_params(GoogLeNet(), model); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(files(), UnorderedElementsAre("bvlc_googlenet.caffemodel",
                                            "bvlc_googlenet.npz"));
}

// Tiny layers are enough to see under which names the weights arrive, and that
// they are the file's.
TEST_F(ConvertOnLoadTest, VggIsConverted) {
  const auto expect_weights = [&](const std::string& name, size_t layers) {
    // The deeper net has the layers of both.
    testing::tiny_vgg(/*deep=*/true).save(file(name + ".caffemodel"));
    EXPECT_EQ(published_weights_file({name}), file(name + ".npz"));
    const array::NpzReader npz(file(name + ".npz"));
    EXPECT_EQ(npz.keys().size(), 2 * layers);
    EXPECT_THAT(npz.read_array("conv3_2/W"),
                IsArray(testing::made_up({1, 1, 1, 1}, 2)));
    EXPECT_THAT(npz.read_array("conv5_1/b"), IsArray(testing::made_up({1}, 5)));
    EXPECT_THAT(npz.read_array("fc8/W"), IsArray(testing::made_up({4, 4})));
  };
  expect_weights("VGG_ILSVRC_16_layers", 16);
  expect_weights("VGG_ILSVRC_19_layers", 19);
}

TEST_F(ConvertOnLoadTest, AnotherNetIsNamedAndNothingStays) {
  testing::NetBuilder net("data", {1, 1});
  net.layer("relu", "ReLU", {"data"}, {"y"});
  for (const int n : {50, 101, 152}) {
    const std::string name = str("ResNet-", n, "-model");
    net.save(file(name + ".caffemodel"));
    EXPECT_THAT(error_of<IoError>([&] { published_weights_file({name}); }),
                AllOf(HasSubstr(name + ".caffemodel"),
                      HasSubstr("there is no 'conv1/W'")));
    EXPECT_THAT(files(), ElementsAre(name + ".caffemodel"));
    std::filesystem::remove(file(name + ".caffemodel"));
  }
  net.save(file("tiny.caffemodel"));
  EXPECT_THAT(error_of<IoError>([&] { published_weights_file({"tiny"}); }),
              AllOf(HasSubstr("tiny.caffemodel"),
                    HasSubstr("there is no conversion for this model")));
}

TEST_F(ConvertOnLoadTest, DamageIsNamedAndNothingStays) {
  const std::string path = file("bvlc_googlenet.caffemodel");
  const std::string bytes =
      testing::googlenet_of(GoogLeNet(std::nullopt)).bytes();
  testing::write_file(path, bytes.substr(0, bytes.size() / 2));
  EXPECT_THAT(error_of<IoError>([] { GoogLeNet(); }), HasSubstr(path));
  EXPECT_THAT(files(), ElementsAre("bvlc_googlenet.caffemodel"));
}

}  // namespace
}  // namespace catena::caffe

#include "catena/caffe/convert_caffemodel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/array/io/npz.h"
#include "catena/autograd/config.h"
#include "catena/caffe/caffe_function.h"
#include "catena/caffe/testing/reference_nets.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::caffe {
namespace {

using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;
using ::testing::ThrowsMessage;

// A new model loaded from the converted file equals the original one, and both
// compute the same as the Caffe net.
template <class Model>
void expect_same_model(const Model& model, const testing::NetBuilder& net) {
  const testing::TempFolder folder;
  const std::string npz = folder.file("model.npz");
  net.save(folder.file("net.caffemodel"));
  convert_caffemodel_to_npz<Model>(folder.file("net.caffemodel"), npz);
  Model loaded(npz);
  const auto expected = model.namedparams();
  const auto actual = loaded.namedparams();
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(expected[i].first);
    EXPECT_EQ(actual[i].first, expected[i].first);
    EXPECT_THAT(actual[i].second.data(), IsArray(expected[i].second.data()));
  }
  const auto test = using_config(&Config::train, false);
  const auto no_graph = no_backprop_mode();
  const Variable x(testing::made_up({1, 3, 224, 224}));
  CaffeFunction function(folder.file("net.caffemodel"));
  EXPECT_TRUE(function.plan().is_complete());
  EXPECT_THAT(function({{"data", x}}, {"prob"})[0].data(),
              IsClose(loaded(x, {"prob"}).at("prob").data(),
                      {.rtol = 1e-3, .atol = 1e-6}));
}

TEST(ConvertCaffemodelTest, GoogLeNetComesThrough) {
  const links::GoogLeNet model(std::nullopt);
  expect_same_model(model, testing::googlenet_of(model));
}

TEST(ConvertCaffemodelTest, ResNet50ComesThrough) {
  const links::ResNet50Layers model(std::nullopt);
  expect_same_model(model, testing::resnet50_of(model));
}

TEST(ConvertCaffemodelTest, ResNet101ComesThrough) {
  const links::ResNet101Layers model(std::nullopt);
  expect_same_model(model, testing::resnet101_of(model));
}

TEST(ConvertCaffemodelTest, ResNet152ComesThrough) {
  const links::ResNet152Layers model(std::nullopt);
  expect_same_model(model, testing::resnet152_of(model));
}

// VGG's names are the same in both, so tiny layers are enough.
TEST(ConvertCaffemodelTest, VggKeepsItsNames) {
  const testing::TempFolder folder;
  for (const bool deep : {false, true}) {
    testing::NetBuilder net("data", {1, 1, 2, 2});
    std::string h = "data";
    std::set<std::string> keys;
    for (int block = 1; block <= 5; ++block) {
      const int count = block < 3 ? 2 : deep ? 4 : 3;
      for (int i = 1; i <= count; ++i) {
        const std::string name = str("conv", block, "_", i);
        ConvolutionParameter& params =
            *net.layer(name, "Convolution", {h}, {name},
                       {testing::made_up({1, 1, 1, 1}, i),
                        testing::made_up({1}, block)})
                 .mutable_convolution_param();
        params.set_num_output(1);
        params.add_kernel_size(1);
        h = name;
        keys.insert({name + "/W", name + "/b"});
      }
    }
    for (const std::string name : {"fc6", "fc7", "fc8"}) {
      net.layer(name, "InnerProduct", {h}, {name},
                {testing::made_up({4, 4}), testing::made_up({4})})
          .mutable_inner_product_param()
          ->set_num_output(4);
      h = name;
      keys.insert({name + "/W", name + "/b"});
    }
    net.save(folder.file("vgg.caffemodel"));
    const std::string npz = folder.file("vgg.npz");
    if (deep) {
      convert_caffemodel_to_npz<links::VGG19Layers>(
          folder.file("vgg.caffemodel"), npz);
    } else {
      convert_caffemodel_to_npz<links::VGG16Layers>(
          folder.file("vgg.caffemodel"), npz);
    }
    const array::NpzReader reader(npz);
    EXPECT_EQ(std::set(reader.keys().begin(), reader.keys().end()), keys);
    EXPECT_THAT(reader.read_array("conv3_2/W"),
                IsArray(testing::made_up({1, 1, 1, 1}, 2)));
  }
}

TEST(ConvertCaffemodelTest, AnotherNetIsRefusedAndNothingIsWritten) {
  const testing::TempFolder folder;
  testing::NetBuilder net("data", {1, 1});
  net.layer("relu", "ReLU", {"data"}, {"y"});
  net.save(folder.file("net.caffemodel"));
  EXPECT_THAT(
      [&] {
        convert_caffemodel_to_npz<links::ResNet101Layers>(
            folder.file("net.caffemodel"), folder.file("out.npz"));
      },
      ThrowsMessage<IoError>(HasSubstr("there is no 'conv1/W'")));
  EXPECT_THROW(array::NpzReader(folder.file("out.npz")), IoError);
}

}  // namespace
}  // namespace catena::caffe

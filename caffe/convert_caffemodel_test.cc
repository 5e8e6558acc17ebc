#include "catena/caffe/convert_caffemodel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/io/npz.h"
#include "catena/autograd/config.h"
#include "catena/caffe/caffe_function.h"
#include "catena/caffe/testing/reference_nets.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::caffe {
namespace {

using ::catena::testing::error_of;
using ::testing::HasSubstr;
using testing::IsArray;
using testing::IsClose;

// A new model loaded from the converted file equals the original one, and both
// compute the same as the Caffe net.
template <class Model>
void expect_same_model(const Model& model, const testing::NetBuilder& net) {
  const testing::TempFolder folder;
  const std::string npz = folder.file("model.npz");
  net.save(folder.file("net.caffemodel"));
  convert_caffemodel_to_npz<Model>(folder.file("net.caffemodel"), npz);
  Model loaded(npz);
  testing::expect_same_params(loaded, model);
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

template <class Model>
void expect_names_of_vgg(bool deep) {
  const testing::TempFolder folder;
  testing::tiny_vgg(deep).save(folder.file("vgg.caffemodel"));
  convert_caffemodel_to_npz<Model>(folder.file("vgg.caffemodel"),
                                   folder.file("vgg.npz"));
  const array::NpzReader reader(folder.file("vgg.npz"));
  std::set<std::string> names;
  const CaffeFunction net(folder.file("vgg.caffemodel"));
  for (const auto& [path, param] : net.namedparams()) {
    names.insert(path.substr(1));
  }
  EXPECT_EQ(names.size(), deep ? 2 * 19 : 2 * 16);
  EXPECT_EQ(std::set(reader.keys().begin(), reader.keys().end()), names);
  EXPECT_THAT(reader.read_array("conv3_2/W"),
              IsArray(testing::made_up({1, 1, 1, 1}, 2)));
}

// VGG's names are the same in both, so tiny layers are enough.
TEST(ConvertCaffemodelTest, VggKeepsItsNames) {
  expect_names_of_vgg<links::VGG16Layers>(/*deep=*/false);
  expect_names_of_vgg<links::VGG19Layers>(/*deep=*/true);
}

TEST(ConvertCaffemodelTest, AnotherNetIsRefusedAndNothingIsWritten) {
  const testing::TempFolder folder;
  testing::NetBuilder net("data", {1, 1});
  net.layer("relu", "ReLU", {"data"}, {"y"});
  net.save(folder.file("net.caffemodel"));
  EXPECT_THAT(error_of<IoError>([&] {
                convert_caffemodel_to_npz<links::ResNet101Layers>(
                    folder.file("net.caffemodel"), folder.file("out.npz"));
              }),
              HasSubstr("there is no 'conv1/W'"));
  EXPECT_THROW(array::NpzReader(folder.file("out.npz")), IoError);
}

}  // namespace
}  // namespace catena::caffe

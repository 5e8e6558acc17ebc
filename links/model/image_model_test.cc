#include "catena/links/model/image_model.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/dataset/dataset_root.h"
#include "catena/functions/math/average.h"
#include "catena/links/connection/linear.h"
#include "catena/links/model/resnet.h"
#include "catena/links/model/vgg.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::links {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::array<float, 3> kNoMean = {0, 0, 0};

Array row_image(const std::vector<int64_t>& values) {
  return array::array(values).reshape({1, 1, -1});
}

// Numbers of Pillow's filter, computed without this code.
TEST(PrepareImageTest, ResizesAsPillowDoes) {
  const auto resized = [](const std::vector<int64_t>& row, int64_t width) {
    return prepare_image(row_image(row), ImageSize{width, 1}, kNoMean)[0][0]
        .to_vector<int64_t>();
  };
  EXPECT_THAT(resized({0, 100, 200, 50}, 8),
              ElementsAre(0, 17, 71, 131, 193, 174, 81, 37));
  EXPECT_THAT(resized({0, 10, 20, 30, 40, 250, 0, 5}, 3),
              ElementsAre(5, 71, 68));
  EXPECT_THAT(resized({0, 255}, 5), ElementsAre(0, 17, 128, 238, 255));
  // The height goes the same way.
  const Array column = array::array({0, 100, 200, 50}).reshape({4, 1});
  EXPECT_THAT(prepare_image(column, ImageSize{1, 8}, kNoMean)[0]
                  .ravel()
                  .to_vector<int64_t>(),
              ElementsAre(0, 17, 71, 131, 193, 174, 81, 37));
}

TEST(PrepareImageTest, ChannelsAreReversedAndTheMeanSubtracted) {
  const Array last = array::array(
      {{{10, 20, 30}, {40, 50, 60}}, {{11, 21, 31}, {41, 51, 61}}});
  const Array expected = array::array(
      {{{29, 59}, {30, 60}}, {{18, 48}, {19, 49}}, {{7, 37}, {8, 38}}},
      Dtype::kFloat32);
  const std::array<float, 3> mean = {1, 2, 3};
  EXPECT_THAT(prepare_image(last, std::nullopt, mean), IsArray(expected));
  // Channels first, and bytes.
  const Array first = last.transpose({2, 0, 1}).astype(Dtype::kUInt8);
  EXPECT_THAT(prepare_image(first, std::nullopt, mean), IsArray(expected));
  // A grey image has three equal channels.
  EXPECT_THAT(
      prepare_image(array::array({{7, 8}}), std::nullopt, mean),
      IsArray(array::array({{{6, 7}}, {{5, 6}}, {{4, 5}}}, Dtype::kFloat32)));
}

TEST(PrepareImageTest, EachModelHasItsMean) {
  const Array black = array::zeros({2, 2});
  const auto mean_of = [](const Array& image) {
    return (-image[{Slice(), 0, 0}]).to_vector<float>();
  };
  EXPECT_THAT(mean_of(vgg_prepare(black)),
              ElementsAre(103.939f, 116.779f, 123.68f));
  EXPECT_THAT(mean_of(resnet_prepare(black)),
              ElementsAre(103.063f, 115.903f, 123.152f));
  EXPECT_EQ(vgg_prepare(black).shape(), Shape({3, 224, 224}));
  EXPECT_EQ(vgg_prepare(black, ImageSize{4, 3}).shape(), Shape({3, 3, 4}));
  EXPECT_EQ(vgg_prepare(black, std::nullopt).shape(), Shape({3, 2, 2}));
}

TEST(PrepareImageTest, ViewsAreCornersCenterAndMirrorImages) {
  const Array image = array::arange(9).reshape({1, 1, 3, 3});
  const Array views = oversample_images(image, {1, 1});
  EXPECT_EQ(views.shape(), Shape({10, 1, 1, 1}));
  EXPECT_THAT(views.to_vector<int64_t>(),
              ElementsAre(0, 2, 6, 8, 4, 0, 2, 6, 8, 4));
  const Array wide = oversample_images(image, {3, 1});
  EXPECT_THAT((wide[{5, 0, 0}].to_vector<int64_t>()), ElementsAre(2, 1, 0));
}

TEST(PrepareImageErrorTest, NamesWhatDoesNotFit) {
  EXPECT_THAT(error_of<ValueError>([] {
                prepare_image(array::zeros({2, 3, 4}), std::nullopt, kNoMean);
              }),
              HasSubstr("got shape (2, 3, 4)"));
  EXPECT_THAT(error_of<ValueError>([] {
                prepare_image(array::zeros({0, 3}), std::nullopt, kNoMean);
              }),
              HasSubstr("got shape (0, 3)"));
  EXPECT_THAT(error_of<ValueError>([] {
                prepare_image(array::zeros({3, 3}), ImageSize{0, 2}, kNoMean);
              }),
              HasSubstr("got 0 x 2"));
  EXPECT_THAT(error_of<ValueError>([] {
                oversample_images(array::zeros({1, 1, 2, 2}), {3, 1});
              }),
              HasSubstr("at least 3 x 1, got (1, 1, 2, 2)"));
}

// A model of one layer that is looked at from several places.
class TinyModel : public ImageModel {
 public:
  explicit TinyModel(const PretrainedModel& pretrained_model = "auto") {
    add_link("fc", Linear(3, 2,
                          {.initialW = initializer_unless(
                               pretrained_model, initializers::Normal())}));
    load(pretrained_model, {"tiny"});
  }
  Array prepare(const Array& image,
                const std::optional<ImageSize>& size) const override {
    return prepare_image(image, size, kNoMean);
  }
  Linear& fc() { return static_cast<Linear&>((*this)["fc"]); }
  int calls = 0;

 protected:
  std::vector<Layer> layers() override {
    const auto counted = [this](const Variable& x) {
      ++calls;
      return x;
    };
    return {{"pool",
             [](const Variable& x) {
               return functions::average(x, {.axis = {2, 3}});
             }},
            {"fc", [this](const Variable& x) { return fc()(x); }},
            {"prob", counted},
            {"side", counted, "pool"}};
  }
  std::string_view feature_layer() const override { return "pool"; }
};

class ImageModelTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Devices, ImageModelTest,
                         ::catena::testing::every_device());

TEST_P(ImageModelTest, ComputesWhatIsAskedFor) {
  TinyModel model(std::nullopt);
  EXPECT_THAT(model.available_layers(),
              ElementsAre("pool", "fc", "prob", "side"));
  const Variable x(array::ones({2, 3, 4, 4}, Dtype::kFloat32));
  EXPECT_EQ(model(x, {"pool", "fc"}).size(), 2u);
  EXPECT_EQ(model.calls, 0);
  EXPECT_EQ(model(x).at("prob").shape(), Shape({2, 2}));
  EXPECT_EQ(model.calls, 1);
  // From where it branches off.
  EXPECT_EQ(model(x, {"side"}).at("side").shape(), Shape({2, 3}));
  EXPECT_THAT(error_of<ValueError>([&] { model(x, {"pool6"}); }),
              HasSubstr("got \"pool6\""));
}

TEST_P(ImageModelTest, ExtractsFeaturesOfImages) {
  TinyModel model(std::nullopt);
  const std::vector<Array> images = {array::full({5, 4}, 3.0),
                                     array::full({3, 9, 9}, 7)};
  const auto features = model.extract(images);
  EXPECT_THAT(features.at("pool").data(),
              IsClose(array::array({{3, 3, 3}, {7, 7, 7}}, Dtype::kFloat32)));
  EXPECT_EQ(model.extract(images, {.layers = {"fc"}}).count("fc"), 1u);
  EXPECT_THAT(error_of<ValueError>([&] { model.extract({}); }),
              HasSubstr("at least one image"));
}

TEST_P(ImageModelTest, PredictsFromOneViewOrTen) {
  TinyModel model(std::nullopt);
  // Bright at the left edge, which no center sees.
  const Array image = array::zeros({256, 256});
  image[{Slice(), Slice(0, 16)}].fill(255);
  const std::vector<Array> images = {image, image};
  const auto red = [&](const PredictOptions& options) {
    model.fc().W.data().fill(1.0 / 3);
    return model.predict(images, options).data()[{1, 0}].item<double>();
  };
  EXPECT_NEAR(red({.oversample = false}), 0, 1e-4);
  // Four of ten views have the edge.
  EXPECT_NEAR(red({}), 255.0 * 16 / 224 * 4 / 10, 1e-3);
  EXPECT_EQ(model.predict(images).creator_node(), nullptr);
}

TEST_P(ImageModelTest, LoadsWeights) {
  const ::catena::testing::TempFolder folder;
  dataset::set_dataset_root(folder.path());
  EXPECT_THAT(
      error_of<IoError>([] { TinyModel(); }),
      HasSubstr(
          "pfnet/chainer/models/tiny.npz', or a .caffemodel there, but neither "
          "file exists"));
  EXPECT_THAT(
      error_of<IoError>([] { ResNet50Layers(); }),
      HasSubstr("models/ResNet-50-model.npz', or a .caffemodel there from "
                "https://github.com/KaimingHe/deep-residual-networks"));
  TinyModel model(std::nullopt);
  const std::string own = folder.file("pfnet/chainer/models");
  std::filesystem::create_directories(own);
  ::catena::testing::write_file(own + "/tiny.caffemodel", "");
  EXPECT_THAT(
      error_of<IoError>([] { TinyModel(); }),
      HasSubstr("expected a program that links "
                "@catena//caffe:convert_on_load, to convert the weights '" +
                own + "/tiny.caffemodel'"));
  serializers::save_npz(own + "/tiny.npz", model);
  EXPECT_THAT(TinyModel().fc().W.data(), IsArray(model.fc().W.data()));
  EXPECT_THAT(TinyModel(own + "/tiny.npz").fc().W.data(),
              IsArray(model.fc().W.data()));
}

std::vector<std::string> names_of(const Link& link) {
  std::vector<std::string> names;
  for (const auto& [name, param] : link.namedparams()) names.push_back(name);
  return names;
}

// The number that Chainer's documentation gives.
TEST(ResNetLayersTest, HasTheOriginalsParameters) {
  ResNet50Layers model(std::nullopt);
  EXPECT_EQ(model.count_params(), 25'557'096);
  EXPECT_THAT(names_of(model), Contains("/res2/a/conv4/W"));
  EXPECT_THAT(names_of(model), Contains("/res4/b5/bn3/gamma"));
  EXPECT_THAT(names_of(model), Contains("/conv1/b"));
  const auto scope = no_backprop_mode();
  const Variable x(array::ones({1, 3, 64, 64}, Dtype::kFloat32));
  const auto y =
      model(x, {"conv1", "pool1", "res2", "res3", "res5", "pool5", "prob"});
  EXPECT_EQ(y.at("conv1").shape(), Shape({1, 64, 32, 32}));
  EXPECT_EQ(y.at("pool1").shape(), Shape({1, 64, 16, 16}));
  EXPECT_EQ(y.at("res2").shape(), Shape({1, 256, 16, 16}));
  EXPECT_EQ(y.at("res3").shape(), Shape({1, 512, 8, 8}));
  EXPECT_EQ(y.at("res5").shape(), Shape({1, 2048, 2, 2}));
  EXPECT_EQ(y.at("pool5").shape(), Shape({1, 2048}));
  EXPECT_NEAR(array::sum(y.at("prob").data()).item<double>(), 1, 1e-5);
}

TEST(ResNetLayersTest, MayBeDeeper) {
  EXPECT_EQ(ResNet101Layers(std::nullopt).count_params(), 44'549'224);
  EXPECT_EQ(ResNet152Layers(std::nullopt).count_params(), 60'192'872);
  EXPECT_THAT(error_of<ValueError>([] { ResNetLayers(std::nullopt, 34); }),
              HasSubstr("got 34"));
}

TEST(ResNetLayersTest, MayHalveImagesInThe3x3Convolution) {
  ResNetLayers model(std::nullopt, 50, {.downsample_1x1 = false});
  EXPECT_EQ(model.count_params(), 25'557'096);
  const auto scope = no_backprop_mode();
  const Variable x(array::ones({1, 3, 32, 32}, Dtype::kFloat32));
  EXPECT_EQ(model(x, {"res3"}).at("res3").shape(), Shape({1, 512, 4, 4}));
}

TEST(VGGLayersTest, HasTheOriginalsParameters) {
  VGG16Layers model(std::nullopt);
  EXPECT_EQ(model.count_params(), 138'357'544);
  EXPECT_THAT(names_of(model), Contains("/conv5_3/W"));
  EXPECT_THAT(names_of(model), Contains("/fc8/b"));
  EXPECT_THAT(model.available_layers(), Contains("pool5"));
  const auto scope = no_backprop_mode();
  const Variable x(array::ones({1, 3, 32, 32}, Dtype::kFloat32));
  EXPECT_EQ(model(x, {"pool5"}).at("pool5").shape(), Shape({1, 512, 1, 1}));
  const Array image = array::full({8, 8}, 100);
  const Variable y = model.predict(std::span(&image, 1), {.oversample = false});
  EXPECT_EQ(y.shape(), Shape({1, 1000}));
  EXPECT_NEAR(array::sum(y.data()).item<double>(), 1, 1e-5);
}

TEST(VGGLayersTest, MayHave19Layers) {
  VGG19Layers model(std::nullopt);
  EXPECT_EQ(model.count_params(), 143'667'240);
  EXPECT_THAT(names_of(model), Contains("/conv5_4/b"));
  EXPECT_THAT(error_of<ValueError>([] { VGGLayers(std::nullopt, 11); }),
              HasSubstr("got 11"));
}

}  // namespace
}  // namespace catena::links

#include "catena/examples/image_captioning/caption_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/index.h"
#include "catena/array/random/random.h"
#include "catena/functions/math/variable_methods.h"
#include "catena/links/model/resnet.h"
#include "catena/optimizers/adam.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/error_of.h"
#include "catena/tests/testing/temp_folder.h"

namespace catena::examples {
namespace {

namespace xp = catena::array;
using ::catena::testing::error_of;
using ::catena::testing::TempFolder;
using ::catena::testing::write_file;
using ::testing::HasSubstr;

class ImageCaptionModelTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { xp::random::seed(4); }

  CaptionModelOptions options() const {
    return {.rnn = GetParam(),
            .unit = 8,
            .dropout_ratio = 0,
            .words = {"<end>", "<unknown>", "up", "down"}};
  }
  static Array images(int64_t count) {
    return xp::random::uniform(0, 1, {count, 3, 48, 48}, Dtype::kFloat32);
  }
};

Variable ids(const WordIds& words) { return xp::array(words); }

TEST_P(ImageCaptionModelTest, TheLossOfABatchIsTheMeanOverItsWords) {
  ImageCaptionModel model(options());
  const Array x = images(3);
  const std::vector<WordIds> captions = {{2, 3}, {3, 3, 2, 3, 2}, {2}};
  double sum = 0;
  std::vector<Variable> all;
  for (int64_t i = 0; i < 3; ++i) {
    const Variable caption = ids(captions[static_cast<size_t>(i)]);
    const Variable loss = model(x[{Slice(i, i + 1)}], std::vector{caption});
    sum += loss.item<double>() * static_cast<double>(caption.len() + 1);
    all.push_back(caption);
  }
  EXPECT_NEAR(model(x, all).item<double>(), sum / (3 + 6 + 2), 1e-5);
}

// With two words and <unknown>: 1 + 3 + 9 that end in time, 27 that are cut
// off.
TEST_P(ImageCaptionModelTest, ABeamWideEnoughFindsEverySentence) {
  ImageCaptionModel model(options());
  const Array x = images(1);
  const auto captions = model.predict(x, 100, 3);
  std::set<WordIds> found;
  double sum = 0;
  for (const Caption& caption : captions) {
    found.insert(caption.words);
    sum += std::exp(caption.log_probability);
    if (caption.words.size() == 3) continue;  // cut off before its end
    const Variable loss = model(x, std::vector{ids(caption.words)});
    EXPECT_NEAR(loss.item<double>(),
                -caption.log_probability /
                    static_cast<double>(caption.words.size() + 1),
                1e-5);
  }
  EXPECT_EQ(captions.size(), 1u + 3 + 9 + 27);
  EXPECT_EQ(found.size(), captions.size());
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST_P(ImageCaptionModelTest, BeamsAreSortedAndNeverWorseThanGreed) {
  ImageCaptionModel model(options());
  for (int i = 0; i < 10; ++i) {
    const Array x = images(1);
    const auto greedy = model.predict(x, 1, 6);
    const auto beam = model.predict(x, 1000, 6);
    ASSERT_EQ(greedy.size(), 1u);
    EXPECT_GE(beam[0].log_probability, greedy[0].log_probability - 1e-6);
    for (size_t j = 1; j < beam.size(); ++j) {
      EXPECT_GE(beam[j - 1].log_probability, beam[j].log_probability);
    }
  }
}

TEST_P(ImageCaptionModelTest, LearnsTwoImages) {
  CaptionModelOptions options = this->options();
  options.unit = 32;
  ImageCaptionModel model(options);
  optimizers::Adam optimizer;
  optimizer.setup(model);
  const Array x = images(2);
  x[{0, ellipsis, Slice(0, 24)}] = 0;
  x[{1, ellipsis, Slice(24, 48)}] = 0;
  const std::vector<Variable> captions = {ids({2, 2, 3}), ids({3})};
  for (int i = 0; i < 200; ++i) {
    optimizer.update([&] { return model(x, captions); });
  }
  EXPECT_THAT(model.predict(x[{Slice(0, 1)}], 1, 9)[0].words,
              ::testing::ElementsAre(2, 2, 3));
  EXPECT_THAT(model.predict(x[{Slice(1, 2)}], 3, 9)[0].words,
              ::testing::ElementsAre(3));
}

INSTANTIATE_TEST_SUITE_P(BothRnns, ImageCaptionModelTest,
                         ::testing::Values("nsteplstm", "lstm"));

TEST(CaptionModelOptionsTest, ComeBackFromTheirFile) {
  const TempFolder folder;
  const std::string file = folder.file("model.json");
  const CaptionModelOptions options = {.feature = "resnet50",
                                       .pretrained_model = "x.npz",
                                       .rnn = "lstm",
                                       .unit = 7,
                                       .words = {"<end>", "caf\xc3\xa9"}};
  options.save(file);
  const CaptionModelOptions loaded = CaptionModelOptions::load(file);
  EXPECT_EQ(loaded.feature, "resnet50");
  EXPECT_EQ(loaded.pretrained_model, "x.npz");
  EXPECT_EQ(loaded.rnn, "lstm");
  EXPECT_EQ(loaded.unit, 7);
  EXPECT_EQ(loaded.words, options.words);
  write_file(file, "{}");
  EXPECT_THAT(error_of<IoError>([&] { CaptionModelOptions::load(file); }),
              HasSubstr("does not describe a model"));
  EXPECT_THAT(error_of<IoError>(
                  [&] { CaptionModelOptions::load(folder.file("none")); }),
              HasSubstr("cannot read"));
}

TEST(ImageCaptionModelOptionsTest, AreChecked) {
  EXPECT_THAT(error_of<ValueError>([] {
                ImageCaptionModel({.rnn = "gru", .words = {"<end>"}});
              }),
              "rnn: expected nsteplstm or lstm, got 'gru'");
  EXPECT_THAT(error_of<ValueError>([] {
                ImageCaptionModel({.dropout_ratio = 1, .words = {"<end>"}});
              }),
              "dropout_ratio: expected at least 0 and below 1, got 1");
  EXPECT_THAT(
      error_of<ValueError>([] { FeatureExtractor({.feature = "eyes"}); }),
      "feature: expected cnn, vgg16 or resnet50, got 'eyes'");
}

TEST(FeatureExtractorTest, TheSmallNetworkGetsImages) {
  FeatureExtractor extractor({.feature = "cnn"});
  const Array photo = xp::full({30, 40, 3}, 51, Dtype::kUInt8);
  const Array x = extractor.prepare(photo);
  ASSERT_EQ(x.shape(), (Shape{3, 48, 48}));
  EXPECT_NEAR((x[{0, 10, 10}].item<float>()), 0.2, 1e-6);
  EXPECT_EQ(extractor.extract(x.expand_dims(0)).shape(), (Shape{1, 3, 48, 48}));
}

TEST(FeatureExtractorTest, SaysWhereWeightsAre) {
  EXPECT_THAT(
      error_of<IoError>([] {
        FeatureExtractor({.feature = "resnet50", .pretrained_model = "none"});
      }),
      ::testing::AllOf(HasSubstr("'none'"),
                       HasSubstr("ResNet-50-model.caffemodel")));
}

TEST(FeatureExtractorTest, ResNetsFeaturesAreAVector) {
  const TempFolder folder;
  const std::string file = folder.file("resnet.npz");
  {
    links::ResNet50Layers network(std::nullopt);
    serializers::save_npz(file, network, {.compression = false});
  }
  FeatureExtractor extractor({.feature = "resnet50", .pretrained_model = file});
  const Array photo = xp::full({30, 40, 3}, 51, Dtype::kUInt8);
  const Array features =
      extractor.extract(extractor.prepare(photo).expand_dims(0));
  EXPECT_EQ(features.shape(), (Shape{1, 2048}));
}

}  // namespace
}  // namespace catena::examples

// Trains briefly and predicts, as a user would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/dataset/image_file.h"
#include "catena/tests/support/program_checks.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::Shape;
using ::catena::testing::ProgramsTest;
using ::catena::testing::read_log;
using ::catena::testing::write_file;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class ImageCaptioningTest : public ProgramsTest {
 protected:
  ImageCaptioningTest() : ProgramsTest("examples/image_captioning") {}
  // Trains a small model in the folder `result`.
  nlohmann::json train(int iterations, const Arguments& more = {}) const {
    Arguments arguments = {
        "--batch_size=16",        "--unit=64",
        "--val_iter=100",         "--log_iter=50",
        "--snapshot_iter=100",    "--max_iters=" + std::to_string(iterations),
        "--out=" + file("result")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    run("train", arguments);
    return read_log(file("result/log"));
  }
};

void expect_learning(const nlohmann::json& log) {
  EXPECT_LT(log.back()["main/loss"].get<double>(),
            0.7 * log.front()["main/loss"].get<double>());
  EXPECT_LT(log.back()["validation/main/loss"].get<double>(), 1.5);
  EXPECT_TRUE(log.back().contains("exact_match"));
}

TEST_F(ImageCaptioningTest, TrainsAndDescribesScenes) {
  expect_learning(train(200));
  EXPECT_TRUE(std::filesystem::exists(file("result/model_100")));
  const Arguments arguments = {"--model=" + file("result"),
                               "--out=" + file("captions"), "--scenes=3",
                               "--beam_size=2"};
  const std::string out = run("predict", arguments);
  EXPECT_THAT(out, ContainsRegex(" true  +a (small|large) [a-z]+ [a-z]+ "));
  EXPECT_THAT(out, ContainsRegex(" greedy  +a "));
  EXPECT_THAT(out, ContainsRegex(" beam +0[.][0-9]+  a "));
  EXPECT_THAT(out, ContainsRegex("[0-3] of 3 right\n$"));
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3 * (1 + 2 + 1 + 2) + 1);
  EXPECT_EQ(run("predict", arguments), out);

  const std::string scene = file("captions/scene_1.png");
  EXPECT_EQ(catena::dataset::read_image(scene).shape(), (Shape{192, 192, 3}));
  const std::string one = run("predict", {"--model=" + file("result/model_200"),
                                          "--img=" + scene, "--beam_size=2"});
  EXPECT_THAT(one, ::testing::StartsWith(scene + "\n"));
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 4);
  const std::string all = run("predict", {"--model=" + file("result"),
                                          "--img_dir=" + file("captions")});
  for (const char* name : {"scene_0.png", "scene_1.png", "scene_2.png"}) {
    EXPECT_THAT(all, HasSubstr(file("captions/") + name));
  }
}

TEST_F(ImageCaptioningTest, TheOtherLstmTrains) {
  expect_learning(train(200, {"--rnn=lstm", "--dropout_ratio=0.1"}));
  EXPECT_THAT(run("predict",
                  {"--model=" + file("result"), "--out=" + file("captions")}),
              HasSubstr("of 6 right"));
}

TEST_F(ImageCaptioningTest, ContinuesAfterTheLastSnapshot) {
  const auto first = train(100);
  const auto longer = train(200, {"--resume=latest"});
  ASSERT_EQ(first.size(), 2u);
  ASSERT_EQ(longer.size(), 4u);
  for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(longer[i], first[i]);
  EXPECT_EQ(longer[3]["iteration"].get<int>(), 200);
}

// Gray photographs: bright ones and dark ones.
TEST_F(ImageCaptioningTest, ReadsMscocosFiles) {
  for (const std::string part : {"train", "val"}) {
    nlohmann::json images;
    nlohmann::json annotations;
    std::filesystem::create_directories(file("data/annotations"));
    std::filesystem::create_directories(file("data/" + part + "2014"));
    for (int i = 0; i < 12; ++i) {
      const std::string name = "photo_" + std::to_string(i) + ".png";
      const bool is_bright = i % 2 == 0;
      catena::dataset::write_image(
          file("data/" + part + "2014/" + name),
          catena::array::full({20 + i, 30}, is_bright ? 0.9f : 0.1f));
      images.push_back({{"id", 100 + i}, {"file_name", name}});
      for (int j = 0; j < 2; ++j) {
        annotations.push_back(
            {{"image_id", 100 + i},
             {"caption", is_bright ? "It is day." : "A dark night."}});
      }
    }
    write_file(file("data/annotations/captions_" + part + "2014.json"),
               nlohmann::json{{"images", images}, {"annotations", annotations}}
                   .dump());
  }
  const auto log = train(200, {"--mscoco_root=" + file("data"), "--feature=cnn",
                               "--val_keep_quantity=3", "--dropout_ratio=0"});
  EXPECT_LT(log.back()["validation/main/loss"].get<double>(), 0.3);
  EXPECT_FALSE(log.back().contains("exact_match"));
  const auto said = [&](const std::string& image) {
    return run("predict", {"--model=" + file("result"),
                           "--img=" + file("data/val2014/" + image)});
  };
  EXPECT_THAT(said("photo_2.png"), HasSubstr("greedy        it is day\n"));
  EXPECT_THAT(said("photo_3.png"), HasSubstr("greedy        a dark night\n"));
}

TEST_F(ImageCaptioningTest, BadArgumentsAndDataAreOneClearLine) {
  expect_failure("train", {"--rnn=gru"}, "got 'gru'");
  expect_failure("train", {"--feature=eyes"}, "got 'eyes'");
  expect_failure("train", {"--dropout_ratio=1"}, "dropout_ratio: expected");
  expect_failure("train", {"--batch_size=0"}, "flag 'batch_size'");
  expect_failure("train", {"--device=tpu"}, "got 'tpu'");
  expect_failure("train", {"--mscoco_root=" + file("none")},
                 "https://cocodataset.org/#download");
  expect_failure("predict", {"--model=" + file("none")},
                 "there is no '" + file("none") + "'");
  expect_failure("predict", {"--model=" + folder_.path()}, folder_.path());
  expect_failure("predict", {"--beam_size=0"}, "flag 'beam_size'");
}

}  // namespace

// Runs the program as a user would, with tiny models of random weights.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/dataset/image_file.h"
#include "catena/links/model/pretrained.h"
#include "catena/tests/support/program_checks.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::catena::testing::ProgramsTest;
using ::catena::testing::read_file;
using ::catena::testing::read_log;
using ::catena::testing::runfile;
using ::catena::testing::write_file;
using ::testing::HasSubstr;
namespace links = catena::links;

class ClassifyTest : public ProgramsTest {
 protected:
  ClassifyTest() : ProgramsTest("examples/gpt") {
    catena::array::random::seed(0);
    std::filesystem::create_directory(file("model"));
  }
  void save_bert(int64_t vocabulary = 222, int64_t classes = 5) const {
    links::save_pretrained(links::Bert({.vocabulary = vocabulary,
                                        .context = 16,
                                        .units = 16,
                                        .hidden = 32,
                                        .heads = 2,
                                        .layers = 1,
                                        .classes = classes}),
                           file("model"));
    write_file(file("model/tokenizer.json"),
               read_file(runfile(
                   "tests/golden/tokenizers/bert_uncased.tokenizer.json")));
  }
  void save_vit(int64_t channels = 3) const {
    links::save_pretrained(links::Vit({.image_size = 8,
                                       .patch_size = 4,
                                       .channels = channels,
                                       .units = 16,
                                       .hidden = 32,
                                       .heads = 2,
                                       .layers = 1,
                                       .classes = 2}),
                           file("model"));
  }
  // Texts whose first word tells the class.
  void write_texts(const std::string& name, const std::string& between) const {
    std::string lines;
    for (int i = 0; i < 40; ++i) {
      const bool is_even = i % 2 == 0;
      lines += (is_even ? "even" : "odd") + between +
               (is_even ? "the a" : "of b") + std::string(i % 7, 'c') + "\n";
    }
    write_file(file(name), lines);
  }
  std::string train(const std::string& out, const Arguments& more) const {
    Arguments arguments = {"--model=" + file("model"), "--out=" + file(out),
                           "--batchsize=4", "--lr=0.01"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run("classify", arguments);
  }
  nlohmann::json last_entry(const std::string& out) const {
    return read_log(file(out + "/log")).back();
  }
  void expect_refused(const Arguments& more, const std::string& message) const {
    Arguments arguments = {"--model=" + file("model"),
                           "--out=" + file("refused")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_failure("classify", arguments, message);
  }
};

TEST_F(ClassifyTest, BertLearnsTheClassesOfTexts) {
  save_bert();
  write_texts("texts", "\t");
  EXPECT_THAT(train("result", {"--data=" + file("texts"), "--epoch=10"}),
              HasSubstr("36 examples of 2 classes, 4 for testing"));
  EXPECT_EQ(last_entry("result")["validation/main/accuracy"], 1.0);
  EXPECT_LT(last_entry("result")["main/loss"], 0.2);
  EXPECT_EQ(read_file(file("result/model/labels.txt")), "even\nodd\n");
  EXPECT_EQ(links::load_pretrained<links::Bert>(file("result/model"))
                .options()
                .classes,
            2);
  for (const char* name : {"report.html", "model/tokenizer.json"}) {
    EXPECT_TRUE(std::filesystem::exists(file("result/") + name)) << name;
  }
  // The result is a model to begin with, and .csv is read, too.
  write_texts("texts.csv", ",");
  run("classify",
      {"--model=" + file("result/model"), "--data=" + file("texts.csv"),
       "--out=" + file("again"), "--epoch=1", "--lr=0", "--head_only"});
}

TEST_F(ClassifyTest, TheHeadAloneChanges) {
  save_bert();
  write_texts("texts", "\t");
  train("result", {"--data=" + file("texts"), "--epoch=1", "--head_only"});
  const auto before = links::load_pretrained<links::Bert>(file("model"));
  const auto after = links::load_pretrained<links::Bert>(file("result/model"));
  EXPECT_EQ(before.tokens->W.data().to_vector<float>(),
            after.tokens->W.data().to_vector<float>());
  EXPECT_EQ((*after.classifier)->W.shape(), catena::Shape({2, 16}));
}

TEST_F(ClassifyTest, ResumedTrainingEndsWithTheSameFiles) {
  save_bert();
  write_texts("texts", "\t");
  const std::string data = "--data=" + file("texts");
  train("whole", {data, "--epoch=3"});
  train("parts", {data, "--epoch=3"});
  std::filesystem::remove(file("parts/snapshot_iter_27"));
  train("parts", {data, "--epoch=3", "--resume=latest"});
  EXPECT_EQ(read_file(file("parts/model/model.safetensors")),
            read_file(file("whole/model/model.safetensors")));
}

TEST_F(ClassifyTest, VitLearnsTheClassesOfImages) {
  save_vit();
  for (int i = 0; i < 20; ++i) {
    for (const std::string name : {"dark", "light"}) {
      std::filesystem::create_directories(file("images/" + name));
      catena::dataset::write_image(
          file("images/" + name + "/" + std::to_string(i) + ".png"),
          catena::array::full({3, 10 + i % 3, 9},
                              (name == "dark" ? 20 : 200) + i,
                              catena::Dtype::kUInt8));
    }
  }
  train("result", {"--data=" + file("images"), "--epoch=6"});
  EXPECT_EQ(last_entry("result")["validation/main/accuracy"], 1.0);
  EXPECT_EQ(read_file(file("result/model/labels.txt")), "dark\nlight\n");
  EXPECT_EQ(links::load_pretrained<links::Vit>(file("result/model"))
                .options()
                .classes,
            2);
}

TEST_F(ClassifyTest, WithoutDataVitLearnsDigits) {
  save_vit();
  EXPECT_THAT(train("result", {"--epoch=2", "--batchsize=32"}),
              HasSubstr("1437 examples of 10 classes, 360 for testing"));
  EXPECT_GT(last_entry("result")["validation/main/accuracy"], 0.5);
}

TEST_F(ClassifyTest, RefusesWhatDoesNotFit) {
  expect_failure("classify", {}, "--model: expected the folder of a model");
  expect_refused({}, "cannot read");
  write_file(file("model/config.json"), "{\"model_type\": \"gpt2\"}");
  expect_refused({}, "expected the model_type bert or vit, got \"gpt2\"");
  write_file(file("model/config.json"), "{");
  expect_refused({}, "config.json: ");

  save_bert(10);
  expect_refused({}, "a tokenizer of at most 10 tokens, as the model has");
  save_bert();
  write_file(file("texts"), "a\tb\nc d\n");
  expect_refused({"--data=" + file("texts")},
                 "line 2: expected a label, a tab and a text, got 'c d'");
  write_file(file("texts.csv"), "a,b,c\n");
  expect_refused({"--data=" + file("texts.csv")},
                 "expected 2 columns, label and text, got 3");
  write_file(file("texts"), "a\tb\na\tc\n");
  expect_refused({"--data=" + file("texts")}, "at least 2 labels, got 1");
  write_file(file("texts"), "a\tb\nb\tc\n");
  expect_refused({"--data=" + file("texts")}, "at least 10 examples, got 2");
}

TEST_F(ClassifyTest, RefusesImagesThatDoNotFit) {
  save_vit(1);
  expect_refused({}, "a ViT of images with 3 channels, got 1");
  save_vit();
  expect_refused({"--data=" + file("nowhere")}, "expected a folder");
  std::filesystem::create_directories(file("images/one"));
  expect_refused({"--data=" + file("images")},
                 "expected PNG or JPEG files, got none");
  write_file(file("images/one/1.png"), "");
  expect_refused({"--data=" + file("images")},
                 "at least 2 folders of images, one for each class, got 1");
  write_file(file("model/preprocessor_config.json"), "{\"image_mean\": 3}");
  expect_refused({}, "expected image_mean and image_std of 3 numbers each");
}

}  // namespace

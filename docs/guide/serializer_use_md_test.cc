// The code of serializer_use.md: compiled, run, and compared with the page.

#include "catena/docs/guide/serializer_use_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <variant>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using catena::testing::IsArray;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

class MLP : public Chain<MLP> {
 public:
  MLP() : l1(this, "l1", 4, 8), bn(this, "bn", 8), l2(this, "l2", 8, 3) {}
  Variable forward(const Variable& x) { return l2(F::relu(bn(l1(x)))); }

 private:
  Child<L::Linear> l1;
  Child<L::BatchNormalization> bn;
  Child<L::Linear> l2;
};

class Schedule {
 public:
  void serialize(const Serializer& serializer) {
    serializer("step", step);
    serializer("best", best);
    serializer("history", history);
  }

  int64_t step = 0;
  double best = 1e9;
  Array history = xp::zeros({3}, Dtype::kFloat32);
};

// Runs in a folder of its own, since the page writes to the current one.
class SerializerUsePageTest : public ::testing::Test {
 protected:
  SerializerUsePageTest() { std::filesystem::current_path(folder_.path()); }
  ~SerializerUsePageTest() override { std::filesystem::current_path(before_); }

  const Array x = xp::random::normal(0, 1, {6, 4}, Dtype::kFloat32);
  const Array t = xp::array({0, 1, 2, 0, 1, 2}, Dtype::kInt32);
  MLP model;

  Array predict(MLP& model) const {
    const auto test_mode = using_config(&Config::train, false);
    return model(x).array();
  }

 private:
  const std::filesystem::path before_ = std::filesystem::current_path();
  const catena::testing::TempFolder folder_;
};

TEST_F(SerializerUsePageTest, ModelsAreSavedAndLoaded) {
  model(x);  // changes the running mean
  serializers::save_npz("my_model.npz", model);

  MLP loaded;
  serializers::load_npz("my_model.npz", loaded);
  EXPECT_THAT(predict(loaded), IsArray(predict(model)));

  ::testing::internal::CaptureStdout();
  for (const std::string& key :
       serializers::NpzDeserializer("my_model.npz").keys()) {
    std::cout << key << ' ';
  }
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "l1/W l1/b bn/gamma bn/beta bn/avg_mean bn/avg_var bn/N "
            "l2/W l2/b ");

  serializers::save_hdf5("my_model.h5", model);
  serializers::save_safetensors("my_model.safetensors", model);
  MLP other;
  serializers::load_hdf5("my_model.h5", other);
  EXPECT_THAT(predict(other), IsArray(predict(model)));
  MLP third;
  serializers::load_safetensors("my_model.safetensors", third);
  EXPECT_THAT(predict(third), IsArray(predict(model)));
}

TEST_F(SerializerUsePageTest, OptimizersAreSavedWithoutParameters) {
  optimizers::Adam optimizer({.alpha = 0.1});
  optimizer.setup(model);
  const auto step = [&](Optimizer& optimizer, MLP& model) {
    optimizer.update([&] { return F::softmax_cross_entropy(model(x), t); });
  };
  step(optimizer, model);
  serializers::save_npz("my_model.npz", model);
  serializers::save_npz("my_state.npz", optimizer);

  MLP later;
  optimizers::Adam continued({.alpha = 0.1});
  continued.setup(later);
  serializers::load_npz("my_state.npz", continued);
  EXPECT_EQ(continued.t(), 1);
  EXPECT_THAT(predict(later), Not(IsArray(predict(model))));
  serializers::load_npz("my_model.npz", later);
  step(optimizer, model);
  step(continued, later);
  EXPECT_THAT(predict(later), IsArray(predict(model)));
}

TEST_F(SerializerUsePageTest, AFileHoldsSeveralObjects) {
  optimizers::Adam optimizer;
  optimizer.setup(model);
  optimizer.update([&] { return F::softmax_cross_entropy(model(x), t); });
  const Array before = predict(model);
  const auto both = [&](const Serializer& serializer) {
    model.serialize(serializer["model"]);
    optimizer.serialize(serializer["optimizer"]);
  };
  serializers::save_hdf5("both.h5", both);
  optimizer.update([&] { return F::softmax_cross_entropy(model(x), t); });
  EXPECT_THAT(predict(model), Not(IsArray(before)));
  serializers::load_hdf5("both.h5", both);
  EXPECT_THAT(predict(model), IsArray(before));
  EXPECT_EQ(optimizer.t(), 1);

  MLP loaded;
  serializers::load_hdf5("both.h5", loaded, {.path = "model/"});
  EXPECT_THAT(predict(loaded), IsArray(before));
}

TEST_F(SerializerUsePageTest, ATrainerSavesEverything) {
  L::Classifier classifier(model);
  optimizers::Adam optimizer;
  optimizer.setup(classifier);
  iterators::SerialIterator iterator(datasets::TupleDataset(x, t), 2);
  training::StandardUpdater updater(iterator, optimizer);
  training::Trainer trainer(updater, {2, "epoch"}, {.out = "result"});
  trainer.extend(extensions::LogReport());
  trainer.run();
  serializers::save_npz("my_training.npz", trainer);

  L::Classifier loaded{MLP()};
  serializers::load_npz("my_training.npz", loaded,
                        {.path = "updater/model:main/"});
  EXPECT_THAT(predict(*loaded.predictor),
              IsArray(predict(*classifier.predictor)));

  serializers::save_npz("classifier.npz", classifier);
  EXPECT_THAT([&] { serializers::load_npz("classifier.npz", model); },
              ThrowsMessage<IoError>(HasSubstr("predictor/l1/W")));
}

TEST_F(SerializerUsePageTest, WhatDoesNotFitChangesNothing) {
  serializers::save_npz("my_model.npz", model);
  MLP finetuned;
  const Array W2 = finetuned["l2"].param("W").array().copy();
  serializers::load_npz("my_model.npz", finetuned,
                        {.ignore_names = {"l2/W", "l2/b"}});
  EXPECT_THAT(finetuned["l1"].param("W").array(),
              IsArray(model["l1"].param("W").array()));
  EXPECT_THAT(finetuned["l2"].param("W").array(), IsArray(W2));

  L::Linear wide(9, 9);
  serializers::save_npz("wide.npz", wide);
  L::Linear narrow(3, 3);
  const Array W = narrow.W.array().copy();
  const auto expected = ThrowsMessage<IoError>(AllOf(
      HasSubstr("wide.npz: W: "), HasSubstr("expected float32 of shape (3, 3)"),
      HasSubstr("got float32 of shape (9, 9)")));
  EXPECT_THAT([&] { serializers::load_npz("wide.npz", narrow); }, expected);
  EXPECT_THAT(
      [&] { serializers::load_npz("wide.npz", narrow, {.strict = false}); },
      expected);
  EXPECT_THAT(narrow.W.array(), IsArray(W));
  EXPECT_THROW(serializers::load_npz("wide.npz", model), IoError);
  serializers::load_npz("wide.npz", model, {.strict = false});
}

TEST_F(SerializerUsePageTest, AnyClassCanBeSaved) {
  Schedule schedule;
  schedule.step = 7;
  schedule.best = 0.5;
  schedule.history.fill(2);
  Schedule again;
  serializers::save_npz("schedule.npz", schedule);
  serializers::load_npz("schedule.npz", again);
  EXPECT_EQ(again.step, 7);
  EXPECT_EQ(again.best, 0.5);
  EXPECT_THAT(again.history, IsArray(schedule.history));

  serializers::DictionarySerializer memory;
  memory.save(schedule);
  const SerializedValue step = memory.target().at("step");
  xp::savez("from_a_map.npz", memory.target());  // what save_npz writes
  EXPECT_EQ(std::get<Array>(step).item<int>(), 7);
  Schedule third;
  serializers::load_npz("from_a_map.npz", third);
  EXPECT_EQ(third.step, 7);
}

TEST(SerializerUsePageBlocksTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/serializer_use.md",
                                       "docs/guide/serializer_use_md_test.cc",
                                       13);
}

}  // namespace

// The code of training.md: compiled, run, and compared with the page.

#include "catena/docs/training_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using ::testing::HasSubstr;

class Regressor : public Chain<Regressor> {
 public:
  Regressor() : l1(this, "l1", 1) {}

  Variable forward(const Variable& x, const Variable& t) {
    const Variable loss = F::sum(F::square(l1(x) - t));
    report({{"squared_error", loss}}, this);
    return loss;
  }

 private:
  Child<L::Linear> l1;
};

// Points of a plane, told apart by a line.
datasets::TupleDataset points(int64_t count) {
  const Array x =
      array::random::uniform(-1.0, 1.0, {count, 2}, Dtype::kFloat32);
  Array t = array::zeros({count}, Dtype::kInt32);
  for (int64_t i = 0; i < count; ++i) {
    t[i].fill(x[i][0].item<float>() > x[i][1].item<float>() ? 1 : 0);
  }
  return datasets::TupleDataset(x, t);
}

// Comes before all that draws numbers.
struct Seeded {
  Seeded() { array::random::seed(3); }
};

class TrainingPageTest : public ::testing::Test, private Seeded {
 protected:
  TrainingPageTest() { optimizer.setup(model); }

  catena::testing::TempFolder temp;
  const std::string folder = temp.file("result");
  const datasets::TupleDataset train = points(320);
  const datasets::TupleDataset test = points(100);
  iterators::SerialIterator train_iter{train, 32};
  iterators::SerialIterator test_iter{
      test, 32, {.repeat = false, .shuffle = false}};
  L::Classifier<Sequential> model{
      Sequential(L::Linear(20), F::relu, L::Linear(2))};
  optimizers::Adam optimizer;
};

TEST_F(TrainingPageTest, TrainsAModel) {
  std::ostringstream table;
  L::Classifier model(Sequential(L::Linear(20), F::relu, L::Linear(2)));
  optimizers::Adam optimizer;
  optimizer.setup(model);

  iterators::SerialIterator train_iter(train, 32);
  iterators::SerialIterator test_iter(test, 32,
                                      {.repeat = false, .shuffle = false});

  training::StandardUpdater updater(train_iter, optimizer);
  training::Trainer trainer(updater, {20, "epoch"}, {.out = folder});
  trainer.extend(extensions::Evaluator(test_iter, model));
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/accuracy"}, {.out = &table}));
  trainer.run();
  EXPECT_GT(trainer.observation()["validation/main/accuracy"].as_double(), 0.9);
  EXPECT_THAT(table.str(), HasSubstr("validation/main/accuracy"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/log"));
}

TEST_F(TrainingPageTest, VectorsAreDatasets) {
  std::vector<std::pair<Array, int>> examples;
  for (int i = 0; i < 100; ++i) {
    const float angle = 0.1f * static_cast<float>(i);
    examples.emplace_back(array::array({std::cos(angle), std::sin(angle)}),
                          std::sin(angle) > 0 ? 1 : 0);
  }
  iterators::SerialIterator iterator(std::move(examples), 10);
  optimizer.setup(model);
  training::StandardUpdater updater(iterator, optimizer);
  for (int i = 0; i < 10; ++i) updater.update();
  EXPECT_EQ(updater.epoch(), 1);
}

TEST_F(TrainingPageTest, ImagesAreWrittenAndRead) {
  const std::string file = temp.file("image.png");
  const Array images =
      array::random::uniform(0, 1, {6, 3, 8, 8}, Dtype::kFloat32);
  dataset::write_image(file, images[0]);
  const Array pixels = dataset::read_image(file);  // (8, 8, 3), uint8
  dataset::write_image_grid(file, images, {.columns = 3, .padding = 1});
  EXPECT_EQ(pixels.shape(), (Shape{8, 8, 3}));
  EXPECT_EQ(dataset::read_image(file).shape(), (Shape{19, 28, 3}));
}

class SentenceClassifier : public Chain<SentenceClassifier> {
 public:
  SentenceClassifier(int64_t words, int64_t classes)
      : embed(this, "embed", words, 8),
        rnn(this, "rnn", 1, 8, 16, 0.0),
        out(this, "out", 16, classes) {}

  // xs are sentences, each (length,), and t are their classes, (N,).
  Variable forward(const std::vector<Variable>& xs, const Variable& t) {
    std::vector<Variable> vectors;
    for (const Variable& x : xs) vectors.push_back(embed(x));
    const auto [hy, cy, ys] = rnn(Variable(), Variable(), vectors);
    const Variable y = out(F::reshape(hy, {-1, 16}));
    const Variable loss = F::softmax_cross_entropy(y, t);
    report({{"loss", loss}}, this);
    return loss;
  }

 private:
  Child<L::EmbedID> embed;
  Child<L::NStepLSTM> rnn;
  Child<L::Linear> out;
};

TEST_F(TrainingPageTest, SequencesMayHaveDifferentLengths) {
  const std::vector<std::pair<std::vector<int>, int>> sentences = {
      {{3, 1, 2}, 0}, {{0, 2}, 1}, {{0}, 1}, {{3, 3, 1, 0}, 0}};
  iterators::SerialIterator train_iter(sentences, 2);

  SentenceClassifier model(4, 2);
  optimizers::Adam optimizer({.alpha = 0.05});
  optimizer.setup(model);
  const auto converter = dataset::concat_converter({.lists = {0}});
  training::StandardUpdater updater(train_iter, optimizer,
                                    {.converter = converter});
  training::Trainer trainer(updater, {40, "epoch"}, {.out = folder});
  trainer.run();
  EXPECT_LT(trainer.observation()["main/loss"].as_double(), 0.2);
}

TEST_F(TrainingPageTest, ObservesValues) {
  Regressor model;
  const Variable x(array::ones({3, 2}, Dtype::kFloat32));
  const Variable t(array::zeros({3, 1}, Dtype::kFloat32));
  Reporter reporter;
  reporter.add_observer("main", model);
  Observation observation;
  {
    const auto scope = reporter.scope(observation);
    model(x, t);
  }
  const double error = observation["main/squared_error"].as_double();
  EXPECT_GT(error, 0);
}

TEST_F(TrainingPageTest, ExtensionsTakeOtherTriggersAndNames) {
  training::StandardUpdater updater(train_iter, optimizer);
  training::Trainer trainer(updater, {10, "epoch"}, {.out = folder});
  trainer.extend(extensions::Evaluator(test_iter, model));
  trainer.extend(extensions::StepShift("alpha", 0.5, 1),
                 {.trigger = {5, "epoch"}});
  trainer.extend(
      extensions::snapshot_object(model, "best.npz"),
      {.trigger = triggers::MaxValueTrigger("validation/main/accuracy")});
  trainer.extend(extensions::observe_lr(), {.name = "rate"});
  trainer.run();
  EXPECT_DOUBLE_EQ(optimizer.hyperparameter("alpha"), 0.001 / 4);
  EXPECT_TRUE(std::filesystem::exists(folder + "/best.npz"));
  EXPECT_TRUE(trainer.observation().contains("lr"));
  EXPECT_EQ(trainer.get_extension("rate").name(), "rate");
}

TEST_F(TrainingPageTest, StopsEarly) {
  const triggers::EarlyStoppingTrigger stop({.monitor = "validation/main/loss",
                                             .patients = 3,
                                             .max_trigger = {100, "epoch"}});
  optimizer.set_hyperparameter("alpha", 0);
  training::StandardUpdater updater(train_iter, optimizer);
  training::Trainer trainer(updater, stop, {.out = folder});
  trainer.extend(extensions::Evaluator(test_iter, model));
  trainer.run();
  EXPECT_EQ(updater.epoch(), 4);
}

TEST_F(TrainingPageTest, FunctionsAreExtensions) {
  training::StandardUpdater updater(train_iter, optimizer);
  training::Trainer trainer(updater, {10, "epoch"}, {.out = folder});
  int calls = 0;
  bool finished = false;
  trainer.extend(
      [](training::Trainer& trainer) {
        auto& optimizer = trainer.updater().get_optimizer("main");
        const double rate = optimizer.hyperparameter("alpha");
        optimizer.set_hyperparameter("alpha", rate * 0.9);
      },
      {.trigger = {1, "epoch"}});
  trainer.extend(
      training::make_extension([&](training::Trainer&) { ++calls; },
                               {.trigger = {5, "epoch"},
                                .default_name = "counter",
                                .priority = training::PRIORITY_WRITER,
                                .finalizer = [&] { finished = true; }}));
  trainer.run({.show_loop_exception_msg = false});
  EXPECT_NEAR(optimizer.hyperparameter("alpha"), 0.001 * std::pow(0.9, 10),
              1e-12);
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(finished);
}

// Halves the learning rate when a value has not improved for some epochs.
class ReduceOnPlateau : public training::Extension {
 public:
  ReduceOnPlateau(std::string key, int64_t patience)
      : key_(std::move(key)), patience_(patience) {}

  void operator()(training::Trainer& trainer) override {
    const double value = trainer.observation()[key_].as_double();
    waited_ = value < best_ ? 0 : waited_ + 1;
    best_ = std::min(best_, value);
    if (waited_ < patience_) return;
    auto& optimizer = trainer.updater().get_optimizer("main");
    optimizer.set_hyperparameter("lr", optimizer.hyperparameter("lr") / 2);
    waited_ = 0;
  }
  training::AnyTrigger trigger() const override { return {1, "epoch"}; }

  void serialize(const Serializer& serializer) override {
    serializer("best", best_);
    serializer("waited", waited_);
  }

 private:
  std::string key_;
  int64_t patience_;
  double best_ = std::numeric_limits<double>::infinity();
  int64_t waited_ = 0;
};

// Trains with a rate that only this extension changes.
double rate_after(int epochs, const std::string& from, const std::string& to) {
  const datasets::TupleDataset data(array::zeros({4, 1}, Dtype::kFloat32),
                                    array::ones({4, 1}, Dtype::kFloat32));
  Regressor model;
  optimizers::SGD optimizer({.lr = 0.0});
  optimizer.setup(model);
  iterators::SerialIterator iterator(data, 4);
  training::StandardUpdater updater(iterator, optimizer);
  training::Trainer trainer(updater, {epochs, "epoch"}, {.out = to + "x"});
  trainer.extend(ReduceOnPlateau("main/squared_error", 2));
  optimizer.set_hyperparameter("lr", 1e-30);  // nothing moves
  if (!from.empty()) serializers::load_npz(from, trainer);
  trainer.run();
  serializers::save_npz(to, trainer);
  return std::log2(1e-30 / optimizer.hyperparameter("lr"));
}

TEST_F(TrainingPageTest, ClassesSaveTheirState) {
  // The first epoch is the best; each second one after it halves the rate.
  EXPECT_EQ(rate_after(7, "", temp.file("whole")), 3);
  EXPECT_EQ(rate_after(4, "", temp.file("part")), 1);
  EXPECT_EQ(rate_after(7, temp.file("part"), temp.file("rest")), 2);
}

TEST_F(TrainingPageTest, ResumesByItselfAndByHand) {
  for (const int epochs : {3, 5, 6}) {
    L::Classifier model(Sequential(L::Linear(20), F::relu, L::Linear(2)));
    optimizers::Adam optimizer;
    optimizer.setup(model);
    iterators::SerialIterator train_iter(train, 32);
    training::StandardUpdater updater(train_iter, optimizer);
    training::Trainer trainer(updater, {epochs, "epoch"}, {.out = folder});
    int64_t first = 0;
    trainer.extend([&](training::Trainer& trainer) {
      if (first == 0) first = trainer.updater().iteration();
    });
    if (epochs < 6) {
      trainer.extend(extensions::snapshot({.n_retains = 3, .autoload = true}),
                     {.trigger = {1, "epoch"}});
    } else {
      trainer.extend(extensions::snapshot());
      serializers::load_npz(extensions::latest_snapshot(folder), trainer);
    }
    trainer.run();
    EXPECT_EQ(first, epochs == 3 ? 1 : epochs == 5 ? 31 : 51);
  }
  int files = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(folder)) {
    ++files;
  }
  EXPECT_EQ(files, 4);  // 3 were kept, and that of the last training
}

class TwoStepUpdater : public training::StandardUpdater {
 public:
  using StandardUpdater::StandardUpdater;

 protected:
  void update_core() override {
    Optimizer& optimizer = get_optimizer("main");
    const auto batch = next_batch(get_iterator("main"));
    for (int i = 0; i < 2; ++i) {
      optimizer.update(optimizer.loss_function(), batch);
    }
  }
};

TEST_F(TrainingPageTest, UpdatersDoWhatTheyAreTold) {
  TwoStepUpdater updater(train_iter, optimizer);
  training::Trainer trainer(updater, {3, "iteration"}, {.out = folder});
  trainer.run();
  EXPECT_EQ(optimizer.t(), 6);
}

TEST_F(TrainingPageTest, ALoopCanBeWrittenOut) {
  while (train_iter.epoch() < 5) {
    const auto arrays = dataset::concat_examples(*train_iter.next());
    const Variable x = as_variable(arrays[0]);
    const Variable t = as_variable(arrays[1]);
    const Variable loss = model(x, t);
    model.cleargrads();
    loss.backward();
    optimizer.update();
  }
  EXPECT_EQ(optimizer.t(), 50);
}

TEST_F(TrainingPageTest, StepsAreNotCaptured) {
  training::StandardUpdater updater(train_iter, optimizer,
                                    {.capture = training::Capture::kNever});
  training::Trainer trainer(updater, {10, "epoch"}, {.out = folder});
  trainer.run();
  EXPECT_LT(trainer.observation()["main/loss"].as_double(), 0.5);
}

TEST_F(TrainingPageTest, DevicesShareMinibatches) {
  training::ParallelUpdater updater(
      train_iter, optimizer, model,
      {{"main", native_device(0)}, {"second", native_device(1)}});
  training::Trainer trainer(updater, {10, "epoch"}, {.out = folder});
  trainer.extend(extensions::Evaluator(test_iter, model));
  trainer.run();
  EXPECT_GT(trainer.observation()["validation/main/accuracy"].as_double(), 0.8);
  EXPECT_TRUE(trainer.observation().contains("second/loss"));
}

TEST(TrainingPageCodeTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/training.md",
                                       "docs/training_md_test.cc", 19);
}

}  // namespace

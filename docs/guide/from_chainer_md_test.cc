// The code of from_chainer.md: compiled, run, and compared with the page.

#include "catena/docs/guide/from_chainer_md.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "catena/docs/page_code.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

namespace {

using catena::testing::IsArray;
using catena::testing::TempFolder;
using ::testing::HasSubstr;
using ::testing::Not;

class MLP : public Chain<MLP> {
 public:
  MLP(int64_t n_units, int64_t n_out)
      : l1(this, "l1", n_units), l2(this, "l2", n_out) {}

  Variable forward(const Variable& x) {
    const Variable h = F::relu(l1(x));
    return l2(F::dropout(h, {.ratio = 0.2}));
  }

 private:
  Child<L::Linear> l1, l2;
};

double worst_difference(const std::string& folder) {
  L::Classifier model(MLP(100, 10));
  serializers::load_npz(folder + "/model.npz", model);
  const xp::NpzReader expected(folder + "/expected.npz");
  const auto test_mode = using_config(&Config::train, false);
  const Variable y = (*model.predictor)(expected.read_array("x"));
  return xp::abs(y.array() - expected.read_array("y")).max().item<double>();
}

TEST(FromChainerPageTest, ThePortTrains) {
  const TempFolder temp;
  const std::string folder = temp.file("result");
  xp::random::seed(0);
  ::testing::internal::CaptureStdout();
  L::Classifier model(MLP(100, 10));
  optimizers::Adam optimizer({.alpha = 0.002});
  optimizer.setup(model);
  optimizer.add_hook(optimizers::WeightDecay(1e-5));

  const auto [train, test] = datasets::get_digits();  // or get_mnist()
  iterators::SerialIterator train_iter(train, 100);
  iterators::SerialIterator test_iter(test, 100,
                                      {.repeat = false, .shuffle = false});

  training::StandardUpdater updater(train_iter, optimizer);
  training::Trainer trainer(updater, {20, "epoch"}, {.out = folder});
  trainer.extend(extensions::Evaluator(test_iter, model));
  trainer.extend(extensions::LogReport());
  trainer.extend(extensions::PrintReport(
      {"epoch", "main/loss", "validation/main/accuracy"}));
  trainer.extend(extensions::snapshot(), {.trigger = {10, "epoch"}});
  trainer.run();
  serializers::save_npz(folder + "/mlp.npz", model);

  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              HasSubstr("validation/main/accuracy"));
  EXPECT_GT(trainer.observation()["validation/main/accuracy"].as_double(), 0.9);
  EXPECT_TRUE(std::filesystem::exists(folder + "/mlp.npz"));
  EXPECT_THAT(extensions::latest_snapshot(folder), HasSubstr("snapshot_iter_"));
}

TEST(FromChainerPageTest, PortsAreCheckedByFiles) {
  const TempFolder folder;
  L::Classifier model(MLP(100, 10));
  const Array x = xp::random::normal(0, 1, {5, 64}, Dtype::kFloat32);
  const auto test_mode = using_config(&Config::train, false);
  const Array y = (*model.predictor)(x).array();
  serializers::save_npz(folder.file("model.npz"), model);
  xp::savez(folder.file("expected.npz"), {{"x", x}, {"y", y}});
  EXPECT_LT(worst_difference(folder.path()), 1e-6);
  xp::savez(folder.file("expected.npz"), {{"x", x}, {"y", y + 1}});
  EXPECT_NEAR(worst_difference(folder.path()), 1, 1e-5);
}

// The right-hand sides of the table.

TEST(FromChainerPageTest, ExpressionsOfVariables) {
  const Variable x(xp::array({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}}));
  EXPECT_EQ(F::sum(x, {.axis = 0, .keepdims = true}).shape(), (Shape{1, 2}));
  EXPECT_EQ(x[{Slice(1, 3)}].shape(), (Shape{2, 2}));
  EXPECT_EQ(x.len(), 3);
  EXPECT_THAT(pow(x, 2).array(), IsArray(x.array() * x.array()));
  EXPECT_EQ(floordiv(x, 2)[0].array()[1].item<float>(), 1);
  EXPECT_EQ(F::matmul(x, x.T()).shape(), (Shape{3, 3}));
  x.array().assign(xp::zeros({3, 2}));
  EXPECT_EQ(x[2].array()[1].item<float>(), 0);
  x.set_data(xp::ones({2, 2}, Dtype::kFloat32));
  EXPECT_EQ(x.shape(), (Shape{2, 2}));
  EXPECT_EQ(xp::array({1.0, 2.0}).dtype(), Dtype::kFloat64);
  EXPECT_FALSE(Variable().defined());
}

class Counted : public Callable<Counted> {
 public:
  Counted() : n(this, "n", xp::zeros({1})) {}
  Variable forward(const Variable& x) {
    report({{"mean", x.mean()}}, this);
    return x;
  }
  Persistent n;
};

TEST(FromChainerPageTest, ModelsAreValues) {
  MLP model(3, 2);
  const Array x = xp::ones({1, 4}, Dtype::kFloat32);
  model(x);
  const auto first = [](const Link& link) { return link.params()[0].array(); };
  const MLP deep = model;
  const MLP shared = copy(model);
  const MLP other = copy(model, CopyMode::kInit);
  model.params()[0].array().fill(1);
  EXPECT_THAT(first(deep), Not(IsArray(first(model))));
  EXPECT_THAT(first(shared), IsArray(first(model)));
  EXPECT_THAT(first(other), Not(IsArray(first(model))));

  ChainList list;
  list.append(L::Linear(4, 2));
  EXPECT_EQ(list.at<L::Linear>(0)(x).shape(), (Shape{1, 2}));
  Sequential sequence(
      [](const Variable& x) { return F::dropout(x, {.ratio = 0.2}); });
  EXPECT_EQ(sequence(x).shape(), (Shape{1, 4}));

  Counted counted;
  Reporter reporter;
  reporter.add_observer("main", counted);
  Observation observation;
  {
    const auto scope = reporter.scope(observation);
    counted(x);
  }
  EXPECT_EQ(observation["main/mean"].as_double(), 1);
  EXPECT_TRUE(counted.has_value("n"));
}

TEST(FromChainerPageTest, IteratorsAndOptimizers) {
  iterators::SerialIterator iterator(xp::arange(5), 2, {.repeat = false});
  int64_t examples = 0;
  for (const auto& batch : iterator) examples += batch.size();
  EXPECT_EQ(examples, 5);
  EXPECT_FALSE(iterator.next());
  iterator.reset();
  EXPECT_EQ((*iterator.next()).size(), 2);

  MLP model(3, 2);
  optimizers::Adam optimizer;
  optimizer.setup(model);
  optimizer.set_hyperparameter("alpha", 0.1);
  EXPECT_EQ(optimizer.hyperparameter("alpha"), 0.1);
  const Parameter param = model.params()[0];
  update_rule_of(param).set_hyperparameter("alpha", 0.2);
  EXPECT_EQ(update_rule_of(param).hyperparameter("alpha"), 0.2);
  try {
    model(xp::ones({2, 2}));
    ADD_FAILURE() << "float64 was accepted";
  } catch (const InvalidType& e) {
    EXPECT_THAT(e.what(), HasSubstr("dtype"));
  }
}

TEST(FromChainerPageTest, EveryBlockIsInThisFile) {
  catena::testing::expect_code_of_page("docs/guide/from_chainer.md",
                                       "docs/guide/from_chainer_md_test.cc", 4);
}

}  // namespace

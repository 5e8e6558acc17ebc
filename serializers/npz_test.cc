#include "catena/serializers/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "catena/array/creation.h"
#include "catena/array/error.h"
#include "catena/links/chain.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/tests/support/array_matchers.h"
#include "catena/tests/support/runfiles.h"

namespace catena::serializers {
namespace {

using ::catena::testing::IsArray;
using ::catena::testing::IsClose;
using ::catena::testing::runfile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// The parameters of the links in the reference files, without what they
// compute.
class Weights : public Link {
 public:
  explicit Weights(std::optional<Shape> shape, int64_t bias = 0)
      : W(this, "W", 1.0, shape),
        b(bias == 0 ? Param() : Param(this, "b", 2.0, Shape{bias})) {}
  Param W;
  Param b;
};

class Norm : public Link {
 public:
  Norm()
      : gamma(this, "gamma", 1.0, Shape{4}), beta(this, "beta", 0.0, Shape{4}) {
    add_persistent("avg_mean", avg_mean);
    add_persistent("avg_var", avg_var);
    add_persistent("N", N);
  }
  Param gamma;
  Param beta;
  Array avg_mean = array::zeros({4}, Dtype::kFloat32);
  Array avg_var = array::ones({4}, Dtype::kFloat32);
  int64_t N = 0;
};

class Model : public Chain {
 public:
  Model()
      : l1(this, "l1", Shape{4, 3}, 4),
        bn(this, "bn"),
        blocks(this, "blocks", Weights(Shape{4, 4}, 4),
               ChainList(Weights(Shape{4, 4}), Weights(Shape{4}))),
        out(this, "out", Shape{2, 4}, 2),
        temperature(this, "temperature", 1.0, Shape{}) {}
  Child<Weights> l1;
  Child<Norm> bn;
  Child<ChainList> blocks;
  Child<Weights> out;
  Param temperature;
};

std::string golden(const std::string& name) {
  return runfile("tests/golden/serializers/" + name);
}

std::string temporary(const std::string& name) {
  return std::filesystem::path(::testing::TempDir()) / name;
}

Array reference(const std::string& file, const std::string& key) {
  return array::NpzReader(golden(file)).read_array(key);
}

TEST(NpzTest, LoadsWhatChainerSaved) {
  for (const std::string file : {"model.npz", "model_stored.npz"}) {
    Model model;
    load_npz(golden(file), model);
    for (const auto& [path, param] : model.namedparams()) {
      SCOPED_TRACE(file + path);
      EXPECT_THAT(param.data(),
                  IsArray(reference("model_reference.npz", "param" + path)));
    }
    EXPECT_THAT(model.bn->avg_mean, IsArray(reference("model_reference.npz",
                                                      "persist/bn/avg_mean")));
    EXPECT_EQ(model.bn->N,
              reference("model_reference.npz", "persist/bn/N").item<int64_t>());
  }
}

TEST(NpzTest, AParameterThatWasSavedWithoutAValueStaysUninitialized) {
  ChainList model(Weights(std::nullopt, 3), Weights(std::nullopt, 2));
  load_npz(golden("model_uninitialized.npz"), model);
  EXPECT_FALSE(model.at<Weights>(0).W.is_initialized());
  // One without a shape takes the file's.
  EXPECT_EQ(model.at<Weights>(1).W.shape(), Shape({2, 3}));
  // And so it is written again.
  const std::string path = temporary("uninitialized.npz");
  save_npz(path, model);
  ChainList again(Weights(std::nullopt, 3), Weights(std::nullopt, 2));
  load_npz(path, again);
  EXPECT_FALSE(again.at<Weights>(0).W.is_initialized());
  EXPECT_EQ(again.at<Weights>(1).W.shape(), Shape({2, 3}));
}

template <class O>
void expect_next_step(const std::string& name, O& optimizer) {
  const std::string reference_file = "optimizer_" + name + "_reference.npz";
  Model model;
  optimizer.setup(model);
  optimizer.add_hook(optimizers::WeightDecay(0.01));
  load_npz(golden("optimizer_" + name + "_model.npz"), model);
  load_npz(golden("optimizer_" + name + ".npz"), optimizer);
  EXPECT_EQ(optimizer.t(), 3);
  for (const auto& [path, param] : model.namedparams()) {
    param.set_grad(reference(reference_file, "grad3" + path));
  }
  optimizer.update();
  for (const auto& [path, param] : model.namedparams()) {
    SCOPED_TRACE(path);
    EXPECT_THAT(param.data(),
                IsClose(reference(reference_file, "next_param" + path)));
  }
}

TEST(NpzTest, OptimizersGoOnWhereChainerStopped) {
  const auto hyper = [](const std::string& name, const std::string& key) {
    return reference("optimizer_" + name + "_reference.npz",
                     "hyperparam/" + key)
        .item<double>();
  };
  optimizers::Adam adam({.alpha = hyper("Adam", "alpha"),
                         .beta1 = hyper("Adam", "beta1"),
                         .beta2 = hyper("Adam", "beta2"),
                         .eps = hyper("Adam", "eps")});
  expect_next_step("Adam", adam);
  optimizers::MomentumSGD momentum(
      {.lr = hyper("MomentumSGD", "lr"),
       .momentum = hyper("MomentumSGD", "momentum")});
  expect_next_step("MomentumSGD", momentum);
}

TEST(NpzTest, WhatIsSavedComesBack) {
  for (const bool compression : {false, true}) {
    Model model;
    model.l1->W.data().fill(-1.25);
    model.bn->N = 42;
    const std::string path = temporary("roundtrip.npz");
    save_npz(path, model, {.compression = compression});
    Model loaded;
    load_npz(path, loaded);
    EXPECT_THAT(loaded.l1->W.data(), IsArray(model.l1->W.data()));
    EXPECT_EQ(loaded.bn->N, 42);
  }
}

TEST(NpzTest, AnOptimizerLoadsBeforeItsFirstStepAlsoForOpenShapes) {
  ChainList model(Weights(Shape{2}));
  optimizers::Adam adam;
  adam.setup(model);
  model.at<Weights>(0).W.set_grad(array::ones({2}, Dtype::kFloat32));
  adam.update();
  const std::string path = temporary("adam.npz");
  save_npz(path, adam);
  ChainList open(Weights(std::nullopt));
  optimizers::Adam loaded;
  loaded.setup(open);
  load_npz(path, loaded);
  EXPECT_EQ(loaded.t(), 1);
  const auto& rule =
      dynamic_cast<const UpdateRule&>(*open.at<Weights>(0).W.update_rule());
  EXPECT_EQ(rule.t(), 1);
  EXPECT_EQ(rule.state().at("m").shape(), Shape({2}));
}

// A model that must stay as it is when loading fails.
class UntouchedTest : public ::testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(model.l1->W.data().ravel()[0].item<float>(), 1);
    EXPECT_EQ(model.bn->N, 0);
  }
  Model model;
};

TEST_F(UntouchedTest, MissingEntriesAreNamed) {
  class Small : public Chain {
   public:
    Small() : l1(this, "l1", Shape{4, 3}, 4) {}
    Child<Weights> l1;
  } small;
  const std::string path = temporary("small.npz");
  small.l1->W.data().fill(9);
  save_npz(path, small);
  EXPECT_THAT([&] { load_npz(path, model); },
              ThrowsMessage<IoError>(AllOf(
                  HasSubstr("small.npz"), HasSubstr("temperature"),
                  HasSubstr("expected an entry, got none of that name"))));
}

TEST_F(UntouchedTest, OtherShapesAndDtypesAreNamed) {
  class Wide : public Model {
   public:
    Wide() { l1->W.set_data(array::zeros({5, 3}, Dtype::kFloat32)); }
  } wide;
  const std::string path = temporary("wide.npz");
  save_npz(path, wide);
  EXPECT_THAT([&] { load_npz(path, model); },
              ThrowsMessage<IoError>(HasSubstr(
                  "l1/W: expected float32 of shape (4, 3), got float32 of "
                  "shape (5, 3)")));
}

TEST_F(UntouchedTest, DamageIsFoundBeforeAnythingIsSet) {
  Model other;
  other.l1->W.data().fill(9);
  other.bn->N = 9;
  const std::string path = temporary("damaged.npz");
  save_npz(path, other, {.compression = false});
  const auto size = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, size / 2);
  EXPECT_THAT([&] { load_npz(path, model); },
              ThrowsMessage<IoError>(HasSubstr("damaged.npz")));
  EXPECT_THROW(load_npz(temporary("no_such_file.npz"), model), IoError);
}

TEST(NpzTest, LenientReadingTakesWhatIsThere) {
  ChainList small(Weights(Shape{2}));
  small.at<Weights>(0).W.data().fill(3);
  const std::string path = temporary("lenient.npz");
  save_npz(path, small);
  ChainList larger(Weights(Shape{2}), Weights(Shape{2}));
  load_npz(path, larger, {.strict = false});
  EXPECT_EQ(larger.at<Weights>(0).W.data()[0].item<float>(), 3);
  EXPECT_EQ(larger.at<Weights>(1).W.data()[0].item<float>(), 1);
  ChainList ignoring(Weights(Shape{2}));
  load_npz(path, ignoring, {.ignore_names = {"0/W"}});
  EXPECT_EQ(ignoring.at<Weights>(0).W.data()[0].item<float>(), 1);
}

TEST(NpzTest, ASubtreeLoadsByItsPath) {
  Model model;
  model.l1->W.data().fill(4);
  const std::string path = temporary("subtree.npz");
  save_npz(path, model);
  Weights l1(Shape{4, 3}, 4);
  load_npz(path, l1, {.path = "l1/"});
  EXPECT_EQ(l1.W.data().ravel()[0].item<float>(), 4);
}

TEST(NpzTest, NumPyReadsWhatIsSaved) {
  if (std::system("python3 -c 'import numpy' 2>/dev/null") != 0) {
    GTEST_SKIP() << "python3 with numpy is not installed";
  }
  Model model;
  model.l1->W.data().fill(0.5);
  model.bn->N = 7;
  const std::string path = temporary("numpy.npz");
  save_npz(path, model);
  const std::string script =
      "import numpy as n; f = n.load('" + path +
      "'); assert f['l1/W'].dtype == n.float32 and f['l1/W'].shape == (4, 3);"
      " assert (f['l1/W'] == 0.5).all() and f['bn/N'] == 7;"
      " assert f['blocks/1/0/W'].shape == (4, 4)";
  EXPECT_EQ(std::system(("python3 -c \"" + script + "\"").c_str()), 0);
}

}  // namespace
}  // namespace catena::serializers

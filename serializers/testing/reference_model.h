#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "catena/array/creation.h"
#include "catena/links/chain.h"
#include "catena/optimizers/ada_delta.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/rmsprop_graves.h"
#include "catena/serializers/npz.h"
#include "catena/tests/support/python.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

// The model of the reference files in tests/golden/serializers, for the tests
// of every format.
namespace catena::serializers {

// The parameters of a link, without its computation.
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

inline std::string golden(const std::string& name) {
  return testing::runfile("tests/golden/serializers/" + name);
}

inline Array reference(const std::string& file, const std::string& key) {
  return array::NpzReader(golden(file)).read_array(key);
}

inline void expect_reference_model(Model& model) {
  for (const auto& [path, param] : model.namedparams()) {
    SCOPED_TRACE(path);
    EXPECT_THAT(param.data(), testing::IsArray(reference("model_reference.npz",
                                                         "param" + path)));
  }
  EXPECT_THAT(model.bn->avg_mean,
              testing::IsArray(
                  reference("model_reference.npz", "persist/bn/avg_mean")));
  EXPECT_EQ(model.bn->N,
            reference("model_reference.npz", "persist/bn/N").item<int64_t>());
}

// Expects that Chainer, if installed, loads a model and its optimizer after two
// steps, written by save(path, object); `load` is Chainer's function.
template <class Save>
void expect_chainer_loads(const std::string& python, const std::string& load,
                          const Save& save) {
  Model model;
  optimizers::Adam optimizer;
  optimizer.setup(model);
  for (int step = 0; step < 2; ++step) {
    for (const Parameter& param : model.params()) {
      param.set_grad(array::zeros_like(param.data()));
    }
    optimizer.update();
  }
  model.l1->W.data().assign(
      array::arange(12).astype(Dtype::kFloat32).reshape({4, 3}));
  model.bn->N = 7;
  const testing::TempFolder folder;
  save(folder.file("model"), model);
  save(folder.file("optimizer"), optimizer);
  const testing::PythonResult result = testing::run_python(
      python, R"(
import sys
import numpy as np
import chainer
import chainer.links as L
class Model(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l1 = L.Linear(3, 4)
            self.bn = L.BatchNormalization(4)
            self.out = L.Linear(4, 2)
            self.temperature = chainer.Parameter(0., ())
model = Model()
optimizer = chainer.optimizers.Adam()
optimizer.setup(model)
load = getattr(chainer.serializers, sys.argv[1])
load(sys.argv[2], model)
load(sys.argv[3], optimizer)
assert (model.l1.W.data == np.arange(12).reshape(4, 3)).all()
assert (model.l1.b.data == 2).all() and (model.bn.gamma.data == 1).all()
assert model.bn.N == 7 and (model.bn.avg_var == 1).all()
assert model.temperature.data == 1
assert optimizer.t == 2
assert model.l1.W.update_rule.t == 2
assert model.l1.W.update_rule.state['m'].shape == (4, 3)
)",
      {load, folder.file("model"), folder.file("optimizer")});
  EXPECT_EQ(result.status, 0) << result.output;
}

// A hyperparameter of the saved optimizer `name`.
inline double hyperparameter(const std::string& name, const std::string& key) {
  return reference("optimizer_" + name + "_reference.npz", "hyperparam/" + key)
      .item<double>();
}

// Loads the model and (by load()) the optimizer that Chainer saved after three
// steps, takes the fourth step and compares the parameters.
template <class O, class Load>
void expect_next_step(const std::string& name, O& optimizer, const Load& load) {
  const std::string reference_file = "optimizer_" + name + "_reference.npz";
  Model model;
  optimizer.setup(model);
  optimizer.add_hook(optimizers::WeightDecay(0.01));
  load_npz(golden("optimizer_" + name + "_model.npz"), model);
  load(optimizer);
  EXPECT_EQ(optimizer.t(), 3);
  for (const auto& [path, param] : model.namedparams()) {
    param.set_grad(reference(reference_file, "grad3" + path));
  }
  optimizer.update();
  for (const auto& [path, param] : model.namedparams()) {
    SCOPED_TRACE(path);
    EXPECT_THAT(param.data(), testing::IsClose(reference(reference_file,
                                                         "next_param" + path)));
  }
}

// Calls expect_next_step for every optimizer with reference files; load(name,
// optimizer).
template <class Load>
void expect_next_steps(const Load& load) {
  const auto hyper = hyperparameter;
  const auto expect = [&](const std::string& name, auto optimizer) {
    SCOPED_TRACE(name);
    expect_next_step(name, optimizer,
                     [&](auto& object) { load("optimizer_" + name, object); });
  };
  expect("Adam", optimizers::Adam({.alpha = hyper("Adam", "alpha"),
                                   .beta1 = hyper("Adam", "beta1"),
                                   .beta2 = hyper("Adam", "beta2"),
                                   .eps = hyper("Adam", "eps")}));
  expect("AdaDelta", optimizers::AdaDelta({.rho = hyper("AdaDelta", "rho"),
                                           .eps = hyper("AdaDelta", "eps")}));
  expect("MomentumSGD", optimizers::MomentumSGD(
                            {.lr = hyper("MomentumSGD", "lr"),
                             .momentum = hyper("MomentumSGD", "momentum")}));
  expect("RMSpropGraves", optimizers::RMSpropGraves(
                              {.lr = hyper("RMSpropGraves", "lr"),
                               .alpha = hyper("RMSpropGraves", "alpha"),
                               .momentum = hyper("RMSpropGraves", "momentum"),
                               .eps = hyper("RMSpropGraves", "eps")}));
}

}  // namespace catena::serializers

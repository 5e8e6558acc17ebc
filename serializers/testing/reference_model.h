#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/links/chain.h"
#include "catena/links/testing/keyed_model.h"
#include "catena/optimizers/ada_delta.h"
#include "catena/optimizers/ada_grad.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/nesterov_ag.h"
#include "catena/optimizers/rmsprop.h"
#include "catena/optimizers/rmsprop_graves.h"
#include "catena/optimizers/sgd.h"
#include "catena/serializers/npz.h"
#include "catena/tests/support/python.h"
#include "catena/tests/support/runfiles.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/temp_folder.h"

// The reference files in tests/golden/serializers, and a model of our own, for
// the tests of every format.
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

class Model : public Chain<Model> {
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

// What a file has below a prefix, by the rest of the keys; undefined for None.
inline testing::KeyedArrays keyed_arrays(const std::string& file,
                                         const std::string& prefix) {
  const array::NpzReader reader(golden(file));
  testing::KeyedArrays arrays;
  for (const std::string& key : reader.keys()) {
    if (!key.starts_with(prefix)) continue;
    arrays[key.substr(prefix.size())] =
        reader.read(key).is_none() ? Array() : reader.read_array(key);
  }
  return arrays;
}

inline void expect_values(testing::KeyedModel& model,
                          const testing::KeyedArrays& values) {
  for (const auto& [path, expected] : values) {
    SCOPED_TRACE(path);
    if (expected.defined()) {
      EXPECT_THAT(model.at(path), testing::IsArray(expected));
    } else {
      EXPECT_FALSE(model.at(path).defined());
    }
  }
}

// That load(model) gives a model what the reference file says.
template <class Load>
void expect_model(const std::string& reference_file, const Load& load) {
  const auto params = keyed_arrays(reference_file, "param/");
  const auto persistents = keyed_arrays(reference_file, "persist/");
  ASSERT_FALSE(params.empty());
  testing::KeyedModel model(params, persistents);
  load(model);
  expect_values(model, params);
  expect_values(model, persistents);
}

// The same with parameters that have no shape yet, which those that Chainer
// saved without a value keep. What it saved in this format it saved as .npz,
// too.
template <class Load>
void expect_uninitialized_model(const Load& load) {
  const auto values = keyed_arrays("model_uninitialized.npz", "");
  testing::KeyedArrays without_shapes;
  int undefined = 0;
  for (const auto& [path, value] : values) {
    without_shapes[path] = Array();
    undefined += value.defined() ? 0 : 1;
  }
  EXPECT_GT(undefined, 0);
  EXPECT_LT(undefined, static_cast<int>(values.size()));
  testing::KeyedModel model(without_shapes);
  load(model);
  expect_values(model, values);
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

// The optimizer of that name with the file's hyperparameters.
inline std::unique_ptr<Optimizer> optimizer_of(
    const std::string& name, const testing::KeyedArrays& hyperparameters) {
  // Those that are fixed when an optimizer is made, as against numbers.
  const auto flag = [&](const char* key) {
    return hyperparameters.contains(key) &&
           hyperparameters.at(key).item<bool>();
  };
  std::unique_ptr<Optimizer> optimizer;
  std::set<std::string> flags;
  if (name == "Adam") {
    optimizer = std::make_unique<optimizers::Adam>(optimizers::AdamOptions{
        .amsgrad = flag("amsgrad"), .adabound = flag("adabound")});
    flags = {"amsgrad", "adabound"};
  } else if (name == "AdaDelta") {
    optimizer = std::make_unique<optimizers::AdaDelta>();
  } else if (name == "AdaGrad") {
    optimizer = std::make_unique<optimizers::AdaGrad>();
  } else if (name == "MomentumSGD") {
    optimizer = std::make_unique<optimizers::MomentumSGD>();
  } else if (name == "NesterovAG") {
    optimizer = std::make_unique<optimizers::NesterovAG>();
  } else if (name == "RMSprop") {
    optimizer = std::make_unique<optimizers::RMSprop>(
        optimizers::RMSpropOptions{.eps_inside_sqrt = flag("eps_inside_sqrt")});
    flags = {"eps_inside_sqrt"};
  } else if (name == "RMSpropGraves") {
    optimizer = std::make_unique<optimizers::RMSpropGraves>();
  } else if (name == "SGD") {
    optimizer = std::make_unique<optimizers::SGD>();
  } else {
    raise<ValueError>("optimizer_of: expected a name from the list, got ",
                      name);
  }
  for (const auto& [key, value] : hyperparameters) {
    if (flags.contains(key)) continue;
    optimizer->set_hyperparameter(key, value.item<double>());
  }
  return optimizer;
}

// For every optimizer with reference files: loads the model and the optimizer
// that Chainer saved, the latter by load(name, optimizer), and takes the next
// step.
template <class Load>
void expect_next_steps(const Load& load) {
  const std::string prefix = "optimizer_";
  const std::string suffix = "_reference.npz";
  for (const std::string& file :
       testing::runfile_names("tests/golden/serializers", prefix, suffix)) {
    SCOPED_TRACE(file);
    const std::string name = file.substr(0, file.size() - suffix.size());
    const auto optimizer = optimizer_of(name.substr(prefix.size()),
                                        keyed_arrays(file, "hyperparam/"));
    const auto params = keyed_arrays(file, "param/");
    ASSERT_FALSE(params.empty());
    testing::KeyedModel model(params);
    optimizer->setup(model);
    const auto decay = reference(file, "weight_decay").item<double>();
    optimizer->add_hook(optimizers::WeightDecay(decay));
    load_npz(golden(name + "_model.npz"), model);
    expect_values(model, params);
    load(name, *optimizer);
    const auto t = reference(file, "t").item<int64_t>();
    EXPECT_EQ(optimizer->t(), t);
    EXPECT_EQ(optimizer->epoch(), reference(file, "epoch").item<int64_t>());
    const auto gradients = keyed_arrays(file, str("grad", t, "/"));
    for (const auto& [path, param] : model.namedparams()) {
      param.set_grad(gradients.at(path.substr(1)));
    }
    optimizer->update();
    for (const auto& [path, expected] : keyed_arrays(file, "next_param/")) {
      SCOPED_TRACE(path);
      EXPECT_THAT(model.at(path), testing::IsClose(expected));
    }
  }
}

}  // namespace catena::serializers

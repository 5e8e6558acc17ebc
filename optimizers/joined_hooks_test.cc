// Hooks that join a step, so that the CPU reads gradients once for both.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/links/link.h"
#include "catena/optimizers/adamw.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/muon.h"
#include "catena/optimizers/sgd.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"

namespace catena::optimizers {
namespace {

using ::catena::testing::IsArray;
using ::testing::ElementsAre;

// Parameters of many sizes, two of them larger than what caches hold at once.
class Model : public Link {
 public:
  explicit Model(Dtype dtype)
      : wide(this, "wide", values(dtype), Shape{300, 100}),
        long_one(this, "long", values(dtype), Shape{9001}),
        tiny(this, "tiny", values(dtype), Shape{3}),
        wide_too(this, "wide_too", values(Dtype::kFloat32), Shape{64, 70}) {}
  Param wide, long_one, tiny, wide_too;

  // The same gradients for all models.
  void set_grads(int64_t step) {
    array::random::seed(step + 1);
    for (const Parameter& param : params()) {
      param.set_grad(array::random::normal(0, 1, param.shape(), Dtype::kFloat32,
                                           native_device())
                         .astype(param.dtype())
                         .to_device(param.device()));
    }
  }
  std::vector<Array> arrays() const {
    std::vector<Array> arrays;
    for (const Parameter& param : params()) {
      arrays.push_back(param.data().to_device(native_device()).copy());
    }
    return arrays;
  }

 private:
  static Initializer values(Dtype dtype) {
    return Initializer(
        [](const Array& out) {
          array::random::seed(out.size());
          out.assign(array::random::normal(0, 1, out.shape(), Dtype::kFloat32,
                                           native_device())
                         .astype(out.dtype())
                         .to_device(out.device()));
        },
        dtype);
  }
};

using AddHooks = std::function<void(Optimizer&)>;

struct Case {
  std::string name;
  AddHooks joined;  // by objects that join the step
  AddHooks apart;   // the same by functions, which do not
};

std::vector<Case> cases() {
  return {{"no hooks", [](Optimizer&) {}, [](Optimizer&) {}},
          {"decay", [](Optimizer& o) { o.add_hook(WeightDecay(0.01)); },
           [](Optimizer& o) {
             o.add_hook("a", [](Optimizer& x) { x.weight_decay(0.01); });
           }},
          {"clipping", [](Optimizer& o) { o.add_hook(GradientClipping(0.7)); },
           [](Optimizer& o) {
             o.add_hook("a", [](Optimizer& x) { x.clip_grads(0.7); });
           }},
          {"clipping that changes nothing",
           [](Optimizer& o) { o.add_hook(GradientClipping(1e9)); },
           [](Optimizer& o) {
             o.add_hook("a", [](Optimizer& x) { x.clip_grads(1e9); });
           }},
          {"all, and a function between them",
           [](Optimizer& o) {
             o.add_hook(Lasso(0.02));
             o.add_hook(GradientClipping(50));
             o.add_hook("halve", [](Optimizer& x) {
               for (const Parameter& param : x.updated_params()) {
                 param.mutable_grad() *= 0.5;
               }
             });
             o.add_hook(GradientHardClipping(-0.3, 0.2));
             o.add_hook("second", GradientClipping(10));
             o.add_hook(WeightDecay(0.1));
           },
           [](Optimizer& o) {
             o.add_hook("all", [](Optimizer& x) {
               Lasso{0.02}(x);
               x.clip_grads(50);
               for (const Parameter& param : x.updated_params()) {
                 param.mutable_grad() *= 0.5;
               }
               GradientHardClipping{-0.3, 0.2}(x);
               x.clip_grads(10);
               x.weight_decay(0.1);
             });
           }}};
}

class JoinedHooksTest : public ::catena::testing::DeviceTest {
 protected:
  // Parameters, and gradients of the last step, after three of them.
  static std::vector<Array> after_steps(Optimizer& optimizer, Dtype dtype,
                                        const AddHooks& add_hooks) {
    Model model(dtype);
    optimizer.setup(model);
    optimizer.use_fp32_update();
    add_hooks(optimizer);
    for (int i = 0; i < 3; ++i) {
      model.set_grads(i);
      optimizer.update();
    }
    std::vector<Array> results = model.arrays();
    for (const Parameter& param : model.params()) {
      results.push_back(param.grad().to_device(native_device()));
    }
    return results;
  }
};

TEST_P(JoinedHooksTest, GiveWhatTheyGiveApart) {
  const auto make = [](int kind) -> std::unique_ptr<Optimizer> {
    if (kind == 0) return std::make_unique<AdamW>();
    if (kind == 1) return std::make_unique<MomentumSGD>();
    return std::make_unique<Muon>();  // which needs whole gradients
  };
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBFloat16}) {
    for (const Case& each : cases()) {
      for (int kind = 0; kind < 3; ++kind) {
        SCOPED_TRACE(each.name);
        SCOPED_TRACE(kind);
        const auto joined = make(kind);
        const auto apart = make(kind);
        const auto results = after_steps(*joined, dtype, each.joined);
        const auto expected = after_steps(*apart, dtype, each.apart);
        for (size_t i = 0; i < expected.size(); ++i) {
          ASSERT_THAT(results[i], IsArray(expected[i])) << i;
        }
      }
    }
  }
}

// As in Chainer, they stay what the hooks have made of them.
TEST_P(JoinedHooksTest, GradientsAreChangedAfterTheStep) {
  Model model(Dtype::kFloat32);
  SGD sgd({.lr = 0.1});
  sgd.setup(model);
  sgd.add_hook(GradientClipping(1));
  model.set_grads(0);
  sgd.update();
  EXPECT_NEAR(sgd.compute_grads_norm(), 1, 1e-4);
}

TEST_P(JoinedHooksTest, FunctionsSeeWhatTheOnesBeforeHaveDone) {
  Model model(Dtype::kBFloat16);
  SGD sgd;
  sgd.setup(model);
  sgd.use_fp32_update();
  std::vector<double> norms;
  const auto look = [&](Optimizer& o) {
    norms.push_back(o.compute_grads_norm());
  };
  sgd.add_hook("first", look);
  sgd.add_hook(GradientClipping(4));
  sgd.add_hook("second", look);
  sgd.add_hook("third", look);
  model.set_grads(0);
  sgd.update();
  ASSERT_EQ(norms.size(), 3u);
  EXPECT_GT(norms[0], 150);
  EXPECT_NEAR(norms[1], 4, 1e-3);
  EXPECT_EQ(norms[2], norms[1]);
}

// A hook that throws leaves the parameters as they were, and the next step is
// right.
TEST_P(JoinedHooksTest, AStepAfterOneThatFailedIsAsIfThatHadNotBeen) {
  for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBFloat16}) {
    Model model(dtype), expected(dtype);
    AdamW adamw, reference;
    bool fails = false;
    for (AdamW* each : {&adamw, &reference}) {
      each->setup(each == &adamw ? model : expected);
      each->use_fp32_update();
      each->add_hook(WeightDecay(0.5));
      each->add_hook(GradientClipping(1));
    }
    adamw.add_hook("fail", [&](Optimizer&) {
      if (fails) throw std::runtime_error("on purpose");
    });
    for (int i = 0; i < 4; ++i) {
      model.set_grads(i);
      const std::vector<Array> before = model.arrays();
      fails = i % 2 == 1;
      if (fails) {
        EXPECT_THROW(adamw.update(), std::runtime_error);
        const std::vector<Array> after = model.arrays();
        for (size_t k = 0; k < after.size(); ++k) {
          ASSERT_THAT(after[k], IsArray(before[k]));
        }
        EXPECT_EQ(adamw.t(), reference.t());
      } else {
        adamw.update();
        expected.set_grads(i);
        reference.update();
      }
    }
    const std::vector<Array> wanted = expected.arrays();
    const std::vector<Array> results = model.arrays();
    for (size_t k = 0; k < wanted.size(); ++k) {
      EXPECT_THAT(results[k], IsArray(wanted[k])) << k;
    }
  }
}

TEST_P(JoinedHooksTest, HooksAfterTheStepSeeItsResultInTheCopy) {
  Model model(Dtype::kBFloat16);
  SGD sgd({.lr = 1});
  sgd.setup(model);
  sgd.use_fp32_update();
  sgd.add_hook(WeightDecay(0.5));
  std::vector<Dtype> dtypes;
  sgd.add_hook(
      "after",
      [&](Optimizer& o) {
        for (const Parameter& param : o.updated_params()) {
          dtypes.push_back(param.dtype());
          param.data().fill(3);
        }
      },
      HookTiming::kPost);
  model.set_grads(0);
  sgd.update();
  EXPECT_THAT(dtypes, ElementsAre(Dtype::kFloat32, Dtype::kFloat32,
                                  Dtype::kFloat32, Dtype::kFloat32));
  for (const Array& each : model.arrays()) {
    EXPECT_THAT(each.astype(Dtype::kFloat32),
                IsArray(array::full(each.shape(), 3).astype(Dtype::kFloat32)));
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, JoinedHooksTest,
                         ::catena::testing::every_device());

}  // namespace
}  // namespace catena::optimizers

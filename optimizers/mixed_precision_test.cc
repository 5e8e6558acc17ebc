#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "catena/array/core/error.h"
#include "catena/array/creation.h"
#include "catena/array/random/random.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/autograd/config.h"
#include "catena/functions/activation/relu.h"
#include "catena/functions/loss/softmax_cross_entropy.h"
#include "catena/functions/math/average.h"
#include "catena/functions/math/operators.h"
#include "catena/functions/math/sum.h"
#include "catena/links/chain.h"
#include "catena/links/connection/convolution_nd.h"
#include "catena/links/connection/linear.h"
#include "catena/links/normalization/batch_normalization.h"
#include "catena/links/sequential.h"
#include "catena/optimizers/adam.h"
#include "catena/optimizers/hooks.h"
#include "catena/optimizers/loss_scaler.h"
#include "catena/optimizers/momentum_sgd.h"
#include "catena/optimizers/optimizers.h"
#include "catena/optimizers/sgd.h"
#include "catena/serializers/npz.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::optimizers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Array full(double value, Dtype dtype) {
  return array::full({3}, value).astype(dtype).to_device(current_device());
}

class OneParam : public Link {
 public:
  explicit OneParam(Dtype dtype = Dtype::kFloat16)
      : W(this, "W", Initializer([](const Array& out) { out.fill(1); }, dtype),
          Shape{3}) {}
  Param W;

  void set_grad(double value) const { W.set_grad(full(value, W.dtype())); }
  double value() const {
    return W.data().astype(Dtype::kFloat64)[0].item<double>();
  }
};

UpdateRule& rule_of(const OneParam& link) {
  return dynamic_cast<UpdateRule&>(*link.W.update_rule());
}

class MixedPrecisionTest : public ::catena::testing::DeviceTest {};

// Steps of half a unit in the last place of 1 vanish in float16.
TEST_P(MixedPrecisionTest, SmallStepsAddUpInFloat32) {
  const auto after_eight_steps = [](Dtype dtype, bool use_fp32_update) {
    OneParam link(dtype);
    const Array memory = link.W.data();
    SGD sgd({.lr = 0x1p-13});
    sgd.setup(link);
    sgd.use_fp32_update(use_fp32_update);
    for (int i = 0; i < 8; ++i) {
      link.set_grad(1);
      sgd.update();
    }
    EXPECT_EQ(link.W.dtype(), dtype);
    EXPECT_TRUE(link.W.data().is_same(memory));
    return link.value();
  };
  EXPECT_EQ(after_eight_steps(Dtype::kFloat16, false), 1);
  EXPECT_EQ(after_eight_steps(Dtype::kFloat16, true), 1 - 0x1p-10);
  EXPECT_EQ(after_eight_steps(Dtype::kFloat32, true), 1 - 0x1p-10);
  EXPECT_EQ(after_eight_steps(Dtype::kBFloat16, false), 1);
}

TEST_P(MixedPrecisionTest, HooksAndStateAreInFloat32) {
  OneParam link;
  MomentumSGD optimizer({.lr = 0x1p-13, .momentum = 0});
  optimizer.use_fp32_update();
  optimizer.setup(link);
  optimizer.add_hook(WeightDecay(0x1p-3));
  Dtype seen = Dtype::kBool;
  rule_of(link).add_hook("look", [&](UpdateRule&, const Parameter& param) {
    seen = param.dtype();
    EXPECT_EQ(param.grad().dtype(), Dtype::kFloat32);
  });
  link.set_grad(1);
  optimizer.update();
  EXPECT_EQ(seen, Dtype::kFloat32);
  const Array v = rule_of(link).state().at("v");
  // The decay of 2^-3 would survive in float16, its product with lr would not.
  EXPECT_THAT(v.to_device(native_device()),
              IsArray(array::full({3}, -0x1.2p-13).astype(Dtype::kFloat32)));
  EXPECT_FALSE(rule_of(link).updated(link.W).grad().defined());
}

// The square of this norm is beyond float16.
TEST_P(MixedPrecisionTest, NormsOfLARSAreInFloat32) {
  OneParam link;
  link.W.data().fill(200);
  SGD sgd({.lr = 0.5});
  sgd.setup(link);
  sgd.add_hook(GradientLARS());
  link.set_grad(1);
  sgd.update();
  EXPECT_EQ(link.value(), 100);
}

TEST_P(MixedPrecisionTest, AChangeFromOutsideReplacesTheCopy) {
  OneParam link;
  SGD sgd({.lr = 0x1p-13});
  sgd.use_fp32_update();
  sgd.setup(link);
  link.set_grad(1);
  sgd.update();
  EXPECT_EQ(link.value(), 1);
  OneParam other;
  other.W.data().fill(5);
  link.copyparams(other);
  link.set_grad(8192);
  sgd.update();
  EXPECT_EQ(link.value(), 4);
}

TEST_P(MixedPrecisionTest, ALossScaleSavesSmallGradients) {
  const Array x = full(0x1p-12, Dtype::kFloat16);
  const auto step = [&](Dtype dtype, double scale) {
    OneParam link(dtype);
    SGD sgd({.lr = 0x1p24});
    sgd.use_fp32_update();
    sgd.setup(link);
    if (scale != 1) sgd.set_loss_scale(scale);
    EXPECT_EQ(sgd.loss_scale(), scale);
    sgd.update([&] {
      const Variable small = as_variable(x.astype(dtype));
      // The gradient is 2^-25: 0 in float16, whose least number is 2^-24.
      return functions::sum(link.W * small * 0x1p-13);
    });
    EXPECT_EQ(sgd.t(), 1);
    return link.value();
  };
  EXPECT_EQ(step(Dtype::kFloat32, 1), 0.5);
  EXPECT_EQ(step(Dtype::kFloat16, 1), 1);
  EXPECT_EQ(step(Dtype::kFloat16, 256), 0.5);
  EXPECT_EQ(step(Dtype::kFloat32, 256), 0.5);
}

TEST_P(MixedPrecisionTest, AStepThatOverflowsIsSkipped) {
  OneParam link(Dtype::kFloat32);
  Adam adam;
  adam.setup(link);
  adam.loss_scaling({.interval = 2});
  int calls = 0;
  adam.add_hook("count", [&](Optimizer&) { ++calls; });
  const auto update = [&](double gradient) {
    link.set_grad(gradient);
    adam.update();
  };
  update(1);
  EXPECT_FALSE(adam.was_skipped());
  EXPECT_EQ(adam.loss_scale(), 2);
  const double before = link.value();
  for (const double bad : {kInfinity, std::nan("")}) {
    update(bad);
    EXPECT_TRUE(adam.was_skipped());
    EXPECT_EQ(link.value(), before);
    EXPECT_EQ(adam.loss_scale(), 1);
  }
  EXPECT_EQ(adam.t(), 1);
  EXPECT_EQ(calls, 1);
  update(1);
  EXPECT_EQ(adam.t(), 2);
  EXPECT_EQ(calls, 2);
  EXPECT_NE(link.value(), before);
}

// A run whose steps are skipped now and then.
struct SkippingRun {
  std::vector<double> values;
  int64_t t = 0;
  int64_t rule_t = 0;
  double scale = 0;
  bool was_skipped = false;
};

SkippingRun skip_steps(const std::function<std::unique_ptr<Optimizer>()>& make,
                       Device device, Dtype dtype, int steps) {
  const DeviceScope scope(device);
  OneParam link(dtype);
  const std::unique_ptr<Optimizer> optimizer = make();
  optimizer->use_fp32_update();
  optimizer->setup(link);
  optimizer->loss_scaling({.interval = 3});
  optimizer->add_hook(WeightDecay(0.01));
  SkippingRun run;
  std::vector<Array> values;
  for (int i = 0; i < steps; ++i) {
    const bool overflows = i == 0 || i == 3 || i == 4 || i == 8;
    link.set_grad(overflows ? (i == 3 ? std::nan("") : kInfinity)
                            : 0.25 * (1 + i % 3));
    optimizer->update();
    values.push_back(link.W.data().copy());
  }
  for (const Array& value : values) {
    run.values.push_back(value[0].astype(Dtype::kFloat64).item<double>());
  }
  run.t = optimizer->t();
  run.rule_t = update_rule_of(link.W).t();
  run.scale = optimizer->loss_scale();
  run.was_skipped = optimizer->was_skipped();
  return run;
}

template <class O>
std::function<std::unique_ptr<Optimizer>()> maker(
    const typename O::Options& options = {}) {
  return [options] { return std::make_unique<O>(options); };
}

// The scale doubles with each good step, and one that throws is none.
TEST_P(MixedPrecisionTest, AStepThatFailsLeavesTheScale) {
  OneParam link(Dtype::kFloat32);
  SGD sgd({.lr = 1});
  sgd.setup(link);
  sgd.loss_scaling();
  sgd.add_hook("failing", [](Optimizer&) { raise<ValueError>("hook"); });
  link.set_grad(1);
  EXPECT_THROW(sgd.update(), ValueError);
  EXPECT_EQ(sgd.loss_scale(), 1);
  EXPECT_EQ(sgd.t(), 0);
  EXPECT_EQ(link.value(), 1);

  sgd.remove_hook("failing");
  link.set_grad(1);
  sgd.update();
  EXPECT_EQ(sgd.loss_scale(), 2);
  EXPECT_EQ(link.value(), 0);
}

// On a GPU, that decides; on the CPU, the host.
TEST_P(MixedPrecisionTest, SkippedStepsAreThoseOfTheHost) {
  for (const auto& make :
       {maker<SGD>({.lr = 0.1}), maker<MomentumSGD>(), maker<Adam>(),
        maker<Adam>({.weight_decay_rate = 0.1, .amsgrad = true}),
        maker<Adam>({.adabound = true}), maker<MSVAG>(), maker<AdaDelta>(),
        maker<RMSprop>()}) {
    for (const Dtype dtype : {Dtype::kFloat32, Dtype::kFloat16}) {
      for (const int steps : {9, 11}) {
        const SkippingRun host =
            skip_steps(make, native_device(), dtype, steps);
        const SkippingRun run = skip_steps(make, GetParam(), dtype, steps);
        EXPECT_EQ(run.values[0], run.values[0]);  // not NaN
        for (size_t i = 0; i < run.values.size(); ++i) {
          EXPECT_NEAR(run.values[i], host.values[i],
                      1e-6 * std::abs(host.values[i]))
              << i;
        }
        EXPECT_EQ(run.t, steps - 4);
        EXPECT_EQ(run.rule_t, steps - 4);
        EXPECT_EQ(run.scale, host.scale);
        EXPECT_EQ(run.was_skipped, steps == 9);
      }
    }
  }
}

// A hook that the host calls, an option of loss_scaling or a disabled rule
// between steps.
TEST_P(MixedPrecisionTest, WhoDecidesMayChangeBetweenSteps) {
  OneParam link(Dtype::kFloat32);
  Adam adam;
  adam.setup(link);
  adam.loss_scaling({.interval = 2});
  const auto update = [&](double gradient) {
    link.set_grad(gradient);
    adam.update();
  };
  for (const double gradient : {1.0, kInfinity, 1.0}) update(gradient);
  int calls = 0;
  adam.add_hook("count", [&](Optimizer&) { ++calls; });
  for (const double gradient : {kInfinity, 1.0}) update(gradient);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(adam.t(), 3);
  EXPECT_EQ(update_rule_of(link.W).t(), 3);
  adam.remove_hook("count");
  for (const double gradient : {kInfinity, 1.0}) update(gradient);
  link.disable_update();
  update(1);
  link.enable_update();
  update(1);
  EXPECT_EQ(adam.t(), 6);
  EXPECT_EQ(update_rule_of(link.W).t(), 5);
  adam.set_loss_scale(16);
  update(kInfinity);
  update(1);
  EXPECT_EQ(adam.t(), 7);
  EXPECT_EQ(adam.loss_scale(), 16);
}

// The loss after training a network of two layers to tell two clouds apart.
double trained_loss(DefaultDtype dtype) {
  const auto scope = using_config(&Config::dtype, dtype);
  array::random::seed(1);
  const Array t = array::random::randint(0, 2, {64}).astype(Dtype::kInt32);
  const Array x = array::random::normal(0, 1, {64, 4}, Dtype::kFloat32) +
                  t.astype(Dtype::kFloat32).expand_dims(1);
  Sequential model{links::Linear(4, 16), functions::relu, links::Linear(16, 2)};
  EXPECT_EQ(model.at<links::Linear>(0).W.dtype(), get_dtype());
  Adam adam({.alpha = 0.01});
  adam.setup(model);
  adam.loss_scaling({.interval = 10});
  Variable loss;
  for (int i = 0; i < 60; ++i) {
    loss = adam.update([&] {
      const Variable y = model(as_variable(x.astype(get_dtype())));
      EXPECT_EQ(y.dtype(), get_dtype());
      return functions::softmax_cross_entropy(y, as_variable(t));
    });
  }
  const auto& rule =
      dynamic_cast<UpdateRule&>(*model.at<links::Linear>(0).W.update_rule());
  EXPECT_EQ(rule.state().at("m").dtype(),
            get_dtype(std::nullopt, Dtype::kFloat32));
  return loss.data().astype(Dtype::kFloat64).item<double>();
}

TEST_P(MixedPrecisionTest, Mixed16TrainsAsFloat32Does) {
  const double single = trained_loss(Dtype::kFloat32);
  const double mixed = trained_loss(mixed16);
  EXPECT_LT(single, 0.5);
  EXPECT_NEAR(mixed, single, 0.02);
}

class ConvolutionNet : public Chain<ConvolutionNet> {
 public:
  ConvolutionNet()
      : conv1(this, "conv1", 16, 3, padded()),
        bn1(this, "bn1", 16),
        conv2(this, "conv2", 32, 3, padded()),
        bn2(this, "bn2", 32),
        fc(this, "fc", 2) {}
  Variable forward(const Variable& x) {
    const Variable h = functions::relu(bn1(conv1(x)));
    return fc(functions::average(functions::relu(bn2(conv2(h))), {2, 3}));
  }

 private:
  static links::ConvolutionOptions padded() {
    return {.pad = 1, .nobias = true};
  }
  Child<links::Convolution2D> conv1;
  Child<links::BatchNormalization> bn1;
  Child<links::Convolution2D> conv2;
  Child<links::BatchNormalization> bn2;
  Child<links::Linear> fc;
};

// The last loss of a network that tells images whose left side is bright from
// others.
double convolution_loss(Dtype dtype) {
  const auto scope = using_config(&Config::dtype, dtype);
  array::random::seed(1);
  const Array x =
      array::random::uniform(-1.0, 1.0, {16, 3, 12, 12}, Dtype::kFloat32);
  x[{Slice(0, 8), ellipsis, Slice(0, 6)}] += 0.5;
  const Array t = array::zeros({16}, Dtype::kInt32);
  t[{Slice(0, 8)}].fill(1);
  ConvolutionNet model;
  MomentumSGD optimizer({.lr = 0.05});
  optimizer.setup(model);
  optimizer.use_fp32_update();
  Variable loss;
  for (int i = 0; i < 20; ++i) {
    loss = optimizer.update([&] {
      const Variable y = model(as_variable(x.astype(dtype)));
      EXPECT_EQ(y.dtype(), dtype);
      return functions::softmax_cross_entropy(y, as_variable(t));
    });
  }
  return loss.data().astype(Dtype::kFloat64).item<double>();
}

TEST_P(MixedPrecisionTest, ConvolutionsTrainInBFloat16AsInFloat32) {
  const double single = convolution_loss(Dtype::kFloat32);
  EXPECT_LT(single, 0.1);
  EXPECT_NEAR(convolution_loss(Dtype::kBFloat16), single, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Devices, MixedPrecisionTest,
                         ::catena::testing::every_device());

TEST(MixedPrecisionSnapshotTest, GoesOnWhereItStopped) {
  const auto start = [](SGD& sgd, OneParam& link) {
    sgd.use_fp32_update();
    sgd.loss_scaling({.interval = 2});
    sgd.setup(link);
  };
  const auto step = [](SGD& sgd, OneParam& link, int steps) {
    for (int i = 0; i < steps; ++i) {
      link.set_grad(sgd.loss_scale());
      sgd.update();
    }
  };
  OneParam link;
  SGD sgd({.lr = 0x1p-13});
  start(sgd, link);
  step(sgd, link, 5);
  const std::string folder = ::testing::TempDir();
  serializers::save_npz(folder + "/mixed_model.npz", link);
  serializers::save_npz(folder + "/mixed_sgd.npz", sgd);

  OneParam again;
  SGD resumed({.lr = 0x1p-13});
  start(resumed, again);
  serializers::load_npz(folder + "/mixed_model.npz", again);
  serializers::load_npz(folder + "/mixed_sgd.npz", resumed);
  EXPECT_EQ(resumed.loss_scale(), sgd.loss_scale());
  step(sgd, link, 3);
  step(resumed, again, 3);
  EXPECT_EQ(link.value(), 1 - 0x1p-10);
  EXPECT_EQ(again.value(), link.value());
}

TEST(LossScalerTest, DoublesUntilItOverflowsForTheFirstTime) {
  LossScaler scaler({.interval = 4});
  EXPECT_TRUE(scaler.is_dynamic());
  for (int i = 0; i < 10; ++i) scaler.after_step(true);
  EXPECT_EQ(scaler.scale(), 1024);
  scaler.after_step(false);
  EXPECT_EQ(scaler.scale(), 512);
  for (int i = 0; i < 4; ++i) scaler.after_step(true);
  EXPECT_NEAR(scaler.scale(), 1024, 1e-9);
  for (int i = 0; i < 100; ++i) scaler.after_step(false);
  EXPECT_EQ(scaler.scale(), 1);
}

TEST(LossScalerTest, AStaticScaleStays) {
  LossScaler scaler({.scale = 128.0});
  EXPECT_FALSE(scaler.is_dynamic());
  scaler.after_step(true);
  scaler.after_step(false);
  EXPECT_EQ(scaler.scale(), 128);
}

TEST(LossScalerTest, RefusesOptionsOutOfRange) {
  EXPECT_THAT(error_of<ValueError>([] { LossScaler({.interval = 0}); }),
              HasSubstr("at least 1, got 0"));
  EXPECT_THAT(error_of<ValueError>([] { LossScaler({.scale = 0.0}); }),
              HasSubstr("scale above 0, got 0"));
  SGD sgd;
  EXPECT_THAT(error_of<ValueError>([&] { sgd.set_loss_scale(kInfinity); }),
              HasSubstr("got inf"));
}

}  // namespace
}  // namespace catena::optimizers

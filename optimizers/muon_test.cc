#include "catena/optimizers/muon.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>

#include "catena/array/core/error.h"
#include "catena/array/core/parallel.h"
#include "catena/array/creation.h"
#include "catena/array/linalg/matmul.h"
#include "catena/array/random/random.h"
#include "catena/array/reduction/reduce.h"
#include "catena/array/ufunc/ufunc.h"
#include "catena/optimizers/sgd.h"
#include "catena/optimizers/testing/golden_trajectory.h"
#include "catena/serializers/dictionary.h"
#include "catena/tests/support/golden.h"
#include "catena/tests/testing/array_matchers.h"
#include "catena/tests/testing/device_test.h"
#include "catena/tests/testing/error_of.h"

namespace catena::optimizers {
namespace {

using ::catena::testing::error_of;
using ::catena::testing::IsArray;
using ::testing::HasSubstr;

class MuonTest : public ::catena::testing::DeviceTest {};
INSTANTIATE_TEST_SUITE_P(Muon, MuonTest, ::catena::testing::every_device(),
                         ::catena::testing::device_name);

// tests/golden/optimizers/make_muon.py
TEST_P(MuonTest, FollowsNumpy) {
  const auto cases = ::catena::testing::golden_cases("optimizers/Muon");
  EXPECT_EQ(cases.size(), 5u);
  for (const auto& golden : cases) {
    SCOPED_TRACE(golden.name());
    Muon optimizer(
        {.lr = golden.attr_or("lr", 0.02),
         .momentum = golden.attr_or("momentum", 0.95),
         .weight_decay = golden.attr_or("weight_decay", 0.01),
         .nesterov = golden.attr_or("nesterov", true),
         .steps = golden.attr_or("steps", 5),
         .match_adamw = golden.attr_or("match_adamw", false),
         .adamw_lr = golden.attr_or("adamw_lr", 0.001),
         .adamw_beta1 = golden.attr_or("adamw_beta1", 0.9),
         .adamw_beta2 = golden.attr_or("adamw_beta2", 0.999),
         .adamw_eps = golden.attr_or("adamw_eps", 1e-8),
         .adamw_weight_decay = golden.attr_or("adamw_weight_decay", 0.01)});
    // The iteration multiplies rounding errors of small singular values by 500.
    const bool is_double = golden.name() != "default";
    ::catena::testing::expect_golden_trajectory(
        optimizer, golden, device(),
        is_double ? ::catena::testing::Tolerance{.rtol = 1e-9, .atol = 1e-10}
                  : ::catena::testing::Tolerance{.rtol = 1e-4, .atol = 1e-5});
  }
}

TEST_P(MuonTest, SingularValuesBecomeAlmostEqual) {
  for (const Shape& shape : {Shape{20, 50}, Shape{50, 20}, Shape{1, 7}}) {
    const Array u = array::random::normal(0, 3, shape, Dtype::kFloat32);
    const Array x = orthogonalized(u);
    EXPECT_EQ(x.shape(), shape);
    const bool is_tall = shape[0] > shape[1];
    // The traces of x x^T and of its square are sums of powers of the values.
    const Array square =
        array::matmul(x, x, {.transa = is_tall, .transb = !is_tall});
    const auto count = static_cast<double>(square.shape()[0]);
    const double second =
        array::sum(x * x).astype(Dtype::kFloat64).item<double>() / count;
    const double fourth =
        array::sum(square * square).astype(Dtype::kFloat64).item<double>() /
        count;
    // Singular values between 0.68 and 1.2.
    EXPECT_NEAR(second, 0.95, 0.49);
    EXPECT_LT(fourth - second * second, 0.1);
  }
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBFloat16}) {
    EXPECT_EQ(orthogonalized(array::ones({2, 3}, dtype)).dtype(), dtype);
  }
  EXPECT_THAT(orthogonalized(array::zeros({2, 3})),
              IsArray(array::zeros({2, 3})));
  EXPECT_EQ(orthogonalized(array::zeros({0, 3})).shape(), Shape({0, 3}));
}

class Layers : public Link {
 public:
  Layers()
      : hidden(this, "hidden", 0.5, Shape{3, 4}),
        words(this, "words", 0.5, Shape{5, 4}),
        bias(this, "bias", 0.5, Shape{4}) {}
  Param hidden, words, bias;

  void set_gradients() const {
    for (const Parameter& param : params()) {
      param.set_grad(array::random::Generator(2, param.device())
                         .uniform(-1, 1, param.shape(), param.dtype()));
    }
  }
};

TEST_P(MuonTest, EmbeddingsMayUseAdamW) {
  Layers layers;
  Layers same;
  Muon muon;
  muon.setup(layers);
  muon.use_adamw(layers.words);
  AdamW adamw;
  adamw.setup(same);
  for (int i = 0; i < 3; ++i) {
    layers.set_gradients();
    same.set_gradients();
    muon.update();
    adamw.update();
  }
  EXPECT_THAT(layers.words.data(), IsArray(same.words.data()));
  EXPECT_THAT(layers.bias.data(), IsArray(same.bias.data()));
  EXPECT_THAT(layers.hidden.data(),
              ::testing::Not(IsArray(same.hidden.data())));
  EXPECT_EQ(update_rule_of(layers.hidden).state().size(), 1u);
  EXPECT_EQ(update_rule_of(layers.words).state().size(), 2u);
  EXPECT_THAT(error_of<ValueError>([&] { muon.use_adamw(layers); }),
              HasSubstr("expected a call before the first step"));
  SGD sgd;
  sgd.setup(layers);
  EXPECT_THAT(error_of<ValueError>([&] { muon.use_adamw(layers); }),
              HasSubstr("got that of another optimizer: bias"));
}

TEST_P(MuonTest, SnapshotsContinue) {
  Layers layers;
  Muon muon;
  muon.setup(layers);
  layers.set_gradients();
  muon.update();
  serializers::Dictionary file;
  serializers::DictionarySerializer writer(file);
  writer.save(layers);
  serializers::Dictionary of_optimizer;
  serializers::DictionarySerializer(of_optimizer).save(muon);

  Layers other;
  Muon resumed;
  resumed.setup(other);
  serializers::DictionaryDeserializer(file).load(other);
  serializers::DictionaryDeserializer(of_optimizer).load(resumed);
  for (int i = 0; i < 2; ++i) {
    layers.set_gradients();
    other.set_gradients();
    muon.update();
    resumed.update();
  }
  for (size_t i = 0; i < layers.params().size(); ++i) {
    EXPECT_THAT(other.params()[i].data(), IsArray(layers.params()[i].data()));
  }
}

class HalfMatrix : public Link {
 public:
  HalfMatrix()
      : W(this, "W",
          Initializer([](const Array& x) { x.fill(1); }, Dtype::kBFloat16),
          Shape{2, 3}) {}
  Param W;
};

TEST_P(MuonTest, SixteenBitParametersHaveACopyOrTheirOwnStep) {
  for (const bool copies : {false, true}) {
    HalfMatrix half;
    Muon muon({.lr = 0.1});
    muon.setup(half);
    muon.use_fp32_update(copies);
    half.W.set_grad(
        array::array({{1, 0, 0}, {0, 1, 0}}).astype(Dtype::kBFloat16));
    muon.update();
    const Array moved = half.W.data().astype(Dtype::kFloat64);
    EXPECT_NEAR((moved[{0, 2}].item<double>()), 1, 0.01);
    EXPECT_NEAR((moved[{0, 0}].item<double>()), 0.9, 0.05);
  }
}

TEST(MuonThreadsTest, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = get_num_threads();
  const Array u = array::random::normal(0, 1, {300, 200}, Dtype::kFloat32);
  set_num_threads(1);
  const Array one = orthogonalized(u);
  set_num_threads(2);
  const Array two = orthogonalized(u);
  set_num_threads(before);
  EXPECT_THAT(two, IsArray(one));
}

TEST(MuonErrorTest, OptionsOutOfRangeAreErrors) {
  const auto refused = [](const MuonOptions& options) {
    return error_of<ValueError>([&] { Muon{options}; });
  };
  EXPECT_THAT(refused({.lr = NAN}), HasSubstr("lr"));
  EXPECT_THAT(refused({.momentum = 1}), HasSubstr("momentum"));
  EXPECT_THAT(refused({.weight_decay = -1}), HasSubstr("weight_decay"));
  EXPECT_THAT(refused({.steps = 0}),
              HasSubstr("expected 1 to 100 steps, got 0"));
  EXPECT_THAT(refused({.steps = 101}), HasSubstr("got 101"));
  EXPECT_THAT(refused({.adamw_beta2 = 1}), HasSubstr("adamw_beta2"));
  Muon muon;
  EXPECT_THROW(muon.set_hyperparameter("adamw_eps", -1), ValueError);
  EXPECT_THAT(error_of<ShapeError>([] { orthogonalized(array::ones({3})); }),
              HasSubstr("orthogonalized: expected a floating matrix, got "
                        "float64 (3,)"));
}

}  // namespace
}  // namespace catena::optimizers
